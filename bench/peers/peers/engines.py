"""The engines: how each is asked for a workload, and how its answer is read.

An answer is a list of (title, tokens per second, share of the machine's limit or None).
"""
import json
import os
import re


class Skald:
    name = "Skald"

    def __init__(self, program, threads, avx2, version=""):
        self.program, self.threads, self.version = str(program), threads, version
        self.environment = {"SKALD_ISA": "avx2"} if avx2 else {}

    def can(self, workload):
        return True

    def command(self, model, workload):
        w = workload
        return [self.program, "bench", "-m", str(model), "-t", str(self.threads), "-p", str(w.n_prompt), "-n", str(w.n_gen),
                "-d", str(w.depth), "-B", ",".join(map(str, w.sequences or (1,))), "-r", "1", "--roofline-seconds", "0.5",
                "-o", "json"]

    def read(self, output, messages, workload):
        """Prefill is beside the arithmetic's peak, decoding beside the read bandwidth."""
        share = "compute_share" if workload.n_prompt else "bandwidth_share"
        rows = json.loads(output)
        return [(title, row["tokens_per_s"], row[share]) for title, row in zip(workload.titles(), rows, strict=True)]


class LlamaBench:
    """llama.cpp and its relatives: llama-bench, and llama-batched-bench beside it for several sequences."""

    environment = {}

    def __init__(self, name, program, threads, ik=False, version=""):
        """Without a version the commit is taken that llama-bench names, where it knows one."""
        self.name, self.program, self.threads, self.ik, self.version = name, str(program), threads, ik, version
        self.batched = os.path.join(os.path.dirname(self.program), "llama-batched-bench")

    def can(self, workload):
        return not workload.sequences or os.path.exists(self.batched)

    def command(self, model, workload):
        if workload.sequences:
            return self._batched_command(model, workload)
        repack = ["-rtr", "1"] if self.ik else []  # weights for its fastest kernels; llama.cpp repacks unasked
        return [self.program, "-m", str(model), "-t", str(self.threads), "-fa", "1", *repack, "-r", "1", "-o", "json",
                *self._test(workload)]

    def _test(self, w):
        if not w.depth:
            return ["-p", str(w.n_prompt), "-n", str(w.n_gen)]
        if self.ik:  # has no -d; -gp P,N computes P tokens, then times the N after them alone
            return ["-p", "0", "-n", "0", "-gp", f"{w.depth},{w.n_gen}"]
        return ["-p", str(w.n_prompt), "-n", str(w.n_gen), "-d", str(w.depth)]

    def _batched_command(self, model, w):
        context = max(w.sequences) * (w.depth + w.n_gen)
        return [self.batched, "-m", str(model), "-t", str(self.threads), "-fa", "on", "-c", str(context), "-npp", str(w.depth),
                "-ntg", str(w.n_gen), "-npl", ",".join(map(str, w.sequences))]

    def read(self, output, messages, workload):
        if workload.sequences:
            return read_batched(output + messages, workload)  # a log that some versions write to stderr
        rows = json.loads(output[output.index("["):output.rindex("]") + 1])
        commit = rows[0].get("build_commit", "unknown") if rows else "unknown"
        if not self.version and commit != "unknown":
            self.version = commit
        return [(title, row["avg_ts"], None) for title, row in zip(workload.titles(), rows, strict=True)]


def read_batched(output, workload):
    """The column S_TG of llama-batched-bench's table, for each number of sequences."""
    speeds = {}
    for line in output.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) == 10 and all(re.fullmatch(r"[\d.]+", cell) for cell in cells):
            speeds[int(cells[2])] = float(cells[7])
    if set(speeds) != set(workload.sequences):
        raise ValueError(f"want rows for {workload.sequences} sequences, got {sorted(speeds)}")
    return [(title, speeds[n], None) for title, n in zip(workload.titles(), workload.sequences, strict=True)]
