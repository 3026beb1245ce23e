"""Finding programs and packages, and what CMake is told."""
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

import support  # noqa: F401
from peers import build


class Build(unittest.TestCase):
    def setUp(self):
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()

    def touch(self, name):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        return path

    def test_takes_programs_and_folders_with_programs_as_they_are(self):
        program = self.touch("b/bin/llama-bench")
        other = self.touch("c/llama-bench")
        for path, want in ((program, program), (self.folder / "b", program), (self.folder / "c", other)):
            self.assertEqual(build.find(path), want)

    def test_refuses_what_is_neither_even_a_source_folder(self):
        self.touch("source/CMakeLists.txt")
        for path in (self.folder, self.folder / "absent", self.folder / "source"):
            with self.assertRaisesRegex(build.BuildError, "neither"):
                build.find(path)

    def test_configures_for_this_machine_or_for_avx2(self):
        native = build.cmake_configure("s", "b", False, lambda name: None)
        self.assertIn("-DGGML_NATIVE=ON", native)
        self.assertNotIn("Ninja", native)
        avx2 = build.cmake_configure("s", "b", True, lambda name: "/usr/bin/" + name)
        for flag in ("-DGGML_NATIVE=OFF", "-DGGML_AVX2=ON", "-DGGML_FMA=ON", "-DGGML_F16C=ON", "-DGGML_AVX512=OFF", "Ninja",
                     "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"):
            self.assertIn(flag, avx2)
        self.assertNotIn("-DGGML_NATIVE=ON", avx2)

    def test_takes_the_newest_package_or_the_one_wanted(self):
        self.assertIsNone(build.package_of(self.folder, None))
        for version in ("0.3.9", "0.3.10"):
            self.touch(f"llama_cpp_python-{version}.tar.gz")
        self.assertEqual(build.package_of(self.folder, None).name, "llama_cpp_python-0.3.10.tar.gz")
        self.assertEqual(build.package_of(self.folder, "0.3.9").name, "llama_cpp_python-0.3.9.tar.gz")
        self.assertIsNone(build.package_of(self.folder, "0.4.0"))

    def test_commands_that_fail_are_errors(self):
        for command in (["false"], ["/nonexistent/program"]):
            with self.assertRaises(build.BuildError):
                build.run(command)
        with self.assertRaisesRegex(build.BuildError, "--skald"):
            build.version_of(self.folder / "skald")


unittest.main()
