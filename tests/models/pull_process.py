"""`localspec` with the tiny catalog, in a process of its own: python -m ... CATALOG ARGUMENTS."""

import sys
from pathlib import Path

from localspec.cli.main import main
from tests.models import tiny_catalog

if __name__ == "__main__":
    tiny_catalog.install(Path(sys.argv.pop(1)))
    main()
