"""Tests of packaging/data/parallel_text on small texts, offline. Run: python3 -B parallel_text_test.py"""

import gettext
import gzip
import io
import itertools
import math
import struct
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "packaging/data"))

from parallel_text import (  # noqa: E402
    alignment,
    build,
    cleaning,
    filters,
    gettext_catalogs,
    libreoffice_help,
    licences,
    manual_pages,
    markup,
    output,
    package_descriptions,
    packages,
)
from parallel_text.alignment import Block  # noqa: E402
from parallel_text.cleaning import Origin, Pair  # noqa: E402
from parallel_text.errors import BuildError  # noqa: E402

ORIGIN = Origin("messages", "tar", "tar")


def catalog(entries: dict[bytes, bytes], order: str) -> bytes:
    """A .mo file, written from the manual's description."""
    originals = 28
    translations = originals + 8 * len(entries)
    position = translations + 8 * len(entries)
    tables, texts = b"", b""
    for text in itertools.chain(entries.keys(), entries.values()):
        tables += struct.pack(order + "2I", len(text), position + len(texts))
        texts += text + b"\0"
    return (
        struct.pack(order + "7I", 0x950412DE, 0, len(entries), originals, translations, 0, 0) + tables + texts
    )


def pair(english: str, german: str, kind: str = "messages") -> Pair:
    return Pair(english, german, Origin(kind, "a", "b"))


class Cleaning(unittest.TestCase):
    def test_markup_entities_and_accelerators_go(self):
        for raw, clean in {
            "<b>Open</b>  the &lt;i&gt;file&lt;/i&gt;": "Open the file",
            "_Open file": "Open file",
            "Fi&le name": "File name",
            "Save (&S)": "Save",
            "~Edit": "Edit",
            "menu^Quit now": "Quit now",
            "soft\u00adhy\u00adphen\u200b": "softhyphen",
            "u\u0308ber": "über",
        }.items():
            self.assertEqual(cleaning.normalised(raw), clean)

    def test_marks_that_are_no_accelerators_stay(self):
        for text in (
            "set max_line to one",
            "&File or &Edit",
            "a & b",
            "R&D costs",
            "from ~a to ~b",
            "%s: cannot open %d",
        ):
            self.assertEqual(cleaning.normalised(text), text)

    def test_what_is_no_translation_is_refused(self):
        good = ("Print the current directory.", "Das aktuelle Verzeichnis ausgeben.")
        self.assertTrue(cleaning.is_good(*good))
        for english, german in {
            "two words": "zwei Worte hier",
            "three words here": "Dreiwortsammlung",
            "Print the current directory.": "Print the current directory.",
            "Print the current working directory name": "Print the current working directory Namen",
            "A very long English sentence stands here today.": "Ganz kurz hier.",
            "a b c 123456789": "Ein Wort dazu",
            "a " * 61: "ein " * 40,
        }.items():
            self.assertFalse(cleaning.is_good(english, german), english)

    def test_paragraphs_split_only_into_equally_many_sentences(self):
        english, german = "One is here. Two, e.g. This, follows.", "Eins ist hier. Zwei, bzw. Dies, folgt."
        self.assertEqual(
            cleaning.sentence_pairs(english, german),
            [("One is here.", "Eins ist hier."), ("Two, e.g. This, follows.", "Zwei, bzw. Dies, folgt.")],
        )
        one = "Eins ist hier, zwei folgt."
        self.assertEqual(cleaning.sentence_pairs(english, one), [(english, one)])

    def test_the_first_of_equal_pairs_is_kept(self):
        collector = cleaning.PairCollector()
        for text in ("Show this help", "SHOW this help"):
            collector.add(text, "Diese Hilfe zeigen", ORIGIN)
        self.assertEqual(collector.pairs(), [Pair("Show this help", "Diese Hilfe zeigen", ORIGIN)])

    def test_tokens_are_words_and_punctuation(self):
        self.assertEqual(cleaning.token_count("It's e-mail, v1.2 (new)!"), 8)


