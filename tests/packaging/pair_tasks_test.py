"""Tests of packaging/data/pair_tasks on small texts, offline. Run: python3 -B pair_tasks_test.py"""

import json
import struct
import sys
import tempfile
import unittest
import zipfile
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "packaging/data"))

from pair_tasks import bible, build, conversations, output, questions, splitting, tasks, wheels  # noqa: E402
from pair_tasks.examples import Example, straight  # noqa: E402
from parallel_text.alignment import Block  # noqa: E402
from parallel_text.errors import BuildError  # noqa: E402
from parallel_text.packages import Workshop  # noqa: E402

BOOK = '<div canonical="true" osisID="Gen" sID="gen2" type="book"/>'
CHAPTER = '<chapter n="{0}" osisID="Gen.{0}" sID="Gen.{0}"/>'


def example(source: str, target: str, group: str = "") -> Example:
    return Example(source, target, group or source, "a")


def write_module(folder: Path, testament: str, slots: list[str]) -> None:
    """A SWORD module of one block; an empty text is an empty slot."""
    data = "".join(slots).encode()
    packed = zlib.compress(data)
    begin, table = 0, b""
    for slot in slots:
        size = len(slot.encode())
        table += struct.pack("<IIH", 0, begin, size)
        begin += size
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{testament}.bzs").write_bytes(struct.pack("<III", 0, len(packed), len(data)))
    (folder / f"{testament}.bzv").write_bytes(table)
    (folder / f"{testament}.bzz").write_bytes(packed)


class Bibles(unittest.TestCase):
    def test_verses_are_named_by_the_chapters_before_them(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, bible.KJV, "usr/share/sword/modules/texts/ztext", bible.MODULES[bible.KJV])
            one = [
                "",
                "<milestone/>",
                BOOK,
                CHAPTER.format(1),
                "In the beginning.",
                "",
                "Light.",
                CHAPTER.format(2),
            ]
            last = 'Rest.<chapter eID="Gen.2"/><div sID="g" type="glossary"/>Glossary'
            write_module(path, "ot", [*one, last])
            verses = bible.sword_verses(Path(folder), bible.KJV)
        self.assertEqual(verses, {"Gen.1:1": "In the beginning.", "Gen.1:3": "Light.", "Gen.2:1": "Rest."})

    def test_pythonbible_is_read_by_english_numbers(self):
        parts = {
            19003001: "A Psalm. Of David.",
            19003002: " \\3:1\\Lord, how many!",
            19003003: " \\3:2\\Help.",
            19004001: " To the chief music-maker. A Song. Give ear.",
            9020042: " Go in peace.\\",
            9020043: " \\20:42\\David went.",
            23064001: " Come down,\\",
            23065001: " \\64:2\\As fire.",
            23066001: " I have been ready.",
            43001039: " +",
            43001040: " Come and see.",
        }
        text, begins, ends = "", {}, {}
        for number, part in parts.items():  # positions count each backslash twice
            begins[number] = len(text.replace("\\", "\\\\"))
            text += part
            ends[number] = len(text.replace("\\", "\\\\"))
        source = f"import os\nbible = Bible(Version.X, {text!r}, {begins}, {ends}, None)\n"
        books = [f"b{i}" for i in range(1, 67)]
        self.assertEqual(
            bible.pythonbible_verses(source, books),
            {
                "b19.3:1": "Lord, how many!",
                "b19.3:2": "Help.",
                "b19.4:1": "Give ear.",
                "b9.20:42": "Go in peace. David went.",
                "b23.64:1": "Come down,",
                "b23.64:2": "As fire.",
                "b23.65:1": "I have been ready.",
                "b43.1:39": "Come and see.",
            },
        )
        with self.assertRaises(BuildError):
            bible.pythonbible_verses("bible = 3", books)

    def test_pairs_are_verses_that_differ(self):
        old = {"a.1:1": "thou’rt", "a.1:2": "same", "a.1:3": "gone"}
        new = {"a.1:1": "“You are", "a.1:2": "same"}
        self.assertEqual(bible.paired(old, new, "o"), [Example("thou'rt", "You are", "a.1", "o")])


