"""Where things are: the repository, the helper programs, the recorded data, and the npm packages of the tests."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
SUPPORT = ROOT / "tests" / "support"
DATA = ROOT / "tests" / "data"
SOURCE = ROOT / "src" / "fingerpost"
