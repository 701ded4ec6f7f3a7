"""papers/data/tolerances.toml: how far a value may be from the published one."""
import hashlib
import os
import subprocess
import sys

try:
    import tomllib
except ModuleNotFoundError:  # before Python 3.11: Debian's python3-tomli
    import tomli as tomllib

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PATH = os.path.join(ROOT, "papers", "data", "tolerances.toml")
sys.path.insert(0, os.path.join(ROOT, "bench", "render"))  # for markers and tables

with open(PATH, "rb") as _file:
    TEXT = _file.read()
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
