#!/usr/bin/env python3
"""Writes docs/performance.md from the runs in bench/runs: a chapter per question, its tables first.

usage: performance_page.py [RUNS] > docs/performance.md

A run is a JSON object: `question` (of QUESTIONS), `machine`, `date` (when the figures were written down), `about` (what was run, and where), and any of
`commands` (lines of a shell); `engines`, rows beside other engines: `model`, `type`, `test`, `skald` and `others` (tokens per second, as text: it may be a
range), `ratio` (Skald over the faster other) and `limit` (Skald's share of what the machine can do); `tables` with `title`, `columns` and `rows`; and `notes`.
"""
import json
import re
import sys
from pathlib import Path

RUNS = Path(__file__).parent / "runs"
QUESTIONS = {
    "weights": "How fast are prompts and decoding, beside other engines?",
    "depth": "How fast is decoding behind a long context?",
    "models": "How fast are the models of 2026?",
    "serving": "How fast is the server, beside llama-server?",
    "busy": "What happens beside other work?",
    "attention": "How fast is attention, dense and sparse?",
    "sparse-step": "Where does a sparse step spend its time?",
    "cache-types": "What does a KV cache's type cost?",
}
MACHINES = ("Zen 5", "Sapphire Rapids", "Zen 3", "Zen 4")  # in this order, then others
HEAD = """# Performance

Numbers here are ratios, shares and losses, with the machine and the day; speeds of your machine are what `skald bench` says on it. Made by `bench/performance_page.py` from `bench/runs/*.json`.

## How to measure a machine

| command | what it says |
|---|---|
| `skald bench -m M -p 512 -n 64 -d 0,4096` | prefill and decoding at each depth, and their shares of the read bandwidth and of the arithmetic's peaks |
| `skald bench --shape llama-2-7b --type q8_0 -p 0 -d 4096,8192,16384 --sparq --sparq-ratio 8` | whole-model decoding against depth, dense and SparQ, and the speed-up beside the one that the bytes moved predict |
| `skald bench --shape llama-3.2-1b -p 0 -n 16 -B 1,2,4,8,16` | sequences that decode together: tokens per second of all |
| `bench/peers/compare.py --shapes tinyllama --types q8_0 --tests prefill,decode,batch` | the same beside llama.cpp and others, in turns: [bench/peers](../bench/peers/README.md). `--busy 0,1,2,4`: beside processes that spin |
| `skald bench attention --heads 32 --kv-heads 32 --lengths 1024,2048,4096,8192,16384` | the attention operation alone: time, speed-up, and where SparQ's goes |
| `skald bench attention --lengths 0 -p 1975 --unfused` | attention of a prompt: its share of the f32 peak, and how many times slower the textbook's form is |
| `skald bench attention --lengths 8k --heads 32 --kv-heads 8 --head-dim 64 --churn 1` | the same in a cache that sequences of many lengths came to and went from |
| `skald bench serve --concurrency 1,4,16,64 -p 512 -n 128` | a server under load, this one or any other with OpenAI's API |
| `skald bench sampling`, `skald bench kv` | chains of samplers beside a softmax; appending to the cache of a static graph |
| `build/release/bench/skald_bench_kernels --benchmark_filter='/avx2/q8_0/4'` (`make bench` builds it) | kernels alone, where memory does not wait |
| `skald profile -p 512 -n 16` | time, traffic and arithmetic of each operation, and waiting |

`-o svg` draws the tables of `bench` and `bench attention`. The machine's limits are measured before and after each test (`--roofline-seconds`), for other work on it moves them. Bytes are those that the operations themselves count
(`src/graph/ops/attention.cpp`): a sparse step moves k1 components of all keys from their second copy and the k2 keys and values that it chose. Dense and sparse decoding take turns.
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
    numbers = [all(re.match(r"[-+\d]|$", row[i]) for row in rows) for i in range(len(columns))]
    lines = [columns, ["---:" if right else "---" for right in numbers], *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def engines(runs):
    rows = [[run["machine"], row["model"], row["type"], row["test"], row.get("skald", ""), best_other(row), row["ratio"], row["limit"]]
            for run in runs for row in run.get("engines", [])]
    if not rows:
        return ""
    return table(["machine", "model", "type", "test", "Skald", "best other", "ratio", "of the limit"], rows) + "\n"


def details(run):
    titles = {"any": f"Written down on {run['date']}.\n\n", "several": f"### Across machines, {run['date']}\n\n"}
    out = titles.get(run["machine"], f"### {run['machine']}, {run['date']}\n\n")
    if "about" in run:
        out += run["about"] + "\n\n"
    if "commands" in run:
        out += "<!-- not run: measures for minutes -->\n```sh\n" + "".join(line + "\n" for line in run["commands"]) + "```\n\n"
    for part in run.get("tables", []):
        title = part["title"]
        out += (title[0].upper() + title[1:] + ":\n\n" if title else "") + table(part["columns"], part["rows"]) + "\n"
    return out + "".join(note + "\n" if "\n" in note else f"- {note}\n" for note in run.get("notes", [])) + ("\n" if run.get("notes") else "")


def page(folder):
    runs = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))]
    runs.sort(key=lambda run: MACHINES.index(run["machine"]) if run["machine"] in MACHINES else len(MACHINES))
    unknown = {run["question"] for run in runs} - set(QUESTIONS)
    if unknown:
        sys.exit(f"performance_page: no such question: {', '.join(sorted(unknown))}")
    out = HEAD
    for question, title in QUESTIONS.items():
        these = [run for run in runs if run["question"] == question]
        out += f"\n## {title}\n\n" + (engines(these) + "".join(details(run) for run in these)).rstrip("\n") + "\n"
    return out


if __name__ == "__main__":
    sys.stdout.write(page(Path(sys.argv[1]) if len(sys.argv) > 1 else RUNS))
