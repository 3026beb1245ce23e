#!/usr/bin/env python3
"""Checks that files which Skald writes load in other engines and give the same greedy tokens there.

Of each model (a GGUF file, or a Hugging Face folder, which is converted), files of several types are made, and one is split and
merged again. Skald continues a prompt greedily; the peer reads the same tokens and must have chosen each of them too, unless
the two were nearly tied: of quantised weights, engines round activations to 8 bits each in its own way.

With --lora, each model is compared without and with the adapter: as it is, or files of --types. Of F32 weights, engines
compute in floats: only the closest ties differ there.

examples:
  bench/peers/agree.py --peer llama.cpp=~/llama.cpp/build
  bench/peers/agree.py --peer ik=~/ik_llama.cpp/build --types F16,Q8_0,Q4_K_M assets/skald-tiny.gguf ~/models/Qwen3-0.6B
  bench/peers/agree.py --peer llama.cpp=~/llama.cpp/build --lora tests/data/lora/skald-tiny-space.gguf --types F32 -n 200
"""
import argparse
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
TYPES = "F32,F16,BF16,Q8_0,Q6_K,Q5_K_M,Q4_K_M,Q3_K_M,Q2_K,Q5_0,Q5_1,Q4_0,Q4_1,IQ4_NL,IQ4_XS"


def run(command, stdin=None):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, input=stdin)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise RuntimeError(f"{Path(command[0]).name}: {last}")
    return done.stdout


def header_folders(built):
    """Where the headers are of what was built or installed in a folder: there, or in the source that CMake's cache names."""
    cache = built / "CMakeCache.txt"
    lines = cache.read_text().splitlines() if cache.is_file() else []
    source = next((line.partition("=")[2] for line in lines if line.startswith("CMAKE_HOME_DIRECTORY:")), built)
    folders = [folder for folder in (Path(source) / "include", Path(source) / "ggml/include") if folder.is_dir()]
    if not any((folder / "llama.h").is_file() for folder in folders):
        raise RuntimeError(f"{built}: no llama.h, and no CMakeCache.txt that says where its source is")
    return folders


@dataclass
class Peer:
    name: str
    program: Path

    @staticmethod
    def build(text, work, adapters=False):
        """`text`: NAME=FOLDER. Compiles follow.cpp against the engine that was built there; `adapters`: with llama.cpp's
        functions for them."""
        name, folder = text.split("=", 1)
        built = Path(folder).expanduser().resolve()
        libraries = [path for pattern in ("libllama.so", "libggml*.so") for path in built.rglob(pattern)]
        if not libraries:
            raise RuntimeError(f"{built}: no libllama.so; build with shared libraries")
        program = work / f"follow-{name}"
        paths = sorted({f"-Wl,-rpath,{path.parent}" for path in libraries})
        headers = [f"-I{folder}" for folder in header_folders(built)]
        sources = [HERE / "follow.cpp", HERE / ("follow_lora.cpp" if adapters else "follow_plain.cpp")]
        run(["c++", "-std=c++17", "-O1", *sources, *headers, "-o", program, *libraries, *paths])
        return Peer(name, program)

    def leads(self, model, prompt, continuation, lora=None):
        """Of each token of the continuation: how far the token that the peer would have chosen is above it; 0 where it is the same."""
        rows = run([self.program, *with_lora(lora), model, len(prompt), *prompt, *continuation]).splitlines()
        return [float(row.split()[1]) for row in rows]


def with_lora(file):
    return ["--lora", file] if file else []


class Skald:
    def __init__(self, program):
        self.program = program

    def __call__(self, *arguments, stdin=None):
        return run([self.program, *arguments], stdin)

    def greedy(self, model, prompt, n, lora=None):
        ids = ",".join(map(str, prompt))
        how = ["--temp", 0, "-n", n, "--print-ids", "--ignore-eos"]
        return [int(x) for x in self("run", "-m", model, *with_lora(lora), "--prompt-ids", ids, *how).split()]

    def quantised(self, model, types, work):
        for kind in types:
            path = work / f"{kind}.gguf"
            self("quantize", "--allow-requantize", model, path, kind)
            yield kind, path
            path.unlink()

    def files(self, model, types, work):
        """(what, path) of every file that is made of the model."""
        base = model
        if model.is_dir():
            base = work / "converted.gguf"
            self("convert", model, base)
            yield "converted", base
        yield from self.quantised(base, types, work)
        self("split", "--split-max-tensors", 7, base, work / "shard")
        first = min(work.glob("shard-00001-of-*.gguf"))
        yield "split", first
        self("merge", first, work / "merged.gguf")
        yield "merged", work / "merged.gguf"


def compared(skald, model, args, work):
    """(what, path, adapter or None) of all that is compared for a model."""
    types = args.types.split(",") if args.types else []
    if not args.lora:
        return ((what, path, None) for what, path in skald.files(model, types or TYPES.split(","), work))
    files = skald.quantised(model, types, work) if types else [("as it is", model)]
    return ((what + name, path, lora) for what, path in files for name, lora in (("", None), (f", {args.lora.name}", args.lora)))


def compare(leads, limit):
    """A word on how a peer with these leads agrees, and whether it does."""
    other = [lead for lead in leads if lead > 0]
    if not other:
        return "same", True
    tied = f"{len(other)} of {len(leads)} tokens differ, by {max(other):.3f} at most"
    return (tied, True) if max(other) < limit else (f"**{tied}**", False)


def parse_arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("models", nargs="*", type=Path, default=[Path("assets/skald-tiny.gguf")], metavar="MODEL")
    p.add_argument("--peer", action="append", required=True, metavar="NAME=FOLDER",
                   help="an engine with llama.h, and the folder where it was built by CMake, with shared libraries")
    p.add_argument("--lora", type=Path, metavar="FILE", help="a GGUF adapter of the models; peers must have llama.cpp's functions")
    p.add_argument("--types", metavar="TYPE,...",
                   help=f"as skald quantize names them; default: {TYPES}, and with --lora none: the model as it is")
    p.add_argument("--skald", type=Path, default=Path("build/release/skald"), metavar="PATH")
    p.add_argument("-p", "--prompt", default="Once upon a time", metavar="TEXT")
    p.add_argument("-n", type=int, default=32, metavar="N", help="tokens to compare")
    p.add_argument("--tie", type=float, default=0.5, metavar="X", help="logits that are closer than this are nearly tied")
    return p.parse_args()


def main():
    args = parse_arguments()
    skald, failures = Skald(args.skald.resolve()), 0
    try:
        with tempfile.TemporaryDirectory() as folder:
            work = Path(folder)
            peers = [Peer.build(text, work, adapters=bool(args.lora)) for text in args.peer]
            print(f"| model | file | {' | '.join(peer.name for peer in peers)} |\n|---|---|{'---|' * len(peers)}")
            for model in args.models:
                prompt = [int(x) for x in skald("tokenize", "-m", model, "-p", args.prompt, "--ids").split()]
                for what, path, lora in compared(skald, model, args, work):
                    continuation = skald.greedy(path, prompt, args.n, lora)
                    words, same = zip(*(compare(peer.leads(path, prompt, continuation, lora), args.tie) for peer in peers))
                    failures += len(same) - sum(same)
                    print(f"| {model} | {what} | {' | '.join(words)} |", flush=True)
    except (RuntimeError, OSError, ValueError) as error:
        print(f"agree.py: {error}", file=sys.stderr)
        return 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
