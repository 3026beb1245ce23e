#!/usr/bin/env python3
"""Compares what Skald and other engines say in chats of trained models, greedily.

Each question becomes a prompt by the model's chat template, which Skald renders. Skald answers; the peer reads the same tokens
and tells which it would have chosen. A row says how far the answers are the same, and of the first token that differs by how
much: below --tie the two tokens were nearly tied, which rounding decides, and what follows is another text. Exit code 1: a
difference that no tie explains.

examples:
  bench/peers/chat_agree.py --peer llama.cpp=~/llama.cpp/build qwen2.5-0.5b-instruct.gguf
  bench/peers/chat_agree.py --peer llama.cpp=~/llama.cpp/build --questions questions.txt -n 256 -o json *.gguf
"""
import argparse
import json
import sys
import tempfile
from pathlib import Path

from agree import Peer, Skald

QUESTIONS = """\
What is the capital of Australia, and why is it not Sydney?
Write a Python function that returns the n-th Fibonacci number.
Explain in three sentences how a refrigerator works.
Translate into French: The library closes at six on Sundays.
List five uses of baking soda.
A train leaves at 9:40 and arrives at 13:05. How long does it take?
Write a short poem about the sea.
What is the difference between a list and a tuple in Python?
Summarise the plot of Romeo and Juliet in two sentences.
Give me a recipe for pancakes."""


def judge(leads, tie):
    """What the leads of a peer's tokens over Skald's say; see Peer.leads."""
    differs = next((i for i, lead in enumerate(leads) if lead > 0), None)
    if differs is None:
        return {"verdict": "same", "tokens": len(leads)}
    verdict = "near tie" if leads[differs] < tie else "differs"
    return {"verdict": verdict, "tokens": len(leads), "at": differs, "lead": leads[differs]}


def words(row):
    if row["verdict"] == "same":
        return f"same, {row['tokens']} tokens"
    text = f"{row['verdict']} at token {row['at']} of {row['tokens']}, {row['lead']:.3f} nats"
    return f"**{text}**" if row["verdict"] == "differs" else text


def answers(skald, peers, model, questions, args):
    for question in questions:
        messages = json.dumps([{"role": "user", "content": question}])
        prompt = [int(x) for x in skald("template", "-m", model, "--messages", "-", "-o", "ids", stdin=messages).split()]
        ids = ",".join(map(str, prompt))
        answer = [int(x) for x in skald("run", "-m", model, "--prompt-ids", ids, "--temp", 0, "-n", args.n, "--print-ids").split()]
        for peer in peers:
            leads = peer.leads(model, prompt, answer) if answer else []
            yield {"model": model.name, "peer": peer.name, "question": question, **judge(leads, args.tie)}


def parse_arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("models", nargs="+", type=Path, metavar="MODEL", help="GGUF files with a chat template")
    p.add_argument("--peer", action="append", required=True, metavar="NAME=FOLDER",
                   help="an engine with llama.h, and the folder where it was built by CMake, with shared libraries")
    p.add_argument("--questions", type=Path, metavar="FILE", help="a question a line, instead of ten of its own")
    p.add_argument("--skald", type=Path, default=Path("build/release/skald"), metavar="PATH")
    p.add_argument("-n", type=int, default=128, metavar="N", help="most tokens of an answer")
    p.add_argument("--tie", type=float, default=0.1, metavar="X", help="nats: tokens that are closer are nearly tied")
    p.add_argument("-o", choices=("md", "json"), default="md", help="a table, or a JSON object a row")
    return p.parse_args()


def main():
    args = parse_arguments()
    skald, failures = Skald(args.skald.resolve()), 0
    text = args.questions.read_text() if args.questions else QUESTIONS
    questions = [line for line in text.splitlines() if line.strip()]
    try:
        with tempfile.TemporaryDirectory() as folder:
            peers = [Peer.build(peer, Path(folder)) for peer in args.peer]
            if args.o == "md":
                print("| model | peer | question | answers |\n|---|---|---|---|")
            for model in args.models:
                for row in answers(skald, peers, model, questions, args):
                    failures += row["verdict"] == "differs"
                    line = json.dumps(row) if args.o == "json" else "| {model} | {peer} | {question} | ".format(**row) + words(row) + " |"
                    print(line, flush=True)
    except (RuntimeError, OSError, ValueError) as error:
        print(f"chat_agree.py: {error}", file=sys.stderr)
        return 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
