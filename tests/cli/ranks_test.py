"""Commands on several ranks: --tensor-parallel under the mpirun of each MPI library that is there."""
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

import support
from server import Server

GOLDEN = support.DATA / "golden"
IDS = support.comma([5 + i % 300 for i in range(40)])


def launchers():
    """How each library starts n processes: {name: command before -np}."""
    found = {}
    openmpi = shutil.which("mpirun.openmpi") or shutil.which("mpirun")
    if openmpi and b"Open MPI" in subprocess.run([openmpi, "--version"], capture_output=True).stdout:
        as_root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
        found["Open MPI"] = [openmpi, *as_root, "--oversubscribe", "--bind-to", "none"]
    if mpich := shutil.which("mpirun.mpich"):
        found["MPICH"] = [mpich]
    return found


LAUNCHERS = launchers()


def mpirun(launcher, *jobs, timeout=120):
    """Runs jobs of (processes, arguments of skald); stdout and stderr are bytes."""
    command = list(LAUNCHERS[launcher])
    for i, (n, *args) in enumerate(jobs):
        command += [":"] * (i > 0) + ["-np", str(n), support.SKALD, *map(str, args)]
    return subprocess.run(command, capture_output=True, timeout=timeout, env=support.environment())


class RanksServer(Server):
    """The server of a job; `process` is its mpirun."""

    def __init__(self, launcher, n, *flags):
        self.log = tempfile.TemporaryFile()
        flags = list(map(str, flags))
        ranks = [] if "--pipeline-parallel" in flags else ["--tensor-parallel", "auto"]
        command = [*LAUNCHERS[launcher], "-np", str(n), support.SKALD, "serve", "--port", "0", *ranks, "-t", "1", *flags]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.log, stdin=subprocess.DEVNULL,
                                        env=support.environment(), start_new_session=True)
        self.line = self.process.stdout.readline().decode().strip()
        self.port = int(re.fullmatch(r"listening on http://127\.0\.0\.1:(\d+)", self.line)[1])
        while self.get("/health").status != 200:
            pass

    def ranks(self):
        """The processes of the job that compute, by their numbers."""
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                variables = dict(v.split("=", 1) for v in (folder / "environ").read_text().split("\0") if "=" in v)
                parents = self.process.pid in self.ancestors(int(folder.name))
                if parents and (folder / "comm").read_text().strip() == "skald":
                    found[int(variables.get("OMPI_COMM_WORLD_RANK", variables.get("PMI_RANK", -1)))] = int(folder.name)
            except (OSError, ValueError):
                continue
        return found

    @staticmethod
    def ancestors(pid):
        out = []
        while pid > 1:
            pid = int((Path("/proc") / str(pid) / "stat").read_text().rsplit(")", 1)[1].split()[1])
            out.append(pid)
        return out