class Catalogs(unittest.TestCase):
    ENTRIES = {
        b"": b"Content-Type: text/plain; charset=UTF-8\nPlural-Forms: nplurals=2; plural=n != 1;\n",
        b"bad": b"\xff\xfe",
        b"menu\x04Open the file": "Datei \u00f6ffnen".encode(),
        b"one file\0many files": b"eine Datei\0viele Dateien",
    }

    def test_both_byte_orders_read_as_pythons_gettext_reads_them(self):
        for order in "<>":
            data = catalog(self.ENTRIES, order)
            found = dict((english[0], german) for english, german in gettext_catalogs.messages(data))
            self.assertEqual(set(found), {"Open the file", "one file"})
            readable = catalog({k: v for k, v in self.ENTRIES.items() if k != b"bad"}, order)
            truth = gettext.GNUTranslations(io.BytesIO(readable))
            self.assertEqual(found["Open the file"], [truth.pgettext("menu", "Open the file")])
            self.assertEqual(found["one file"], [truth.ngettext("one file", "many files", n) for n in (1, 2)])

    def test_other_files_hold_no_messages_and_damage_is_named(self):
        self.assertEqual(list(gettext_catalogs.messages(b"GIF89a" + bytes(40))), [])
        self.assertEqual(list(gettext_catalogs.messages(b"")), [])
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "tar/usr/share/locale/de/LC_MESSAGES/tar.mo")
            path.parent.mkdir(parents=True)
            path.write_bytes(catalog(self.ENTRIES, "<")[:40])
            with self.assertRaisesRegex(BuildError, "tar.mo is damaged"):
                gettext_catalogs.read(Path(folder))

    def test_singular_and_last_plural_become_pairs(self):
        collector = cleaning.PairCollector()
        gettext_catalogs.collect(
            collector,
            ["one file was read", "%d files were read"],
            ["eine Datei gelesen", "%d Dateien gelesen"],
            ORIGIN,
        )
        self.assertEqual(
            [(p.english, p.german) for p in collector.pairs()],
            [("one file was read", "eine Datei gelesen"), ("%d files were read", "%d Dateien gelesen")],
        )


class ManualPages(unittest.TestCase):
    def test_escapes_become_text(self):
        for roff, text in {
            r"\fB\-\-all\fP, \f[I]x\f[]": "--all, x",
            r"\(lqa\(rq \[u00E4] \[em]": "“a” ä —",
            r"a\&.b \e \s-1C\s0 \" comment": "a.b \\ C ",
            r"\*(lqquoted\*(rq": '"quoted"',
        }.items():
            self.assertEqual(manual_pages.plain(roff), text)

    def test_arguments_keep_quoted_blanks(self):
        self.assertEqual(manual_pages.arguments('"a ""b"" c" d "" e'), ['a "b" c', "d", "e"])

    def test_macros_make_blocks(self):
        page = r""".\" comment
.TH LS 1
.SH "OPTION LIST"
First line
.B bold
ends here.

Second.
.nf
code
.fi
.TP
.BR \-a ", " b
Body of the item.
.IP \(bu
Point."""
        self.assertEqual(
            manual_pages.PageReader().read(page),
            [
                Block("SH", "OPTION LIST"),
                Block("text", "First line bold ends here."),
                Block("text", "Second."),
                Block("tag", "-a, b"),
                Block("body", "Body of the item."),
                Block("body", "Point."),
            ],
        )

    def test_pages_pair_by_name_with_the_package_of_the_original(self):
        with tempfile.TemporaryDirectory() as folder:
            german = "manpages-de/usr/share/man/de/man1"
            for path, text in {
                "tar/usr/share/man/man1/tar.1.gz": (
                    ".SH NAME\ntar program\n.SH USE\nIt packs all files.\n"
                    ".SH NEXT\nAnother text is standing here.\n"
                ),
                f"{german}/tar.1.gz": (
                    ".SH NAME\ntar-Programm\n.SH GEBRAUCH\nEs packt alle Dateien.\n"
                    ".SH NEXT\nÜBERSETZUNG von Leuten hier.\n"
                ),
                f"{german}/alone.1.gz": ".SH NAME\nNur deutsch\n.SH X\nOhne Original.\n",
            }.items():
                page = Path(folder, path)
                page.parent.mkdir(parents=True, exist_ok=True)
                page.write_bytes(gzip.compress(text.encode()))
            found = manual_pages.read(Path(folder))
        origin = Origin(manual_pages.KIND, "tar", "manpages-de")
        self.assertEqual(found, [Pair("It packs all files.", "Es packt alle Dateien.", origin)])


