"""`python -m asker`, the same as `thothii-ask`."""

from asker.cli import main

if __name__ == "__main__":
    main()
