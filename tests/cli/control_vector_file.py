"""Files of control vectors, as repeng writes them."""
import struct

ALIGNMENT = 32


def text(words):
    data = words.encode()
    return struct.pack("<Q", len(data)) + data


def write(path, directions, hint="llama"):
    """`directions`: floats of each layer."""
    keys = [("general.architecture", 8, text("controlvector")), ("controlvector.model_hint", 8, text(hint)),
            ("controlvector.layer_count", 4, struct.pack("<I", len(directions)))]
    head = b"GGUF" + struct.pack("<IQQ", 3, len(directions), len(keys))
    for name, kind, value in keys:
        head += text(name) + struct.pack("<I", kind) + value
    body = b""
    for layer, values in directions.items():
        head += text(f"direction.{layer}") + struct.pack("<IQIQ", 1, len(values), 0, len(body))
        body += struct.pack(f"<{len(values)}f", *values)
        body += bytes(-len(body) % ALIGNMENT)
    path.write_bytes(head + bytes(-len(head) % ALIGNMENT) + body)


def story_vector(path, layers=range(1, 6), size=1.0):
    """For the embedded model, whose layers hand on 256 numbers."""
    write(path, {layer: [size * ((7 * i + layer) % 5 - 2) / 4 for i in range(256)] for layer in layers})
