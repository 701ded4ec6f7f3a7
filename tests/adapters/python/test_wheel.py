"""The wheel that pip builds from the project's folder, without network."""

import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile

from support import ROOT

PROGRAM = """
import numpy, simdbloom
f = simdbloom.Filter("split256", 10, 12)
f.insert(numpy.arange(10))
assert f.count(numpy.arange(10)) == 10
print(simdbloom.isa_floor, simdbloom.__file__)
"""


@unittest.skipIf(importlib.util.find_spec("pip") is None, "pip is not installed")
class Wheel(unittest.TestCase):
    def test_is_installed_in_an_environment_of_its_own(self):
        with tempfile.TemporaryDirectory() as folder:
            env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

            def run(*words):
                end = subprocess.run(words, cwd=folder, capture_output=True, text=True, env=env)
                self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
                return end.stdout

            pip = (sys.executable, "-m", "pip")
            run(*pip, "wheel", "--no-index", "--no-deps", "--quiet", "--wheel-dir", folder,
                "--config-settings", "build-dir=" + os.environ["SIMDBLOOM_BUILD"], ROOT)
            wheel, = (name for name in os.listdir(folder) if name.endswith(".whl"))
            # NumPy is the system's.
            run(sys.executable, "-m", "venv", "--without-pip", "--system-site-packages", "env")
            python = os.path.join(folder, "env/bin/python")
            run(*pip, "--python", python, "install", "--no-index", "--quiet", wheel)
            floor, where = run(python, "-X", "dev", "-c", PROGRAM).split()
            self.assertTrue(where.startswith(folder), where)
            info = run(python, "-c", "from importlib.metadata import metadata; "
                       "m = metadata('simdbloom'); print(m['Requires-Dist'], m['Platform'])")
            self.assertRegex(floor, r"^(x86-64(-v[234])?|armv8-a|generic)$")
            self.assertEqual(info.split(), ["numpy", floor])
            with zipfile.ZipFile(os.path.join(folder, wheel)) as archive:
                names = archive.namelist()
            for name in ("__init__.py", "__init__.pyi", "_calls.py", "_columns.py", "_types.pyi",
                         "frames.py", "py.typed"):
                self.assertIn("simdbloom/" + name, names)

    def test_without_numpy_says_what_to_do(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
            end = subprocess.run([sys.executable, "-m", "pip", "--python", folder + "/bin/python",
                                  "install", ROOT], capture_output=True, text=True, check=False,
                                 env={**os.environ, "PIP_NO_INDEX": "1"})
            self.assertNotEqual(end.returncode, 0)
            self.assertRegex(end.stderr, "simdbloom: .*python.* has no NumPy, and PIP_NO_INDEX")

    def test_is_made_of_what_the_source_archive_has(self):
        sys.path.insert(0, os.path.join(ROOT, "src/adapters/python/build_backend"))
        import tarfile

        import cmake_wheel
        with tempfile.TemporaryDirectory() as folder:
            archive = cmake_wheel.build_sdist(folder)
            with tarfile.open(os.path.join(folder, archive)) as tar:
                names = {name.split("/", 1)[-1] for name in tar.getnames()}
            for name in ("pyproject.toml", "PKG-INFO", "src/adapters/python/module.cpp",
                         "include/simdbloom/simdbloom.hpp"):
                self.assertIn(name, names)
        self.assertRegex(cmake_wheel.version(), r"^\d+\.\d+\.\d+$")
