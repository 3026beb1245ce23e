"""Generate stories in space, another kind than the children's stories of corpus.py: deterministic for a seed.

    python corpus.py --source space:stories --seed 1 --stories 5

The lists are in words_space.py, the templates in plots_space.py; engine.py renders them.
"""

import random

import corpus
import plots_space
import words_space as W
from engine import PRONOUNS, Entity, Plot, elder, once, place, tell

PLOTS = {name: Plot(text + "@finish\n") for name, text in plots_space.PLOTS.items()}
SHARED = {name: Plot(text) for name, text in plots_space.SHARED.items()}


def robot(rng):
    """The hero: its pronoun is it."""
    name, adj = rng.choice(W.ROBOT_NAMES), rng.choice(W.ROBOT_ADJ)
    (kind, job), (_, like) = (row.split(":") for row in rng.sample(W.ROBOTS, 2))
    intro = f"a {adj} {kind} [named|called] {name}"
    return Entity(name, a=once(intro, name), job=job, like=like, trait=rng.choice(W.ROBOT_TRAITS))


def part(row, rng):
    noun, adjectives = row.split(":")
    phrase = f"{rng.choice(adjectives.split(','))} {noun}"
    return Entity(phrase, n=noun, a=f"a {phrase}")


def cast(rng, needs):
    """Draw all the entities of one story, as engine.cast does; no plot has needs here."""
    captain, gender = rng.choice(W.CAPTAINS).split(":")
    time, details = rng.choice(W.TIMES).split(":")
    worlds, parts = rng.sample(W.WORLDS, 2), rng.sample(W.PARTS, 2)
    return {
        "h": robot(rng), "f": elder(rng.choice(W.FRIENDS)),
        "k": Entity(captain, **PRONOUNS[gender]), "v": Entity(rng.choice(W.SHIPS)),
        "o": part(parts[0], rng), "q": part(parts[1], rng),
        "p": place(worlds[0], rng), "r": place(worlds[1], rng),
        "w": Entity(time, s=time, d=rng.choice(details.split("/"))),
    }


def stories(seed, count):
    """Yield `count` different stories for `seed`."""
    return corpus.different(seed, count, lambda rng: tell(rng, PLOTS[rng.choice(sorted(PLOTS))], SHARED, cast))
