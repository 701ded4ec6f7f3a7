"""How a bug is written down."""


def bug(name, description, *changes, by=None):
    """`changes`: (file, text, other text), of texts that the file holds once. `by`: the test file and
    the tests that are asked first; any other may kill it too."""
    return {"name": name, "description": description, "changes": changes, "by": by}