@unittest.skipUnless(LAUNCHERS, "needs mpirun: openmpi-bin or mpich")
class Ranks(support.CliTest):
    def each(self):
        for launcher in LAUNCHERS:
            with self.subTest(launcher):
                yield launcher

    def logits(self, *args, launcher=None, n=1, model="llama_gqa"):
        out = self.new_folder() / "l.npy"
        command = ["logits", "-m", GOLDEN / model / "model.gguf", "--ids", IDS, "-o", out, "-t", "1", *args]
        r = mpirun(launcher, (n, *command, "--tensor-parallel", "auto")) if launcher else support.skald(*command)
        self.assertEqual(r.returncode, 0, r.stderr.decode())
        return out.read_bytes()

    def test_exact_ranks_have_the_bits_of_one_process(self):
        alone = self.logits()
        for launcher in self.each():
            for n in (2, 3):
                self.assertEqual(self.logits("--tp-exact", launcher=launcher, n=n), alone, n)

    def test_decoding_has_the_bits_of_one_process(self):
        args = ("--decode-from", "20", "-ctk", "q8_0", "-ctv", "q8_0")
        alone = self.logits(*args)
        for launcher in self.each():
            self.assertEqual(self.logits(*args, "--tp-exact", launcher=launcher, n=2), alone)

    def test_stages_have_the_bits_of_one_process(self):
        alone = self.logits()
        for launcher in self.each():
            self.assertEqual(self.logits("--pipeline-parallel", "2", launcher=launcher, n=2), alone)
            self.assertEqual(self.logits("--pipeline-parallel", "2", "--tp-exact", launcher=launcher, n=4), alone)

    def test_the_text_comes_once(self):
        alone = self.ok("run", "-p", "Once upon a time", "-n", "20", "--temp", "0")
        for launcher in self.each():
            r = mpirun(launcher, (2, "run", "-p", "Once upon a time", "-n", "20", "--temp", "0", "--tensor-parallel", "2", "--tp-exact"))
            self.assertEqual(r.stdout, alone, r.stderr.decode())

    def test_a_wrong_number_of_ranks_is_told(self):
        self.fails(2, "run", "-p", "Once", "--tensor-parallel", "auto", says="this process is alone")
        for launcher in self.each():
            r = mpirun(launcher, (2, "run", "-p", "Once", "--tensor-parallel", "3"))
            self.assertNotEqual(r.returncode, 0)
            self.assertIn("--tensor-parallel 3: mpirun started 2 processes", r.stderr.decode())
            for flags, says in ((("-pp", "3"), "--pipeline-parallel 3: mpirun started 2 processes: want 3"),
                                (("-pp", "3", "-tp", "auto"), "--tensor-parallel auto --pipeline-parallel 3: mpirun started 2 processes: want as many for each stage"),
                                (("-pp", "2", "-tp", "2"), "mpirun started 2 processes: want 4")):
                r = mpirun(launcher, (2, "run", "-p", "Once", *flags))
                self.assertNotEqual(r.returncode, 0)
                self.assertIn(says, r.stderr.decode())

    def test_a_rank_with_another_model_is_named(self):
        for launcher in self.each():
            run = ("--prompt-ids", "5,6,7", "-n", "2", "--tensor-parallel", "auto", "-m")
            r = mpirun(launcher, (1, "run", *run, GOLDEN / "llama_gqa/model.gguf"), (1, "run", *run, GOLDEN / "llama_mha/model.gguf"))
            self.assertNotEqual(r.returncode, 0)
            self.assertRegex(r.stderr.decode(), r"rank 1 on \S+: its model (is built otherwise|has other weights)")

    def test_a_rank_with_other_options_is_named(self):
        for launcher in self.each():
            run = ("run", "-p", "Once", "-n", "2", "--tensor-parallel", "auto")
            r = mpirun(launcher, (1, *run), (1, *run, "--tp-exact"))
            self.assertNotEqual(r.returncode, 0)
            self.assertRegex(r.stderr.decode(), r"rank 1 on \S+: its options are")

    def test_refuses_what_ranks_cannot_do(self):
        for flags, says in ((("--models-dir", "."), "--models-dir does not go with --tensor-parallel"),):
            r = mpirun(next(iter(LAUNCHERS)), (2, "serve", "--tensor-parallel", "auto", *flags))
            self.assertNotEqual(r.returncode, 0)
            self.assertIn(says, r.stderr.decode())

    def ends(self, server, seconds):
        start = time.monotonic()
        code = server.process.wait(60)
        self.assertLess(time.monotonic() - start, seconds, server.errors())
        self.until(lambda: not [p for p in server.ranks().values() if self.runs(p)])
        return code

    @staticmethod
    def runs(pid):
        try:
            return "\nState:\tZ" not in (Path("/proc") / str(pid) / "status").read_text()
        except OSError:
            return False

    def asked(self, server, n=3):
        """Requests that run for long; their replies come to the list."""
        replies = []

        def ask(i):
            try:
                replies.append(server.post("/v1/completions", {"prompt": f"Story {i}", "max_tokens": 100000, "ignore_eos": True}))
            except OSError as e:
                replies.append(e)
        threads = [threading.Thread(target=ask, args=(i,)) for i in range(n)]
        for t in threads:
            t.start()
        self.until(lambda: sum(s["is_processing"] for s in server.get("/slots").json) == n)
        return replies, threads

    def test_a_server_on_ranks_answers_and_stops(self):
        with_alone = Server("-t", "1")
        body = {"prompt": "Once upon a time", "max_tokens": 20, "temperature": 0, "ignore_eos": True}
        alone = with_alone.post("/v1/completions", body).json["choices"][0]["text"]
        with_alone.stop()
        for launcher in self.each():
            for how in (("--tp-exact",), ("--pipeline-parallel", "2")):
                server = RanksServer(launcher, 2, *how)
                self.assertEqual(server.post("/v1/completions", body).json["choices"][0]["text"], alone)
                os.kill(server.ranks()[0], signal.SIGTERM)
                self.assertEqual(self.ends(server, 10), 0, server.errors())

    def test_a_killed_rank_ends_the_job(self):
        for launcher in self.each():
            for rank, how in ((0, ()), (1, ()), (1, ("--pipeline-parallel", "2"))):
                server = RanksServer(launcher, 2, "-c", "200000", *how)
                replies, threads = self.asked(server)
                os.kill(server.ranks()[rank], signal.SIGKILL)
                self.assertNotEqual(self.ends(server, 10), 0)
                for t in threads:
                    t.join(30)
                if rank == 1 and launcher == "Open MPI":  # MPICH kills the others at once
                    self.assertEqual([r.status for r in replies], [503] * 3, server.errors())

    def test_a_rank_that_hangs_ends_the_job(self):
        for launcher in self.each():
            server = RanksServer(launcher, 2, "-c", "200000", "--rank-timeout", "2")
            replies, threads = self.asked(server)
            hung = server.ranks()[1]
            os.kill(hung, signal.SIGSTOP)
            code = self.ends(server, 10)
            self.assertNotEqual(code, 0)
            self.assertRegex(server.errors(), r"rank 1 on \S+ has not answered rank 0 on \S+ for 2 s: the job ends")
            for t in threads:
                t.join(30)
            self.assertEqual([r.status for r in replies], [503] * 3)

    def test_an_idle_job_lives_longer_than_the_time_limit(self):
        for launcher in self.each():
            server = RanksServer(launcher, 2, "--rank-timeout", "1")
            time.sleep(3)
            self.assertEqual(server.post("/v1/completions", {"prompt": "Once", "max_tokens": 2}).status, 200, server.errors())
            os.kill(server.ranks()[0], signal.SIGTERM)
            self.assertEqual(self.ends(server, 10), 0, server.errors())


support.main()
