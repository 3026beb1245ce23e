"""Running all engines in turns on a model of random weights, on a quiet machine or beside busy loops."""
import contextlib
import os
import subprocess
import sys

from .build import run
from .busy import LoopEnded, loops


@contextlib.contextmanager
def model_file(skald, work, shape, kind, keep):
    """The path of a model of random weights, which is deleted at the end unless `keep`."""
    path = work / f"{shape.replace(':', '-')}-{kind}.gguf"
    if not path.exists():
        run(synth_command(skald, shape, kind, path))
    try:
        yield path
    finally:
        if not keep:
            path.unlink(missing_ok=True)


def synth_command(skald, shape, kind, path):
    """`shape` is a name, or NAME:N for its first N layers."""
    name, _, layers = shape.partition(":")
    return [str(skald), "synth", "--shape", name, "--layers", layers or "0", "--type", kind, "-o", str(path)]


def turns(engines, workloads, busy, rounds):
    """(round, busy loops, workload, engine) in order: engines alternate, and every other round goes backwards, so that none is
    always the one that runs after a particular other. `busy` are numbers of loops, or (None,)."""
    for i in range(rounds):
        for n in busy:
            for workload in workloads:
                for engine in engines if i % 2 == 0 else reversed(engines):
                    yield i, n, workload, engine


def measure(engines, workloads, busy, model, rounds, timeout, collector):
    for i, n, workload, engine in turns(engines, workloads, busy, rounds):
        if not engine.can(workload):
            continue
        beside = "" if n is None else f", {n} busy"
        said = f"round {i + 1} of {rounds}, {model.name}, {workload.title}{beside}, {engine.name}"
        try:
            with loops(n or 0):
                output = output_of(engine, model, workload, timeout)
            for title, speed, share in engine.read(*output, workload):
                print(f"{said}: {title} {speed:.2f} tokens/s", file=sys.stderr, flush=True)
                collector.add(i, n, title, engine.name, speed, share)
        except (OSError, ValueError, KeyError, LoopEnded, subprocess.SubprocessError) as error:
            collector.fail(f"{said}: {error}")


def output_of(engine, model, workload, timeout):
    """Standard output and standard error of the run. Raises ValueError with the end of its messages when it fails."""
    process = subprocess.run(engine.command(model, workload), capture_output=True, text=True, errors="replace", timeout=timeout,
                             env={**os.environ, **engine.environment})
    if process.returncode:
        last = "; ".join(process.stderr.strip().splitlines()[-3:])
        raise ValueError(f"exit code {process.returncode}: {last}")
    return process.stdout, process.stderr