class Conversations(unittest.TestCase):
    def test_turns_of_a_novel(self):
        paragraphs = [
            "He came.",
            '"My dear," said she, "will you\ngo?"',
            '"I think so," said he. "It is near."',
            '"A long tale begins here',
            '"and the same speaker ends it."',
            "They went.",
            '"Alone now."',
        ]
        self.assertEqual(
            list(conversations.spoken_runs(paragraphs)),
            [
                [],
                [
                    "My dear, will you go?",
                    "I think so. It is near.",
                    "A long tale begins here and the same speaker ends it.",
                ],
                ["Alone now."],
            ],
        )

    def test_answers_are_neighbours_of_fitting_length(self):
        turns = ["One two.", "No!", "Three four.", "Five six.", "word " * 61]
        self.assertEqual(
            list(conversations.answers(turns, "g", "o")), [Example("Three four.", "Five six.", "g", "o")]
        )

    def test_chats_leave_addresses_out(self):
        messages = [["hello you", "?"], ["fine, you"], ["write to a@b.org now"], ["I will do"]]
        dataset = {"id": {"messages": [[{"text": text} for text in turn] for turn in messages]}}
        self.assertEqual(
            conversations.chats(json.dumps(dataset), "o"), [Example("hello you?", "fine, you", "id", "o")]
        )


class Questions(unittest.TestCase):
    def test_headings_that_ask(self):
        for heading, asked in {
            "B.3.2 Why are things so?": "Why are things so?",
            "Q: What is this tree for?": "What is this tree for?",
            "What is “it” anyway?¶": 'What is "it" anyway?',
            "What is this": None,
            "spi_exec ?-count n? what?": None,
            "Why? ": None,
        }.items():
            self.assertEqual(questions.question(Block("h2", heading)), asked, heading)
        self.assertIsNone(questions.question(Block("p", "Is this a heading?")))

    def test_passages_of_a_question(self):
        page = [
            Block("h1", "What is this good for?"),
            Block("p", "Short."),
            Block("p", "It is good for eight words or some more."),
            Block("p", "E.1 What would be in a table of contents here?"),
            Block("p", "This only leads to a list that follows it:"),
            Block("p", "It can be used by all of us. " + "One more sentence is here for the length. " * 14),
            Block("h1", "Another heading"),
            Block("p", "This one belongs to the heading that asks nothing."),
        ]
        found = list(questions.answered(page))
        self.assertEqual([asked for _, asked in found], ["What is this good for?"] * 2)
        self.assertEqual(found[0][0], "It is good for eight words or some more.")
        self.assertTrue(found[1][0].startswith("It can be used"))
        self.assertLessEqual(len(found[1][0].split()), questions.MOST_WORDS_OF_PASSAGE)
        self.assertTrue(found[1][0].endswith("length."))

    def test_pod(self):
        pod = "=pod\n\n=head2 How do I use C<my $x>?\n\nSee L<perlsub|perlsub> and F<a E<lt> b>.\n\n  code();\n\n=cut\n"
        self.assertEqual(
            questions.pod_blocks(pod),
            [Block("h2", "How do I use my $x?"), Block("p", "See perlsub and a < b.")],
        )


class Splitting(unittest.TestCase):
    def test_what_is_no_pair_is_dropped(self):
        pairs = [
            example("a b", "c d"),
            example("A, b!", "c d"),
            example("x", "X."),
            example("?", "y"),
            example("a", "b " * 9),
        ]
        selection = splitting.select(pairs, 0, True)
        self.assertEqual(selection.examples(), pairs[:1])
        self.assertEqual(
            selection.dropped, {"twice": 1, "sides alike": 1, "without letters": 1, "unlike lengths": 1}
        )

    def test_no_text_is_in_two_splits(self):
        letters = "abcdefghijklmnopqrstuvwxyz"
        pairs = [
            example(f"{a} {b} one", f"{b} {c} two", f"{a}{b}")
            for a in letters
            for b in letters
            for c in "xyz"
        ]
        selection = splitting.select(pairs, 10, False)
        keys = {
            name: {splitting.key(text) for pair in split for text in (pair.source, pair.target)}
            for name, split in selection.splits.items()
        }
        self.assertFalse(
            keys["train"] & keys["valid"] or keys["train"] & keys["test"] or keys["valid"] & keys["test"]
        )
        self.assertTrue(selection.dropped["valid leaks"] and selection.dropped["test leaks"])
        self.assertEqual(sum(selection.dropped.values()) + len(selection.examples()), len(pairs))

    def test_a_group_keeps_its_split(self):
        splits = [splitting.split_of(f"Gen.{i}", 5) for i in range(2000)]
        self.assertEqual(splits, [splitting.split_of(f"Gen.{i}", 5) for i in range(2000)])
        for split in ("valid", "test"):
            self.assertTrue(70 <= splits.count(split) <= 130, splits.count(split))


