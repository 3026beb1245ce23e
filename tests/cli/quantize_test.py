"""skald quantize as programs and people use it."""
import json
from pathlib import Path

import support

FULL = support.DATA / "golden/llama_mha_f16/model.gguf"


class Quantize(support.CliTest):
    def setUp(self):
        self.folder = self.new_folder()
        self.out = self.folder / "out.gguf"

    def types(self, path):
        return {t["name"]: t["type"] for t in json.loads(self.ok("inspect", path, "--json"))["tensors"]}

    def test_writes_a_model_that_runs(self):
        r = support.skald("quantize", FULL, self.out, "q8_0", "-t", 2)
        self.assertEqual((r.returncode, r.stdout), (0, b""), r.stderr)
        self.assertEqual(self.types(self.out)["blk.0.ffn_up.weight"], "q8_0")
        info = json.loads(self.ok("inspect", self.out, "--json"))
        self.assertEqual(info["metadata"]["general.file_type"], 7)
        self.assertEqual(len(self.ids("-m", self.out, "--prompt-ids", "1,5,9", "-n", 4, "--temp", 0)), 4)
        lines = r.stderr.decode().splitlines()
        up = next(line for line in lines if line.startswith("blk.0.ffn_up.weight"))
        self.assertIn("f16 -> q8_0", up)
        self.assertRegex(lines[-1], r"out\.gguf: [\d.]+ [KMG]iB, [\d.]+ bits per weight; [\d.]+ [KMG]iB before, \d+ tensors changed")

    def test_dry_run_needs_no_name_and_writes_nothing(self):
        before = sorted(self.folder.iterdir())
        for args in ((FULL, "Q4_0"), (FULL, self.out, "Q4_0")):
            r = support.skald("quantize", "--dry-run", *args)
            self.assertEqual((r.returncode, r.stdout), (0, b""), r.stderr)
            self.assertIn("would be: ", r.stderr.decode())
        self.assertEqual(sorted(self.folder.iterdir()), before)

    def test_single_tensors_get_other_types(self):
        self.ok("quantize", FULL, self.out, "Q5_0", "--tensor-type", r"ffn_(up|gate)=q8_0", "--tensor-type", "ffn=q4_0",
                "--token-embedding-type", "f16", "--leave-output-tensor")
        types = self.types(self.out)
        self.assertEqual([types[f"blk.0.{n}.weight"] for n in ("ffn_up", "ffn_down", "attn_q")], ["q8_0", "q4_0", "q5_0"])
        self.assertEqual((types["token_embd.weight"], types["output.weight"]), ("f16", "f16"))

    def test_types_of_few_bits(self):
        long_rows = support.DATA / "golden/llama_gqa/model.gguf"
        for mix, number, embedding in (("Q1_0", 40, "q1_0"), ("Q2_0", 41, "q4_k")):
            self.ok("quantize", long_rows, self.out, mix)
            info = json.loads(self.ok("inspect", self.out, "--json"))
            self.assertEqual(info["metadata"]["general.file_type"], number)
            types = {t["name"]: t["type"] for t in info["tensors"]}
            self.assertEqual([types[f"blk.0.{n}.weight"] for n in ("ffn_up", "attn_q", "ffn_down")], [mix.lower()] * 3)
            self.assertEqual(types["token_embd.weight"], embedding if "output.weight" in types else "q6_k")
            self.assertEqual(len(self.ids("-m", self.out, "--prompt-ids", "1,5,9", "-n", 4, "--temp", 0)), 4)
        self.fails(1, "quantize", long_rows, self.out, "NVFP4", says=("NVFP4", "can be run"))
        self.fails(2, "quantize", long_rows, self.out, "Q4_0", "--tensor-type", "ffn=nvfp4", says="nvfp4")

    def test_importance_of_chosen_weights_only(self):
        matrix, ids = self.folder / "imatrix.gguf", self.folder / "ids.txt"
        ids.write_text(support.comma(i % 400 for i in range(64)))
        self.ok("imatrix", "-m", FULL, "--ids-file", ids, "-c", 32, "-o", matrix)
        for flag in ("--include-weights", "--exclude-weights"):
            r = support.skald("quantize", FULL, self.out, "Q4_0", "--imatrix", matrix, flag, "ffn_up", flag, "attn")
            self.assertEqual(r.returncode, 0, r.stderr)
            self.assertRegex(r.stderr.decode().splitlines()[-1], r", \d+ without importance$")
        self.fails(2, "quantize", FULL, self.out, "Q4_0", "--imatrix", matrix, "--include-weights", "nothing", says="'nothing'")
        both = ("--include-weights", "a", "--exclude-weights", "b")
        self.fails(2, "quantize", FULL, self.out, "Q4_0", "--imatrix", matrix, *both, says="want one of")
        self.fails(2, "quantize", FULL, self.out, "Q4_0", *both[:2], says="--imatrix")

    def test_writes_overridden_metadata(self):
        self.ok("quantize", FULL, self.out, "Q8_0", "--override-kv", "general.name=str:A, B", "--override-kv", "x.y=float:0.5")
        metadata = json.loads(self.ok("inspect", self.out, "--json"))["metadata"]
        self.assertEqual((metadata["general.name"], metadata["x.y"]), ("A, B", 0.5))
        self.fails(2, "quantize", FULL, self.out, "Q8_0", "--override-kv", "a=b", says="'a=b'")

    def test_keeps_shards(self):
        self.ok("split", FULL, self.folder / "in", "--split-max-tensors", 10)
        shards = sorted(self.folder.iterdir())
        self.assertGreater(len(shards), 1)
        r = support.skald("quantize", "--keep-split", shards[0], self.out, "Q8_0")
        self.assertEqual((r.returncode, r.stdout), (0, b""), r.stderr)
        self.assertIn(f" in {len(shards)} shards, ", r.stderr.decode())
        kept = sorted(set(self.folder.iterdir()) - set(shards))
        self.assertEqual([p.name for p in kept], [p.name.replace("in-", "out-") for p in shards])
        self.assertEqual(self.types(kept[0])["blk.0.ffn_up.weight"], "q8_0")
        self.assertEqual(len(self.ids("-m", kept[-1], "--prompt-ids", "1,5,9", "-n", 4, "--temp", 0)), 4)

    def test_wrong_flags_are_named(self):
        for args, words in (
                (("Q4_K_X",), ("'Q4_K_X'", "Q4_K_M")),
                ((), ("type",)),
                (("Q4_0", "-t", -1), ("-t",)),
                (("Q4_0", "--tensor-type", "ffn"), ("'ffn'", "REGEX=TYPE")),
                (("Q4_0", "--tensor-type", "(=q4_0"), ("'('",)),
                (("Q4_0", "--tensor-type", "ffn=iq2_xs"), ("iq2_xs",)),
                (("Q4_0", "--output-tensor-type", "q99"), ("q99",)),
        ):
            self.fails(2, "quantize", FULL, self.out, *args, says=words)
            self.assertEqual(list(self.folder.iterdir()), [], args)

    def test_what_cannot_be_done_leaves_no_file(self):
        self.fails(1, "quantize", FULL, self.out, "IQ2_XXS", says="IQ2_XXS")
        self.fails(1, "quantize", support.MODEL, self.out, "Q4_0", says=("q8_0", "--allow-requantize"))
        self.fails(1, "quantize", self.folder / "none.gguf", self.out, "Q4_0", says="none.gguf")
        self.fails(1, "quantize", FULL, self.folder / "no/folder.gguf", "Q4_0", says="folder.gguf")
        self.fails(1, "quantize", FULL, self.out, "Q4_0", "--imatrix", self.folder / "none.dat", says="none.dat")
        self.fails(1, "quantize", FULL, self.out, "Q4_0", "--imatrix", FULL, says=str(FULL))
        self.fails(2, "quantize", FULL, FULL, "Q4_0", says="is read")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_file_that_is_there_is_replaced_only_by_a_whole_one(self):
        self.out.write_bytes(b"precious")
        self.fails(1, "quantize", support.MODEL, self.out, "Q4_0")
        self.assertEqual(self.out.read_bytes(), b"precious")
        self.ok("quantize", FULL, self.out, "Q4_0")
        self.assertEqual(self.out.read_bytes()[:4], b"GGUF")


if __name__ == "__main__":
    support.main()
