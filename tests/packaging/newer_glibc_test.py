"""cmake/toolchains/newer_glibc.c beside a glibc that has these functions.

usage: newer_glibc_test.py C_COMPILER
"""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1] / "cmake/toolchains/newer_glibc.c"
OWN = {"pthread_cond_clockwait": "own_clockwait", "_dl_find_object": "own_find_object", "__libc_single_threaded": "own_single_threaded",
       "posix_spawn_file_actions_addclosefrom_np": "own_closefrom"}


class NewerGlibc(unittest.TestCase):
    def run_with(self, *defines):
        if tuple(map(int, os.confstr("CS_GNU_LIBC_VERSION").split()[1].split("."))) < (2, 35):
            self.skipTest("this glibc has none of the functions")
        with tempfile.TemporaryDirectory() as folder:
            renamed = [f"-D{name}={own}" for name, own in OWN.items()]
            for args in ([*renamed, *defines, "-c", SOURCE, "-o", f"{folder}/own.o"],
                         [HERE / "newer_glibc_test.c", f"{folder}/own.o", "-o", f"{folder}/test"]):
                r = subprocess.run([COMPILER, "-O2", "-Wall", "-Wextra", "-Werror", *args], capture_output=True, text=True, check=False)
                self.assertEqual((r.returncode, r.stderr), (0, ""))
            return subprocess.run([f"{folder}/test"], capture_output=True, text=True, timeout=60, check=False)

    def test_does_what_the_systems_does(self):
        r = self.run_with()
        self.assertEqual((r.returncode, r.stdout), (0, ""))

    def test_closes_descriptors_where_the_system_cannot(self):
        r = self.run_with("-Ddlsym(object,name)=NULL")
        self.assertEqual((r.returncode, r.stdout), (0, ""))


if __name__ == "__main__":
    COMPILER = sys.argv.pop(1)
    unittest.main()
