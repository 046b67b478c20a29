"""Generate the Python stubs of every .proto below this folder into the package `thothii`.

Run by `make proto` and by the build hook, so that stubs are never committed.
"""

from importlib.resources import files
from pathlib import Path

from grpc_tools import protoc  # pyright: ignore[reportMissingTypeStubs]

PROTO_ROOT = Path(__file__).resolve().parent
PROJECT_ROOT = PROTO_ROOT.parent


def generate(output: Path = PROJECT_ROOT) -> list[Path]:
    """Write `*_pb2.py`, `*_pb2_grpc.py` and their `.pyi` below `output`/thothii.

    Returns the .proto files compiled. Raises RuntimeError when protoc refuses one.
    """
    sources = sorted(PROTO_ROOT.glob("thothii/**/*.proto"))
    arguments = [
        "protoc",
        f"--proto_path={PROTO_ROOT}",
        f"--proto_path={files('grpc_tools') / '_proto'}",
        f"--python_out={output}",
        f"--grpc_python_out={output}",
        f"--mypy_out=quiet:{output}",
        f"--mypy_grpc_out=quiet:{output}",
        *map(str, sources),
    ]
    if protoc.main(arguments) != 0:
        raise RuntimeError("protoc refused a .proto file; its message is above")
    for folder in {output / source.relative_to(PROTO_ROOT).parent for source in sources}:
        while folder != output:
            (folder / "__init__.py").touch()
            (folder / "py.typed").touch()
            folder = folder.parent
    return sources


if __name__ == "__main__":
    for source in generate():
        print(source.relative_to(PROTO_ROOT))  # noqa: T201
