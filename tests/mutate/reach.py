"""Which tests a change of a public header can reach, besides those linked with a changed object.

Nearly every test includes all headers. One that names nothing that the changed header, or a header
that includes it, declares is not compiled anew."""

import re
from functools import cache

UMBRELLA = "include/simdbloom/simdbloom.hpp"
DECLARES = re.compile(r"^ *(?:class|struct|enum class|enum|using|concept|#define) (\w+)"
                      r"|^(?!return|throw|using|namespace)[A-Za-z][^=;#/]*?\b(\w+)\(", re.M)


class Headers:
    def __init__(self, root):
        self.root = root
        self.text = {p.relative_to(root).as_posix(): p.read_text()
                     for p in sorted((root / "include").rglob("*.h*"))}

    @cache
    def names(self, header):
        """What a test can name of the header: a pattern."""
        found, todo = set(), [header]
        while todo:
            here = todo.pop()
            if here in found:
                continue
            found.add(here)
            line = f'#include "{here.removeprefix("include/")}"'
            todo += [h for h, text in self.text.items() if line in text and h != UMBRELLA]
        names = {name for h in found for match in DECLARES.findall(self.text[h]) for name in match}
        return re.compile(r"\b(" + "|".join(sorted(names - {"", "simdbloom", "detail"})) + r")\b")

    def concerns(self, header, files):
        """Whether one of these files of a test names something of the header."""
        if header not in self.text:
            return True
        text = (re.sub(r"//.*|#include.*", "", (self.root / f).read_text()) for f in files)
        return any(self.names(header).search(t) for t in text)
