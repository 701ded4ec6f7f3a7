"""How a bug is written down, and how it is put in."""

import re


def bug(name, description, *changes, by=None):
    """`changes`: (file, text, other text), of texts that the file holds once. `by`: the test file
    and the tests that are asked first; any other may kill it too."""
    return {"name": name, "description": description, "changes": changes, "by": by}


def put_in(text, old, new):
    """`text` with `new` in place of `old`, and how often `old` was there. Where lines break, and
    how far they are indented, makes no difference."""
    tokens = re.findall(r"\w+|[^\w\s]", old)
    parts = [re.escape(token) for token in tokens]
    gaps = [r"\s+" if re.match(r"\w", b) and re.match(r"\w", a) else r"\s*"
            for a, b in zip(tokens, tokens[1:])]
    pattern = parts[0] + "".join(gap + part for gap, part in zip(gaps, parts[1:]))
    return re.subn(pattern, lambda _: new.strip(), text)
