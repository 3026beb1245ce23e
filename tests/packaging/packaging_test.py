"""What is in packaging/: the units are valid, the dashboard shows every metric and no other, the image runs as nobody.

usage: packaging_test.py PROGRAM
"""
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PACKAGING = Path(__file__).resolve().parents[2] / "packaging"

# What `skald serve --metrics` counts and measures.
COUNTERS = {
    "skald_requests_total": {"route", "code"}, "skald_prompt_tokens_total": set(), "skald_prompt_tokens_ahead_total": set(),
    "skald_prompt_tokens_cached_total": {"tier"}, "skald_tokens_predicted_total": set(), "skald_requests_cancelled_total": set(),
    "skald_tokens_drafted_total": set(), "skald_tokens_drafted_accepted_total": set(),
    "skald_preemptions_total": set(), "skald_prefix_evictions_total": {"tier"}, "skald_disk_pages_read_total": set(),
    "skald_disk_pages_written_total": set(), "skald_disk_corrupt_pages_total": set(),
    "skald_sparse_bytes_total": set(), "skald_sparse_dense_bytes_total": set(), "skald_sparse_tokens_total": set(),
    "skald_sparse_nats_total": set(), "skald_sparse_measured_total": set(),
}
GAUGES = {
    "skald_requests_processing", "skald_requests_deferred", "skald_connections", "skald_pages_total", "skald_pages_active", "skald_pages_cached",
    "skald_pages_free", "skald_kv_usage_ratio", "skald_disk_pages", "skald_disk_bytes",
}
HISTOGRAMS = {
    "skald_time_to_first_token_seconds", "skald_inter_token_seconds", "skald_queue_seconds", "skald_request_seconds", "skald_step_seconds",
}


class Dashboard(unittest.TestCase):
    def setUp(self):
        self.panels = json.loads((PACKAGING / "grafana-dashboard.json").read_text(encoding="utf-8"))["panels"]
        self.expressions = [target["expr"] for panel in self.panels for target in panel.get("targets", [])]

    def test_shows_every_metric_and_no_other(self):
        shown = set(re.findall(r"\bskald_\w+", " ".join(self.expressions)))
        series = {name + end for name in HISTOGRAMS for end in ("_bucket", "_sum", "_count")}
        self.assertEqual(shown, set(COUNTERS) | GAUGES | series)

    def test_takes_rates_of_counters_and_of_nothing_else(self):
        for expression in self.expressions:
            for name in re.findall(r"rate\((\w+)", expression):
                self.assertTrue(name in COUNTERS or name.rpartition("_")[0] in HISTOGRAMS, expression)
            for name in GAUGES:
                self.assertNotRegex(expression, rf"rate\({name}\b")

    def test_groups_by_labels_that_there_are(self):
        for expression in self.expressions:
            for labels, name in re.findall(r"sum by \(([^)]*)\) \(rate\((\w+)", expression):
                there = COUNTERS.get(name, {"le"})
                self.assertLessEqual(set(labels.split(", ")), there, expression)

    def test_has_balanced_expressions(self):
        for expression in self.expressions:
            for a, b in ("()", "{}", "[]"):
                self.assertEqual(expression.count(a), expression.count(b), expression)

    def test_places_panels_side_by_side(self):
        self.assertEqual(len({panel["id"] for panel in self.panels}), len(self.panels))
        cells = [(panel["gridPos"]["x"] + x, panel["gridPos"]["y"] + y) for panel in self.panels
                 for x, y in itertools.product(range(panel["gridPos"]["w"]), range(panel["gridPos"]["h"]))]
        self.assertEqual(len(set(cells)), len(cells))
        self.assertLess(max(x for x, _ in cells), 24)


class Units(unittest.TestCase):
    @unittest.skipUnless(shutil.which("systemd-analyze"), "no systemd-analyze")
    def test_are_valid(self):
        units = [str(PACKAGING / name) for name in ("skald.service", "skald.socket")]
        r = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True, check=False)
        self.assertEqual((r.returncode, r.stderr), (0, ""))

    def test_wait_for_the_drain(self):
        unit = (PACKAGING / "skald.service").read_text(encoding="utf-8")
        self.assertGreater(int(re.search(r"^TimeoutStopSec=(\d+)$", unit, re.M)[1]), 30)


class Image(unittest.TestCase):
    def setUp(self):
        self.text = (PACKAGING / "Dockerfile").read_text(encoding="utf-8")
        self.last = self.text[self.text.rindex("\nFROM "):]

    def test_runs_as_nobody_with_a_health_check(self):
        self.assertEqual(re.findall(r"^USER (.*)$", self.last, re.M), ["nobody"])
        self.assertRegex(self.last, r"HEALTHCHECK [^\n]* CMD \[\"skald-healthcheck\"\]")

    def test_has_what_the_build_reads_and_no_more(self):
        first = self.text[:self.text.rindex("\nFROM ")]
        copied = {word for line in re.findall(r"^COPY (?!--from)(.*) \S+$", first, re.M) for word in line.split()}
        self.assertEqual(copied, {"tools/setup.sh", "CMakeLists.txt", "CMakePresets.json", "LICENSE", "cmake", "assets", "include", "src",
                                  "packaging/skald.service", "packaging/skald.socket"})

    def test_health_check_follows_the_address_of_the_server(self):
        with tempfile.TemporaryDirectory() as folder:
            for address in ("127.0.0.1", f"{folder}/skald.sock"):
                said = Path(folder) / "address"
                environment = {**os.environ, "SKALD_ADDRESS_FILE": str(said), "SKALD_HOST": address, "SKALD_PORT": "0"}
                check = [str(PACKAGING / "healthcheck")]
                self.assertNotEqual(subprocess.run(check, env=environment, capture_output=True, check=False).returncode, 0)
                server = subprocess.Popen([PROGRAM, "serve"], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                try:
                    healthy = any(subprocess.run(check, env=environment, capture_output=True, check=False).returncode == 0 or time.sleep(0.1)
                                  for _ in range(200))
                finally:
                    server.terminate()
                    self.assertEqual(server.wait(timeout=60), 0)
                self.assertTrue(healthy, address)
                self.assertFalse(said.exists(), "an address of no server is left")

    def test_installs_the_package_of_the_first_stage(self):
        self.assertIn("cpack --config CPackConfig.cmake -B package", self.text[:self.text.rindex("\nFROM ")])
        self.assertIn("from=build,source=/skald/build/release/package,target=/package", self.last)
        self.assertRegex(self.last, r"apt-get install [^\n]* /package/skald_\*\.deb")


class Pages(unittest.TestCase):
    def test_name_the_packages_that_the_program_needs(self):
        system = Path("/etc/os-release").read_text(encoding="utf-8") if Path("/etc/os-release").exists() else ""
        if "VERSION_CODENAME=bookworm" not in system or not shutil.which("readelf"):
            self.skipTest("not the page's Debian")
        needed = subprocess.run(["readelf", "-d", PROGRAM], capture_output=True, text=True, check=True).stdout
        for library in re.findall(r"\(NEEDED\).*\[(.*)\]", needed):
            owner = subprocess.run(["dpkg", "-S", library], capture_output=True, text=True, check=False).stdout
            packages = {line.split(":")[0] for line in owner.splitlines() if line.endswith("/" + library)}
            page = (PACKAGING.parent / "docs/library.md").read_text(encoding="utf-8")
            if packages and not packages & {"libc6", "libgcc-s1"}:
                self.assertTrue(any(re.search(rf"\b{re.escape(name)}\b", page) for name in packages), (library, packages))


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
