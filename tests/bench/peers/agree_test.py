"""agree.py finds the headers of an engine from the folder where it was built."""
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

import support  # noqa: F401
import agree


class Headers(unittest.TestCase):
    def setUp(self):
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def headers(self, *names):
        for name in names:
            path = self.folder / name / "include/x.h"
            path.parent.mkdir(parents=True)
            path.with_name("llama.h").touch()

    def test_are_in_the_source_that_the_cache_names(self):
        self.headers("source", "source/ggml")
        (self.folder / "built").mkdir()
        (self.folder / "built/CMakeCache.txt").write_text(f"A:STRING=b\nCMAKE_HOME_DIRECTORY:INTERNAL={self.folder}/source\n")
        self.assertEqual(agree.header_folders(self.folder / "built"), [self.folder / "source/include", self.folder / "source/ggml/include"])

    def test_are_in_the_folder_where_it_was_installed(self):
        self.headers("prefix")
        self.assertEqual(agree.header_folders(self.folder / "prefix"), [self.folder / "prefix/include"])

    def test_that_are_missing_are_an_error(self):
        with self.assertRaisesRegex(RuntimeError, "llama.h"):
            agree.header_folders(self.folder)


unittest.main()
