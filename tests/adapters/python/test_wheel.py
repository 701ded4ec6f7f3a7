"""The wheel that pip builds from the project's folder, without network."""

import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest

from support import ROOT

PROGRAM = """
import numpy, simdbloom
f = simdbloom.Filter("split256", 10, 12)
f.insert(numpy.arange(10))
assert f.count(numpy.arange(10)) == 10
print(simdbloom.__version__, simdbloom.__file__)
"""


@unittest.skipIf(importlib.util.find_spec("pip") is None, "pip is not installed")
class Wheel(unittest.TestCase):
    def test_is_installed_by_pip(self):
        with tempfile.TemporaryDirectory() as folder:
            def python(*words):
                end = subprocess.run([sys.executable, *words], cwd=folder, capture_output=True,
                                     text=True, env={**os.environ, "PYTHONPATH": folder})
                self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
                return end.stdout

            python("-m", "pip", "install", "--no-index", "--no-deps", "--quiet", "--target", folder,
                   "--config-settings", "build-dir=" + os.environ["SIMDBLOOM_BUILD"], ROOT)
            self.assertIn(folder, python("-X", "dev", "-c", PROGRAM))
            files = {os.path.join(os.path.relpath(at, folder), name)
                     for at, _, names in os.walk(folder) for name in names}
            for name in ("simdbloom/__init__.pyi", "simdbloom/py.typed"):
                self.assertIn(name, files)
            self.assertIn("Requires: numpy", python("-m", "pip", "show", "simdbloom"))

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
