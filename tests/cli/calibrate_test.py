"""skald calibrate: files that do not depend on threads, what decodes by them, and models that have them inside."""
import random

import support
from doc_runner import hugging_face_folder

N = 1200  # tokens of a text, so that pages are scored by the index


class Calibrate(support.CliTest):
    def setUp(self):
        self.folder = self.new_folder()
        self.model = support.DATA / "golden" / "llama_gqa" / "model.gguf"
        self.text = self.folder / "ids.txt"
        ids = random.Random(1)
        self.text.write_text(support.comma(ids.randrange(3, 400) for _ in range(2 * N)))

    def calibration(self, name="model.skald-index", *flags, model=None):
        out = self.folder / name
        self.ok("calibrate", "-m", model or self.model, "--ids-file", self.text, "-c", 400, "-o", out, *flags)
        return out

    def loss(self, *flags, model=None):
        """What `perplexity` prints for the text, decoded sparsely."""
        return self.ok("perplexity", "-m", model or self.model, "--ids-file", self.text, "-c", N, "--sparq", "--sparq-ratio", 5,
                       "-o", "json", *flags).decode()

    def test_gives_the_same_file_for_any_number_of_threads_and_any_steps(self):
        files = [self.calibration(f"{i}", *flags).read_bytes() for i, flags in enumerate((("-t", 1), ("-t", 3), ("-t", 2, "-ub", 100)))]
        self.assertEqual(files[0], files[1])
        self.assertEqual(len(files[0]), len(files[2]))  # of other steps, sums come in another order

    def test_changes_what_is_decoded_sparsely_and_nothing_else(self):
        file = self.calibration()
        self.assertNotEqual(self.loss("--sparq-index", file), self.loss())
        dense = ("perplexity", "-m", self.model, "--ids-file", self.text, "-c", N, "-o", "json")
        self.assertEqual(self.ok(*dense, "--sparq-index", file), self.ok(*dense))

    def test_gives_the_same_bits_for_any_threads_and_cuts_of_a_prompt(self):
        file = self.calibration()
        for types in ((), ("-ct", "small")):
            self.expect_same_bits("--sparq-index", file, *types)

    def expect_same_bits(self, *index):
        want = self.loss(*index, "-t", 1)
        for flags in (("-t", 2), ("-ub", 64), ("-ub", 100), ("-t", 2, "-ub", 48)):
            self.assertEqual(self.loss(*index, *flags), want, flags)

    def test_goes_with_every_index_and_type_of_the_cache(self):
        file = self.calibration()
        for flags in (("--sparq-kt", "int8"), ("--sparq-kt", "f16"), ("-ctk", "q8_0"), ("-ct", "small"),
                      ("--sparq-default-layout",)):
            self.assertRegex(self.loss("--sparq-index", file, *flags), r'"perplexity": *[0-9]', flags)

    def test_becomes_a_part_of_the_model_with_the_same_bits(self):
        file, inside, plain = self.calibration(), self.folder / "inside.gguf", self.folder / "plain.gguf"
        self.ok("quantize", self.model, inside, "Q8_0", "--calibration", file)
        self.ok("quantize", self.model, plain, "Q8_0")
        self.assertEqual(self.loss(model=inside), self.loss("--sparq-index", file, model=plain))
        self.assertIn("attn_index.keys", self.ok("inspect", inside).decode())
        self.assertNotEqual(self.loss(model=inside), self.loss(model=plain))
        again = self.folder / "again.gguf"
        self.ok("quantize", inside, again, "Q4_0", "--allow-requantize")
        self.assertIn("attn_index.keys", self.ok("inspect", again).decode())

    def test_becomes_a_part_of_a_converted_folder(self):
        other = self.calibration()
        folder, plain, inside, file = (self.folder / name for name in ("hf", "plain.gguf", "inside.gguf", "hf.skald-index"))
        hugging_face_folder(folder)
        self.ok("convert", folder, plain)
        self.text.write_text(support.comma(i % 15 for i in range(200)))
        self.ok("calibrate", "-m", plain, "--ids-file", self.text, "-c", 32, "-o", file)
        self.ok("convert", folder, inside, "--calibration", file)
        self.assertIn("attn_index.queries", self.ok("inspect", inside).decode())
        self.fails(1, "convert", folder, self.folder / "out.gguf", "--calibration", other, says="another model")

    def test_of_another_model_is_refused_by_name(self):
        other = self.calibration("other.skald-index", model=support.DATA / "golden" / "llama_mha" / "model.gguf")
        for command in (("run", "-m", self.model, "-p", "a", "-n", 1, "--sparq-index", other),
                        ("quantize", self.model, self.folder / "out.gguf", "Q8_0", "--calibration", other)):
            self.fails(1, *command, says=["other.skald-index", "golden llama_mha"])
        self.assertFalse((self.folder / "out.gguf").exists())

    def test_refuses_files_that_are_no_calibrations(self):
        nothing = self.folder / "nothing"
        nothing.write_text("no file of ours")
        for file in (nothing, self.model, self.folder / "missing"):
            self.fails(1, "run", "-m", self.model, "-p", "a", "-n", 1, "--sparq-index", file, says=file.name)

    def test_wants_a_text_and_a_file_to_write(self):
        self.fails(2, "calibrate", "-m", self.model, "-o", self.folder / "x", says="text")
        self.fails(2, "calibrate", "-m", self.model, "--ids-file", self.text, says="-o")


support.main()
