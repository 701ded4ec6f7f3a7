"""The stubs name what the module has, with the arguments that it takes."""
# Promise of python_stubs, python_types, python_wheel, python_page: Stubs, wheel and page match the
#   Python module.

import ast
import inspect
import os
import re
import unittest

import simdbloom


def stub_names():
    """{"Filter.insert": ["keys", "hashed"], ...}; properties and attributes have None."""
    path = os.path.join(os.path.dirname(simdbloom.__file__), "__init__.pyi")
    with open(path, encoding="utf-8") as f:
        tree = ast.parse(f.read())
    classes = {n.name: n for n in tree.body if isinstance(n, ast.ClassDef)}
    names = {}

    def arguments(function):
        decorators = [ast.unparse(d) for d in function.decorator_list]
        if "property" in decorators:
            return None
        a = function.args
        every = [x.arg for x in a.posonlyargs + a.args + a.kwonlyargs]
        return [x for x in every if x != "self"]

    def members(prefix, body):
        for node in body:
            if isinstance(node, ast.FunctionDef):
                names[prefix + node.name] = arguments(node)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                names[prefix + node.target.id] = None

    members("", tree.body)
    for name, node in classes.items():
        if name.startswith("_"):
            continue
        names[name] = None
        for base in node.bases:
            if isinstance(base, ast.Name) and base.id in classes:
                members(name + ".", classes[base.id].body)
        members(name + ".", node.body)
    # Types alone.
    for alias in ("Key", "Keys", "Buffer", "Path", "Isa", "Hashing", "KeyKind", "LoadError.fault"):
        names.pop(alias)
    return names


def module_names():
    names = {}
    for name in simdbloom.__all__:
        thing = getattr(simdbloom, name)
        names[name] = thing
        if inspect.isclass(thing) and not issubclass(thing, Exception):
            for member in vars(thing):
                if not member.startswith("_") or member in (
                        "__contains__", "__or__", "__and__", "__ior__", "__iand__", "__copy__",
                        "__deepcopy__", "__init__", "__reduce__", "__getitem__", "__len__",
                        "__arrow_c_array__"):
                    names[f"{name}.{member}"] = getattr(thing, member)
    return names


class Stubs(unittest.TestCase):
    def test_name_what_there_is(self):
        stubs, module = stub_names(), module_names()
        made_by_others = {"Choice.__init__", "Advice.__init__", "JoinFilter.__init__",
                          "ArrowColumn.__init__", "FilterTimes.__init__"}
        self.assertEqual(set(stubs), set(module) - made_by_others)

    def test_have_the_arguments(self):
        module, compared = module_names(), 0
        for name, wanted in stub_names().items():
            doc = getattr(module[name], "__doc__", None) or ""
            signature = re.match(r"\w+\((.*)\) -> ", doc)
            if wanted is None or signature is None or name.rsplit(".", 1)[-1].startswith("__"):
                continue
            given = re.findall(r"(?:^|, )(\w+): ", signature[1])
            self.assertEqual([a for a in given if a not in ("self", "arg0")], wanted, name)
            compared += 1
        self.assertGreater(compared, 30)

    def test_say_what_each_call_does(self):
        for name, thing in module_names().items():
            last = name.rsplit(".", 1)[-1]
            if callable(thing) and not inspect.isclass(thing) and not last.startswith("_"):
                said = thing.__doc__.split("\n", 1)[1].strip()  # behind the signature
                self.assertRegex(said, r"^[A-Z(\'].{20,}", name)
