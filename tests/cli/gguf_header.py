"""Where things are in a GGUF file."""
import struct

ALIGNMENT = 32
FIXED = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}  # bytes of a metadata value by type


class Header:
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

    def tensor(self, name):
        """Its dimensions, the shortest distance first; its type; and where it begins in the file."""
        (n,) = struct.unpack_from("<I", self.data, self.entries[name])
        *dims, kind, offset = struct.unpack_from(f"<{n}QIQ", self.data, self.entries[name] + 4)
        return dims, kind, self.tensors + offset

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
