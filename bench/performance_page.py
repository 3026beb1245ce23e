#!/usr/bin/env python3
"""Writes docs/performance.md from the runs in bench/runs, and docs/performance-older.md from those in bench/runs/older.

usage: performance_page.py [RUNS DOCS]

The first page has the newest figures, one table a question; what stands beside a table can be unfolded. The second is an appendix: a chapter a question, with a
table of all machines whose runs have the same columns, the newest run first.

A run is a JSON object: `question` (of QUESTIONS), `machine`, `date` (when the figures were written down), `about` (the test, and its place), and any of
`commands` (lines of a shell) and `notes`. Its part of the table is either `engines` or `columns` and `rows`.
`engines` are rows beside other engines: `model`, `type`, `test`, `skald` and `others` (tokens per second, as text: it may be a range), `ratio` (Skald over the
faster other) and `limit` (Skald's share of the machine's limit).
"""
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
RUNS, DOCS = ROOT / "bench/runs", ROOT / "docs"
QUESTIONS = {
    "trained": "How fast are trained models, beside other engines?",
    "sparse": "How fast is sparse decoding of a whole model?",
    "weights": "How fast are prompts and decoding, beside other engines?",
    "depth": "How fast is decoding after a long context?",
    "models": "How fast are the models of 2026?",
    "models-long": "How fast do they read prompts of 4,096 tokens?",
    "models-limit": "Which share of the read bandwidth does their decoding reach?",
    "serving": "How fast is the server, beside llama-server?",
    "serving-times": "How long do its clients wait?",
    "serving-known": "How soon does a known prompt answer?",
    "serving-gaps": "How long does a long prompt delay texts beside it?",
    "busy": "How fast is decoding beside other work?",
    "attention": "How fast is attention, dense and sparse?",
    "sparq-theory": "How near does sparse attention come to its theory?",
    "sparse-step": "Where does a sparse step spend its time?",
    "cache-types": "How much does a KV cache's type cost?",
}
ENGINES = ["model", "type", "test", "Skald", "best other", "ratio", "of the limit"]


def of_weights(test, floats):
    """Whether a row is about this test of quantised or of f16 weights."""
    return lambda row: row[2] == test and (row[1] == "f16") == floats


IN_SHORT = [  # label, question, column, which rows: the table of other machines has the least and the largest number of these cells
    ("prompts of 512 tokens, quantised weights", "weights", "ratio", of_weights("prompt of 512", floats=False)),
    ("prompts of 512 tokens, f16 weights", "weights", "ratio", of_weights("prompt of 512", floats=True)),
    ("decoding, quantised weights", "weights", "ratio", of_weights("decoding", floats=False)),
    ("decoding, f16 weights", "weights", "ratio", of_weights("decoding", floats=True)),
    ("decoding after 4,096 and 8,192 tokens", "depth", "ratio", None),
    ("decoding beside other work", "busy", "ratio", None),
    ("tokens per second of the server", "serving", "ratio", None),
    ("a known prompt, over reading it anew", "serving-known", "times sooner", lambda row: row[0] != "none"),
]
OLDER = """# Performance on other machines and days

An appendix to [performance](performance.md), with the figures of all questions that were asked so far. `bench/performance_page.py` makes both pages, this one of `bench/runs/older/*.json`.
"""
OTHERS = """
## What do other machines say?

"""
MEASURE = """
The numbers are tokens per second over the best other engine that was measured, from the least to the most of all machines. The last row is the time to the first token, over Skald's own. The [appendix](performance-older.md) has each machine and day. `bench/performance_page.py` makes both pages of `bench/runs`.

## How to measure a machine

| command | measures |
|---|---|
| `skald bench -m M -p 512 -n 64 -d 0,4096` | prefill and decoding at each depth, and their shares of the read bandwidth and of the arithmetic's peaks |
| `skald bench --shape llama-2-7b --type q8_0 -p 0 -d 4096,8192,16384 --sparq --sparq-ratio 8` | whole-model decoding against depth, dense and SparQ, and the speed-up beside the prediction by bytes |
| `skald bench --shape llama-3.2-1b -p 0 -n 16 -B 1,2,4,8,16` | sequences that decode together: tokens per second of all |
| `bench/peers/compare.py --shapes tinyllama --types q8_0 --tests prefill,decode,batch` | the same beside llama.cpp and others, in turns: [bench/peers](../bench/peers/README.md). `--busy 0,1,2,4`: beside processes that spin |
| `skald bench attention --heads 32 --kv-heads 32 --lengths 1024,2048,4096,8192,16384` | the attention operation alone: time, speed-up, and the stages of SparQ |
| `skald bench attention --lengths 0 -p 1975 --unfused` | attention of a prompt: its share of the f32 peak, and how many times slower the textbook's form is |
| `skald bench attention --lengths 8k --heads 32 --kv-heads 8 --head-dim 64 --churn 1` | the same in a cache that sequences of many lengths came to and went from |
| `skald bench serve --concurrency 1,4,16,64 -p 512 -n 128` | a server under load, this one or any other with OpenAI's API |
| `skald bench sampling`, `skald bench kv` | chains of samplers beside a softmax; appending to the cache of a static graph |
| `build/release/bench/skald_bench_kernels --benchmark_filter='/avx2/q8_0/4'` (`make bench` builds it) | kernels alone, where memory does not wait |
| `skald profile -p 512 -n 16` | time, traffic and arithmetic of each operation, and waiting |

`-o svg` draws the tables of `bench` and `bench attention`. The bench measures the machine's limits before and after each test (`--roofline-seconds`), since
other work on it moves them. The operations themselves count their bytes (`src/graph/ops/attention.cpp`). A sparse step moves k1 components of all keys from
their second copy, and the k2 chosen keys and values. Dense and sparse decoding take turns.
"""


