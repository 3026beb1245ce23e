"""Files that commands write: looked at before the work, and never left half done."""
import os
import signal
import subprocess
import time
from pathlib import Path

import support


class Outputs(support.CliTest):
    def setUp(self):
        self.dir = self.new_folder()
        self.model = self.dir / "model.gguf"
        self.model.write_bytes(support.MODEL.read_bytes())

    def commands(self, out):
        model = ("-m", self.model)
        return [("quantize", self.model, out, "Q4_0"), ("pack", self.model, out), ("split", self.model, out),
                ("logits", *model, "--ids", "1", "-o", out), ("graph", *model, "-o", out),
                ("synth", "--shape", "llama-3.2-1b", "--layers", "1", "-o", out),
                ("imatrix", *model, "-f", self.dir / "text", "-o", out),
                ("export-lora", *model, "--lora", self.dir / "adapter.gguf", "-o", out),
                ("perplexity", *model, "-f", self.dir / "text", "--save-reference", out)]

    def refused(self, args, says, code=None):
        r = support.skald(*args)
        self.assertIn(r.returncode, (code,) if code else (1, 2), args)
        self.assertRegex(r.stderr.decode(), says, args)

    def test_need_a_folder(self):
        for args in self.commands(self.dir / "nosuch/file"):
            self.refused(args, "there is no folder .*nosuch", 1)

    def test_are_no_pipes(self):
        for args in self.commands("/dev/stdout"):
            if args[0] not in ("split", "synth"):
                self.refused(args, "/dev/stdout: it exists and is not a regular file")

    def test_are_not_named_as_standard_output(self):
        for args in self.commands("-"):
            if args[0] != "split":
                self.refused(args, "cannot write - .standard output.: want a file", 2)
        self.assertFalse(Path("-").exists())

    def test_are_no_inputs_by_any_name(self):
        before = self.model.read_bytes()
        os.link(self.model, self.dir / "hard.gguf")
        (self.dir / "soft.gguf").symlink_to("model.gguf")
        for name in ("model.gguf", "hard.gguf", "soft.gguf", "../" + self.dir.name + "/model.gguf"):
            for args in self.commands(self.dir / name):
                if args[0] not in ("split", "synth"):
                    self.refused(args, "same file")
        self.assertEqual(self.model.read_bytes(), before)

    def begun(self, out, *args):
        """The process, once it has written something."""
        p = subprocess.Popen([support.SKALD, *map(str, args)], stderr=subprocess.PIPE, env=support.environment())
        end = time.monotonic() + 60
        while p.poll() is None and not any(f.stat().st_size for f in out.iterdir()) and time.monotonic() < end:
            time.sleep(0.0005)
        return p

    def large(self):
        path = self.dir / "large.gguf"
        self.ok("synth", "--shape", "llama-3.2-1b", "--layers", "1", "--type", "f16", "-o", path)
        out = self.dir / "out"
        out.mkdir(exist_ok=True)
        return path, out

    def test_leave_nothing_at_signals(self):
        model, out = self.large()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE, signal.SIGXCPU):
            with self.begun(out, "quantize", model, out / "o.gguf", "Q4_K_M") as p:
                p.send_signal(number)
                p.communicate(timeout=60)
            self.assertIn(p.returncode, (130, -number), number)
            self.assertEqual(list(out.iterdir()), [], number)

    def test_leave_nothing_where_an_input_is_cut(self):
        # What is copied is read by the system, what is converted by the program.
        for kind in ("F16", "Q4_K_M"):
            with self.subTest(kind):
                model, out = self.large()
                with self.begun(out, "quantize", model, out / "o.gguf", kind) as p:
                    os.truncate(model, 4096)
                    message = p.communicate(timeout=60)[1].decode()
                self.assertEqual(p.returncode, 1, message)
                self.assertRegex(message, "large.gguf: the file was cut short or changed")
                self.assertEqual(list(out.iterdir()), [])

    def test_types_have_names_in_any_case(self):
        for kind in ("q8_0", "Q8_0"):
            self.ok("synth", "--shape", "llama-3.2-1b", "--layers", "1", "--type", kind, "-o", self.dir / kind)
            self.ok("quantize", "--allow-requantize", self.model, self.dir / "o.gguf", kind)
        self.assertEqual((self.dir / "q8_0").read_bytes(), (self.dir / "Q8_0").read_bytes())


support.main()
