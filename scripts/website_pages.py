#!/usr/bin/env python3
"""Gathers the pages of the website; scripts/website runs it.

  scripts/website_pages.py FOLDER

Copies README.md, docs/ and each file of the repository that a page links to into FOLDER/source, in the
folders that they have here, so that relative links hold. Notebooks become pages. A folder that is linked gets a page with a list
of its files. Writes the pages of the programming interfaces, and FOLDER/mkdocs.yml: mkdocs.yml with a
navigation that follows the headings of docs/README.md; pages that it does not list stand at the end of
the reference.
"""
import json
import os
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
LINK = re.compile(r"(\[(?:[^\[\]]|\[[^\]]*\])*\]\()([^()\s#]+)(#[^()\s]*)?(\))")
FENCE = re.compile(r"\s*(```|~~~)")
ITEM = re.compile(r"\s*([-*]|\d+\.) ")
PYTHON = """# Python

The guide with examples: [ci_solve from Python](../docs/python.md).

::: ci_solve
    options:
      show_root_heading: false
      members: [solve, eigsh, load, Hamiltonian, Operator, Result, Progress]

## Errors

::: ci_solve.errors
    options:
      show_root_heading: false
      heading_level: 3

## PySCF

::: ci_solve.pyscf
    options:
      show_root_heading: false
      heading_level: 3

## Subspaces of samples

::: ci_solve.sqd
    options:
      show_root_heading: false
      heading_level: 3
"""


def list_of_files(folder):
    """A page that lists a folder."""
    lines = [f"# {folder.relative_to(ROOT)}", ""]
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            name = path.relative_to(folder).as_posix()
            lines.append(f"- [{name}]({name})")
    return "\n".join(lines) + "\n"


class Site:
    """The pages gathered so far."""

    def __init__(self, source):
        self.source = source
        self.seen = set()

    def add(self, path):
        """Copies a file, and what it links to if it is a page; a folder becomes a list of its files."""
        path = path.resolve()
        if path in self.seen or not path.exists():
            return
        self.seen.add(path)
        target = self.source / path.relative_to(ROOT)
        if path.is_dir():
            target.mkdir(parents=True, exist_ok=True)
            readme = path / "README.md"
            if readme.exists():
                self.add(readme)
                return
            for file in path.rglob("*"):
                if file.is_file() and "__pycache__" not in file.parts:
                    self.copy(file, target / file.relative_to(path))
            (target / "index.md").write_text(list_of_files(path), encoding="utf-8")
        elif path.suffix == ".md":
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(self.page(path), encoding="utf-8")
        else:
            self.copy(path, target)

    @staticmethod
    def copy(path, target):
        """Markdown within a listed folder would become a page with links of its own: it is shown as text."""
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)

    def page(self, path):
        """The text of a page in the dialect of MkDocs: an empty line before each list, and links to
        folders lead to their list of files."""
        pieces = [[]]  # prose and fenced blocks in turns
        before = ""
        for line in path.read_text(encoding="utf-8").splitlines():
            fenced = len(pieces) % 2 == 0
            if FENCE.match(line):
                pieces[-1] += [line] if fenced else []
                pieces.append([] if fenced else [line])
            else:
                if not fenced and ITEM.match(line) and before.strip() and \
                        not ITEM.match(before) and not before.startswith((" ", "#")):
                    pieces[-1].append("")
                pieces[-1].append(line)
            before = line
        for number in range(0, len(pieces), 2):
            prose = LINK.sub(lambda found: self.link(path, found), "\n".join(pieces[number]))
            pieces[number] = prose.split("\n") if prose or pieces[number] else []
        return "\n".join(line for piece in pieces for line in piece) + "\n"

    def link(self, path, found):
        """A link of a page; what it leads to is gathered."""
        text, where, anchor, end = found[1], found[2], found[3] or "", found[4]
        if "://" in where or where.startswith("mailto:"):
            return found[0]
        target = (path.parent / where).resolve()
        self.add(target)
        if target.is_dir():
            where = where.rstrip("/") + ("/README.md" if (target / "README.md").exists() else "/index.md")
        return text + where + anchor + end


def notebook_page(path):
    """A notebook as a page: cells, and what they printed."""
    parts = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(text)
            continue
        parts.append(f"```python\n{text}\n```")
        for output in cell["outputs"]:
            shown = "".join(output.get("text") or output.get("data", {}).get("text/plain", ""))
            parts.append(f"```text\n{shown.rstrip()}\n```")
    return "\n\n".join(parts) + "\n"


def navigation(source):
    """The sections of docs/README.md with their links, as (title, [(label, page)])."""
    sections = []
    text = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        title, body = section.split("\n", 1)
        pages = []
        for label, where in re.findall(r"\[([^\]]+)\]\(([^()\s#]+)\)", body):
            path = os.path.normpath(os.path.join("docs", where))
            if not path.endswith(".md") or not (source / path).exists() or path == "README.md":
                continue
            label = " ".join(label.replace("`", "").split())
            if path.startswith("docs/how-to/"):  # "from PySCF" says little without its table
                label = (source / path).read_text(encoding="utf-8").splitlines()[0].lstrip("# ")
            pages.append((label[0].upper() + label[1:], path))
        sections.append((title.strip(), pages))
    tutorials = dict(sections)["Tutorial"]
    for path in sorted((source / "docs" / "notebooks").glob("*.md")):
        if path.stem != "index":
            title = path.read_text(encoding="utf-8").splitlines()[0].lstrip("# ")
            tutorials.append((title, path.relative_to(source).as_posix()))
    listed = {page for _, pages in sections for _, page in pages} | {"docs/README.md"}
    reference = dict(sections)["Reference"]
    for path in sorted((source / "docs").rglob("*.md")):
        page = path.relative_to(source).as_posix()
        if page not in listed and not page.startswith("docs/notebook/"):
            title = path.read_text(encoding="utf-8").splitlines()[0].lstrip("# ")
            reference.append((title, page))
    reference += [("Python interface", "api/python.md"), ("C++ interface", "api/cpp.md")]
    return sections


def main():
    """Does it."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1]).resolve()
    source = folder / "source"
    shutil.rmtree(source, ignore_errors=True)
    site = Site(source)
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        site.add(page)
    (source / "docs" / "notebooks").mkdir(exist_ok=True)
    for path in (ROOT / "docs" / "notebooks").glob("*.ipynb"):
        (source / "docs" / "notebooks" / f"{path.stem}.md").write_text(notebook_page(path), encoding="utf-8")
    (source / "api").mkdir()
    (source / "api" / "python.md").write_text(PYTHON, encoding="utf-8")
    (source / "api" / "cpp.md").write_text(
        "# C++\n\nThe guide with examples: [the library](../docs/library.md).\n\n"
        "[Reference of the public headers](cpp/index.html), by Doxygen.\n", encoding="utf-8")
    lines = [f"INHERIT: {os.path.relpath(ROOT / 'mkdocs.yml', folder)}", "docs_dir: source",
             "site_dir: site", "nav:", "  - Home: README.md", "  - Documents: docs/README.md"]
    for title, pages in navigation(source):
        lines.append(f"  - \"{title}\":")
        lines += [f"      - \"{label}\": {page}" for label, page in pages]
    (folder / "mkdocs.yml").write_text("\n".join(lines) + "\n", encoding="utf-8")


main()
