#!/usr/bin/env python3
"""Makes the three tasks of the sample project from two public texts.

usage: make_sample_tasks.py VERSES.tsv EN-DE.tsv [OUT]      (OUT: this folder)

VERSES.tsv   verse by verse, tab-separated: 1769 English, modern English, Spanish (1909); public domain
             (Debian packages sword-text-kjv, sword-text-web, sword-text-sparv)
EN-DE.tsv    English, German: LibreOffice help and user interface, MPL-2.0
             (Debian packages libreoffice-help-de, libreoffice-l10n-de)

restore      a modern sentence without capitals and punctuation -> the sentence
modernise    a verse of 1769 -> the same verse in modern English
translate    English -> German

Splits are fixed by a hash of the letters of the source, so that adding a line moves no other, and no sentence or
variant in case, punctuation or digits stands in two splits; a training pair whose target has nearly the words of a
validation or test target is left out as well.
"""
import collections
import hashlib
import os
import re
import sys

VALID, TEST = 200, 350
NEAR = 0.8  # share of words two sentences may have in common across splits

VERSES_NOTICE = [
    "Made by make_sample_tasks.py. Public domain: King James Version (1769) and a text derived from the World English",
    "Bible, cut and changed; the changed text is not the World English Bible (a trademark). See ../LICENSES.md.",
]
MPL_NOTICE = [
    "English<TAB>German. Source: LibreOffice help and user interface (Debian libreoffice-help-de, libreoffice-l10n-de).",
    "This Source Code Form is subject to the terms of the Mozilla Public License, v. 2.0. If a copy of the MPL was not"
    " distributed with this file, You can obtain one at http://mozilla.org/MPL/2.0/.",
]


def read(path):
    with open(path, encoding="utf-8") as lines:
        return [line.rstrip("\n").split("\t") for line in lines if not line.startswith("# ")]


def key(text):
    """Equal for texts that differ only in case, punctuation, digits or spaces."""
    return "".join(c for c in text.lower() if c.isalpha())


def order(text):
    return hashlib.sha256(key(text).encode()).hexdigest()


def words(text):
    return collections.Counter(re.findall(r"[^\W\d_]+", text.lower()))


def near(a, b):
    common = sum((a & b).values())
    return common >= NEAR * max(sum(a.values()), sum(b.values()))


def split(pairs):
    """(source, target) pairs -> train, valid, test."""
    seen, unique = set(), []
    for source, target in pairs:
        if key(source) in seen or key(target) in seen or not key(source) or not key(target):
            continue
        seen.update((key(source), key(target)))
        unique.append((source, target))
    ranked = sorted(unique, key=lambda pair: order(pair[0]))
    valid, test = ranked[:VALID], ranked[VALID:VALID + TEST]
    held = set(valid + test)
    index = collections.defaultdict(set)  # rare word -> held-out targets, so that not all are compared with all
    bags = [words(target) for _, target in valid + test]
    for i, bag in enumerate(bags):
        for word in bag:
            index[word].add(i)
    train = []
    for pair in unique:
        if pair in held:
            continue
        bag = words(pair[1])
        likely = {i for word in bag if len(index[word]) <= 40 for i in index[word]}
        if not any(near(bag, bags[i]) for i in likely):
            train.append(pair)
    return train, valid, test


def write(out, task, parts, notice, head):
    for name, pairs in zip(("train", "valid", "test"), parts):
        path = os.path.join(out, f"{task}.{name}.tsv")
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            for line in [head] + notice if head else notice:
                file.write(f"# {line}\n")
            for pair in pairs:
                file.write("\t".join(pair) + "\n")
        print(f"{os.path.basename(path):24} {len(pairs):6} pairs {os.path.getsize(path):8} bytes")


def sentences(text):
    """Cuts after . ? ! and the closing quotes that follow."""
    parts = re.split(r"(?<=[.?!])([”’]*)\s+", text)
    return [(a + b).strip() for a, b in zip(parts[::2], parts[1::2] + [""])]


def close_quotes(text):
    """A sentence cut out of a speech has one half of its quotation marks: mend that."""
    opened, closed = text.count("“"), text.count("”")
    if opened > closed and text.startswith("“"):
        return text[1:]
    if closed > opened and text.endswith("”"):
        return text[:-1]
    return text + "”" if opened > closed else text


def is_sentence(text):
    return (text.count("“") == text.count("”") and not re.search(r"[‘(){}\[\]—]", text)
            and re.match(r"“?[A-Z]", text) and re.search(r"[.?!]”?$", text) and 4 <= len(text.split()) <= 17)


def bare(text):
    """Lower case, and of the punctuation only the apostrophes and hyphens inside words."""
    text = re.sub(r"(?<![^\W\d_])['-]|['-](?![^\W\d_])", " ", text.lower())
    return " ".join(re.sub(r"[^\w\s'-]", " ", text).split())


def restore_pairs(verses):
    for sentence in sentences(" ".join(modern.strip() for _, modern, _ in verses)):  # many run on over verses
        sentence = close_quotes(sentence).replace("’", "'")
        if is_sentence(sentence):
            yield bare(sentence), sentence


def modernise_pairs(verses):
    for old, modern, _ in verses:
        old, modern = (" ".join(side.replace("’", "'").split()) for side in (old, modern))
        modern = close_quotes(modern)
        if 4 <= len(old.split()) <= 28 and 4 <= len(modern.split()) <= 28:
            yield old, modern


def main(arguments):
    if len(arguments) not in (2, 3):
        sys.exit(__doc__)
    verses, english_german = read(arguments[0]), read(arguments[1])
    out = arguments[2] if len(arguments) == 3 else os.path.dirname(os.path.abspath(__file__))
    write(out, "restore", split(restore_pairs(verses)), VERSES_NOTICE,
          "without capitals and punctuation<TAB>modern English")
    write(out, "modernise", split(modernise_pairs(verses)), VERSES_NOTICE, "1769 English<TAB>modern English")
    write(out, "translate", split((e, g) for e, g in english_german), MPL_NOTICE, "")


if __name__ == "__main__":
    main(sys.argv[1:])