class Markup(unittest.TestCase):
    def test_blocks_end_at_block_tags_and_skip_what_is_no_prose(self):
        page = (
            "<html><head><title>No</title></head><body><h1>A <em>title</em></h1><!-- no -->"
            "<p>One<br/>two &amp; three &copyleft<pre>code <b>no</b></pre>after</p>"
            "<ul><li>x<li>y</ul><hr>end</body>"
        )
        self.assertEqual(
            markup.blocks(page),
            [
                Block("h1", "A title"),
                Block("p", "One two & three &copyleft"),
                Block("p", "after"),
                Block("li", "x"),
                Block("li", "y"),
                Block("body", "end"),
            ],
        )

    def test_help_paragraphs_are_found_by_id(self):
        page = (
            '<p id="par_id0">outside</p><div id="DisplayArea"><p class="a" id="par_id1">Text</p>'
            '<h2 id="hd_id2">Press <span class="MAC">Command</span><span class="x">Ctrl</span></h2>'
            '</div><div id="SearchFrame"><p id="par_id3">outside</p>'
        )
        self.assertEqual(
            libreoffice_help.paragraphs(page),
            {"par_id1": "Text", "hd_id2": 'Press <span class="x">Ctrl</span>'},
        )


class Alignment(unittest.TestCase):
    def cheapest(self, english, german):
        """The least cost over all alignments, found by trying all."""
        if not english or not german:
            return alignment.SKIP_COST * (len(english) + len(german))
        ways = [
            alignment.SKIP_COST + self.cheapest(english[1:], german),
            alignment.SKIP_COST + self.cheapest(english, german[1:]),
        ]
        if english[0].tag == german[0].tag:
            ways.append(alignment.length_cost(english[0], german[0]) + self.cheapest(english[1:], german[1:]))
        return min(ways)

    def test_equal_structure_pairs_off(self):
        short, long = "a" * 10, "b" * 500
        english, german = [Block("p", short), Block("p", long)], [Block("p", long), Block("p", short)]
        self.assertEqual(alignment.align(english, german), [(short, long), (long, short)])

    def test_an_inserted_block_is_left_out(self):
        english = [
            Block("p", "The first one."),
            Block("p", "The second, a longer one."),
            Block("p", "Third."),
        ]
        german = [english[0], Block("li", "Zusatz"), *english[1:]]
        same = [(block.text, block.text) for block in english]
        self.assertEqual(alignment.align(english, german), same)
        self.assertEqual(alignment.align(german, english), same)
        self.assertAlmostEqual(
            alignment.fill_table(german[:2], german[:1], 60)[2][1].cost, 0.9 + math.log(1.1)
        )

    def test_the_path_is_the_cheapest_of_all(self):
        lengths = [5, 40, 12, 90, 33, 7]
        for seed in range(40):
            english = [Block("pq"[(seed >> i) & 1], "e" * lengths[(seed + i) % 6]) for i in range(5)]
            german = [Block("pq"[(seed * 7 >> i) & 1], "d" * lengths[(seed * 5 + i) % 6]) for i in range(6)]
            table = alignment.fill_table(english, german, 60)
            self.assertAlmostEqual(table[5][6].cost, self.cheapest(english, german), places=12)

    def test_an_empty_document_has_no_pairs(self):
        self.assertEqual(alignment.align([], [Block("p", "a")]), [])


class Descriptions(unittest.TestCase):
    INDEX = (
        "Package: tar\nDescription-md5: 0a1b\nDescription-en: archiver\n Packs files\n into one.\n .\n"
        "   * first point\n     goes on\n   * second\n\n"
        "Package: x\nDescription-md5: ffff\nDescription-de: falsche Sprache\n"
    )

    def test_paragraphs_and_points(self):
        found = package_descriptions.descriptions(self.INDEX, "en")
        self.assertEqual(list(found), ["0a1b"])
        self.assertEqual(found["0a1b"].title, "archiver")
        self.assertEqual(found["0a1b"].paragraphs, ["Packs files into one.", "first point goes on", "second"])


class Selection(unittest.TestCase):
    def test_fnv1a_gives_the_published_values(self):
        self.assertEqual(
            [filters.fnv1a(text) for text in ("", "a", "foobar")], [0x811C9DC5, 0xE40C292C, 0xBF9CF968]
        )

    def test_variants_of_a_sentence_share_a_part(self):
        for i in range(200):
            text = f"Sentence {'abcdefghij'[i % 10]}{'klmnopqrst'[i // 10 % 10]} of the text"
            self.assertEqual(filters.split_of(text), filters.split_of(f"{text.upper()}, {i}!"))

    def test_what_is_dropped_is_counted(self):
        french = "Le nom de la base est dans un fichier pour que vous le lisez"
        menu = [pair("See the next page", f"Siehe Seite {'abcdefghi'[i]} dort") for i in range(9)]
        first = pair("The file is 12 long", "Die Datei ist 12 lang", manual_pages.KIND)
        wrong = pair("Since version 12 only", "Erst seit Fassung 13", manual_pages.KIND)
        by_key = wrong._replace(origin=ORIGIN)  # messages are never misaligned
        selection = filters.select([first, first, wrong, by_key, pair("The name of the base", french), *menu])
        self.assertEqual(selection.pairs, [first, by_key])
        self.assertEqual(
            selection.dropped, {"twice": 1, "numbers differ": 1, "another language": 1, "boilerplate": 9}
        )


