"""Threads on CPUs and nodes: the text is the same wherever they run, and the program takes what it is given."""
import os

import support

GREEDY = ("-p", "Once upon a time", "-n", "12", "--temp", "0", "--ignore-eos")
CPUS = sorted(os.sched_getaffinity(0))


class Threads(support.CliTest):
    def test_give_the_same_text_anywhere(self):
        want = self.ids(*GREEDY, "-t", "1")
        for flags in (("-t", "2"), ("-t", "1", "-tb", "3"), ("-t", "3", "--threads-batch", "1"), ("--cpu-range", CPUS[0]),
                      ("-Cr", ",".join(map(str, CPUS))), ("--numa", "distribute"), ("--numa", "isolate"),
                      ("--cpu-range", CPUS[-1], "--numa", "distribute")):
            self.assertEqual(self.ids(*GREEDY, *flags), want, flags)

    def test_are_as_many_as_the_cpus_of_the_range(self):
        text = self.ok("profile", "-p", "16", "-n", "1", "--cpu-range", CPUS[0]).decode()
        self.assertIn("Prefill of 16 tokens, 1 threads", text)

    def test_that_must_share_a_cpu_are_told_so(self):
        r = support.skald("run", *GREEDY, "--cpu-range", CPUS[0], "-t", "2")
        self.assertEqual(r.returncode, 0)
        self.assertIn(f"2 threads are more than the CPUs {CPUS[0]}", r.stderr.decode())

    def test_stay_on_cpus_that_the_process_may_use(self):
        if len(CPUS) < 2:
            self.skipTest("one CPU")
        before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {CPUS[0]})
        try:
            self.fails(2, "run", *GREEDY, "--cpu-range", CPUS[1], says=("cpu-range", f"may not use CPU {CPUS[1]}"))
            self.ok("run", *GREEDY, "--numa", "isolate")
        finally:
            os.sched_setaffinity(0, before)


support.main()
