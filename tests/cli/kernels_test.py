"""skald kernels: which function each kernel is on this machine."""
import csv
import io
import json

import support

USUAL = {"tier", "entry", "function", "file"}


class Kernels(support.CliTest):
    def rows(self, *args, **env):
        rows = json.loads(self.ok("kernels", "-o", "json", *args, **env))
        for row in rows:
            self.assertEqual(set(row), USUAL)
            self.assertTrue(all(row.values()), row)
            path = support.DATA.parent.parent / row["file"]
            self.assertIn(row["function"], path.read_text())
        return rows

    def test_answers_which_function_a_format_has(self):
        rows = {row["entry"]: row for row in self.rows("q4_0")}
        self.assertIn("matmul q4_0", rows)
        self.assertIn("values q4_0", rows)
        self.assertNotIn("matmul q8_0", rows)

    def test_lists_each_entry_once_in_every_format(self):
        rows = self.rows()
        self.assertEqual(len({row["entry"] for row in rows}), len(rows))
        self.assertIn("rms_norm", {row["entry"] for row in rows})
        table = self.ok("kernels").decode().splitlines()
        self.assertEqual(len(table), 2 + len(rows))
        self.assertEqual(list(csv.DictReader(io.StringIO(self.ok("kernels", "-o", "csv").decode()))), rows)

    def test_below_a_cap_are_of_that_tier(self):
        rows = self.rows(SKALD_ISA="scalar")
        self.assertEqual({row["tier"] for row in rows}, {"scalar"})
        self.assertEqual({row["file"].split("/")[3] for row in rows}, {"scalar"})

    def test_refuses_what_is_not_there(self):
        self.fails(2, "kernels", "q99", says=["q99"])
        self.fails(2, "kernels", "-o", "svg", says=["kernels", "want md, json or csv"])
        self.fails(2, "kernels", SKALD_ISA="avx9000", says=["avx9000", "known: scalar"])


support.main()
