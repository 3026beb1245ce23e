#!/usr/bin/env python3
"""Writes down which fields Kubernetes and Envoy know, for the tests of packaging/: tests/data/packaging/*.json.

usage: packaging_fields.py kubernetes|envoy

Needs `pip install kubernetes` or `pip install xds-protos pyyaml`. Run it where the chart or the configuration takes a type
that the data lack. A type is {field: type}: the name of a type of the file, "text", "number", "flag" or "any", as one of
["list", TYPE] and ["map", TYPE] where there are more; a list of words where one of them is wanted.
"""
import importlib
import json
import re
import sys
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "tests/data/packaging"
KINDS = ("V1Deployment", "V1StatefulSet", "V1Service", "V1ServiceAccount", "V1PersistentVolumeClaim", "V1Secret", "V1ConfigMap",
         "V2HorizontalPodAutoscaler", "V1PodDisruptionBudget", "V1NetworkPolicy", "V1Pod", "V1Ingress")
# Sources of volumes that no chart should need, whose types would be half of the file.
LEFT_OUT = re.compile(r"VolumeSource$")
KEPT = {"V1ConfigMapVolumeSource", "V1SecretVolumeSource", "V1EmptyDirVolumeSource", "V1PersistentVolumeClaimVolumeSource"}
PLAIN = {"str": "text", "bytes": "text", "int": "number", "float": "number", "bool": "flag", "object": "any", "datetime": "text"}


def kubernetes_type(text, wanted):
    for pattern, kind in ((r"[Ll]ist\[(.+)\]", "list"), (r"[Dd]ict[(\[]str, (.+)[)\]]", "map")):
        if found := re.fullmatch(pattern, text):
            return [kind, kubernetes_type(found[1], wanted)]
    if text in PLAIN:
        return PLAIN[text]
    if text == "IntOrString" or (LEFT_OUT.search(text) and text not in KEPT):
        return "any"
    wanted.append(text)
    return text


def kubernetes():
    client = importlib.import_module("kubernetes.client")
    out, wanted = {}, list(KINDS)
    while wanted:
        name = wanted.pop()
        model = getattr(client, name)
        if name not in out:
            out[name] = {}
            out[name] = {key: kubernetes_type(model.openapi_types[field], wanted) for field, key in sorted(model.attribute_map.items())}
    return out


ENVOY = ("envoy.config.bootstrap.v3.Bootstrap",
         "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
         "envoy.extensions.filters.http.ext_authz.v3.ExtAuthz", "envoy.extensions.filters.http.ext_authz.v3.ExtAuthzPerRoute",
         "envoy.extensions.filters.http.router.v3.Router", "envoy.extensions.retry.host.previous_hosts.v3.PreviousHostsPredicate")
WELL_KNOWN = {"google.protobuf.Any": "any", "google.protobuf.Duration": "text", "google.protobuf.BoolValue": "flag",
              "google.protobuf.Struct": "any", "google.protobuf.StringValue": "text"}


def envoy_type(field, wanted):
    if field.message_type is None:
        return [v.name for v in field.enum_type.values] if field.enum_type else {8: "flag", 9: "text", 12: "text"}.get(field.type, "number")
    name = field.message_type.full_name
    if name in WELL_KNOWN or name.startswith("google.protobuf."):
        return WELL_KNOWN.get(name, "number")
    wanted.append(field.message_type)
    return name


def envoy_field(field, wanted):
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        return ["map", envoy_type(field.message_type.fields_by_name["value"], wanted)]
    kind = envoy_type(field, wanted)
    repeated = field.is_repeated if hasattr(field, "is_repeated") else field.label == field.LABEL_REPEATED
    return ["list", kind] if repeated else kind


def used_by(document, root, types):
    """The types that a document meets, as far as it is known."""
    met = set()

    def look(value, kind):
        if isinstance(kind, list) and kind and kind[0] in ("list", "map"):
            for one in value if kind[0] == "list" else value.values():
                look(one, kind[1])
        elif kind == "any" and isinstance(value, dict) and "@type" in value:
            look({k: v for k, v in value.items() if k != "@type"}, value["@type"].rpartition("/")[2])
        elif isinstance(kind, str) and kind in types:
            met.add(kind)
            for key, one in value.items():
                look(one, types[kind].get(key, "any"))

    look(document, root)
    return met


def envoy():
    yaml = importlib.import_module("yaml")
    types, wanted = {}, []
    for name in ENVOY:
        package, _, message = name.rpartition(".")
        file = re.sub(r"(?<!^)(?=[A-Z])", "_", message.replace("PerRoute", "").replace("Predicate", "")).lower()
        module = importlib.import_module(f"{package}.{file}_pb2")
        wanted.append(module.DESCRIPTOR.message_types_by_name[message])
    while wanted:
        message = wanted.pop()
        if message.full_name not in types:
            types[message.full_name] = {}
            types[message.full_name] = {f.name: envoy_field(f, wanted) for f in message.fields}
    file = Path(__file__).resolve().parent.parent / "packaging/proxies/envoy.yaml"
    met = used_by(yaml.safe_load(file.read_text()), ENVOY[0], types)
    return {name: types[name] for name in sorted(met)}


def main():
    made = {"kubernetes": kubernetes, "envoy": envoy}[sys.argv[1]]()
    DATA.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(fields)}" for name, fields in sorted(made.items()))
    (DATA / f"{sys.argv[1]}.json").write_text("{\n" + lines + "\n}\n")


if __name__ == "__main__":
    main()
