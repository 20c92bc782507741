"""Selects the examples and splits them so that no text of a held-out split is known from training."""

from collections import Counter
from dataclasses import dataclass, field

from pair_tasks.examples import Example
from parallel_text.filters import SPLITS, fnv1a

LARGEST_RATIO = 2.5  # of two verses' words: the rest of such a verse is elsewhere in the other Bible


@dataclass
class Selection:
    splits: dict[str, list[Example]] = field(default_factory=lambda: {name: [] for name in SPLITS})
    dropped: Counter[str] = field(default_factory=Counter)

    def examples(self) -> list[Example]:
        return [example for name in SPLITS for example in self.splits[name]]


def key(text: str) -> str:
    """Equal for texts that differ in case, marks and spaces only, as Kurve's leak check has it."""
    return "".join(filter(str.isalnum, text.lower()))


def unlike_lengths(example: Example) -> bool:
    left, right = len(example.source.split()), len(example.target.split())
    return max(left, right) > LARGEST_RATIO * min(left, right)


def split_of(group: str, percent: int) -> str:
    """By a hash of the group: a new group moves no other."""
    value = fnv1a(group)
    percentile = (value ^ value >> 16) % 100
    if percentile < percent:
        return "valid"
    return "test" if percentile < 2 * percent else "train"


def select(examples: list[Example], percent: int, alike: bool) -> Selection:
    """`percent` of the groups go to validation, as many to test. `alike`: both sides say the same, so a pair of
    very different lengths is none. A held-out pair is dropped when a side of it, as source or target, is also in a
    split before its own."""
    selection = Selection()
    seen: set[tuple[str, str]] = set()
    known: set[str] = set()
    found: dict[str, list[Example]] = {name: [] for name in SPLITS}
    for example in examples:
        both = key(example.source), key(example.target)
        if both in seen:
            selection.dropped["twice"] += 1
        elif not all(both):
            selection.dropped["without letters"] += 1
        elif both[0] == both[1]:
            selection.dropped["sides alike"] += 1
        elif alike and unlike_lengths(example):
            selection.dropped["unlike lengths"] += 1
        else:
            seen.add(both)
            found[split_of(example.group, percent)].append(example)
    for name in SPLITS:  # train first
        keys: set[str] = set()
        for example in found[name]:
            both = {key(example.source), key(example.target)}
            if both & known:
                selection.dropped[f"{name} leaks"] += 1
            else:
                selection.splits[name].append(example)
                keys |= both
        known |= keys
    return selection
