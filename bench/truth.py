#!/usr/bin/env python3
"""Measures what sparse decoding and small caches cost, and writes the tables of docs/long-context.md from the stored runs.

usage: truth.py losses SKALD MODEL TEXT -c N [--last N] [--references FOLDER] --name NAME --text-name NAME -o RUN -- FLAGS...
       truth.py write

`losses` measures each FLAGS (one argument, as "--sparq --sparq-ratio 8") with `skald perplexity`, against dense decoding over an f16 cache of the same window of
TEXT, and adds the results to RUN: of the window's second half, or of its last N tokens. A reference that is in the folder is used again. `write` sets the tables
between the page's marks from bench/truth/*.json: runs of `losses`, and outputs of `skald eval -o json`.
"""
import argparse
import json
import math
import re
import subprocess
import sys
import tempfile
from pathlib import Path

RUNS = Path(__file__).parent / "truth"
PAGE = Path(__file__).parents[1] / "docs/long-context.md"
MARKS = "<!-- {} by bench/truth.py -->"


def reference(skald, model, text, n_ctx, path):
    """Makes the file of the dense logits, where it is not there."""
    if not path.exists():
        part = path.with_suffix(".part")
        subprocess.run([skald, "perplexity", "-m", model, "-f", text, "-c", str(n_ctx), "--chunks", "1", "--save-reference", part], check=True,
                       stdout=subprocess.DEVNULL)
        part.rename(path)
    return path


def measured(skald, model, against, last, flags):
    """What a run with these flags loses."""
    done = subprocess.run([skald, "perplexity", "-m", model, "--kl-reference", against, "--kl-last", str(last), "-o", "json", *flags.split()], check=True, stdout=subprocess.PIPE, text=True)
    all_of_it = json.loads(done.stdout)
    return {key: all_of_it[key] for key in ("tokens", "divergence", "divergence_error", "ratio", "same_top", "sparq_read")}


def losses(o):
    run = json.loads(o.o.read_text()) if o.o.exists() else {"model": o.name, "texts": {}}
    rows = run["texts"].setdefault(o.text_name, {}).setdefault(str(o.c), {})
    with tempfile.TemporaryDirectory(prefix="skald-truth-") as folder:
        name = f"{o.model.stem}.{o.text_name}.{o.c}.ref"
        against = reference(o.skald, o.model, o.text, o.c, (o.references or Path(folder)) / name)
        for flags in o.flags:
            rows[flags] = measured(o.skald, o.model, against, o.last, flags)
            o.o.write_text(json.dumps(run, indent=1) + "\n")
            print(f"{o.name}, {o.text_name}, {o.c}: {flags}: {rows[flags]['divergence']:.4f} nats", file=sys.stderr)


def table(columns, rows, left):
    """Markdown: the first `left` columns hold words."""
    lines = [columns, ["---" if i < left else "--:" for i in range(len(columns))], *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def loss_rows(runs):
    """A line for each model, length and flags, with the texts side by side."""
    texts = list(dict.fromkeys(text for run in runs for text in run["texts"]))
    for run in runs:
        lengths = sorted({int(n) for of_text in run["texts"].values() for n in of_text})
        for n in lengths:
            found = {text: run["texts"].get(text, {}).get(str(n), {}) for text in texts}
            for flags in dict.fromkeys(f for rows in found.values() for f in rows):
                cells = []
                for text in texts:
                    r = found[text].get(flags)
                    cells += [f"{r['divergence']:.4f}", f"{r['ratio']:.3f}", "all" if r["sparq_read"] > 0.995 else f"1/{1 / r['sparq_read']:.1f}"] if r else ["", "", ""]
                yield [run["model"], f"{n:,}", f"`{flags}`", *cells]


def losses_table(runs):
    texts = list(dict.fromkeys(text for run in runs for text in run["texts"]))
    columns = ["model", "tokens", "flags"]
    for text in texts:
        columns += [f"{text}: nats", "perplexity", "read"]
    return table(columns, loss_rows(runs), left=3)


def error_of(score, cases):
    """The standard deviation of the part of right answers by what these cases tell, with all parts alike before: few that are all right leave doubt, too."""
    part = (score * cases + 1) / (cases + 2)
    return math.sqrt(part * (1 - part) / (cases + 3))


def cases_of(of_kind):
    """The number of cases; of each cache in order, where they differ."""
    by_cache = {cache: str(r["cases"]) for (cache, _), r in of_kind.items()}
    return ", ".join(by_cache.values()) if len(set(by_cache.values())) > 1 else next(iter(by_cache.values()))


def answers_table(runs):
    """A line for each model, kind and length; a column for each cache and attention, then their largest error."""
    ways = list(dict.fromkeys((r["cache"], r["attention"]) for run in runs for r in run["rows"]))
    rows = []
    for run in runs:
        for suite, length in dict.fromkeys((r["suite"], r["length"]) for r in run["rows"]):
            of_kind = {(r["cache"], r["attention"]): r for r in run["rows"] if (r["suite"], r["length"]) == (suite, length)}
            cells = [f"{of_kind[w]['score']:.2f}" if w in of_kind else "" for w in ways]
            error = max(error_of(r["score"], r["cases"]) for r in of_kind.values())
            rows.append([run["model"], suite, f"{length:,}", cases_of(of_kind), *cells, f"{error:.2f}"])
    return table(["model", "kind", "tokens", "cases", *(f"{cache}, {attention}" for cache, attention in ways), "error"], rows, left=2)


KINDS = {"losses": ("texts", losses_table), "answers": ("rows", answers_table)}  # the key that runs have, and their table


def tables(folder=RUNS):
    """The text between the marks of each kind."""
    runs = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]
    out = {}
    for kind, (key, table_of) in KINDS.items():
        of_kind = [run for run in runs if key in run]
        out[kind] = f"\n{table_of(of_kind)}\n" if of_kind else "\n"
    return out


def written(page, by_kind):
    """The page with these tables."""
    for kind, text in by_kind.items():
        begin, end = MARKS.format(kind), MARKS.format(f"end of {kind}")
        page, n = re.subn(f"({re.escape(begin)}\n).*?({re.escape(end)})", lambda m, text=text: m[1] + text + m[2], page, flags=re.DOTALL)
        if n != 1:
            sys.exit(f"truth.py: {PAGE.name} has {n} places for {kind}: {begin}")
    return page


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, dest="command")
    one = commands.add_parser("losses")
    one.add_argument("skald", type=Path)
    one.add_argument("model", type=Path)
    one.add_argument("text", type=Path)
    one.add_argument("-c", type=int, required=True)
    one.add_argument("--last", type=int, default=0)
    one.add_argument("--references", type=Path)
    one.add_argument("--name", required=True)
    one.add_argument("--text-name", required=True)
    one.add_argument("-o", type=Path, required=True)
    one.add_argument("flags", nargs="+", metavar="FLAGS")
    commands.add_parser("write")
    o = parser.parse_args()
    if o.command == "losses":
        losses(o)
    else:
        PAGE.write_text(written(PAGE.read_text(), tables()))


if __name__ == "__main__":
    main()
