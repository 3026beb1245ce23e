"""Examples run, where the packages that they are about are there."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "python"
QUESTIONS = [
    {"query": "Once upon a", "choices": [" time", " stone"], "gold": 0},
    {"query": "The cat was very", "choices": [" happy", " parliament"], "gold": 0},
]


def run(name, *words):
    done = subprocess.run([sys.executable, EXAMPLES / f"{name}.py", *words], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip().splitlines()


def test_langchain():
    pytest.importorskip("langchain_openai")
    assert len(run("langchain_chat")) >= 2


def test_llama_index():
    pytest.importorskip("llama_index.llms.openai_like")
    assert run("llama_index_complete")


def test_instructor():
    pytest.importorskip("instructor")
    assert run("instructor_extract")[-1].startswith("legs=")


def test_lm_evaluation_harness(tmp_path):
    pytest.importorskip("lm_eval")
    path = tmp_path / "questions.jsonl"
    path.write_text("".join(json.dumps(question) + "\n" for question in QUESTIONS))
    assert json.loads(run("lm_eval_model", str(path))[-1])["acc,none"] == 1


def test_transformers_tokenizers():
    pytest.importorskip("transformers")
    folder = EXAMPLES.parents[2] / "shared" / "golden" / "lfm2" / "hf"
    if not folder.exists():
        pytest.skip(f"there is no {folder}")
    assert run("transformers_tokens", str(folder)) == ["the same ids: True", "the same text: True"]