class Licences(unittest.TestCase):
    def test_fields_then_common_licences_then_names(self):
        self.assertEqual(
            licences.licence_names("License: MIT\nLicense: GPL-2+\nLicense: MIT\n text"), ["MIT", "GPL-2+"]
        )
        self.assertEqual(licences.licence_names("see /usr/share/common-licenses/LGPL-2.1."), ["LGPL-2.1"])
        self.assertEqual(
            licences.licence_names("under the GNU Free\n Documentation License"),
            ["GNU Free Documentation License"],
        )
        self.assertEqual(licences.licence_names("Copying is allowed."), [licences.NOT_NAMED])

    def test_rows_of_equal_counts_stand_by_name(self):
        with tempfile.TemporaryDirectory() as folder:
            names = [f"package{i}" for i in range(6)]
            workshop = packages.Workshop(Path(folder))
            pairs = [Pair("a", "b", Origin("messages", name, name)) for name in reversed(names)]
            text = licences.licence_list(workshop, pairs, Path(folder, "licenses"))
            rows = [
                row.split()[1] for row in text.splitlines() if row.startswith("| package") and " 1 " in row
            ]
            self.assertEqual(rows, names)

    def test_a_package_may_keep_its_file_in_anothers_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            workshop = packages.Workshop(Path(folder))
            for name in ("gcc-12-base_12.2-14_amd64.deb", "gcc-12-locales_1%3a12.2-14_all.deb"):
                workshop.debs.mkdir(exist_ok=True)
                (workshop.debs / name).touch()
            owner = workshop.unpacked / "gcc-12-base/usr/share/doc/gcc-12-base/copyright"
            owner.parent.mkdir(parents=True)
            owner.write_text("License: GPL-3+\n")
            link = workshop.unpacked / "gcc-12-locales/usr/share/doc/gcc-12-locales"
            link.parent.mkdir(parents=True)
            link.symlink_to("gcc-12-base")
            origin = Origin("messages", "gcc-12-locales", "gcc-12-locales")
            text = licences.licence_list(workshop, [Pair("a", "b", origin)], Path(folder, "licenses"))
            self.assertIn("| gcc-12-locales | 1:12.2-14 | 1 | GPL-3+ | licenses/gcc-12-locales |\n", text)
            self.assertEqual(Path(folder, "licenses/gcc-12-locales").read_text(), "License: GPL-3+\n")


class Output(unittest.TestCase):
    TOKENS = dict(output.EXPECTED_TOKENS)

    def test_two_percent_are_tolerated_and_more_is_told(self):
        output.check(round(output.EXPECTED_PAIRS * 0.981), self.TOKENS)
        with self.assertRaisesRegex(BuildError, r"pairs: 158,000 instead of 161,792 \(-2.3%\)"):
            output.check(158_000, self.TOKENS)
        with self.assertRaisesRegex(BuildError, "German tokens"):
            output.check(output.EXPECTED_PAIRS, self.TOKENS | {"German": 16.0})

    def test_files_are_counted_without_their_notices(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            output.write_splits(folder, {part: [pair("a", "b"), pair("# c", "d")] for part in filters.SPLITS})
            self.assertEqual(output.pairs_written(folder), 0)  # the lists are missing: not finished
            output.write_whole(folder / "LICENSES.md", "")
            self.assertEqual(output.pairs_written(folder), 0)
            output.write_sources(folder, [pair("a", "b")])
            self.assertEqual(output.pairs_written(folder), 6)


class Messages(unittest.TestCase):
    def test_apts_words_for_an_unknown_package_are_known(self):
        for words in (
            "E: Unable to locate package no-such",
            "E: Can't select candidate version from package no-such as it has no candidate",
        ):
            self.assertEqual(packages.UNKNOWN_PACKAGE.findall(words), ["no-such"])

    def test_a_folder_with_other_files_is_refused(self):
        with tempfile.TemporaryDirectory() as name:
            build.check_folder(Path(name), "english-german.train.tsv", build.WORK_FOLDER)
            Path(name, "LICENSES.md").touch()
            with self.assertRaisesRegex(BuildError, "holds other files"):
                build.check_folder(Path(name), "english-german.train.tsv", build.WORK_FOLDER)
            Path(name, "english-german.train.tsv").touch()
            build.check_folder(Path(name), "english-german.train.tsv", build.WORK_FOLDER)


if __name__ == "__main__":
    unittest.main()
