"""Puts what an experiment printed into its page.

usage: write.py NAME FILE
"""
import glob
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "bench", "harness"))
from rows import write_whole  # noqa: E402


def main(name, printed):
    begin, end = f"<!-- printed: {name} -->\n", "<!-- end printed -->\n"
    with open(printed, encoding="utf-8") as f:
        text = f.read().strip()
    pages = []
    folders = ["", "papers"] + [f"{part}/**" for part in ("bench", "include", "src", "tests")]
    for path in sorted({path for folder in folders
                        for path in glob.glob(os.path.join(ROOT, folder, "*.md"), recursive=True)}):
        with open(path, encoding="utf-8") as f:
            page = f.read()
        if begin not in page:
            continue
        head, rest = page.split(begin, 1)
        if end not in rest:
            sys.exit(f"bench/experiment: {path}: <!-- printed: {name} --> has no "
                     "<!-- end printed -->")
        write_whole(path, head + begin + "\n" + text + "\n\n" + end + rest.split(end, 1)[1])
        pages.append(os.path.relpath(path, ROOT))
    if not pages:
        sys.exit(f"bench/experiment: no page has <!-- printed: {name} -->")
    print(f"{name}: written to {', '.join(pages)}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
