#!/usr/bin/env python3
"""Writes sacrebleu.json: sentence pairs and what sacreBLEU says of them.

    pip install sacrebleu==2.5.1
    python3 make_sacrebleu.py VERSES.tsv > sacrebleu.json

VERSES.tsv has 1769 English, modern English and Spanish (1909) side by side, all public domain. Hypotheses are the other
English, or Spanish with seeded damage; the hard cases by hand probe tokenisation, white space and empty lines.
"""
import json
import platform
import random
import sys

import sacrebleu
from sacrebleu.metrics import BLEU, CHRF

HARD = [
    ("", "An empty output."), ("An empty reference.", ""), ("", ""), ("one", "one"), ("one two", "one two"),
    ("one two three", "one two four"), ("a a a a a a", "a a b"), ("nothing in common", "quite other words here"),
    ("Costs 1,000.50 dollars, or 3-4 euros.", "Costs 1,000.5 dollars or 3 - 4 euros ."),
    ("see a..b and c,,d and e.,f", "see a .. b and c , , d and e . , f"), ("5.,6 .7 8. 9", "5 . ,6 . 7 8 . 9"),
    ("&quot;Fish &amp; chips&quot; &lt;b&gt;", "\"Fish & chips\" <b>"), ("a&amp;quot;b", "a&quot;b"),
    ("<skipped>left <skipped> right", "left right"), ("2024-05-06 and x-1-y", "2024 - 05 - 06 and x-1-y"),
    ("don't can't 'quoted' l'été", "don 't can't ' quoted ' l'été"), ("naïve café—déjà vu…", "naive café — déjà vu ..."),
    ("no\u00a0break\u2009thin\u3000wide\u2028line", "no break thin wide line"), ("tab\tand\x1cseparator\x85next", "tab and separator next"),
    ("  leading and trailing  ", "leading and trailing"), ("trailing nbsp\u00a0", "trailing nbsp"),
    ("日本語のテスト。", "日本語テスト。"), ("emoji 😀😀 👍🏽 mix", "emoji 😀 👍🏽 mix"), ("٣٫١٤ is not 3.14", "٣٫١٤ is not 3 . 14"),
    ("zero\u200bwidth", "zero width"), ("(hi) [there] {you} ~tilde~ ^hat", "( hi ) [ there ] { you } ~ tilde ~ ^ hat"),
    ("(a) b! !c! .", "( a ) b ! ! c ! ."), ("50% of $3/4 @home #tag *star* +1 =2", "50 % of $ 3 / 4 @ home # tag * star * + 1 = 2"),
    ("back\\slash `tick` under_score |pipe|", "back \\ slash ` tick ` under _ score | pipe |"), ("line\nbreak and hy-\nphen", "line break and hyphen"),
    ("é.é,é", "é . é , é"), ("ﬁne ligature", "fine ligature"), ("combining e\u0301 mark", "combining é mark"), ("-", "–"), (".", "."), ("..", ". ."),
]


def damage(rng, words):
    out = []
    for word in words:
        chance = rng.random()
        if chance < 0.08:
            continue
        if chance < 0.14:
            out.append(rng.choice(words))
        out.append(word.lower() if chance > 0.95 else word)
        if 0.90 < chance < 0.93:
            out.append(word)
    if len(out) > 3 and rng.random() < 0.3:
        i = rng.randrange(len(out) - 1)
        out[i], out[i + 1] = out[i + 1], out[i]
    return " ".join(out)


def make_pairs(path, rng):
    rows = [line.rstrip("\n").split("\t") for line in open(path, encoding="utf-8") if not line.startswith("#")]
    rows = rng.sample([row for row in rows if len(row) == 3 and all(row) and len(row[0]) < 160], 500)
    pairs = [[modern, old, damage(rng, old.split())] for old, modern, _ in rows[:300]]
    pairs += [[damage(rng, es.split()), es, damage(rng, es.split())] for _, _, es in rows[300:]]
    return pairs + [[hyp, ref, hyp + " " + ref] for hyp, ref in HARD]


def result(metric, hyps, refs):
    score = metric.corpus_score(hyps, refs)
    out = {"score": score.score, "signature": str(metric.get_signature())}
    if isinstance(metric, BLEU):
        out.update(precisions=score.precisions, bp=score.bp, sys_len=score.sys_len, ref_len=score.ref_len)
    return out


def main():
    pairs = make_pairs(sys.argv[1], random.Random(20261121))
    hyps, refs, more = ([pair[i] for pair in pairs] for i in range(3))
    corpora = []
    sizes = {"all": pairs, "hard": pairs[-len(HARD):], "one": pairs[:1], "short": pairs[-3:]}
    for name, part in sizes.items():
        columns = [[pair[i] for pair in part] for i in range(3)]
        for tokenize in ("13a", "none", "char"):
            corpora.append({"part": name, "count": len(part), "metric": "bleu", "tokenize": tokenize, "nrefs": 1,
                            **result(BLEU(tokenize=tokenize), columns[0], [columns[1]])})
        corpora.append({"part": name, "count": len(part), "metric": "bleu", "tokenize": "13a", "nrefs": 2,
                        **result(BLEU(), columns[0], columns[1:])})
        for metric, order in (("chrf", 0), ("chrf++", 2)):
            for nrefs in (1, 2):
                corpora.append({"part": name, "count": len(part), "metric": metric, "tokenize": "", "nrefs": nrefs,
                                **result(CHRF(word_order=order), columns[0], columns[1:1 + nrefs])})
    sentence = [sacrebleu.sentence_bleu(hyp, [ref]).score for hyp, ref in zip(hyps, refs)]
    json.dump({"sacrebleu": sacrebleu.__version__, "python": platform.python_version(), "seed": 20261121, "corpora": corpora,
               "sentence_bleu": sentence, "pairs": pairs}, sys.stdout, ensure_ascii=False, indent=0)
    print()


if __name__ == "__main__":
    main()
