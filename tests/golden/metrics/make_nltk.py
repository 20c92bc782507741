#!/usr/bin/env python3
"""Writes nltk.json: NLTK's sentence BLEU (smoothing method 4) of 10,000 random pairs, and DiffuSeq's two measures of
diversity, by NLTK too, of 1,000 sets of outputs.

    pip install nltk            # 3.6 or later; 3.5 gives other numbers
    python3 make_nltk.py > nltk.json

Texts come from a linear congruential generator that the test has too: 0 to 12 words of a vocabulary of 1 to 12 with
white space between them. A pair is equal, has no word in common, is an edited copy, or two texts of one vocabulary.
A set has 2 to 5 outputs, each a text of its own or an edited copy of the first: its entry holds the mean over i < j of
BLEU(output i, output j), different over all 4-grams (null without any), and BLEU of the first with all others as
references. BLEU is 0 to 100, and rounded to what the test compares.
"""
import json

import nltk
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

WORDS = ["the", "sea", "The", "sea.", "rose", "Été", "don't", "a-b", "of", "?", "night", "3rd"]
BETWEEN = [" ", "  ", "\t", "\u3000"]
PAIRS, SETS, LONGEST, SEED = 10_000, 1_000, 12, 11


class Draw:
    def __init__(self, seed):
        self.state = seed

    def below(self, count):
        self.state = (6364136223846793005 * self.state + 1442695040888963407) % 2**64
        return (self.state >> 33) % count

    def words(self, vocabulary):
        return [vocabulary[self.below(len(vocabulary))] for _ in range(self.below(LONGEST + 1))]

    def edited(self, words):
        return [WORDS[self.below(len(WORDS))] if self.below(5) == 0 else word for word in words]

    def text(self, words):
        return "".join(word + BETWEEN[self.below(len(BETWEEN))] for word in words)

    def pair(self):
        kind, half = self.below(6), len(WORDS) // 2
        if kind == 1:
            return [self.words(WORDS[:half]), self.words(WORDS[half:])]
        vocabulary = WORDS[:1 + self.below(len(WORDS))]
        first = self.words(vocabulary)
        return [first, first if kind == 0 else self.edited(first) if kind == 2 else self.words(vocabulary)]

    def set(self):
        count, vocabulary = 2 + self.below(4), WORDS[:1 + self.below(len(WORDS))]
        outputs = [self.words(vocabulary)]
        while len(outputs) < count:
            outputs.append(self.edited(outputs[0]) if self.below(2) else self.words(vocabulary))
        return outputs

    def texts(self, outputs):
        return [self.text(words) for words in outputs]


def bleu(hypothesis, *references):
    return 100 * sentence_bleu([reference.split() for reference in references], hypothesis.split(),
                               smoothing_function=SmoothingFunction().method4)


def forward_bleu(texts):
    pairs = [bleu(text, other) for i, text in enumerate(texts) for other in texts[i + 1:]]
    return sum(pairs) / len(pairs)


def div_4(texts):
    ngrams = [ngram for text in texts for ngram in nltk.ngrams(text.split(), 4)]
    return len(set(ngrams)) / len(ngrams) if ngrams else None


def rounded(value):
    return None if value is None else round(value, 11)


def main():
    draw = Draw(SEED)
    pairs = [rounded(bleu(*draw.texts(draw.pair()))) for _ in range(PAIRS)]
    sets = []
    for _ in range(SETS):
        texts = draw.texts(draw.set())
        sets.append([rounded(value) for value in (forward_bleu(texts), div_4(texts), bleu(texts[0], *texts[1:]))])
    print(json.dumps({"nltk": nltk.__version__, "seed": SEED, "longest": LONGEST, "words": WORDS, "between": BETWEEN,
                      "pairs": pairs, "sets": sets}, separators=(",", ":")))


if __name__ == "__main__":
    main()
