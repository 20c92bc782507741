#!/usr/bin/env python3
"""make_sentences.py > sentences.json: sentences by the rules of core/text/sentences.h, with the properties of the
`regex` package (2026.5.9, Unicode 17) instead of our table, and searches instead of our scanner.

Texts: hand-written ones of many scripts, and 250 random ones of words and marks (seed 7)."""
import json
import random
import re
import sys

import regex

ABBREVIATIONS = set(
    "mr mrs ms messrs mme mlle dr prof rev hon st sr jr gen col capt lt sgt gov mt vs cf viz e.g i.e ca hr z.b d.h"
    " u.a bzw vgl m sra sres".split()
)
BEFORE_NUMBERS = set("no nos nr vol p pp ch chap fig art sec".split())
MARK = r"[\p{SB=STerm}\p{SB=ATerm}…]"
EITHER = r"[\"'\p{Pi}]"  # closes unless a letter follows
CLOSING = rf"(?:[\p{{Pe}}\p{{Pf}}]|{EITHER}(?![\p{{L}}\p{{N}}]))"
RUN = regex.compile(rf"({MARK}+)({CLOSING}*)")
AT_ONCE = regex.compile(r"[[\p{SB=STerm}\p{SB=ATerm}]--[\x00-\x7f]--[\u2000-\u206f]]", regex.V1)
OPENING = regex.compile(r"[\p{Ps}\p{Pi}\p{Pf}\"']*")
WORD = regex.compile(r"[\p{L}.]*$")
LEVELS = [rf"{MARK}", "[;:；：؛·]", "[,，、،]", " "]


def abbreviated(before: str, after: str) -> bool:
    if regex.fullmatch(r"\p{N}+", before):
        return True
    word = WORD.search(before).group()
    if not word:
        return False
    if regex.search(r"(^|\.)\p{Lu}$", word) and word != "I":
        return True
    numbered = regex.match(r"\p{N}", after) and word.lower() in BEFORE_NUMBERS
    return word.lower() in ABBREVIATIONS or bool(numbered)


def ends(text: str, begin: int, found) -> bool:
    rest = text[found.end() :]
    if not rest:
        return True
    if AT_ONCE.search(found.group(1)):
        return not regex.match(r"\p{N}", rest)
    if rest[0] != " ":
        return False
    after = OPENING.sub("", rest[1:], count=1)
    if regex.match(r"\p{Ll}", after):
        return False
    if found.group() != ".":
        return True
    return not abbreviated(text[begin : found.start()].strip(), after)


def split_at(text: str, level: int) -> list[str]:
    """Pieces with their separators at the end, greedily joined by the caller."""
    pieces, piece = [], ""
    for at, character in enumerate(text):
        piece += character
        is_separator = regex.fullmatch(LEVELS[level], character)
        loose = level == 3 or ord(character) >= 0x80 or text[at + 1 : at + 2] in ("", " ")
        if is_separator and loose:
            pieces.append(piece)
            piece = ""
    return pieces + [piece] if piece else pieces


def cut(text: str, cap: int, level: int = 0) -> list[str]:
    text = text.strip(" ")
    if len(text) <= cap:
        return [text] if text else []
    if level == len(LEVELS):
        pieces, piece = [], ""
        for cluster in regex.findall(r"\X", text):
            while len(cluster) > cap:  # a cluster above the cap is cut at it
                if piece:
                    pieces.append(piece)
                    piece = ""
                pieces.append(cluster[:cap])
                cluster = cluster[cap:]
            if len(piece) + len(cluster) > cap:
                pieces.append(piece)
                piece = ""
            piece += cluster
        return pieces + [piece] if piece else pieces
    joined: list[str] = []
    for piece in split_at(text, level):
        if joined and len((joined[-1] + piece).strip(" ")) <= cap:
            joined[-1] += piece
        else:
            joined.append(piece)
    return [part for piece in joined for part in cut(piece, cap, level + 1)]


def sentences(text: str, cap: int) -> list[str]:
    text = re.sub(r"\s+", " ", text).strip(" ")
    whole, begin, at = [], 0, 0
    while found := RUN.search(text, at):
        if ends(text, begin, found):
            whole.append(text[begin : found.end()])
            begin = found.end()
        at = found.end()
    whole.append(text[begin:])
    return [part for one in whole for part in cut(one, cap) if regex.search(r"[\p{L}\p{N}]", part)]


HAND = [
    "",
    "***",
    "One sentence without a mark",
    "Mr. Smith went to Dr. J. Jones. \"Stop!\" he said. \"Why?\" She left... and came back. So did I. He paid 3.14.",
    "No. 5 is e.g. the U.S. Army’s (see Vol. 3, p. 7). No. He went to www.example.org. It was 5 p.m. then.",
    "1. Moses went up. 2. He came down! *** — ok.",
    "»Ja«, sagte er. »Nein!« Sie ging, z.B. nach Köln … und blieb. „Gut.“ Am 3. Oktober bzw. später?",
    "¿Qué? ¡No! La Sra. López vino. ¿Y tú?",
    "第一章。他来了！你好吗？“好的。”他说。３．１４元。『はい。』と言った。ありがとう！",
    "यह पहला वाक्य है। यह दूसरा है॥ हाँ? نعم؟ هذا جيد۔ كيف حالك؟ Ինչպես ես։ Լավ։",
    "ထမင်းစားပြီးပြီလား။ ဟုတ်ကဲ့။ ខ្ញុំទៅផ្ទះ។ អរគុណ។ ሰላም። እንዴት ነህ፧",
    "ภาษาไทยไม่มีเครื่องหมายจบประโยคและเขียนติดกันไปตลอดทั้งบรรทัดโดยไม่เว้นวรรค" * 4,
    "A\u00a0b.\u3000C d.\nE\tf! g",
    "family " + "👩‍👩‍👧‍👦" * 40 + " end é" + "e\u0301" * 150,
    "long, " * 60 + "; ".join("part %d of it" % i for i in range(40)),
    "http://a.b/c?d=e.f!g " * 15,
]


def random_texts(count: int) -> list[str]:
    random.seed(7)
    words = "the king Moses I J U.S Mr no 12 3.14 é Über 山 水 है नहीं هذا e.g etc x".split()
    marks = [".", "...", "…", "!", "?", "?!", "。", "！", "؟", "।", ",", "、", ";", ":", "—", "‽", "．"]
    quotes = ["\"", "'", "“", "”", "»", "«", "(", ")", "「", "」", "„", "‘", "’"]
    texts = []
    for _ in range(count):
        text = ""
        for _ in range(random.randint(1, 40)):
            text += random.choice(words)
            for pool, chance in ((marks, 0.35), (quotes, 0.2), (marks, 0.05), (quotes, 0.05)):
                if random.random() < chance:
                    text += random.choice(pool)
            text += random.choice([" ", " ", " ", "", "  ", "\n"])
        texts.append(text)
    return texts


cases = [{"text": text, "cap": cap} for text in HAND for cap in (200, 40, 7)]
cases += [{"text": text, "cap": random.choice([200, 60, 20])} for text in random_texts(250)]
for case in cases:
    case["sentences"] = sentences(case["text"], case["cap"])
print("made by make_sentences.py with regex", regex.__version__, file=sys.stderr)
print("[\n" + ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases) + "\n]")
