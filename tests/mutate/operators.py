"""Which places of a C++ file can be changed, and how. Works on tokens: no mutant lies in a comment,
a string, an #include or any other line of the preprocessor, a static_assert, a template head, or
the building of an error message."""

import bisect
import hashlib
import re
from dataclasses import dataclass

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
    |(?P<pre>^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*)
    |(?P<string>"(?:[^"\\\n]|\\.)*")
    |(?P<char>'(?:[^'\\\n]|\\.)+')
    |(?P<number>(?:0[xX][0-9a-fA-F']+|\d[\d']*(?:\.\d+)?(?:[eE][-+]?\d+)?)[uUlLfF]*)
    |(?P<word>[A-Za-z_]\w*)
    |(?P<op><<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|::|\.\.\.
        |[-+*/%&|^~!<>=?:;,.(){}\[\]])
    |(?P<space>\s+)|(?P<other>.)""",
    re.X | re.S | re.M)

# Binary operators, with spaces on both sides as the style has it (so never a template, a pointer or
# a reference).
REPLACE = {
    "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["*"],
    "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"],
    "==": ["!="], "!=": ["=="], "&&": ["||"], "||": ["&&"],
    "&": ["|"], "|": ["&", "^"], "^": ["|", "&"], "<<": [">>"], ">>": ["<<"],
    "|=": ["=", "+="], "&=": ["=", "|="], "^=": ["=", "|="],
    "+=": ["-=", "="], "-=": ["+=", "="], "*=": ["/=", "="],
    "<<=": [">>="], ">>=": ["<<="]}

DECLARES = re.compile(
    r"(const )?[\w:]+(<.*>)? ?[&*]* \*?\w+( = .*|\[\w*\])?$|(const )?[\w:]+(<.*>)?[&*]+$|.*&&"
    r"|std::(size_t|uint\w+)$", re.S)

# Calls that mean the same with their arguments exchanged.
SYMMETRIC = re.compile(
    r"swap|min|max|mul32|xor3|hypot|_mm512_ternarylogic_epi64"
    r"|_mm\d*_(and|or|add|mul|mullo|cmpeq|testn?)_\w+")

NOT_A_STATEMENT = {
    "return", "using", "typedef", "struct", "class", "enum", "template", "static_assert", "static",
    "const", "constexpr", "auto", "case", "default", "if", "for", "while", "do", "else", "switch",
    "throw", "try", "catch", "public", "private", "protected", "friend", "namespace", "alignas",
    "inline", "extern", "explicit", "operator", "unsigned", "int", "bool", "double", "char", "void",
    "asm", "goto"}

# What stands in the parentheses after these stays as it is, and so does the statement of these.
SKIPPED_CALLS = {"static_assert", "requires", "noexcept", "sizeof", "alignas", "asm",
                 "__attribute__", "fault"}
SKIPPED_STATEMENTS = {"throw", "reject", "cannot_save", "file_fault", "too_many_blocks", "using"}


@dataclass(frozen=True)
class Mutant:
    file: str
    start: int
    end: int
    new: str
    operator: str
    line_number: int
    line: str       # its text, stripped
    column: int     # in the stripped line
    old: str
    occurrence: int  # of the same line in the file: a mutant is named by texts, not by line numbers

    @property
    def id(self):
        named = (self.file, self.line, self.occurrence, self.column, self.old, self.new)
        return hashlib.sha1("|".join(map(str, named)).encode()).hexdigest()[:10]

    @property
    def mutation(self):
        short = lambda text: " ".join(text.split())
        return f"{self.operator}: `{short(self.old)}` -> `{short(self.new) or '(nothing)'}`"

    def apply(self, text):
        return text[:self.start] + self.new + text[self.end:]


class File:
    def __init__(self, name, text):
        self.name, self.text = name, text
        self.tokens = [m for m in TOKEN.finditer(text)
                       if m.lastgroup not in ("space", "comment", "pre")]
        self.kind = [m.lastgroup for m in self.tokens]
        self.t = [m.group() for m in self.tokens]
        self.pair, self.inside = self.pairs()
        self.skipped = self.skip()

    def pairs(self):
        """Of every opening bracket its partner, and of every token the bracket it stands in (""
        outside all)."""
        pair, stack, inside = {}, [], []
        for i, t in enumerate(self.t):
            inside.append(self.t[stack[-1]] if stack else "")
            if t in "([{" and self.kind[i] == "op":
                stack.append(i)
            elif t in ")]}" and self.kind[i] == "op" and stack:
                pair[stack.pop()] = i
        return pair, inside

    def statement_end(self, i):
        """The index of the ';' of the statement that token i begins, or None."""
        while i < len(self.t):
            if self.t[i] == ";":
                return i
            if self.t[i] == "}" and self.kind[i] == "op":
                return None
            i = self.pair.get(i, i) + 1
        return None

    def skip(self):
        """Tokens that no mutant may touch."""
        skipped = set()
        for i, t in enumerate(self.t):
            end = None
            if t in SKIPPED_CALLS and self.t[i + 1:i + 2] == ["("]:
                end = self.pair.get(i + 1)
            elif t == "template" and self.t[i + 1:i + 2] == ["<"]:
                depth, end = 0, i + 1
                while True:
                    depth += {"<": 1, ">": -1, ">>": -2}.get(self.t[end], 0)
                    if depth <= 0:
                        break
                    end += 1
            elif t in SKIPPED_STATEMENTS and self.kind[i] == "word":
                end = self.statement_end(i)
            elif t == "operator":
                end = i + 2
            elif t == "[" and self.t[i + 1:i + 2] == ["["]:
                end = self.pair.get(i)
            if end is not None:
                skipped.update(range(i, end + 1))
        return skipped

    def spaced(self, i):
        a, b = self.tokens[i].span()
        return self.text[a - 1:a].isspace() and self.text[b:b + 1].isspace()

    def arguments(self, opening):
        """The spans of text of the arguments between a parenthesis and its partner."""
        close, spans, start, i = self.pair[opening], [], opening + 1, opening + 1
        while i <= close:
            if self.t[i] == "," or i == close:
                if start < i:
                    spans.append((self.tokens[start].start(), self.tokens[i - 1].end()))
                start = i + 1
                i += 1
            else:
                i = self.pair.get(i, i) + 1
        return spans

    def sites(self):
        """(start, end, new text, operator) of every change that can be made."""
        for i, t in enumerate(self.t):
            if i in self.skipped:
                continue
            a, b = self.tokens[i].span()
            kind, before = self.kind[i], self.t[i - 1] if i else ""
            after = self.t[i + 1] if i + 1 < len(self.t) else ""
            near_text = ("string" in self.kind[max(i - 1, 0):i + 2]
                         or {before, after} & {"to_string", "string"}
                         or self.t[i + 1:i + 4] == ["std", "::", "to_string"])
            if kind == "op" and t in REPLACE and self.spaced(i) and not (t == "+" and near_text):
                for new in REPLACE[t]:
                    yield a, b, new, "operator"
            elif t in ("++", "--"):
                yield a, b, "--" if t == "++" else "++", "operator"
            elif t == "~" and before not in ("", ";", "{", "}", ":", "::"):  # no destructor
                yield a, b, "", "operator"
            elif t == "!" and after != "=":
                yield a, b, "", "condition"
            elif kind == "number":
                yield from self.number(a, b, t)
            elif t in ("true", "false") and before != "operator":
                yield a, b, "false" if t == "true" else "true", "constant"
            elif t in ("if", "while") and after == "(":
                a, b = self.tokens[i + 1].end(), self.tokens[self.pair[i + 1]].start()
                inside = self.text[a:b]
                if ";" in inside:
                    a += inside.rindex(";") + 1
                    inside = self.text[a:b].lstrip()
                    a = b - len(inside)
                # One comparison alone: its operator is replaced by the opposite anyway.
                comparisons = re.findall(r" ([=!<>]=|[<>]|&&|\|\|) ", inside)
                if not inside.startswith("!") and len(comparisons) != 1:
                    yield a, b, f"!({inside})", "condition"
            elif t == "?" and self.kind[i] == "op":
                yield from self.ternary(i)
            elif t == "return" and after != ";":
                end = self.statement_end(i)
                if end is not None and self.t[i + 1] not in ("{", "*", "work"):
                    a, b = self.tokens[i].end() + 1, self.tokens[end].start()
                    value = self.text[a:b]
                    if re.search(r"[=!<>]= | [<>] |&&|\|\|", value):
                        yield a, b, f"!({value})", "return"
                    elif value not in ("true", "false") and self.kind[i + 1] != "number":
                        yield a, b, f"({value}) + 1", "return"
            if (t == "(" and kind == "op" and i and self.kind[i - 1] == "word"
                    and before not in ("if", "for", "while", "switch", "return")):
                spans = self.arguments(i)
                for (c, d), (e, f) in zip(spans, spans[1:]):
                    one, two = self.text[c:d], self.text[e:f]
                    if (one != two and not SYMMETRIC.fullmatch(before) and not DECLARES.match(one)
                            and not DECLARES.match(two)):
                        yield c, f, two + self.text[d:e] + one, "arguments"
            yield from self.deletion(i)

    @staticmethod
    def number(a, b, t):
        body = t.rstrip("uUlL") if t.lower().startswith("0x") else t.rstrip("uUlLfF")
        suffix = t[len(body):]
        digits = body.replace("'", "")
        if re.fullmatch(r"\d+", digits) or digits.lower().startswith("0x"):
            hexadecimal = digits.lower().startswith("0x")
            value, written = int(digits, 16 if hexadecimal else 10), hex if hexadecimal else str
            yield a, b, written(value + 1) + suffix, "constant"
            if value > 0:
                yield a, b, written(value - 1) + suffix, "constant"
        else:
            for factor in (1.1, 0.9):
                yield a, b, repr(float(digits) * factor) + suffix, "constant"

    def ternary(self, i):
        """The two values of a conditional exchanged, where both end before the first ',', ')' or
        ';'."""
        depth, colon, j = 0, None, i + 1
        while j < len(self.t):
            t = self.t[j]
            if t == "?":
                depth += 1
            elif t == ":":
                if depth == 0 and colon is None:
                    colon = j
                else:
                    depth -= 1
            elif t in (",", ")", ";", "}", "]") and self.kind[j] == "op":
                break
            j = self.pair.get(j, j) + 1
        if colon is None:
            return
        a, b = self.tokens[i + 1].start(), self.tokens[colon - 1].end()
        c, d = self.tokens[colon + 1].start(), self.tokens[j - 1].end()
        yield a, d, f"({self.text[c:d]}) : ({self.text[a:b]})", "condition"

    def deletion(self, i):
        """Token i begins an expression statement: it can go."""
        before = self.t[i - 1] if i else ""
        if (before not in (";", "{", "}", ")", "else", ":") or self.inside[i] != "{"
                or self.t[i] in NOT_A_STATEMENT):
            return
        if before == ")" and not self.heads_statement(i - 1):
            return
        if self.kind[i] != "word" and self.t[i] not in ("++", "--", "*", "(", "::"):
            return
        end = self.statement_end(i)
        if end is None:
            return
        text = self.text[self.tokens[i].start():self.tokens[end].start()]
        declares = r"(typename |std::)?[\w:]+(<[^()]*>)?[ &*]+\w+ *(=(?!=)|\{|\(|\[|$|,)"
        if re.match(declares, text):
            return
        if re.search(r"\w\(|=|\+\+|--|^break$|^continue$", text):
            yield self.tokens[i].start(), self.tokens[end].end(), ";", "deletion"

    def heads_statement(self, closing):
        opening = next((o for o, c in self.pair.items() if c == closing), None)
        return opening is not None and self.t[opening - 1] in ("if", "for", "while", "constexpr")

    def mutants(self):
        lines, offsets = self.text.split("\n"), [0]
        for line in lines:
            offsets.append(offsets[-1] + len(line) + 1)
        seen, occurrence = {}, []
        for line in lines:
            key = line.strip()
            occurrence.append(seen.get(key, 0))
            seen[key] = occurrence[-1] + 1
        unique = set()
        for start, end, new, operator in self.sites():
            if (start, end, new) in unique or self.text[start:end] == new:
                continue
            unique.add((start, end, new))
            number = bisect.bisect_right(offsets, start) - 1
            line = lines[number]
            column = start - offsets[number] - (len(line) - len(line.lstrip()))
            yield Mutant(self.name, start, end, new, operator, number + 1, line.strip(), column,
                         self.text[start:end], occurrence[number])
