"""What is asked of engines, and what makes no sense."""
import unittest

import support  # noqa: F401
from peers.workloads import WORKLOADS, chosen


class Workloads(unittest.TestCase):
    def test_come_in_the_order_asked_for(self):
        deep, prefill = chosen(["deep", "prefill"], 4096, [1])
        self.assertEqual((deep.title, deep.depth, prefill.n_prompt), ("decode at depth 4096", 4096, 512))

    def test_have_a_title_for_each_result(self):
        (batch, decode) = chosen(["batch", "decode"], 8192, [1, 4])
        self.assertEqual(batch.titles(), ["decode, batch 1", "decode, batch 4"])
        self.assertEqual(decode.titles(), ["decode"])
        titles = [title for w in chosen(WORKLOADS, 8192, [1, 4]) for title in w.titles()]
        self.assertEqual(len(titles), len(set(titles)))

    def test_that_make_no_sense_are_refused(self):
        for names, depth, sequences, says in ((["sing"], 1, [1], "'sing'"), (["deep"], 0, [1], "--depth"),
                                              (["batch"], 1, [], "--sequences"), (["batch"], 1, [4, 0], "--sequences")):
            with self.assertRaisesRegex(ValueError, says):
                chosen(names, depth, sequences)


unittest.main()
