# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""scripts/count-sentences, and the share of long sentences that the pages, and the comments of headers, have."""

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


def counts(tmp_path, text, above, total, name, *options):
    """The text in a file of this name has so many sentences, and so many long ones."""
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    done = count(tmp_path, *options, file)
    assert (done.returncode, done.stdout) == (0, f"{above} of {total} sentences have more than 25 words: {100 * above / total:.1f} %\n")


@pytest.mark.parametrize("text, above, total", [
    (f"# A heading of {LONG}\n\n{SHORT} {LONG}\n", 1, 2),
    (f"{LONG[:-1]}\n{LONG}\n", 1, 1),  # one sentence in two lines
    (f"- {SHORT}\n- {LONG}\n  and more\n1. {SHORT}\n", 1, 4),
    (f"See this:\n\n    {LONG}\n\n```\n{LONG}\n```\n", 0, 1),
    (f"| {LONG} | five words are a name |\n| --- | --- |\n| six words are a sentence here | {LONG[:-1]}<br>{SHORT} |\n", 2, 4),
    (f"| [{LONG[:-1]}](a.md) | `{LONG} | {LONG}` and {' '.join(['word'] * 24)} a\\|b |\n", 2, 2),
    (f"`{LONG}` is code.\n", 0, 1),
    (f"[{LONG[:-1]}](a.md)\n[b]({'c' * 30})\n", 1, 1),
    ("See Sweeney et al., Fig. 4, of 1.5 s. commmap does (...) more: one; two!\n", 0, 2),
    ("**Why.** A word. (Another one.) The last?\n", 0, 4),
])
def test_what_is_a_sentence(tmp_path, text, above, total):
    counts(tmp_path, text, above, total, "page.md")


@pytest.mark.parametrize("text, above, total", [
    (f'.\\" {LONG}\n.SH {LONG}\n{SHORT}\n{LONG}\n.P\n{LONG}\n', 2, 3),
    (f".TP\n.B {LONG}\n{SHORT}\n.TP\n.BR a \" (A)\"\n{LONG}\n", 1, 2),  # what stands in front of a paragraph is no sentence
    (f".IP \\(bu 2\n{LONG[:-1]}\n.IP \\(bu 2\n{SHORT[:-1]}\n", 1, 2),
    (f".nf\n{LONG}\n.fi\nSee\n.BR commmap \" (1), \" srun (1).\nIt\\(aqs \\fBso\\fR \\- here.\n", 0, 2),
    (f"{SHORT[:-1]}\n.B word\n", 1, 1),
])
def test_what_is_a_sentence_of_a_man_page(tmp_path, text, above, total):
    counts(tmp_path, text, above, total, "page.1")


@pytest.mark.parametrize("text, above, total", [
    (f"/// {SHORT[:-1]}\n/// word. {SHORT}\nint a;  // {LONG}\n", 1, 2),
    (f"    /// {SHORT[:-1]}\n    int a;  ///< {SHORT[:-1]}\n            ///< word\n", 1, 2),
    (f"int a;  ///< {SHORT[:-1]}\n/// {SHORT[:-1]}\nint b;  ///< {SHORT[:-1]}\nint c;  ///< {SHORT[:-1]}\n", 0, 4),
    (f"/// {SHORT[:-1]}\n/// @param a  {SHORT[:-1]}\n///           word\n/// Errors: {SHORT[:-1]}\n/// - {SHORT[:-1]}\n", 1, 4),
    (f"/// Such as:\n///     {LONG}\n/// So it is.\n///\n/// {SHORT}\n", 0, 3),
    (f"// {LONG}\n\"http://{'a ' * 26}\";\n/// One.\n", 0, 1),
])
def test_what_is_a_sentence_of_a_comment(tmp_path, text, above, total):
    counts(tmp_path, text, above, total, "header.hpp", "--comments")


PAGES = ["docs/b.md", "docs/user/a.md", "docs/man/a.7", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "ROADMAP.md", "SECURITY.md",
         "tests/testbed/README.md", "bench/a/b/README.md"]
HEADERS = ["include/a/b.hpp", "src/c.hpp"]


def write(root, names, text):
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


def test_every_page_is_read(tmp_path):
    write(tmp_path, PAGES, f"{LONG}\n")
    write(tmp_path, ["LICENSE", "tests/README.md", "src/a.cpp", *HEADERS], f"/// {LONG}\n")
    done = count(tmp_path, "--list", "--pages")
    assert done.stdout == "".join(f"{page}: 1 of 1\n{page}: 26 words: {LONG}\n" for page in PAGES) + "10 of 10 sentences have more than 25 words: 100.0 %\n"


def test_comments_of_every_header_are_read(tmp_path):
    write(tmp_path, [*HEADERS, "src/c.cpp", "tests/d.hpp", *PAGES], f"/// {LONG}\n")
    done = count(tmp_path, "--comments", "--pages")
    assert done.stdout == "".join(f"{page}: 1 of 1\n" for page in HEADERS) + "2 of 2 sentences have more than 25 words: 100.0 %\n"


def test_too_large_a_share_fails(tmp_path):
    (tmp_path / "README.md").write_text(f"{LONG}\n\n{SHORT}\n", encoding="utf-8")
    assert count(tmp_path, "--most", "50").returncode == 0
    done = count(tmp_path, "--most", "49")
    assert (done.returncode, done.stderr) == (1, "scripts/count-sentences: at most 49 % are wanted; --list has them\n")


def test_no_sentence_at_all_fails(tmp_path):
    (tmp_path / "README.md").write_text("# Title\n", encoding="utf-8")
    assert count(tmp_path).returncode == 1


@pytest.mark.parametrize("words", [[], ["--comments"]])
def test_few_sentences_are_long(words):
    done = count(ROOT, "--most", str(MOST_PERCENT), *words)
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
