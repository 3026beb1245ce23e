"""A file larger than memory: mapped, and of its 2 TiB only what is needed is read. Locking it is refused and told."""
import re
import struct
import tempfile
from pathlib import Path

import support
from gguf_header import ALIGNMENT, Header

HUGE = 1 << 41  # bytes of a tensor that no graph reads; a hole in the file


def with_a_hole(model, path):
    """The model with one more tensor, of HUGE bytes, at the end."""
    data = model.read_bytes()
    header = Header(data)
    weights = data[header.tensors:]
    offset = -(-len(weights) // ALIGNMENT) * ALIGNMENT
    name = b"huge.weight"
    entry = struct.pack("<Q", len(name)) + name + struct.pack("<IQQIQ", 2, 4096, HUGE // 4 // 4096, 0, offset)
    head = data[:8] + struct.pack("<Q", header.n_tensors + 1) + data[16:header.end] + entry
    head += bytes(-len(head) % ALIGNMENT)
    with open(path, "wb") as file:
        file.write(head + weights)
        file.truncate(len(head) + offset + HUGE)


def with_huge_positions(model, path):
    """The model with a table of HUGE bytes for its positions, of which a text reads the first rows only."""
    data = bytearray(model.read_bytes())
    header = Header(data)
    entry = header.entries[b"position_embd.weight"]
    dims, columns, rows, kind, offset = struct.unpack_from("<IQQIQ", data, entry)
    assert (dims, kind) == (2, 0), "want a table of floats"
    table = data[header.tensors + offset:header.tensors + offset + 4 * rows * columns]
    end = -(-(len(data) - header.tensors) // ALIGNMENT) * ALIGNMENT
    struct.pack_into("<IQQIQ", data, entry, 2, columns, HUGE // 4 // columns, 0, end)
    with open(path, "wb") as file:
        file.write(data)
        file.seek(header.tensors + end)
        file.write(table)
        file.truncate(header.tensors + end + HUGE)


class LargeFile(support.CliTest):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = Path(cls.folder.name) / "large.gguf"
        try:
            with_a_hole(support.MODEL, cls.path)
        except OSError as e:
            cls.folder.cleanup()
            raise support.unittest.SkipTest(f"no room for a file with a hole: {e}")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_is_listed(self):
        self.assertIn("huge.weight", self.ok("inspect", self.path).decode())

    def test_computes_as_the_small_one_in_little_memory(self):
        args = ("--prompt-ids", "1,5,9", "-n", "8", "--temp", "0", "--ignore-eos", "-t", "1", "--print-ids")
        r = support.skald("run", "-m", self.path, *args)
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertEqual(r.stdout, self.ok("run", "-m", support.MODEL, *args))
        peak = float(re.search(r"peak ([\d.]+) MiB", r.stderr.decode())[1])
        if not support.SANITIZED:
            self.assertLess(peak, 200)

    def test_gives_the_logits_of_the_small_one(self):
        outputs = []
        for model in (self.path, support.MODEL):
            out = Path(self.folder.name) / "logits.npy"
            self.ok("logits", "-m", model, "--no-repack", "--ids", "1,5,9", "-o", out)  # the large one fits no memory
            outputs.append(out.read_bytes())
        self.assertEqual(*outputs)

    def test_stays_unlocked_with_a_warning(self):
        path = Path(self.folder.name) / "positions.gguf"
        with_huge_positions(support.DATA / "golden/gpt2/model.gguf", path)
        r = support.skald("run", "-m", path, "--mlock", "--prompt-ids", "1,5", "-n", "1", "--print-ids", "-t", "1")
        self.assertEqual(r.returncode, 0, r.stderr)
        if not support.SANITIZED:
            self.assertRegex(r.stderr.decode(), r"mlock: (the weights stay unlocked|cannot lock the weights)")


support.main()
