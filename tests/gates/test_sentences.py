# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""scripts/count-sentences, and the share of long sentences that the pages have."""

import pathlib

import patience
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST_PERCENT = 2.0
MOST_LETTERS = 500  # of a paragraph, or an item of a list
LONG = " ".join(["word"] * 26) + "."
SHORT = " ".join(["word"] * 25) + "."


def count(root, *words):
    return patience.run([ROOT / "scripts/count-sentences", *words], capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", "COMMMAP_ROOT": str(root)})


@pytest.mark.parametrize("text, above, total", [
    (f"# A heading of {LONG}\n\n{SHORT} {LONG}\n", 1, 2),
    (f"{LONG[:-1]}\n{LONG}\n", 1, 1),  # one sentence in two lines
    (f"- {SHORT}\n- {LONG}\n  and more\n1. {SHORT}\n", 1, 4),
    (f"See this:\n\n    {LONG}\n\n```\n{LONG}\n```\n\n| a | {LONG} |\n", 0, 1),
    (f"`{LONG}` is code.\n", 0, 1),
    (f"[{LONG[:-1]}](a.md)\n[b]({'c' * 30})\n", 1, 1),
    ("See Sweeney et al., Fig. 4, of 1.5 s. commmap does (...) more: one; two!\n", 0, 2),
    ("**Why.** A word. (Another one.) The last?\n", 0, 4),
])
def test_what_is_a_sentence(tmp_path, text, above, total):
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    done = count(tmp_path, page)
    assert (done.returncode, done.stdout) == (0, f"{above} of {total} sentences have more than 25 words: {100 * above / total:.1f} %\n")


def test_pages_of_docs_and_two_of_the_root_are_read(tmp_path):
    for name in ("docs/user/a.md", "docs/b.md", "README.md", "CONTRIBUTING.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"{LONG}\n", encoding="utf-8")
    (tmp_path / "CHANGELOG.md").write_text(f"{SHORT}\n", encoding="utf-8")
    done = count(tmp_path, "--list", "--pages")
    assert done.stdout.startswith(f"docs/b.md: 1 of 1\ndocs/b.md: 26 words: {LONG}\n") and done.stdout.endswith("4 of 4 sentences have more than 25 words: 100.0 %\n")


def test_too_large_a_share_fails(tmp_path):
    (tmp_path / "README.md").write_text(f"{LONG}\n\n{SHORT}\n", encoding="utf-8")
    assert count(tmp_path, "--most", "50").returncode == 0
    done = count(tmp_path, "--most", "49")
    assert (done.returncode, done.stderr) == (1, "scripts/count-sentences: at most 49 % are wanted; --list has them\n")


def test_no_sentence_at_all_fails(tmp_path):
    (tmp_path / "README.md").write_text("# Title\n", encoding="utf-8")
    assert count(tmp_path).returncode == 1


def test_few_sentences_of_the_pages_are_long():
    done = count(ROOT, "--most", str(MOST_PERCENT))
    assert done.returncode == 0, done


def long_lines(root):
    """Lines of prose that are longer than a reader takes in at once."""
    pages = [*sorted((root / "docs").rglob("*.md")), root / "README.md", root / "CONTRIBUTING.md"]
    return [f"{page.name}:{number}" for page in pages for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1)
            if len(line) > MOST_LETTERS and not line.startswith(("|", "    "))]


def test_no_paragraph_of_the_pages_is_long():
    assert long_lines(ROOT) == []


def test_a_long_paragraph_is_found(tmp_path):
    (tmp_path / "docs/user").mkdir(parents=True)
    (tmp_path / "docs/user/page.md").write_text(f"# Page\n\n{'a' * 501}\n\n    {'a' * 501}\n\n| {'a' * 501} |\n{'a' * 500}\n", encoding="utf-8")
    for name in ("README.md", "CONTRIBUTING.md"):
        (tmp_path / name).write_text("# Page\n", encoding="utf-8")
    assert long_lines(tmp_path) == ["page.md:3"]
