"""packaging/proxies/envoy.yaml has no field that Envoy does not know, and names no cluster that there is not."""
import copy
import unittest
from pathlib import Path

try:
    import yaml
except ImportError:
    raise SystemExit("skipped: no PyYAML")

import fields

FILE = Path(__file__).resolve().parents[2] / "packaging/proxies/envoy.yaml"
ROOT = "envoy.config.bootstrap.v3.Bootstrap"


def named(value, key):
    """All values of a key, wherever it stands."""
    if isinstance(value, dict):
        yield from (v for k, v in value.items() if k == key)
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from named(one, key)


class Envoy(unittest.TestCase):
    def setUp(self):
        self.document = yaml.safe_load(FILE.read_text())
        self.types = fields.types("envoy")

    def faults(self, document):
        return list(fields.faults(document, ROOT, self.types))

    def test_has_known_fields_alone(self):
        self.assertEqual(self.faults(self.document), [])

    def test_faults_are_found(self):
        wrong = copy.deepcopy(self.document)
        wrong["static_resources"]["clusters"][0]["lb_polices"] = "RING_HASH"
        wrong["static_resources"]["clusters"][1]["lb_policy"] = "BEST"
        manager = wrong["static_resources"]["listeners"][0]["filter_chains"][0]["filters"][0]["typed_config"]
        manager["http_filters"][0]["typed_config"]["path"] = "/route"
        self.assertEqual(len(self.faults(wrong)), 3)

    def test_names_clusters_that_there_are(self):
        clusters = {one["name"] for one in self.document["static_resources"]["clusters"]}
        self.assertEqual(set(named(self.document, "cluster")), clusters)

    def test_sends_prefixes_to_a_ring(self):
        ring = next(c for c in self.document["static_resources"]["clusters"] if c["lb_policy"] == "RING_HASH")
        routes = [r for many in named(self.document, "routes") for r in many if r["route"]["cluster"] == ring["name"]]
        self.assertEqual([r["route"]["hash_policy"] for r in routes], [[{"header": {"header_name": "x-skald-prefix"}}]])

    def test_streams_have_no_limit_of_time(self):
        for many in named(self.document, "routes"):
            self.assertEqual({one["route"]["timeout"] for one in many}, {"0s"})


if __name__ == "__main__":
    unittest.main()
