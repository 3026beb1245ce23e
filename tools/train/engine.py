"""The story grammar's engine: casts characters and renders plot templates.

Template language, one template per line inside a plot (see plots_*.py):

    [a|b|c]      one alternative, nestable, may be empty
    <word>       a synonym from words.SYNONYMS
    {h}          a slot: here the hero's name; {h.he}, {h.his}, {f.the}, {o.it}, ...
    {H.he}       the same, capitalised
    ^            capitalises the next letter (after a closing quote)

The first letter of a template and the letter after ". ", "! " or "? " are
capitalised, and a/an is chosen by the following letter, so templates stay short.

Plot text: a line `= step` starts a required step, `~ 0.5 step` one that is told
with that probability, `@name` (or `@name 0.5`) tells a shared step, `$ x = a:b|c:d` binds slot x
(fields {x}, {x.b}, ...) and `! key=value` restricts the cast. Every other line
is one template of the current step; each story tells one line per step.
"""

import re

import words as W

_CHOICE = re.compile(r"\[([^\[\]]*)\]")
_SYNONYM = re.compile(r"<([a-z]+)>")
_SLOT = re.compile(r"\{([A-Za-z]+)(?:\.([a-z]+))?\}")
_SENTENCE = re.compile(r"(^|[.!?] |\^)([a-z])")
_ARTICLE = re.compile(r"\b([Aa]) (?=[aeiouAEIOU])(?!one\b|use|uni)")
_SPACES = re.compile(r" {2,}")


class Entity:
    """A bag of renderable fields; `main` is what the bare slot shows."""

    def __init__(self, main, **fields):
        self.main = main
        self.fields = fields

    def get(self, rng, field):
        value = self.main if field is None else self.fields[field]
        return value(rng) if callable(value) else value


def once(first, later):
    """A field that introduces its entity the first time only."""
    queue = [first]
    return lambda rng: queue.pop() if queue else later


PRONOUNS = {
    "m": dict(he="he", him="him", his="his", himself="himself"),
    "f": dict(he="she", him="her", his="her", himself="herself"),
}


def being(name, kind, gender, adj, rng, home):
    """A hero or friend: has a name, a kind and a gender that never change."""
    pron = PRONOUNS[gender]
    intro = f"a {adj} {kind} [named|called] {name}" if adj else f"a {kind} [named|called] {name}"

    def subject(r):
        """A sentence subject once the being is the topic: pronoun, name or kind."""
        x = r.random()
        return pron["he"] if x < 0.5 else name if x < 0.9 else f"the {kind}"

    like, pastime = rng.sample(W.LIKES, 2)
    return Entity(name, a=once(intro, name), s=subject, kind=kind, the=f"the {adj} {kind}", home=home,
                  adj=adj, trait=rng.choice([t for t in W.TRAITS if t != adj]),
                  like=like, pastime=pastime, **pron)


def thing(row, adj):
    """An object with number agreement: {o.it}, {o.them}, {o.was}, {o.is}, {o.has}."""
    noun, _, number, _ = row.split(":")
    phrase = f"{adj} {noun}"
    if number == "p":
        return Entity(phrase, n=noun, a=f"[some|a pair of] {phrase}" if noun != "paints" else f"some {phrase}",
                      it="they", them="them", was="were", iss="are", has="have", this="these",
                      one="they", isnt="are not", doesnt="do not", looks="look")
    return Entity(phrase, n=noun, a=f"a {phrase}", it="it", them="it", was="was", iss="is", has="has",
                  this="this", one="it", isnt="is not", doesnt="does not", looks="looks")


def food(row):
    """Something to cook: number "s" counts (a pie), "p" is plural, "u" has no article."""
    name, number, parts = row.split(":")
    one, two, three = parts.split(",")
    plural = number == "p"
    return Entity(name, a={"s": f"a {name}", "p": f"some {name}", "u": f"some {name}"}[number],
                  it="they" if plural else "it", them="them" if plural else "it",
                  was="were" if plural else "was", iss="are" if plural else "is",
                  x=one, y=two, z=three, kind=name.split()[-1])


def place(row, rng):
    """A place with its preposition, two different sights and one hiding spot."""
    name, prep, sights, spots = row.split(":")
    s, t = rng.sample(sights.split(","), 2)
    return Entity(name, at=f"{prep} {name}", s=s, t=t, spot=rng.choice(spots.split(",")), n=name[4:])


def weather(row, rng):
    kind, adjs, details = row.split(":")
    return Entity(kind, adj=rng.choice(adjs.split(",")), d=rng.choice(details.split("/")))


def elder(row):
    first, later, gender = row.split(":")
    return Entity(later, a=once(first, later), **PRONOUNS[gender])


