"""skald sample against the samplers' definitions in NumPy (reference/samplers.py): chains in random orders, small vocabularies and
large ones."""
import json
import sys

import support

try:
    import numpy as np
except ImportError:
    print("skipped: no NumPy, so that samplers are not compared with their definitions", file=sys.stderr)
    sys.exit(0)

from reference.samplers import OFF, ORDER, Sampling, logits

CLEAR = 1e-5  # a decision nearer to going the other way may be one of rounding
FLAGS = {"dry_breaker_ids": None, "logit_bias": None}
CHOICES = dict(temp=[0.3, 1.0, 1.7], dynatemp_range=[0.0, 0.5], top_k=[1, 40, 3000], top_p=[0.5, 0.95], min_p=[0.01, 0.2], typical=[0.3, 0.9],
               top_nsigma=[0.7, 2.0], xtc_probability=[0.0, 1.0], xtc_threshold=[0.0001, 0.1], repeat_penalty=[0.8, 1.3],
               presence_penalty=[0.5], frequency_penalty=[-0.2, 0.4], repeat_last_n=[-1, 8], dry_multiplier=[1.0], dry_allowed_length=[1, 2])


class AgainstDefinition(support.CliTest):
    def compare(self, random, n, scale, step):
        row = logits({"seed": int(random.randint(1 << 30)), "n": n, "scale": scale, "step": step, "gone": random.choice([0, 0.1])})
        params = {k: type(v[0])(random.choice(v)) for k, v in CHOICES.items()}
        chain = [str(s) for s in random.choice(ORDER, random.randint(1, 8))]
        history = [int(x) for x in random.randint(0, min(n, 4), 30)]
        want = Sampling(n, history, chain, **params)
        ids, p = want.candidates(row)
        if want.margin < CLEAR:
            return 0
        path = self.new_folder() / "logits.npy"
        np.save(path, row)
        off = {k: v for k, v in OFF.items() if k not in FLAGS}
        flags = [x for k, v in {**off, **params}.items() for x in (f"--{k.replace('_', '-')}", v)]
        step = json.loads(self.ok("sample", "--logits", path, "--samplers", ",".join(chain), "--history", support.comma(history), *flags))["steps"][0]
        got = {c["id"]: c["p"] for c in step["candidates"]}
        self.assertEqual(set(got), set(ids.tolist()), (chain, params))
        np.testing.assert_allclose([got[i] for i in ids.tolist()], p, rtol=3e-4, atol=1e-7, err_msg=str((chain, params)))
        return 1

    def test_chains_leave_the_same_tokens_with_the_same_probabilities(self):
        random = np.random.RandomState(3)
        compared = sum(self.compare(random, int(random.choice([3, 40, 700])), float(random.choice([1, 4])), float(random.choice([0, 0.5])))
                       for _ in range(60))
        self.assertGreater(compared, 20)

    def test_chains_over_large_vocabularies_do_as_well(self):
        random = np.random.RandomState(4)
        compared = sum(self.compare(random, int(random.choice([5000, 32000])), float(random.choice([0.3, 2, 5])), 0.0) for _ in range(30))
        self.assertGreater(compared, 5)


support.main()
