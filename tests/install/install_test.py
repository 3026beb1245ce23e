"""Installs to a temporary prefix, then configures, builds and runs a project that finds Skald there.

install_test.py CMAKE CXX BUILD_DIR SOURCE_DIR"""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CMAKE, CXX, BUILD, SOURCE = sys.argv[1:5]


def run(*command):
    r = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, text=True)
    assert r.returncode == 0, f"{command}:\n{r.stdout}"
    return r.stdout


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.prefix = cls.folder / "prefix"
        run(CMAKE, "--install", BUILD, "--prefix", cls.prefix)

    def files(self, pattern):
        return [p for p in self.prefix.rglob(pattern) if p.is_file()]

    def test_puts_the_public_headers_and_no_others(self):
        want = {p.name for p in (Path(SOURCE) / "include/skald").iterdir()}
        self.assertEqual({str(p.relative_to(self.prefix)) for p in self.files("*.h")}, {f"include/skald/{n}" for n in want})

    def test_puts_one_library_and_the_program(self):
        self.assertEqual([p.name for p in self.files("*.a")], ["libskald.a"])
        self.assertRegex(run(self.prefix / "bin/skald", "--version"), r"^skald \d")

    def test_leaks_no_paths_or_warning_flags_of_the_build(self):
        package = self.files("*.cmake")
        self.assertEqual({p.name for p in package if "-" not in p.name},
                         {"skaldConfig.cmake", "skaldConfigVersion.cmake", "skaldTargets.cmake"})
        for p in package:
            text = p.read_text()
            for leak in (BUILD, SOURCE, "-Werror", "-Wall", "skald_options"):
                self.assertNotIn(leak, text, p.name)

    def test_lets_another_project_build_and_run(self):
        build = self.folder / "consumer"
        run(CMAKE, "-S", Path(SOURCE) / "tests/install", "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
            f"-DCMAKE_CXX_COMPILER={CXX}", f"-DEXAMPLE={SOURCE}/examples/simple.cpp")
        run(CMAKE, "--build", build)
        self.assertRegex(run(build / "consumer"), r"(?s)^Once upon a time.+\n\n\d+ tokens")


unittest.main(argv=sys.argv[:1])
