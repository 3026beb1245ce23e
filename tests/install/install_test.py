"""Installs to a temporary prefix, then configures, builds and runs projects that find Skald there.

install_test.py CMAKE CXX CC NM BUILD_DIR SOURCE_DIR"""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CMAKE, CXX, CC, NM, BUILD, SOURCE = sys.argv[1:7]


def run(*command, **environment):
    r = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, text=True,
                       env={**os.environ, **{k: str(v) for k, v in environment.items()}})
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

    def library_folder(self):
        return self.files("libskald.so*")[0].parent

    def test_puts_the_public_headers_and_no_others(self):
        want = {p.name for p in (Path(SOURCE) / "include/skald").iterdir()}
        self.assertEqual({str(p.relative_to(self.prefix)) for p in self.files("*.h")}, {f"include/skald/{n}" for n in want})

    def test_puts_two_libraries_and_the_program(self):
        self.assertEqual([p.name for p in self.files("*.a")], ["libskald.a"])
        version = run(self.prefix / "bin/skald", "--version")
        self.assertRegex(version, r"^skald \d")
        number = re.match(r"skald ((\d+\.\d+)\.\d+)", version)
        self.assertEqual({p.name for p in self.files("libskald.so*")},
                         {"libskald.so", f"libskald.so.{number[1]}", f"libskald.so.{number[2]}"})

    def test_puts_what_the_program_prints_of_itself_where_shells_and_man_look(self):
        for path, command in (("man/man1/skald.1", ["man"]), ("bash-completion/completions/skald", ["completions", "bash"]),
                              ("zsh/site-functions/_skald", ["completions", "zsh"]), ("fish/vendor_completions.d/skald.fish", ["completions", "fish"])):
            self.assertEqual((self.prefix / "share" / path).read_text(), run(self.prefix / "bin/skald", *command), path)

    def test_leaks_no_paths_or_warning_flags_of_the_build(self):
        package = self.files("*.cmake") + self.files("*.pc")
        self.assertEqual({p.name for p in package if "-" not in p.name},
                         {"skaldConfig.cmake", "skaldConfigVersion.cmake", "skaldTargets.cmake", "skald.pc"})
        for p in package:
            text = p.read_text()
            for leak in (BUILD, SOURCE, "-Werror", "-Wall", "skald_options"):
                self.assertNotIn(leak, text, p.name)

    def test_lets_another_project_build_and_run(self):
        for target in ("skald::skald", "skald::skald_shared"):
            with self.subTest(target):
                build = self.folder / target.replace(":", "_")
                run(CMAKE, "-S", Path(SOURCE) / "tests/install", "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
                    f"-DCMAKE_CXX_COMPILER={CXX}", f"-DEXAMPLE={SOURCE}/examples/simple.cpp", f"-DLIBRARY={target}")
                run(CMAKE, "--build", build)
                self.assertRegex(run(build / "consumer"), r"(?s)^Once upon a time.+\n\n\d+ tokens")

    def test_lets_c_find_it_by_pkg_config(self):
        paths = {"PKG_CONFIG_PATH": self.library_folder() / "pkgconfig"}
        flags = run("pkg-config", "--cflags", "--libs", "skald", **paths).split()
        program = self.folder / "simple"
        run(CC, "-std=c99", Path(SOURCE) / "examples/simple.c", "-o", program, *flags)
        self.assertRegex(run(program, LD_LIBRARY_PATH=self.library_folder()), r"(?s)^Once upon a time.+\n\n\d+ tokens")
        version = run("pkg-config", "--modversion", "skald", **paths).strip()
        self.assertIn(f"libskald.so.{version}", [p.name for p in self.files("libskald.so*")])

    def test_lets_the_documents_commands_build_programs(self):
        lines = re.findall(r"^\| C(?:\+\+)? \| `(.*?)` \|$", (Path(SOURCE) / "docs/library.md").read_text(), re.M)
        self.assertEqual(len(lines), 2)
        for line, example in zip(lines, ("simple.c", "simple.cpp")):
            with self.subTest(line):
                work = self.folder / example.replace(".", "_")
                work.mkdir()
                (work / f"program.{example.partition('.')[2]}").write_text((Path(SOURCE) / "examples" / example).read_text())
                run("sh", "-c", f"cd {work} && {line}", PKG_CONFIG_PATH=self.library_folder() / "pkgconfig")
                self.assertRegex(run(work / "a.out", LD_LIBRARY_PATH=self.library_folder()), r"(?s)^Once upon a time.+\n\n\d+ tokens")

    def test_is_taken_away_again(self):
        prefix = self.folder / "taken_away"
        run(CMAKE, "--install", BUILD, "--prefix", prefix)
        (prefix / "include/skald/mine.h").write_text("")
        manifest = self.folder / "manifest.txt"
        manifest.write_text((Path(BUILD) / "install_manifest.txt").read_text())
        run(CMAKE, "-D", f"MANIFEST={manifest}", "-P", Path(SOURCE) / "cmake/Uninstall.cmake")
        self.assertEqual([p.name for p in prefix.rglob("*") if not p.is_dir()], ["mine.h"])
        self.assertFalse(manifest.exists())

    def test_examples_of_the_documents_compile(self):
        for page, language, compiler in (("docs/library.md", "cpp", (CXX, "-std=c++20")),
                                         ("docs/library.md", "c", (CC, "-std=c99"))):
            blocks = re.findall(rf"```{language}\n(.+?)```", (Path(SOURCE) / page).read_text(), re.S)
            self.assertTrue(blocks, page)
            for block in blocks:
                with self.subTest(f"{page} {language}"):
                    header, includes = ("skald.h", "<iostream>") if language == "cpp" else ("c.h", "<stdio.h>")
                    source = self.folder / f"example.{language}"
                    body = block.replace("#include <skald/skald.h>\n", "")
                    source.write_text(f"#include <skald/{header}>\n#include {includes}\nvoid example(void) {{\n{body}}}\n")
                    run(*compiler, "-fsyntax-only", "-I", self.prefix / "include", source)

    def test_shows_all_functions_of_c_and_nothing_from_within(self):
        shown = run(NM, "-D", "-C", "--defined-only", self.library_folder() / "libskald.so")
        names = {line.split(maxsplit=2)[2] for line in shown.splitlines()}
        declared = set(re.findall(r"\b(skald_\w+)\(", (Path(SOURCE) / "include/skald/c.h").read_text()))
        self.assertGreater(len(declared), 40)
        self.assertEqual(declared - names, set())
        for within in ("skald::Tokenizer", "skald::LoadedModel::", "skald::ThreadPool"):
            self.assertEqual([n for n in names if n.startswith(within)], [])


unittest.main(argv=sys.argv[:1])
