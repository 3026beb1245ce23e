"""The part of Go's templates that the chart uses, for machines without helm: as helm renders it, or an error."""
import json
import re

import yaml

ACTION = re.compile(r"\{\{(-?)\s*(/\*.*?\*/|.*?)\s*(-?)\}\}", re.DOTALL)
TOKEN = re.compile(r'\s*(?:("(?:[^"\\]|\\.)*")|(:=|[=|()])|(-?\d+)|([$.\w]+))')
NO_VALUE = object()


def pieces(source):
    """Texts, and the actions as ("", action): dashes have taken the blanks beside them."""
    at, out, trim = 0, [], False
    for found in ACTION.finditer(source):
        text = source[at:found.start()]
        text = text.lstrip() if trim else text
        out.append(text.rstrip() if found[1] else text)
        if not found[2].startswith("/*"):
            out.append(("", found[2]))
        at, trim = found.end(), bool(found[3])
    return [*out, source[at:].lstrip() if trim else source[at:]]


def block(parts, definitions):
    """The nodes up to the `end` or `else` that belongs to the block, and that action."""
    nodes = []
    while parts:
        part = parts.pop(0)
        if isinstance(part, str):
            nodes.append(("text", part))
            continue
        word, _, rest = part[1].partition(" ")
        if word in ("end", "else"):
            return nodes, part[1]
        if word == "define":
            definitions[json.loads(rest)] = block(parts, definitions)[0]
        elif word in ("if", "with", "range"):
            nodes.append(branches(word, rest, parts, definitions))
        else:
            nodes.append(("print", part[1]))
    return nodes, None


def branches(word, condition, parts, definitions):
    body, ended = block(parts, definitions)
    if ended is None:
        raise ValueError(f"{word} {condition}: there is no end")
    other = []
    if ended.startswith("else if "):
        other = [branches("if", ended[len("else if "):], parts, definitions)]
    elif ended == "else":
        other = block(parts, definitions)[0]
    return word, condition, body, other


def text_of(value):
    if value is None or value is NO_VALUE:
        return ""
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)


def indented(n, text):
    return "\n".join(" " * n + line if line else line for line in text.split("\n"))


def formatted(form, *values):
    return re.sub("%[sd]", "%s", form) % tuple(text_of(v) for v in values)


FUNCTIONS = {
    "quote": lambda x: json.dumps(text_of(x)), "printf": formatted, "default": lambda usual, x: x or usual,
    "trunc": lambda n, text: text[:n], "trimSuffix": lambda end, text: text.removesuffix(end),
    "contains": lambda part, text: part in text, "int": int, "until": range, "add": lambda *xs: sum(map(int, xs)),
    "div": lambda a, b: int(a) // int(b), "not": lambda x: not x, "join": lambda between, xs: between.join(xs), "first": lambda xs: xs[0],
    "nindent": lambda n, text: "\n" + indented(n, text), "toYaml": lambda x: yaml.safe_dump(x, default_flow_style=False).rstrip("\n"),
    "and": lambda *xs: next((x for x in xs if not x), xs[-1]), "or": lambda *xs: next((x for x in xs if x), xs[-1]),
}


class Template:
    def __init__(self, definitions):
        self.definitions = definitions

    def render(self, nodes, dot, names):
        return "".join(self.node(node, dot, names) for node in nodes)

    def node(self, node, dot, names):
        kind, what, *bodies = node
        if kind == "text":
            return what
        if kind == "print":
            return self.printed(what, dot, names)
        if kind == "range":
            return self.repeated(what, bodies[0], dot, names)
        value = self.value(what, dot, names)
        body = bodies[0] if value else bodies[1]
        return self.render(body, value if kind == "with" and value else dot, names)

    def printed(self, action, dot, names):
        if found := re.fullmatch(r"(\$\w+)\s*:?=\s*(.+)", action):
            names[found[1]] = self.value(found[2], dot, names)
            return ""
        return text_of(self.value(action, dot, names))

    def repeated(self, action, body, dot, names):
        name, values = re.fullmatch(r"(?:(\$\w+)\s*:=\s*)?(.+)", action).groups()
        out = ""
        for one in self.value(values, dot, names) or ():
            if name:
                names[name] = one
            out += self.render(body, one, names)
        return out

    def value(self, source, dot, names):
        tokens = [found for found in TOKEN.findall(source)]
        if "".join("".join(t) for t in tokens) != re.sub(r"\s+(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)", "", source):
            raise ValueError(f"not understood: {source}")
        return self.pipeline(tokens, dot, names)

    def pipeline(self, tokens, dot, names):
        """Up to the end, or a closing bracket."""
        given = ()
        while True:
            given = (self.command(tokens, dot, names, given),)
            if not tokens or tokens.pop(0)[1] == ")":
                return given[0]

    def command(self, tokens, dot, names, given):
        values = []
        while tokens and tokens[0][1] not in ("|", ")"):
            values.append(self.term(tokens, dot, names))
        if not isinstance(values[0], str) or not values[0].startswith("function "):
            if len(values) > 1 or given:
                raise ValueError(f"{values[0]} is no function")
            return values[0]
        name = values[0].removeprefix("function ")
        if name == "include":
            return self.render(self.definitions[values[1]], values[2], {"$": values[2]})
        return FUNCTIONS[name](*values[1:], *given)

    def term(self, tokens, dot, names):
        text, sign, number, word = tokens.pop(0)
        if text:
            return json.loads(text)
        if number:
            return int(number)
        if sign == "(":
            return self.pipeline(tokens, dot, names)
        if word in ("true", "false"):
            return word == "true"
        if not word.startswith((".", "$")):
            return f"function {word}"
        first, *path = word.split(".")
        value = names[first] if first else dot
        for key in filter(None, path):
            value = value.get(key)
        return value


def rendered(chart, values, release):
    """{file: text} of a chart's templates, for a folder, all values, and the release as templates know it."""
    meta = yaml.safe_load((chart / "Chart.yaml").read_text())
    scope = {"Values": values, "Release": release, "Chart": {key[0].upper() + key[1:]: value for key, value in meta.items()}}
    definitions, files = {}, {}
    for path in sorted((chart / "templates").iterdir()):
        files[path.name] = block(pieces(path.read_text()), definitions)[0]
    template = Template(definitions)
    return {name: template.render(nodes, scope, {"$": scope}) for name, nodes in files.items() if not name.startswith("_")}