def cast(rng, needs):
    """Draw all the entities of one story; `needs` holds the plot's restrictions."""
    forest = rng.random() < 0.5
    hero_gender = rng.choice("mf")
    friend_gender = hero_gender if rng.random() < 0.2 else "fm"["fm".index(hero_gender) - 1]
    animals = rng.sample(W.ANIMALS, 2)
    names = rng.sample(W.ANIMAL_NAMES, 2)
    people = {"m": rng.sample(W.BOYS, 2), "f": rng.sample(W.GIRLS, 2)}

    def make(i, gender, animal):
        adj = rng.choice(W.ADJ_HERO)
        if animal:
            kind, home = animals[i].split(":")
            return being(names[i], kind, gender, adj, rng, home)
        kind = "boy" if gender == "m" else "girl"
        return being(people[gender][i], kind, gender, adj, rng, rng.choice(W.CHILD_HOMES))

    things = [t for t in W.THINGS if t.split(":")[3] in needs.get("thing", "toy,wear,tool,treasure")
              and t.split(":")[2] in needs.get("number", "sp")]
    skies = [w for w in W.WEATHER if w.split(":")[0] in needs.get("weather", "sunny,windy,autumn,foggy,snowy")]
    elders = W.ELDERS_FOREST if forest else W.ELDERS_VILLAGE
    picked = rng.sample(things, 2)
    spots = rng.sample(W.PLACES, 2)
    kin, kin_gender = rng.choice(W.KIN).split(":")
    return {
        "h": make(0, hero_gender, forest),
        "f": make(1, friend_gender, forest or rng.random() < 0.2),
        "o": thing(picked[0], rng.choice(picked[0].split(":")[1].split(","))),
        "q": thing(picked[1], rng.choice(picked[1].split(":")[1].split(","))),
        "p": place(spots[0], rng), "r": place(spots[1], rng),
        "w": weather(rng.choice(skies), rng), "d": food(rng.choice(W.FOODS)),
        "k": Entity(kin, **PRONOUNS[kin_gender]),
        "e": elder(rng.choice([e for e in elders if not any(a.split(":")[0] in e for a in animals)])),
    }


class Plot:
    """A parsed plot: restrictions, bindings and the list of steps."""

    def __init__(self, text):
        self.needs, self.bindings, self.steps = {}, [], []
        for line in W.rows(text):
            head, rest = line[0], line[1:].strip()
            if head == "=":
                self.steps.append((1.0, []))
            elif head == "~":
                self.steps.append((float(rest.split()[0]), []))
            elif head == "@":
                name, _, chance = rest.partition(" ")
                self.steps.append((float(chance or 1), name))
            elif head == "!":
                key, value = rest.split("=")
                self.needs[key] = value
            elif head == "$":
                name, options = rest.split(" = ")
                self.bindings.append((name, [o.split(":") for o in options.split("|")]))
            else:
                self.steps[-1][1].append(line)


def render(rng, template, slots):
    """One template to finished text."""
    text = template
    while _SYNONYM.search(text):
        text = _SYNONYM.sub(lambda m: "[" + W.SYNONYMS[m[1]] + "]", text)
    text = _pick(rng, text)

    def fill(m):
        value = slots[m[1].lower()].get(rng, m[2])
        return value[0].upper() + value[1:] if m[1].isupper() else value

    text = _pick(rng, _SLOT.sub(fill, text))
    text = _SPACES.sub(" ", text).strip()
    text = _SENTENCE.sub(lambda m: m[1].replace("^", "") + m[2].upper(), text).replace("^", "")
    return _ARTICLE.sub(r"\1n ", text)


def _pick(rng, text):
    """Resolve [a|b] alternatives from the innermost outwards."""
    while True:
        text, n = _CHOICE.subn(lambda m: rng.choice(m[1].split("|")), text)
        if not n:
            return text


def tell(rng, plot, shared, casting=cast):
    """One story from one plot: paragraphs of rendered steps."""
    slots = casting(rng, plot.needs)
    for name, options in plot.bindings:
        forms = rng.choice(options)
        slots[name] = Entity(forms[0], **dict(zip("bcdefg", forms[1:])))
    lines, queue = [], list(plot.steps)
    while queue:
        chance, body = queue.pop(0)
        if rng.random() >= chance:
            continue
        if isinstance(body, str):
            queue = list(shared[body].steps) + queue
        else:
            lines.append(render(rng, rng.choice(body), slots))
    return paragraphs(rng, lines)


def paragraphs(rng, lines):
    """Join sentences into two to four paragraphs (or a single one)."""
    if rng.random() < 0.25:
        return " ".join(lines)
    cuts = sorted(rng.sample(range(2, len(lines) - 1), min(rng.choice([1, 2, 2, 3]), len(lines) - 3)))
    parts = [lines[a:b] for a, b in zip([0] + cuts, cuts + [len(lines)])]
    return "\n\n".join(" ".join(part) for part in parts if part)
