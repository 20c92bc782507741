"""Tests of packaging/data/english_text on small texts, offline. Run: python3 -B english_text_test.py"""

import struct
import sys
import tempfile
import unittest
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "packaging/data"))

from english_text import build, r_data, sword_module, texts  # noqa: E402


def integers(*values: int) -> bytes:
    return struct.pack(f">{len(values)}i", *values)


def characters(text: str) -> bytes:
    return integers(9, len(text.encode())) + text.encode()


def strings(*values: str) -> bytes:
    return integers(16, len(values)) + b"".join(map(characters, values))


class RData(unittest.TestCase):
    def test_character_vectors_come_out_of_a_data_base(self):
        variable = b"X\n" + integers(3, 0, 0, 5) + b"UTF-8" + strings("Call me", "Ishmael é.")
        packed = integers(len(variable)) + zlib.compress(variable)
        names = integers(0x402) + integers(1) + characters("names") + strings("book") + integers(254)
        entry = integers(0x213, 1) + integers(13, 2, 0, len(packed)) + names
        head = integers(0x402) + integers(1) + characters("names") + strings("variables") + integers(254)
        index = b"X\n" + integers(2, 0, 0) + integers(0x213, 1) + entry + head
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "Rdata.rdb").write_bytes(packed)
            gzipped = zlib.compressobj(wbits=31)
            Path(folder, "Rdata.rdx").write_bytes(gzipped.compress(index) + gzipped.flush())
            self.assertEqual(r_data.variables(Path(folder)), {"book": ["Call me", "Ishmael é."]})

    def test_other_forms_are_refused(self):
        with self.assertRaises(ValueError):
            r_data.Reader(b"A\n3\n")


class SwordModule(unittest.TestCase):
    def test_entries_are_read_once_and_without_marks(self):
        verses = ["<w>In</w> the beginning<note n='1'>or so</note> .", "Amen ¶ &amp; so"]
        data = "".join(verses).encode()
        packed = zlib.compress(data)
        sizes = [len(verse.encode()) for verse in verses]
        spans = [(0, 0, 0), (0, 0, sizes[0]), (0, 0, sizes[0]), (0, sizes[0], sizes[1])]
        for letter, form in (("b", "<IIH"), ("c", "<III")):
            with tempfile.TemporaryDirectory() as folder:
                Path(folder, f"nt.{letter}zs").write_bytes(struct.pack("<III", 0, len(packed), len(data)))
                Path(folder, f"nt.{letter}zv").write_bytes(b"".join(struct.pack(form, *s) for s in spans))
                Path(folder, f"nt.{letter}zz").write_bytes(packed)
                found = [sword_module.plain(entry) for entry in sword_module.entries(Path(folder))]
                self.assertEqual(found, ["In the beginning.", "Amen & so"], form)


class Texts(unittest.TestCase):
    def test_prose_has_words_letters_and_an_end(self):
        self.assertTrue(texts.is_prose("It was a very long way to the sea."))
        self.assertFalse(texts.is_prose("Too short to keep."))
        self.assertFalse(texts.is_prose("it was a very long way to the sea"))
        self.assertFalse(texts.is_prose("1 2 3 4 5 6 7 8 9 10 11 12 13."))

    def test_a_paragraph_keeps_its_split(self):
        splits = [build.split_of(f"paragraph {i}") for i in range(2000)]
        self.assertEqual(splits[:50], [build.split_of(f"paragraph {i}") for i in range(50)])
        for split in ("valid", "test"):
            self.assertTrue(10 <= splits.count(split) <= 80, splits.count(split))

    def test_the_import_names_all_splits(self):
        words = build.import_words(Path("/c"), Path("/p"), True)
        self.assertEqual(words[:5], ["data", "import", "english", "--kind", "documents"])
        self.assertIn("/c/english.valid.txt", words)


if __name__ == "__main__":
    unittest.main()
