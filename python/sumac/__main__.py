"""`python -m sumac`: which versions there are, and where the library is."""

import platform
import sys

from . import __version__, _library, _structs


def main() -> int:
    print(f"sumac {__version__} (sumac.h {_structs.VERSION})")
    print(f"Python {platform.python_version()} ({sys.executable})")
    try:
        print(f"library {_library.library().path}")
    except _library.LibraryError as error:
        print(error, file=sys.stderr)
        return 78
    return 0


if __name__ == "__main__":
    sys.exit(main())
