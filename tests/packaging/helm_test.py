"""packaging/helm/skald: its objects have known fields alone, and run Skald as the values say.

usage: helm_test.py PROGRAM

Where helm is installed it renders and checks the chart; elsewhere go_template.py does.
"""
import copy
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import yaml
except ImportError:
    raise SystemExit("skipped: no PyYAML")

import fields
import go_template

SKALD = sys.argv.pop(1)
CHART = Path(__file__).resolve().parents[2] / "packaging/helm/skald"
HELM = shutil.which("helm")
RELEASE = {"Name": "one", "Namespace": "texts", "Service": "Helm"}
TYPES = {"Deployment": "V1Deployment", "StatefulSet": "V1StatefulSet", "Service": "V1Service", "Secret": "V1Secret",
         "PersistentVolumeClaim": "V1PersistentVolumeClaim", "HorizontalPodAutoscaler": "V2HorizontalPodAutoscaler",
         "PodDisruptionBudget": "V1PodDisruptionBudget", "ServiceMonitor": "ServiceMonitor"}
# Of the Prometheus operator, as far as the chart takes it.
MONITOR = {
    "ServiceMonitor": {"apiVersion": "text", "kind": "text", "metadata": "V1ObjectMeta", "spec": "MonitorSpec"},
    "MonitorSpec": {"selector": "V1LabelSelector", "endpoints": ["list", "MonitorEndpoint"], "namespaceSelector": "any"},
    "MonitorEndpoint": {"port": "text", "path": "text", "interval": "text", "scheme": "text", "authorization": "MonitorAuthorization"},
    "MonitorAuthorization": {"type": "text", "credentials": "V1SecretKeySelector"},
}
ALL = {
    "model": {"hf": "USER/REPO:q8_0", "alias": "story"}, "flags": ["-c", "4096"], "apiKeys": {"keys": ["first", "second"]},
    "persistence": {"models": {"enabled": True, "storageClass": "fast"}, "prefixCache": {"enabled": True, "storageClass": "fast"}},
    "autoscaling": {"enabled": True}, "metrics": {"serviceMonitor": {"enabled": True, "labels": {"team": "texts"}}},
    "service": {"annotations": {"a": "b"}}, "podAnnotations": {"a": "b"}, "podLabels": {"a": "b"}, "imagePullSecrets": [{"name": "mine"}],
    "nodeSelector": {"disk": "ssd"}, "tolerations": [{"key": "cpu", "operator": "Exists"}], "priorityClassName": "high",
    "affinity": {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
        {"weight": 1, "podAffinityTerm": {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"a": "b"}}}}]}},
}
FILE = {"model": {"file": "model.gguf"}, "peers": {"enabled": False}, "disruptionBudget": {"enabled": False},
        "persistence": {"models": {"enabled": True, "existingClaim": "models"}, "prefixCache": {"enabled": True, "existingClaim": "pages"}},
        "apiKeys": {"existingSecret": "mine"}}


def merged(usual, own):
    out = copy.deepcopy(usual)
    for key, value in own.items():
        out[key] = merged(out[key], value) if isinstance(value, dict) and isinstance(out.get(key), dict) else value
    return out


def all_values(own):
    return merged(yaml.safe_load((CHART / "values.yaml").read_text()), own)


def with_helm(own):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        yaml.safe_dump(own, file)
        file.flush()
        command = [HELM, "template", RELEASE["Name"], str(CHART), "-n", RELEASE["Namespace"], "-f", file.name]
        return [subprocess.run(command, check=True, capture_output=True, text=True).stdout]


def objects(own):
    """The objects of a chart with these values besides its own."""
    if HELM:
        texts = with_helm(own)
    else:
        texts = [text for name, text in go_template.rendered(CHART, all_values(own), RELEASE).items() if name != "NOTES.txt"]
    return [one for text in texts for one in yaml.safe_load_all(text) if one]


def notes(own):
    return go_template.rendered(CHART, all_values(own), RELEASE)["NOTES.txt"]


def of_kind(kind, made):
    return [one for one in made if one["kind"] == kind]


def container(made):
    return of_kind("StatefulSet", made)[0]["spec"]["template"]["spec"]["containers"][0]


def flag(args, name):
    return args[args.index(name) + 1]


