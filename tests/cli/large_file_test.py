"""A file larger than memory: mapped, and of its 2 TiB only what is needed is read. Locking it is refused and told."""
import re
import struct
import tempfile
from pathlib import Path

import support

HUGE = 1 << 41  # bytes of a tensor that no graph reads; a hole in the file
ALIGNMENT = 32
FIXED = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}  # bytes of a metadata value by type


class Header:
    """Where things are in a GGUF file."""

    def __init__(self, data):
        self.data, self.at = data, 24
        self.n_tensors, n_keys = struct.unpack_from("<QQ", data, 8)
        for _ in range(n_keys):
            self.text()
            self.value(self.number("<I"))
        self.entries = {}  # name -> where its number of dimensions stands
        for _ in range(self.n_tensors):
            name = self.text()
            self.entries[name] = self.at
            dims = self.number("<I")
            self.at += 8 * dims + 12
        self.end = self.at
        self.tensors = -(-self.end // ALIGNMENT) * ALIGNMENT

    def number(self, kind):
        (n,) = struct.unpack_from(kind, self.data, self.at)
        self.at += struct.calcsize(kind)
        return n

    def text(self):
        length = self.number("<Q")
        self.at += length
        return bytes(self.data[self.at - length:self.at])

    def value(self, kind):
        if kind == 8:
            self.text()
        elif kind == 9:
            of = self.number("<I")
            for _ in range(self.number("<Q")):
                self.value(of)
        else:
            self.at += FIXED[kind]


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
