"""skald doctor: what a machine has, and what would make it faster."""
import json
import os
import re
from pathlib import Path

import support

QUICK = ("--roofline-seconds", "0.01")


class Doctor(support.CliTest):
    def report(self, *args, **env):
        return json.loads(self.ok("doctor", "--json", *QUICK, *args, **env))

    def test_tells_what_the_system_has(self):
        got = self.report()
        self.assertEqual(got["cpu"]["quota"], got["choice"]["threads"])
        total = int(re.search(r"MemTotal: +(\d+) kB", Path("/proc/meminfo").read_text())[1]) * 1024
        self.assertEqual(got["memory"]["bytes"], total)
        self.assertGreater(got["memory"]["read_gb_per_s"], 0.1)
        self.assertEqual([d["device"] for d in got["devices"]][0], "cpu")
        self.assertNotIn("simt", [d["device"] for d in got["devices"]])

    def test_finds_the_folder_of_models_and_of_prompts(self):
        folder = self.new_folder()
        got = self.report("--prefix-cache-dir", folder / "prompts", HF_HUB_CACHE=str(folder / "models"))
        self.assertEqual([(d["use"], d["folder"]) for d in got["disks"]], [("models", str(folder / "models")), ("prompts", str(folder / "prompts"))])
        self.assertTrue(all(d["writable"] for d in got["disks"]))
        self.assertEqual(list(folder.iterdir()), [])  # it makes nothing
        (folder / "file").write_text("")
        closed = self.report(HF_HUB_CACHE=str(folder / "file/models"))
        self.assertFalse(closed["disks"][0]["writable"])
        self.assertIn("HF_HUB_CACHE", "".join(a["remedy"] for a in closed["advice"]))

    def test_advises_against_a_cap_and_fewer_cpus(self):
        tiers = self.report()["cpu"]["tiers"]
        self.assertEqual(tiers[0], "scalar")
        capped = self.report(SKALD_ISA="scalar")
        said = [a["fact"] for a in capped["advice"]]
        self.assertEqual(capped["choice"]["tier"], "scalar")
        self.assertEqual(len(tiers) > 1, any("SKALD_ISA caps" in fact for fact in said), said)
        cpus = os.sched_getaffinity(0)
        if len(cpus) > 1:
            os.sched_setaffinity(0, {min(cpus)})
            self.addCleanup(os.sched_setaffinity, 0, cpus)
            one = self.report()
            self.assertEqual(one["choice"]["threads"], 1)
            self.assertTrue(any("may run on 1 of" in a["fact"] for a in one["advice"]), one["advice"])

    def test_of_a_model_names_the_context_that_fits(self):
        model = self.report("-m", support.MODEL)["choice"]["model"]
        self.assertEqual(model["context"], model["trained_context"])
        self.assertEqual(model["type"], "q8_0")
        text = self.ok("doctor", *QUICK, "-m", support.MODEL).decode()
        self.assertIn("tokens fit", text)
        self.assertIn("\nMemory\n", text)

    def test_refuses_what_it_cannot_look_at(self):
        self.fails(2, "doctor", "--roofline-seconds", "0", says="--roofline-seconds")
        self.fails(2, "doctor", *QUICK, SKALD_ISA="avx9000", says=["avx9000", "known: scalar"])
        self.fails(1, "doctor", *QUICK, "-m", "not-there", says="not-there")
        self.fails(2, "doctor", *QUICK, HF_ENDPOINT="no url", says="HF_ENDPOINT")


support.main()
