"""agree.py: the headers of an engine from the folder where it was built, the files that are compared, and its words on leads."""
import unittest
from argparse import Namespace
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


class Compared(unittest.TestCase):
    def rows(self, **args):
        skald = Namespace(files=lambda model, types, work: [(kind, work / kind) for kind in (*types, "split")],
                          quantised=lambda model, types, work: [(kind, work / kind) for kind in types])
        return list(agree.compared(skald, Path("m.gguf"), Namespace(**args), Path("w")))

    def test_are_the_files_that_are_made(self):
        self.assertEqual(self.rows(lora=None, types="F16"), [("F16", Path("w/F16"), None), ("split", Path("w/split"), None)])
        self.assertEqual(len(self.rows(lora=None, types=None)), len(agree.TYPES.split(",")) + 1)

    def test_are_the_model_without_and_with_an_adapter(self):
        model, adapter = Path("m.gguf"), Path("folder/a.gguf")
        self.assertEqual(self.rows(lora=adapter, types=None), [("as it is", model, None), ("as it is, a.gguf", model, adapter)])

    def test_are_files_without_and_with_an_adapter(self):
        path, adapter = Path("w/F32"), Path("folder/a.gguf")
        self.assertEqual(self.rows(lora=adapter, types="F32"), [("F32", path, None), ("F32, a.gguf", path, adapter)])


class Words(unittest.TestCase):
    def test_say_that_all_tokens_are_the_same(self):
        self.assertEqual(agree.compare([0, 0], 0.5), ("same", True))

    def test_count_near_ties_and_mark_other_differences(self):
        self.assertEqual(agree.compare([0, 0.25], 0.5), ("1 of 2 tokens differ, by 0.250 at most", True))
        self.assertEqual(agree.compare([0.75, 0.25], 0.5), ("**2 of 2 tokens differ, by 0.750 at most**", False))


unittest.main()
