"""papers/data/tolerances.toml: how far a value may be from the published one."""
import hashlib
import subprocess
import sys
from pathlib import Path

try:
    import tomllib
except ModuleNotFoundError:  # before Python 3.11: Debian's python3-tomli
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/render"))  # for markers and tables

TEXT = (ROOT / "papers/data/tolerances.toml").read_bytes()
VALUES = tomllib.loads(TEXT.decode())
OF_CLAIMS = VALUES.pop("claim", {})
VERSION = hashlib.sha256(TEXT).hexdigest()[:12]


def committed_version():
    """Of the file as it is, if it was committed so; else empty."""
    try:
        head = subprocess.run(["git", "show", "HEAD:papers/data/tolerances.toml"], cwd=ROOT,
                              capture_output=True)
    except OSError:
        return ""
    return VERSION if head.returncode == 0 and head.stdout == TEXT else ""
