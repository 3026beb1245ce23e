"""What every engine is asked to do."""
from dataclasses import dataclass


@dataclass(frozen=True)
class Workload:
    """`n_prompt` or `n_gen` tokens behind `depth` others, by each number of `sequences` at once."""
    title: str
    n_prompt: int = 0
    n_gen: int = 0
    depth: int = 0
    sequences: tuple = ()  # empty: one, by the engine's ordinary benchmark

    def titles(self):
        """Names of the results: one, or one for each number of sequences."""
        return [f"{self.title}, batch {n}" for n in self.sequences] or [self.title]


WORKLOADS = {
    "prefill": lambda depth, sequences: Workload("prefill 512", n_prompt=512),
    "decode": lambda depth, sequences: Workload("decode", n_gen=32),
    "deep": lambda depth, sequences: Workload(f"decode at depth {depth}", n_gen=16, depth=depth),
    "batch": lambda depth, sequences: Workload("decode", n_gen=32, depth=16, sequences=tuple(sequences)),
}


def chosen(names, depth, sequences):
    """The workloads called so. Raises ValueError for what makes no sense."""
    for name in names:
        if name not in WORKLOADS:
            raise ValueError(f"--tests: unknown test {name!r}; known: {', '.join(WORKLOADS)}")
    if depth < 1:
        raise ValueError("--depth: want 1 or more")
    if not sequences or min(sequences) < 1:
        raise ValueError("--sequences: want numbers of 1 or more")
    return [WORKLOADS[name](depth, sequences) for name in names]