def leading_number(text):
    found = re.match(r"[\d.]+", text)
    return float(found[0]) if found else 0.0


def best_other(row):
    """"394 (ik_llama.cpp)": the fastest of the others; empty where only the ratio is known."""
    others = row.get("others", {})
    if not others:
        return ""
    name = max(others, key=lambda n: leading_number(others[n]))
    return f"{others[name]} ({name})"


def table(columns, rows):
    is_right = [all(re.match(r"[-+\d]|$", row[i]) for row in rows) for i in range(len(columns))]
    lines = [columns, ["---:" if right else "---" for right in is_right], *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def numbers(text):
    """Those before a remark: "0.86 (disturbed)", "1.53; 1.82 another time"."""
    return [float(number) for number in re.findall(r"\d+\.?\d*", re.split(r"[;(]", text)[0])]


def anchor(title):
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def in_short(runs):
    """The ranges of the older runs."""
    lines = []
    for label, question, column, wanted in IN_SHORT:
        found = [number for run in runs if run["question"] == question and columns(run) for row in rows(run)
                 if wanted is None or wanted(row) for number in numbers(row[columns(run).index(column)])]
        if found:
            times = f"{min(found):g}" if min(found) == max(found) else f"{min(found):g} to {max(found):g}"
            lines.append([f"[{label}](performance-older.md#{anchor(QUESTIONS[question])})", times])
    return table(["speed of", "times"], lines) if lines else ""


def columns(run):
    return ENGINES if "engines" in run else run.get("columns")


def rows(run):
    if "engines" not in run:
        return run.get("rows", [])
    return [[row["model"], row["type"], row["test"], row.get("skald", ""), best_other(row), row["ratio"], row["limit"]] for row in run["engines"]]


def answer(runs, only_one):
    """The table of a question, or where several may be one for each set of columns."""
    tables = {}
    for run in runs:
        if columns(run):
            tables.setdefault(tuple(columns(run)), []).extend([run["machine"], *row] for row in rows(run))
    if only_one and len(tables) > 1:
        sys.exit(f"performance_page: the runs of {runs[0]['question']} have tables of different columns")
    return "\n".join(table(["machine", *names], lines) for names, lines in tables.items())


def details(run):
    titles = {"any": f"### Any machine, {run['date']}", "several": f"### Across machines, {run['date']}"}
    out = titles.get(run["machine"], f"### {run['machine']}, {run['date']}") + "\n\n"
    if "about" in run:
        out += run["about"] + "\n\n"
    if "commands" in run:
        out += "<!-- not run: measures for minutes -->\n```sh\n" + "".join(line + "\n" for line in run["commands"]) + "```\n\n"
    return out + "".join(f"- {note}\n" for note in run.get("notes", [])) + ("\n" if run.get("notes") else "")


def runs_of(folder):
    """The newest first."""
    runs = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))]
    unknown = {run["question"] for run in runs} - set(QUESTIONS)
    if unknown:
        sys.exit(f"performance_page: no such question: {', '.join(sorted(unknown))}")
    return sorted(runs, key=lambda run: run["date"], reverse=True)


def chapters(runs, folded):
    """A chapter for each question that was asked."""
    out = ""
    for question, title in QUESTIONS.items():
        these = [run for run in runs if run["question"] == question]
        if not these:
            continue
        beside = "".join(details(run) for run in these).rstrip("\n") + "\n"
        if folded:
            beside = f"<details markdown>\n<summary>How it was measured, and notes</summary>\n\n{beside}\n</details>\n"
        out += f"\n## {title}\n\n{answer(these, only_one=folded)}\n{beside}"
    return out


def page(newest, older):
    return "# Performance\n" + chapters(newest, folded=True) + OTHERS + in_short(older) + MEASURE


def older_page(older):
    return OLDER + chapters(older, folded=False)


def main():
    folder, docs = map(Path, sys.argv[1:]) if len(sys.argv) > 1 else (RUNS, DOCS)
    newest, older = runs_of(folder), runs_of(folder / "older")
    (docs / "performance.md").write_text(page(newest, older), encoding="utf-8")
    (docs / "performance-older.md").write_text(older_page(older), encoding="utf-8")


if __name__ == "__main__":
    main()
