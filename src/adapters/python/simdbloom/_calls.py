"""Signatures and error messages, made from what pybind11 writes."""

import inspect
import re
import reprlib
from types import WrapperDescriptorType as _Slot


def _split(text):
    """The parameters of a signature: (name, type, default), each a text, '' for none."""
    parts, depth, quoted, begin = [], 0, "", 0
    for i, c in enumerate(text):
        if quoted:
            quoted = "" if c == quoted else quoted
        elif c in "'\"":
            quoted = c
        elif c in "[(":
            depth += 1
        elif c in "])":
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(text[begin:i])
            begin = i + 1
    parts.append(text[begin:])
    return [re.match(r"\s*([*/]*\w*)(?:: (.*?))?(?: = (.*))?$", part).groups("")
            for part in parts if part]


def _plain(parameters):
    return ", ".join(name + (f"={default}" if default else "") for name, _, default in parameters)


def doc_of(doc):
    """A docstring whose first line inspect.signature() reads."""
    found = re.match(r"(\w+)\((.*)\)(?: -> [^\n]*)?\n*", doc)
    if not found:
        return doc
    return f"{found[1]}({_plain(_split(found[2]))})\n--\n\n{doc[found.end():]}"


def _fault(name, kind, value):
    """What is wrong with a value for a parameter of that type: an exception or None."""
    import simdbloom
    text, types = f"{name}={reprlib.repr(value)} is ", kind.replace("typing.", "")
    if value is None and ("Optional" in types or "None" in types):
        return None
    ours = re.search(r"simdbloom\.(?:_simdbloom\.)?(\w+)", types)
    if ours and not isinstance(value, getattr(simdbloom, ours[1], object)):
        return TypeError(f"{text}not a {ours[1]}")
    if types == "Iterable" and not hasattr(value, "__iter__"):
        return TypeError(text + "not iterable")
    if types == "bool" and not hasattr(value, "__bool__"):
        return TypeError(text + "not a bool")
    if "int" in types.lower():
        if not hasattr(value, "__index__"):
            return TypeError(text + "not an integer")
        if value < 0:
            return ValueError(text + "below 0")
        return ValueError(text + "too large") if value >= 2**32 else None
    if "float" in types.lower() and not hasattr(value, "__float__"):
        return None if hasattr(value, "__index__") else TypeError(text + "not a number")
    for cls in (str, bytes):
        if re.search(rf"\b{cls.__name__}\b", types):
            return None if isinstance(value, cls) else TypeError(f"{text}not {cls.__name__}")
    return None


def explain(message, args, named):
    """The error of a call that pybind11 refused with that message; None: leave it as it is."""
    found = re.match(r"(\w+)\(\): incompatible (?:function|constructor) arguments\..*\n"
                     r"    1\. ([\w.]*)\((.*)\)(?: -> .*)?\n", message)
    if not found:
        return None
    name, parameters = found[1], _split(found[3])
    if name == "__init__":
        name, args = found[2].rsplit(".", 1)[-1], args[1:]
    elif parameters and parameters[0][0] == "self":
        name = parameters[0][1].rsplit(".", 1)[-1] + "." + name
    signature = inspect.signature(eval(f"lambda {_plain(parameters)}: None"))
    try:
        given = signature.bind(*args, **named).arguments
    except TypeError as error:
        return TypeError(f"simdbloom: {name}() {error}"
                         .replace("() missing", "() is missing")
                         .replace("() too many", "() got too many"))
    faults = [fault for parameter, kind, _ in parameters if parameter in given
              for fault in [_fault(parameter, kind, given[parameter])] if fault]
    # An integer that is merely large may be right.
    faults.sort(key=lambda fault: "too large" in str(fault))
    if not faults:
        return TypeError(f"simdbloom: {name}({_plain(parameters)}) does not take these arguments")
    return type(faults[0])(f"simdbloom: {name}(): {faults[0]}")


def explain_init(cls):
    """Gives a class without a constructor one that says what makes its objects."""
    if not isinstance(cls, type) or not isinstance(vars(cls).get("__init__"), _Slot):
        return
    makers = [name for name, member in vars(cls).items()
              if isinstance(member, (classmethod, staticmethod)) and name[0] != "_"]
    made_by = f"by {', '.join(makers)}" if makers else "by other calls alone"

    def __init__(self, *args, **named):
        raise TypeError(f"simdbloom: {cls.__name__} is made {made_by}")
    cls.__init__ = __init__
