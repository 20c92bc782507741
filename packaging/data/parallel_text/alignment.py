"""Aligns the blocks of a document with those of its translation."""

import math
from typing import NamedTuple, Optional

SKIP_COST = 0.9
LARGEST_LENGTH_COST = 1.5
GERMAN_IS_LONGER = 1.1
SMALLEST_BAND = 60
LARGEST_TABLE = 4_000_000


class Block(NamedTuple):
    """A paragraph, heading, list item …; only blocks of one tag can be translations of each other."""

    tag: str
    text: str


class Cell(NamedTuple):
    cost: float
    step: Optional[tuple[int, int]]  # blocks consumed of English and German to come here


UNREACHED = Cell(math.inf, None)


def align(english: list[Block], german: list[Block]) -> list[tuple[str, str]]:
    """Pairs of texts. Documents with the same sequence of tags pair off; others by the cheapest path, where a
    match costs the difference of the lengths and leaving a block out costs SKIP_COST. Too large: no pairs."""
    if [block.tag for block in english] == [block.tag for block in german]:
        return [(a.text, b.text) for a, b in zip(english, german)]
    band = max(SMALLEST_BAND, abs(len(english) - len(german)) + 30)
    if not english or not german or len(english) * band > LARGEST_TABLE:
        return []
    return walk_back(fill_table(english, german, band), english, german)


def length_cost(english: Block, german: Block) -> float:
    ratio = (len(english.text) + 3) / (len(german.text) + 3) * GERMAN_IS_LONGER
    return min(LARGEST_LENGTH_COST, abs(math.log(ratio)))


def fill_table(english: list[Block], german: list[Block], band: int) -> list[dict[int, Cell]]:
    """The cheapest way to each (row, column) not farther than `band` from the diagonal."""
    table: list[dict[int, Cell]] = []
    for i in range(len(english) + 1):
        diagonal = i * len(german) // len(english)
        row: dict[int, Cell] = {}
        above = table[i - 1] if i else {}
        for j in range(max(0, diagonal - band), min(len(german), diagonal + band) + 1):
            best = Cell(0.0, None) if i == j == 0 else UNREACHED
            if i and j and english[i - 1].tag == german[j - 1].tag:
                cost = above.get(j - 1, UNREACHED).cost + length_cost(english[i - 1], german[j - 1])
                if cost < best.cost:
                    best = Cell(cost, (1, 1))
            # Strictly cheaper: of equal ways the match wins, then the skipped English block.
            if above.get(j, UNREACHED).cost + SKIP_COST < best.cost:
                best = Cell(above[j].cost + SKIP_COST, (1, 0))
            if row.get(j - 1, UNREACHED).cost + SKIP_COST < best.cost:
                best = Cell(row[j - 1].cost + SKIP_COST, (0, 1))
            row[j] = best
        table.append(row)
    return table


def walk_back(
    table: list[dict[int, Cell]], english: list[Block], german: list[Block]
) -> list[tuple[str, str]]:
    pairs = []
    i, j = len(english), len(german)
    while step := table[i].get(j, UNREACHED).step:
        if step == (1, 1):
            pairs.append((english[i - 1].text, german[j - 1].text))
        i, j = i - step[0], j - step[1]
    return pairs[::-1]
