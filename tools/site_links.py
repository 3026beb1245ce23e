"""Puts the files outside of docs/ that pages link to into the site, as text: a hook of MkDocs (mkdocs.yml)."""
import posixpath
import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[1]
LINK = re.compile(r"(\]\()([^)\s#:]+)(#[^)\s]*)?\)")
FOLDER = "source"  # of the site


def outside(page, target):
    """The path of a link's file from the root of the repository; None where it is one of docs/."""
    path = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page), target))
    return None if path.startswith("docs/") or not (ROOT / path).is_file() else path


def on_files(files, config):
    for page in list(files.documentation_pages()):
        for _, target, _ in LINK.findall(page.content_string):
            path = outside(page.src_uri, target)
            place = f"{FOLDER}/{path}.txt"
            if path and files.get_file_from_path(place) is None:
                files.append(File.generated(config, place, content=(ROOT / path).read_bytes()))
    return files


def on_page_markdown(markdown, page, **_):
    here = posixpath.dirname(page.file.src_uri)

    def rewritten(link):
        path = outside(page.file.src_uri, link[2])
        return f"{link[1]}{posixpath.relpath(f'{FOLDER}/{path}.txt', here or '.')})" if path else link[0]

    return LINK.sub(rewritten, markdown)