class Output(unittest.TestCase):
    def test_a_corpus_is_written_in_both_forms(self):
        selection = splitting.Selection()
        selection.splits["train"].append(Example("say “é”", "so", "g", "a"))
        with tempfile.TemporaryDirectory() as folder:
            output.write_splits(Path(folder), tasks.NOVELS, selection)
            output.write_sources(Path(folder), tasks.NOVELS, Workshop(Path(folder, "w"), []), selection, 1)
            table = Path(folder, "novel-dialogue.train.tsv").read_text().splitlines()
            lines = Path(folder, "jsonl/train.jsonl").read_text().splitlines()
            sources = Path(folder, "SOURCES.md").read_text()
        self.assertTrue(all(line.startswith("# ") for line in table[:-1]))
        self.assertEqual(table[-1], "say “é”\tso")
        self.assertEqual([json.loads(line) for line in lines], [{"src": "say “é”", "trg": "so"}])
        self.assertIn("r-cran-janeaustenr", sources)

    def test_counts_are_checked(self):
        output.check(tasks.QUESTIONS, round(tasks.QUESTIONS.pairs * 1.019))
        output.check(tasks.PARAPHRASE, tasks.PARAPHRASE.pairs)
        for task, found in (
            (tasks.QUESTIONS, round(tasks.QUESTIONS.pairs * 1.03)),
            (tasks.PARAPHRASE, 30_936),
        ):
            with self.assertRaises(BuildError):
                output.check(task, found)

    def test_licences_are_short_names(self):
        text = "License: GPL-2\nLicense: Permission to use, copy and modify is granted\n"
        self.assertEqual(output.named_licences(text), "GPL-2")


class Command(unittest.TestCase):
    def test_help_names_the_sources(self):
        self.assertIn("2 packages of Debian 12", build.described(tasks.PARAPHRASE))
        self.assertIn("and a package of PyPI", build.described(tasks.SIMPLIFICATION))
        self.assertEqual(
            build.parse_arguments(["--novels"], "dialogue", tasks.DIALOGUE, tasks.NOVELS).novels, tasks.NOVELS
        )
        self.assertIsNone(build.parse_arguments([], "paraphrase", tasks.PARAPHRASE, None).novels)

    def test_the_import_names_all_splits(self):
        words = build.import_words(Path("/c"), tasks.PARAPHRASE, Path("/p"))
        self.assertEqual(words[:3], ["data", "import", "paraphrase"])
        self.assertIn("/c/paraphrase.valid.tsv", words)
        self.assertIn("--same-language", words)

    def test_texts_of_a_wheel(self):
        with tempfile.TemporaryDirectory() as folder:
            wheel = wheels.Wheel("a-b", "1.0")
            file = Path(folder, "a_b-1.0-py3-none-any.whl")
            with zipfile.ZipFile(file, "w") as archive:
                archive.writestr("a_b/text.json", "{}")
            self.assertEqual(wheel.file_in(Path(folder)), file)
            self.assertEqual(wheels.text_in(file, "/text.json"), "{}")
            with self.assertRaisesRegex(BuildError, "has no other"):
                wheels.text_in(file, "other")
            file.write_bytes(b"no archive")
            with self.assertRaisesRegex(BuildError, "damaged"):
                wheels.text_in(file, "/text.json")
            self.assertFalse(file.exists())


class Examples(unittest.TestCase):
    def test_marks_of_a_keyboard(self):
        self.assertEqual(straight(" “It’s\u00a0so” , he\nsaid ?"), '"It\'s so", he said?')
        self.assertEqual(straight("the .xs file"), "the .xs file")


if __name__ == "__main__":
    unittest.main()
