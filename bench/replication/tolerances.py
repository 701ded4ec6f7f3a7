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


def version_of(text):
    return hashlib.sha256(text).hexdigest()[:12]


VERSION = version_of(TEXT)


def version_at(commit):
    """Of the file in a commit; empty if git does not say."""
    for path in ("papers/data/tolerances.toml", "papers/tolerances.toml"):  # the older place
        try:
            end = subprocess.run(["git", "show", f"{commit}:{path}"], cwd=ROOT, capture_output=True)
        except OSError:
            return ""
        if end.returncode == 0:
            return version_of(end.stdout)
    return ""
