"""Builds a wheel of the Python module by CMake, for pip (PEP 517). Needs no network."""

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[4]


def version():
    """The version in include/simdbloom/version.hpp."""
    text = (ROOT / "include/simdbloom/version.hpp").read_text(encoding="utf-8")
    return ".".join(re.findall(r"define SIMDBLOOM_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)\n", text))


def tag():
    """The tag of this Python and this machine, such as cp311-cp311-linux_x86_64."""
    python = "cp%d%d" % sys.version_info[:2]
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"{python}-{python}-{platform}"


def metadata(floor=None):
    """METADATA. floor: the instruction set that the wheel needs at least."""
    page = (ROOT / "src/adapters/python/README.md").read_text(encoding="utf-8")
    return "\n".join([
        "Metadata-Version: 2.1", "Name: simdbloom", f"Version: {version()}",
        *([f"Platform: {floor}"] if floor else []),
        "Summary: Bloom, cuckoo and counting filters whose kernels are SIMD, for NumPy and Arrow",
        "License: MIT", "Requires-Python: >=3.8", "Requires-Dist: numpy",
        "Description-Content-Type: text/markdown", "", page
    ])


def check_numpy():
    """Exits, with a line that says what to do, where pip would find no NumPy after the build."""
    if os.environ.get("PIP_NO_INDEX", "0").lower() in ("", "0", "false", "no", "off"):
        return
    # pip hides what is installed from a build by these.
    env = {name: value for name, value in os.environ.items()
           if name not in ("PYTHONPATH", "PYTHONNOUSERSITE")}
    if subprocess.run([sys.executable, "-c", "import numpy"], env=env, check=False,
                      stderr=subprocess.DEVNULL).returncode != 0:
        sys.exit(f"simdbloom: {sys.executable} has no NumPy, and PIP_NO_INDEX is set: make the "
                 "environment by /usr/bin/python3 -m venv --system-site-packages, after apt-get "
                 "install python3-numpy; or unset PIP_NO_INDEX, and pip downloads NumPy")


def floor_of(folder):
    """The instruction set that the module in the folder needs at least."""
    sys.path.insert(0, os.path.join(folder, "simdbloom"))
    import _simdbloom
    return _simdbloom.isa_floor


def installed(folder, build=None):
    """Builds the module for this Python and installs the package into the folder. `build` is a
    build of the project that has the module, or None for one in build/."""
    commands = []
    if build is None:
        build = ROOT / "build" / f"wheel-{tag()}"
        options = ["-DCMAKE_BUILD_TYPE=Release", f"-DPython_EXECUTABLE={sys.executable}",
                   "-DSIMDBLOOM_EXTENSIONS=none", "-DSIMDBLOOM_ADAPTERS=python"]
        for part in ("TESTS", "BENCH", "TOOLS"):
            options.append(f"-DSIMDBLOOM_BUILD_{part}=OFF")
        commands.append(["cmake", "-S", ROOT, "-B", build, *options])
    jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count() or 1))
    commands.append(["cmake", "--build", build, "--target", "simdbloom_python", "-j", jobs])
    commands.append(["cmake", "--install", build, "--component", "python", "--prefix", folder])
    for command in commands:
        subprocess.run(command, check=True)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    check_numpy()
    with tempfile.TemporaryDirectory() as folder:
        installed(folder, (config_settings or {}).get("build-dir"))
        floor = floor_of(folder)
        files = {
            str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(pathlib.Path(folder).rglob("*")) if path.is_file()
        }
    name = f"simdbloom-{version()}"
    info = f"{name}.dist-info"
    files[f"{info}/METADATA"] = metadata(floor).encode()
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    files[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: simdbloom\n"
                              f"Root-Is-Purelib: false\nTag: {tag()}\n").encode()
    record = ""
    for path, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(data)}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    wheel = f"{name}-{tag()}.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w", zipfile.ZIP_DEFLATED) as out:
        for path, data in files.items():
            out.writestr(path, data)
    return wheel


def build_sdist(sdist_directory, config_settings=None):
    """The sources of a wheel: the library, its headers, and this folder."""
    name = f"simdbloom-{version()}"
    with tempfile.TemporaryDirectory() as folder:
        info = pathlib.Path(folder, "PKG-INFO")
        info.write_text(metadata(), encoding="utf-8")
        with tarfile.open(os.path.join(sdist_directory, f"{name}.tar.gz"), "w:gz",
                          format=tarfile.PAX_FORMAT) as out:
            for path in ("CMakeLists.txt", "LICENSE", "README.md", "pyproject.toml", "include",
                         "src"):
                out.add(ROOT / path, f"{name}/{path}",
                        filter=lambda f: None if f.name.endswith("__pycache__") else f)
            out.add(info, f"{name}/PKG-INFO")
    return f"{name}.tar.gz"
