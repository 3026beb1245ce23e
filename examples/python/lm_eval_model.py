"""Skald as a model of lm-evaluation-harness, on questions of a file. Needs: pip install skald lm-eval

usage: lm_eval_model.py FILE, with lines as {"query": "...", "choices": ["...", "..."], "gold": 0}
"""

import json
import sys

import lm_eval
import numpy as np
from lm_eval.api.model import LM
from lm_eval.api.task import ConfigurableTask

import skald


class SkaldLM(LM):
    """Computes log-likelihoods by a model in this process."""

    def __init__(self, model: skald.Model):
        super().__init__()
        self.model = model

    def _score(self, context: list[int], answer: list[int]) -> tuple[float, bool]:
        logits = self.model.logits(context + answer)[len(context) - 1 : -1].astype(np.float64)
        largest = logits.max(axis=1, keepdims=True)
        log_probs = logits - largest - np.log(np.exp(logits - largest).sum(axis=1, keepdims=True))
        return float(log_probs[np.arange(len(answer)), answer].sum()), bool((logits.argmax(axis=1) == answer).all())

    def loglikelihood(self, requests):
        out = []
        for context, answer in (request.args for request in requests):
            ids = self.model.tokenize(context)
            whole = self.model.tokenize(context + answer)
            shared = next((i for i, (a, b) in enumerate(zip(ids, whole)) if a != b), len(ids))
            out.append(self._score(whole[:shared], whole[shared:]))
        return out

    def loglikelihood_rolling(self, requests):
        texts = [self.model.tokenize(request.args[0]) for request in requests]
        return [self._score(ids[:1], ids[1:])[0] for ids in texts]

    def generate_until(self, requests):
        out = []
        for prompt, how in (request.args for request in requests):
            answer = self.model.complete(
                prompt, max_tokens=how.get("max_gen_toks", 256), stop=how.get("until"), temperature=how.get("temperature", 0)
            )
            out.append(answer["choices"][0]["text"])
        return out


def choices_task(path: str) -> ConfigurableTask:
    return ConfigurableTask(
        config={
            "task": "choices_of_file",
            "dataset_path": "json",
            "dataset_kwargs": {"data_files": {"test": path}},
            "test_split": "test",
            "output_type": "multiple_choice",
            "doc_to_text": "query",
            "doc_to_choice": "choices",
            "doc_to_target": "gold",
            "metric_list": [{"metric": "acc"}],
        }
    )


if __name__ == "__main__":
    with skald.Model() as model:
        results = lm_eval.evaluate(SkaldLM(model), {"choices_of_file": choices_task(sys.argv[1])}, bootstrap_iters=0)
    print(json.dumps(results["results"]["choices_of_file"], default=str))
