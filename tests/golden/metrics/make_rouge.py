#!/usr/bin/env python3
"""Writes rouge.json: ROUGE-L F1 of 10,000 random pairs by the package rouge-score, without its stemmer.

    pip install rouge-score
    python3 make_rouge.py > rouge.json

The pairs come from a linear congruential generator that the test has too: word numbers below 12 joined by what stands
between words, up to 14 words a side.
"""
import json

from rouge_score import rouge_scorer

WORDS = ["the", "The", "sea", "rose", "3rd", "light", "Été", "don't", "a-b", "of", "U.S.", "night"]
BETWEEN = [" ", ", ", " – ", "\n", ". "]
PAIRS, SEED = 10_000, 9


class Draw:
    def __init__(self, seed):
        self.state = seed

    def below(self, count):
        self.state = (6364136223846793005 * self.state + 1442695040888963407) % 2**64
        return (self.state >> 33) % count

    def text(self):
        parts = []
        for _ in range(self.below(15)):
            parts += [WORDS[self.below(len(WORDS))], BETWEEN[self.below(len(BETWEEN))]]
        return "".join(parts)


def main():
    draw, scorer = Draw(SEED), rouge_scorer.RougeScorer(["rougeL"])
    scores = []
    for _ in range(PAIRS):
        hypothesis, reference = draw.text(), draw.text()
        scores.append(round(scorer.score(reference, hypothesis)["rougeL"].fmeasure, 9))
    print(json.dumps({"words": WORDS, "between": BETWEEN, "seed": SEED, "scores": scores}))


if __name__ == "__main__":
    main()
