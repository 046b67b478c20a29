"""Parts of an export that need no database."""

from hypothesis import given
from hypothesis import strategies as st

from tht.sql.files.export_file import in_chunks


@given(st.lists(st.binary(max_size=20)), st.integers(1, 9))
def test_pieces_of_any_size_become_chunks_of_one(pieces: list[bytes], size: int) -> None:
    chunks = list(in_chunks(map(memoryview, pieces), size))
    assert b"".join(chunks) == b"".join(pieces)
    assert {len(chunk) for chunk in chunks[:-1]} <= {size}
    assert all(0 < len(chunk) <= size for chunk in chunks)
