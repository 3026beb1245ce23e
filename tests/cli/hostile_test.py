"""Models with flipped bits or cut off: an answer or an error, never a crash, a hang or all of the memory."""
import random
import resource
import subprocess
import tempfile

import support

CASES = 60
ADDRESS_SPACE = 4 << 30


def limit():
    if not support.SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))


def spoilt(case, rng):
    data = bytearray(support.MODEL.read_bytes())
    head = min(len(data), 60000)  # metadata and tensor table
    if case % 4 == 0:
        return data[:rng.randrange(head)]
    for _ in range(rng.choice((1, 1, 4, 16))):
        data[rng.randrange(head if case % 2 else 400)] ^= 1 << rng.randrange(8)
    return data


class Hostile(support.CliTest):
    def test_models_do_no_harm(self):
        rng = random.Random(11)
        for case in range(CASES):
            with self.subTest(case=case), tempfile.NamedTemporaryFile(suffix=".gguf") as f:
                f.write(spoilt(case, rng))
                f.flush()
                r = subprocess.run([support.SKALD, "run", "-m", f.name, "--prompt-ids", "1,5,9", "--temp", "0", "-n", "2",
                                    "--print-ids", "-t", "1"], capture_output=True, timeout=30, preexec_fn=limit)
                self.assertIn(r.returncode, (0, 1, 2), r.stderr)
                self.assertTrue(r.returncode == 0 or b"skald: " in r.stderr, r.stderr)


support.main()
