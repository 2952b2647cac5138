# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Pages in Markdown: every link leads somewhere, and every page is found from docs/index.md."""

import os
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
INDEX = "docs/index.md"
FOLDERS = (".ci", "bench", "cmake", "docs", "etc", "include", "scripts", "src", "tests")
FENCED = re.compile(r"^```.*?^```[^\n]*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
NAMED = re.compile(r"(?<![\w/.-])docs/[\w/.\\-]+\.md\b")
WEB = re.compile(r"[a-z]+:")


def pages(root):
    """Paths of all pages, from root."""
    found = [*root.glob("*.md"), *(path for folder in FOLDERS for path in (root / folder).rglob("*.md"))]
    return sorted(str(path.relative_to(root)) for path in found)


def text_of(root, page):
    """Without the blocks of code."""
    return FENCED.sub("", (root / page).read_text(encoding="utf-8"))


def links(root, page):
    """(link as written, its path from root, its anchor) of each link that leads to a file or a heading."""
    for link in LINK.findall(text_of(root, page)):
        if not WEB.match(link):
            path, _, anchor = link.partition("#")
            yield link, os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page, anchor


def anchors(root, page):
    """The anchors that GitHub gives the headings of a page."""
    seen = []
    for heading in re.findall(r"^#+ +(.*?) *$", text_of(root, page), re.MULTILINE):
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        anchor = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        seen.append(f"{anchor}-{seen.count(anchor)}" if anchor in seen else anchor)
    return set(seen)


def broken_links(root):
    for page in pages(root):
        for link, path, anchor in links(root, page):
            if not (root / path).exists():
                yield f"{page}: no file {link}"
            elif anchor and (not path.endswith(".md") or anchor not in anchors(root, path)):
                yield f"{page}: no heading {link}"


def orphans(root):
    """Pages to which no chain of links leads from the index."""
    seen, new = set(), {INDEX}
    while new:
        seen |= new
        new = {path for page in new for _, path, _ in links(root, page) if path.endswith(".md") and (root / path).exists()} - seen
    return sorted(set(pages(root)) - seen)


def not_listed(root):
    """Pages of docs for which neither docs/index.md nor the index of their folder has a line that says what they answer."""
    for page in pages(root):
        own = os.path.join(os.path.dirname(page), "index.md")
        if page.startswith("docs/") and page != INDEX:
            listed = {path for index in {INDEX, own} - {page} if (root / index).exists() for path in lines_of(root, index)}
            if page not in listed:
                yield page


def lines_of(root, index):
    for link in re.findall(r"^- \[[^]]+\]\(([^)\s#]+)[^)\s]*\): \S", text_of(root, index), re.MULTILINE):
        yield os.path.normpath(os.path.join(os.path.dirname(index), link))


def unknown_names(root):
    """Pages of docs that sources, scripts, man pages or other pages name, and that there are not."""
    for path in sorted(path for folder in ("", *FOLDERS) for path in ((root / folder).rglob("*") if folder else root.glob("*"))):
        if path.is_file() and not {"results", "__pycache__"} & set(path.parts) and path != pathlib.Path(__file__):
            for name in NAMED.findall(path.read_bytes().decode("utf-8", "replace")):
                if not (root / name.replace("\\", "")).exists():
                    yield f"{path.relative_to(root)}: {name}"


def test_every_link_leads_somewhere():
    assert len(pages(ROOT)) > 20
    assert list(broken_links(ROOT)) == []


def test_every_page_is_reached_from_the_index():
    assert orphans(ROOT) == []


def test_every_page_of_docs_has_a_line_in_an_index():
    assert list(not_listed(ROOT)) == []


def test_every_page_that_is_named_is_there():
    assert [name for name in unknown_names(ROOT) if not name.startswith("tests/gates/")] == []  # small trees are made there


WAYS = ("The way of one rank", "The way of one message")
MOST_FILES = 12  # of a way: a reader looks at each


def way_faults(root, text):
    """Ways of an architecture page without files, with too many, with files that are not there, and files that stand twice over all of them."""
    seen = []
    for way in WAYS:
        section = text.partition(f"\n## {way}\n")[2].partition("\n## ")[0]
        files = re.findall(r"^\d+\. `(.*?)`", section, re.MULTILINE)
        if not 0 < len(files) <= MOST_FILES:
            yield f"{way}: {len(files)} files"
        yield from (f"{way}: no file {path}" for path in files if not (root / path).is_file())
        yield from (f"{way}: twice {path}" for path in sorted({path for path in files if (seen + files).count(path) > 1}))
        seen += files


def test_the_two_ways_have_few_files():
    assert list(way_faults(ROOT, (ROOT / "docs/developer/architecture.md").read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("rank, message, found", [
    (12, 12, []),
    (13, 1, ["The way of one rank: 13 files"]),
    (1, 13, ["The way of one message: 13 files"]),
    (1, 0, ["The way of one message: 0 files"]),
])
def test_a_way_of_too_many_files_is_found(tmp_path, rank, message, found):
    text = ""
    for way, number in zip(WAYS, (rank, message)):
        (tmp_path / way).mkdir()
        text += f"\n## {way}\n\n"
        for index in range(1, number + 1):
            (tmp_path / way / str(index)).touch()
            text += f"{index}. `{way}/{index}` is `code`.\n"
    assert list(way_faults(tmp_path, f"# A\n{text}\n## Else\n\n1. `b`\n")) == found


def test_files_of_a_way_are_there_and_stand_once(tmp_path):
    (tmp_path / "a").touch()
    text = "# A\n\n## The way of one rank\n\n1. `a` is.\n2. `b` is not.\n\n## The way of one message\n\n1. `a` is.\n"
    assert list(way_faults(tmp_path, text)) == ["The way of one rank: no file b", "The way of one message: twice a"]


def glossary_faults(text):
    """Words that stand twice or out of the alphabet, and rows that are not one word, the field's term and one sentence."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("| ")][2:]
    for cells in rows:
        if len(cells) != 3 or not all(cells) or not re.fullmatch(r"[A-Z][^.]*\.", re.sub(r"\bet al\.|\bFig\.", "", cells[2])):
            yield f"not a word, a term and a sentence: {cells[0]}"
    words = [cells[0] for cells in rows]
    for before, word in zip(words, words[1:]):
        if word.lower() <= before.lower():
            yield f"twice or not in order: {word}"


def test_the_glossary_has_each_word_once():
    text = (ROOT / "docs/glossary.md").read_text(encoding="utf-8")
    assert text.count("\n| ") > 60 and list(glossary_faults(text)) == []


@pytest.mark.parametrize("rows, found", [
    (["a | b | A thing (X et al., Fig. 1).", "B | - | Another thing."], []),
    (["a | b | One thing. And more."], ["not a word, a term and a sentence: a"]),
    (["a | | One thing."], ["not a word, a term and a sentence: a"]),
    (["a | - | One thing.", "a | - | Another thing."], ["twice or not in order: a"]),
    (["b | - | One thing.", "A | - | Another thing."], ["twice or not in order: A"]),
])
def test_faults_of_a_glossary_are_found(rows, found):
    table = "".join(f"| {row} |\n" for row in ["word | term | what", "--- | --- | ---", *rows])
    assert list(glossary_faults(table)) == found


GOOD = {
    "docs/index.md": "# Pages\n\n- [a](user/a.md): what is it?\n- [b](user/b.md#two-words-c): why?\n- [x](more/index.md): which more?\n",
    "docs/user/a.md": "# A\n\n[b](b.md) [code](../../src/a.cpp) [web](https://example.org/x.md#y)\n\n```\n[no](link.md)\n```\n",
    "docs/user/b.md": "# B\n\n## Two words: `C`\n\n## Two words: `C`\n\n[up](#two-words-c-1)\n",
    "docs/more/index.md": "# More\n\n- [m](m.md): what is more?\n", "docs/more/m.md": "# M\n\n[top](../../README.md)\n",
    "README.md": "see docs/user/a.md\n", "src/a.cpp": "// docs/user/b.md, Two words\n",
}
RULES = (broken_links, orphans, not_listed, unknown_names)


def faults(tmp_path, changes):
    for name, text in {**GOOD, **changes}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return {rule.__name__: list(rule(tmp_path)) for rule in RULES if list(rule(tmp_path))}


def test_a_good_tree_has_no_faults(tmp_path):
    assert faults(tmp_path, {}) == {}


@pytest.mark.parametrize("changes, found", [
    ({"docs/user/b.md": "# B\n\n## Two words: `C`\n\n[gone](c.md)\n"}, {"broken_links": ["docs/user/b.md: no file c.md"]}),
    ({"README.md": "[code](src/b.cpp)\n"}, {"broken_links": ["README.md: no file src/b.cpp"]}),
    ({"docs/user/a.md": "# A\n\n[b](b.md#three)\n"}, {"broken_links": ["docs/user/a.md: no heading b.md#three"]}),
    ({"docs/user/a.md": "# A\n\n```\n# B\n```\n[b](#b)\n"}, {"broken_links": ["docs/user/a.md: no heading #b"]}),
    ({"docs/user/c.md": "# C\n"}, {"orphans": ["docs/user/c.md"], "not_listed": ["docs/user/c.md"]}),
    ({"docs/user/c.md": "# C\n[d](d.md)\n", "docs/user/d.md": "# D\n[c](c.md)\n"},
     {"orphans": ["docs/user/c.md", "docs/user/d.md"], "not_listed": ["docs/user/c.md", "docs/user/d.md"]}),
    ({"tests/README.md": "# T\n"}, {"orphans": ["tests/README.md"]}),
    ({"docs/user/a.md": "# A\n[c](c.md)\n", "docs/user/c.md": "# C\n"}, {"not_listed": ["docs/user/c.md"]}),
    ({"docs/more/index.md": "# More\n\n[m](m.md)\n"}, {"not_listed": ["docs/more/m.md"]}),
    ({"src/a.cpp": "// docs/b.md\n"}, {"unknown_names": ["src/a.cpp: docs/b.md"]}),
    ({"docs/man/a.1": "see docs/user/two\\-words.md\n"}, {"unknown_names": ["docs/man/a.1: docs/user/two\\-words.md"]}),
])
def test_each_fault_is_found(tmp_path, changes, found):
    assert faults(tmp_path, changes) == found
