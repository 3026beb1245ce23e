"""The results: medians, ratios, a Markdown table and JSON."""
import json
import statistics
import sys
from dataclasses import dataclass, field
from pathlib import Path

OURS = "Skald"
WINDOWS = {"mistral-7b": 4096}  # Skald keeps a shape's sliding window; the others read the whole cache


@dataclass
class Row:
    """One test of one model, beside so many busy loops: tokens per second of each engine in each round."""
    shape: str
    type: str
    test: str
    busy: int | None = None                      # None: no other work was asked for
    samples: dict = field(default_factory=dict)  # engine -> round -> tokens/s
    shares: list = field(default_factory=list)   # Skald's, of the machine's limit

    def title(self):
        return self.test if self.busy is None else f"{self.test}, {self.busy} busy"

    def median(self, engine):
        return statistics.median(self.samples[engine].values()) if engine in self.samples else None

    def share(self):
        return statistics.median(self.shares) if self.shares else None

    def faster_peer(self):
        """The name of the fastest engine that is not ours, or None."""
        return max((e for e in self.samples if e != OURS), key=self.median, default=None)

    def ratio(self):
        """Skald over the faster peer; None where one of them has no result."""
        peer = self.faster_peer()
        return self.median(OURS) / self.median(peer) if peer and OURS in self.samples else None

    def round_ratios(self, peer):
        """Skald over the peer in each round in which both have a result: they ran one after the other there."""
        ours, theirs = self.samples.get(OURS, {}), self.samples.get(peer, {})
        return [ours[i] / theirs[i] for i in sorted(ours.keys() & theirs.keys())]


class Results:
    def __init__(self, machine, threads, avx2, rounds):
        self.machine, self.threads, self.avx2, self.rounds = machine, threads, avx2, rounds
        self.rows, self.failures, self.versions = [], [], {}  # versions by engine, where known

    def engines(self):
        """All that have a result, ours first, then in order of appearance."""
        names = dict.fromkeys([OURS] + [engine for row in self.rows for engine in row.samples])
        return [name for name in names if any(name in row.samples for row in self.rows)]

    def row(self, shape, kind, test, busy):
        for row in self.rows:
            if (row.shape, row.type, row.test, row.busy) == (shape, kind, test, busy):
                return row
        self.rows.append(Row(shape, kind, test, busy))
        return self.rows[-1]

    def collector(self, shape, kind):
        return Collector(self, shape, kind)


class Collector:
    """Takes the results of one model's runs."""

    def __init__(self, results, shape, kind):
        self.results, self.shape, self.kind = results, shape, kind

    def add(self, i, busy, test, engine, speed, share):
        """What round `i` gave."""
        row = self.results.row(self.shape, self.kind, test, busy)
        row.samples.setdefault(engine, {})[i] = speed
        if share is not None:
            row.shares.append(share)

    def fail(self, message):
        print(f"compare.py: {message}", file=sys.stderr, flush=True)
        self.results.failures.append(message)


def machine():
    """The CPU's name."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown CPU"


def describe(results):
    """How the numbers came about, in a line."""
    avx2 = ", AVX2 only" if results.avx2 else ""
    versions = "".join(f", {name} {version}" for name, version in results.versions.items() if version)
    rounds = "one round" if results.rounds == 1 else f"medians of {results.rounds} rounds"
    return f"{results.machine}, {results.threads} threads{avx2}; {rounds}{versions}"


def speed(value):
    return "-" if value is None else f"{value:.0f}" if value >= 100 else f"{value:.2f}"


def percent(value):
    return "-" if value is None else f"{100 * value:.0f} %"


def cells_of(row, engines):
    ratio = row.ratio()
    return [row.shape, row.type, row.title(), *(speed(row.median(e)) for e in engines), percent(row.share()),
            "-" if ratio is None else f"{ratio:.2f}"]


def table(header, n_words, rows):
    """Markdown; all columns but the first `n_words` are numbers."""
    rule = ["---"] * n_words + ["---:"] * (len(header) - n_words)
    return "".join("| " + " | ".join(line) + " |\n" for line in [header, rule, *rows])


def busy_cells(row, peers):
    ratios = [row.round_ratios(peer) for peer in peers]
    return [row.shape, row.type, row.test, str(row.busy),
            *(f"{statistics.median(r):.2f} ({min(r):.2f} to {max(r):.2f})" if r else "-" for r in ratios)]


def busy_table(results):
    """Skald over each peer beside every number of busy loops; empty where there were none."""
    rows, peers = [row for row in results.rows if row.busy is not None], [e for e in results.engines() if e != OURS]
    if not rows or not peers:
        return ""
    header = ["shape", "type", "test", "busy loops", *(f"{OURS} / {peer}" for peer in peers)]
    return "\n" + table(header, 3, (busy_cells(row, peers) for row in rows)) + \
        "\nMedians of the ratios of single rounds, in brackets the least and the largest. A busy loop is a process that spins.\n"


def to_markdown(results):
    """Tokens per second of each engine; Skald's share of the machine's limit; Skald over the faster peer."""
    engines = results.engines()
    text = table(["shape", "type", "test", *engines, "of the limit", "ratio"], 3, (cells_of(row, engines) for row in results.rows))
    text += f"\nTokens per second; {describe(results)}. Of the limit: Skald's share of the arithmetic's peak (prefill) or of the " \
            "read bandwidth (decoding). Ratio: Skald over the faster of the others.\n"
    text += busy_table(results)
    for shape in sorted({row.shape.partition(":")[0] for row in results.rows} & set(WINDOWS)):
        text += f"\n{shape}: Skald reads the last {WINDOWS[shape]} tokens of the cache only, as this model's sliding window " \
                "has it; the others read all of it.\n"
    return text + "".join(f"\nFailed: {failure}\n" for failure in results.failures)


def json_of(row):
    out = {"shape": row.shape, "type": row.type, "test": row.test, "ratio": row.ratio(), "share_of_limit": row.share(),
           "faster_peer": row.faster_peer(),
           "engines": {e: {"tokens_per_s": row.median(e), "samples": list(s.values())} for e, s in row.samples.items()}}
    if row.busy is not None:
        out["busy_loops"] = row.busy
        out["round_ratios"] = {peer: row.round_ratios(peer) for peer in row.samples if peer != OURS}
    return out


def to_json(results):
    rows = [json_of(row) for row in results.rows]
    return json.dumps({"machine": results.machine, "threads": results.threads, "avx2_only": results.avx2,
                       "rounds": results.rounds, "versions": results.versions, "rows": rows, "failures": results.failures}, indent=2) + "\n"
