"""Writing files whole, and the parts of pages that programs write: between the lines
`<!-- measured: NAME -->` and `<!-- end -->`, for example."""
import re
import sys
from pathlib import Path


def put(path, page, begin, end, text):
    """The page with the text between its markers; `path` is for what is said if they are not a
    pair."""
    begin, end = f"<!-- {begin} -->\n", f"<!-- {end} -->"
    head, _, rest = page.partition(begin)
    old, found, tail = rest.partition(end)
    if not found or "<!--" in old or begin in tail:
        sys.exit(f"{path} has not one {begin.strip()} with {end} behind it")
    return f"{head}{begin}\n{text}\n\n{end}{tail}"


def write_whole(path, text):
    """All or nothing, like the files of the measuring program; raises OSError and leaves no part
    behind."""
    part = Path(f"{path}.part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise


def part_for(text, page):
    """What of a printed text goes into the page: all of it, or what follows a line `=== PAGE`."""
    whole, *parts = re.split(r"^=== (\S+)\n", text, flags=re.M)
    return dict(zip(parts[::2], parts[1::2]))[Path(page).name].strip() if parts else whole


def main(name, printed):
    """markers.py NAME FILE: puts what an experiment printed into the page that has its markers."""
    root = Path(__file__).resolve().parents[2]
    text, pages = Path(printed).read_text(encoding="utf-8").strip(), []
    for folder in ("*.md", "papers/*.md", *(f"{f}/**/*.md"
                                            for f in ("bench", "include", "src", "tests"))):
        for path in sorted(root.glob(folder)):
            page = path.read_text(encoding="utf-8")
            if f"<!-- printed: {name} -->\n" in page:
                write_whole(path, put(path, page, f"printed: {name}", "end", part_for(text, path)))
                pages.append(str(path.relative_to(root)))
    if not pages:
        sys.exit(f"bench/experiment: no page has <!-- printed: {name} -->")
    print(f"{name}: written to {', '.join(pages)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