class Chart(unittest.TestCase):
    def faults(self, made):
        known = fields.types("kubernetes") | MONITOR
        return [fault for one in made for fault in fields.faults(one, TYPES[one["kind"]], known, one["kind"])]

    def test_objects_have_known_fields_alone(self):
        for own in ({}, ALL, FILE):
            self.assertEqual(self.faults(objects(own)), [])

    def test_faults_are_found(self):
        made = objects({})
        container(made)["readinessprobe"] = {}
        container(made)["ports"][0]["containerPort"] = "8080"
        self.assertEqual(len(self.faults(made)), 2)

    def test_names_are_unique_and_labels_select_the_pods(self):
        for own in ({}, ALL, FILE):
            made = objects(own)
            names = [(one["kind"], one["metadata"]["name"]) for one in made]
            self.assertEqual(len(names), len(set(names)))
            labels = of_kind("StatefulSet", made)[0]["spec"]["template"]["metadata"]["labels"]
            for service in of_kind("Service", made):
                self.assertLessEqual(service["spec"]["selector"].items(), labels.items())

    def test_the_program_takes_its_flags(self):
        for own in ({}, ALL, FILE):
            args = container(objects(own))["args"]
            self.assertEqual(args[0], "serve")
            help_text = subprocess.run([SKALD, "serve", "--help"], capture_output=True, text=True, check=True).stdout
            for name in (one for one in args if one.startswith("-")):
                self.assertRegex(help_text, rf"(^|[ ,]){name}[ ,]", name)

    def test_each_server_knows_all_that_there_may_be(self):
        peers = flag(container(objects({}))["args"], "--peers").split(",")
        self.assertEqual(peers, [f"http://one-skald-{i}.one-skald-pods.texts.svc:8080" for i in range(2)])
        self.assertEqual(len(flag(container(objects(ALL))["args"], "--peers").split(",")), 8)
        self.assertNotIn("--peers", container(objects(FILE))["args"])

    def test_runs_as_nobody_on_a_root_that_is_read_only(self):
        made = objects(ALL)
        pod = of_kind("StatefulSet", made)[0]["spec"]["template"]["spec"]
        self.assertTrue(pod["securityContext"]["runAsNonRoot"])
        own = container(made)["securityContext"]
        self.assertTrue(own["readOnlyRootFilesystem"])
        self.assertFalse(own["allowPrivilegeEscalation"])
        self.assertEqual(own["capabilities"], {"drop": ["ALL"]})

    def test_every_mount_has_its_volume(self):
        for own in ({}, ALL, FILE):
            spec = of_kind("StatefulSet", objects(own))[0]["spec"]
            volumes = {one["name"] for one in spec["template"]["spec"]["volumes"]}
            volumes |= {one["metadata"]["name"] for one in spec.get("volumeClaimTemplates", [])}
            self.assertEqual({one["name"] for one in spec["template"]["spec"]["containers"][0]["volumeMounts"]}, volumes)

    def test_probes_ask_for_health(self):
        for name in ("startupProbe", "readinessProbe", "livenessProbe"):
            self.assertEqual(container(objects({}))[name]["httpGet"], {"path": "/health", "port": "http"})

    def test_keys_come_from_a_secret_alone(self):
        for own in (ALL, FILE):
            made = objects(own)
            secret = next(v["secret"]["secretName"] for v in of_kind("StatefulSet", made)[0]["spec"]["template"]["spec"]["volumes"] if "secret" in v)
            self.assertEqual(secret, own["apiKeys"].get("existingSecret", "one-skald-keys"))
            self.assertNotIn("second", json.dumps(of_kind("StatefulSet", made)))
        text = of_kind("Secret", objects(ALL))[0]["stringData"]
        self.assertEqual(text, {"keys": "first\nsecond", "metrics": "first"})
        self.assertEqual(of_kind("Secret", objects(FILE)), [])

    def test_scales_by_the_time_that_requests_wait(self):
        made = objects(ALL)
        metric = of_kind("HorizontalPodAutoscaler", made)[0]["spec"]["metrics"][0]["pods"]
        self.assertEqual(metric["metric"]["name"], "skald_queue_seconds")
        self.assertNotIn("replicas", of_kind("StatefulSet", made)[0]["spec"])
        self.assertEqual(of_kind("StatefulSet", objects({}))[0]["spec"]["replicas"], 2)

    def test_notes_tell_of_missing_keys_and_models(self):
        self.assertIn("no API keys", notes({}))
        self.assertIn("built-in story model", notes({}))
        for text in ("no API keys", "built-in story model"):
            self.assertNotIn(text, notes(ALL))

    def test_the_schema_takes_these_values_and_no_others(self):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("no jsonschema here")
        check = jsonschema.Draft7Validator(json.loads((CHART / "values.schema.json").read_text()))
        for own in ({}, ALL, FILE):
            self.assertEqual([e.message for e in check.iter_errors(all_values(own))], [])
        for wrong in ({"replica": 2}, {"replicas": -1}, {"model": {"file": "a", "hf": "b/c"}}, {"model": {"file": "../a"}},
                      {"apiKeys": {"keys": ["a\nb"]}}, {"autoscaling": {"queueSeconds": "1s"}}):
            self.assertTrue(list(check.iter_errors(all_values(wrong))), wrong)

    @unittest.skipUnless(HELM, "no helm here")
    def test_helm_finds_no_fault(self):
        subprocess.run([HELM, "lint", "--strict", str(CHART)], check=True, capture_output=True)


if __name__ == "__main__":
    unittest.main()
