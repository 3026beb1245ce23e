"""Control vectors: --control-vector and its kin change what a model writes, add up, and are told apart on disk."""
import support
from control_vector_file import story_vector
from server import Server

IDS = support.STORIES[0]["ids"]
GO = ("--prompt-ids", support.comma(IDS), "-n", 16, "--temp", 0, "--ignore-eos")


class ControlVectors(support.CliTest):
    def setUp(self):
        self.folder = self.new_folder()
        self.one, self.two = self.folder / "one.gguf", self.folder / "two.gguf"
        story_vector(self.one, size=10)
        story_vector(self.two, layers=range(2, 4), size=-5)

    def logits(self, *flags, **env):
        out = self.folder / "logits.npy"
        self.ok("logits", "--ids", support.comma(IDS), "-o", out, *flags, **env)
        return out.read_bytes()

    def test_change_what_is_written(self):
        self.assertNotEqual(self.ids(*GO, "--control-vector", self.one), self.ids(*GO))
        for command in (("bench", "-p", 2, "-n", 1, "-r", 1, "--roofline-seconds", 0.01), ("profile", "-p", 2, "-n", 1)):
            self.ok(*command, "--control-vector", self.one)

    def test_of_several_files_and_scales_add_up(self):
        both = self.logits("--control-vector", self.one, "--control-vector", self.two)
        self.assertEqual(self.logits("--control-vector", f"{self.one},{self.two}"), both)
        self.assertEqual(self.logits("--control-vector-scaled", f"{self.one}:1,{self.two}:1.0"), both)
        self.assertNotEqual(self.logits("--control-vector-scaled", f"{self.one}:1,{self.two}:2"), both)
        self.assertEqual(self.logits("--control-vector-scaled", f"{self.one}:0"), self.logits())

    def test_are_left_out_outside_of_a_range(self):
        within = self.logits("--control-vector", self.one, "--control-vector-layer-range", 3, 4)
        some = self.folder / "some.gguf"
        story_vector(some, layers=(3, 4), size=10)
        self.assertEqual(within, self.logits("--control-vector", some))
        self.assertEqual(within, self.logits("--control-vector", self.one, "--control-vector-layer-range=3,4"))
        self.assertEqual(within, self.logits("--control-vector", self.one, SKALD_CONTROL_VECTOR_LAYER_RANGE="3 4"))
        self.assertNotEqual(within, self.logits("--control-vector", self.one))

    def test_that_make_no_sense_are_refused(self):
        missing = self.folder / "missing.gguf"
        for code, flags, says in ((1, ("--control-vector", missing), str(missing)),
                                  (1, ("--control-vector", support.MODEL), (str(support.MODEL), "general.architecture")),
                                  (2, ("--control-vector-scaled", self.one), ("--control-vector-scaled", "FILE:SCALE")),
                                  (2, ("--control-vector-scaled", f"{self.one}:much"), ("--control-vector-scaled", "'much'")),
                                  (2, ("--control-vector-scaled", f"{self.one}:nan"), "--control-vector"),
                                  (2, ("--control-vector-layer-range", 1, 2), "goes with --control-vector"),
                                  (2, ("--control-vector", self.one, "--control-vector-layer-range", 4, 3), "--control-vector-layer-range: from 4 to 3"),
                                  (2, ("--control-vector", self.one, "--control-vector-layer-range", "a", 3), "--control-vector-layer-range"),
                                  (2, ("--control-vector", self.one, "--control-vector-layer-range", 4), ("--control-vector-layer-range", "START END"))):
            self.fails(code, "run", "-p", "a", "-n", 1, *flags, says=says)
        self.fails(1, "run", "-m", support.MODEL, "-p", "a", "-n", 1, "--control-vector", self.one, says=(str(self.one), "direction."))

    def test_go_with_other_devices_and_static_graphs(self):
        steered = ("--control-vector", self.one)
        want = self.ids(*GO, *steered)
        self.assertEqual(self.ids(*GO, *steered, "--static", 64), want)
        self.assertEqual(self.ids(*GO, *steered, "-dev", "simt", "-ngl", 3), want)

    def test_have_pages_of_their_own_on_disk(self):
        cache = self.folder / "cache"
        body = {"prompt": [1 + i % 400 for i in range(200)], "max_tokens": 1, "temperature": 0}

        def cached(*flags):
            with Server("--prefix-cache-dir", cache, *flags) as server:
                usage = server.post("/v1/completions", body).json["usage"]
                server.process.terminate()
                server.process.wait(60)
            return usage["prompt_tokens_details"]["cached_tokens"]

        self.assertEqual(cached(), 0)
        self.assertGreater(cached(), 0)
        self.assertEqual(cached("--control-vector", self.one), 0)
        self.assertGreater(cached("--control-vector", self.one), 0)
        self.assertEqual(cached("--control-vector", self.one, "--control-vector-layer-range", 1, 2), 0)

    def test_steer_a_server(self):
        texts = []
        for flags in ((), ("--control-vector", self.one)):
            with Server(*flags) as server:
                reply = server.post("/v1/completions", {"prompt": IDS, "max_tokens": 16, "temperature": 0, "ignore_eos": True})
                texts.append(reply.json["choices"][0]["text"])
        self.assertNotEqual(*texts)


if __name__ == "__main__":
    support.main()
