"""Writing files whole, and the parts of pages that programs write: between the lines
`<!-- measured: NAME -->` and `<!-- end -->`, for example."""
import glob
import os
import re
import sys


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
    try:
        with open(path + ".part", "w", encoding="utf-8") as f:
            f.write(text)
        os.replace(path + ".part", path)
    except OSError:
        try:
            os.remove(path + ".part")
        except OSError:
            pass
        raise


def part_for(text, page):
    """What of a printed text goes into the page: all of it, or what follows a line `=== PAGE`."""
    whole, *parts = re.split(r"^=== (\S+)\n", text, flags=re.M)
    return dict(zip(parts[::2], parts[1::2]))[os.path.basename(page)].strip() if parts else whole


def main(name, printed):
    """markers.py NAME FILE: puts what an experiment printed into the page that has its markers."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    with open(printed, encoding="utf-8") as f:
        text = f.read().strip()
    pages = []
    for folder in ("", "papers", "bench/**", "include/**", "src/**", "tests/**"):
        for path in sorted(glob.glob(os.path.join(root, folder, "*.md"), recursive=True)):
            with open(path, encoding="utf-8") as f:
                page = f.read()
            if f"<!-- printed: {name} -->\n" in page:
                write_whole(path, put(path, page, f"printed: {name}", "end",
                                      part_for(text, path)))
                pages.append(os.path.relpath(path, root))
    if not pages:
        sys.exit(f"bench/experiment: no page has <!-- printed: {name} -->")
    print(f"{name}: written to {', '.join(pages)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
