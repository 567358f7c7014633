"""Compares whole outputs of programs with golden files, as tests/support/golden.h does in unit tests.

`make goldens` rewrites the files; review reads the difference. A test that uses this has the label golden.
"""

import os
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "golden" / "output"


def check_golden(test, name, text):
    """Fails the unittest.TestCase unless tests/golden/output/`name` is `text`, the same on every machine; writes it
    where SUMAC_UPDATE_GOLDENS is 1."""
    path = FOLDER / name
    kept = path.read_text(encoding="utf-8") if path.is_file() else None
    if kept == text:
        return
    if os.environ.get("SUMAC_UPDATE_GOLDENS") == "1":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return
    test.assertEqual(kept, text, f"tests/golden/output/{name} differs; `make goldens` rewrites it")


def check_golden_folder(test, name, texts):
    """The same for all files of a folder ("cli/help/"): `texts` has the text of each by its name; no other is there."""
    kept = {path.name for path in (FOLDER / name).glob("*")}
    for extra in sorted(kept - texts.keys()):
        if os.environ.get("SUMAC_UPDATE_GOLDENS") == "1":
            (FOLDER / name / extra).unlink()
        else:
            test.fail(f"nothing prints tests/golden/output/{name}{extra} any more; `make goldens` deletes it")
    for file, text in texts.items():
        with test.subTest(file):
            check_golden(test, name + file, text)
