"""Small faults of a C++ source, made from its syntax for scripts/mutate --changed."""
import dataclasses
import difflib
import re

import mutant_syntax as syntax

RELATIONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&"}
SIGNS = {"+": "-", "-": "+", "+=": "-=", "-=": "+="}
RATIOS = {"*": "/", "/": "*"}
BOUNDS = {"min": "max", "max": "min"}
SAME_EITHER_WAY = {"min", "max", "swap", "hypot", "lcm", "gcd"}
SYMMETRISING = re.compile(r"symmetri|transpos|mirror|hermit", re.IGNORECASE)
NO_BODY = re.compile(r"\b(consteval|constexpr|constinit)\b")


@dataclasses.dataclass
class Mutant:
    """Replacement of a piece of a file, from start to end in bytes."""
    file: str
    line: int
    kind: str
    start: int
    end: int
    new: bytes
    form: str  # expression or statement: selectable at run time; early: inserted; text: not selectable
    probes: list = dataclasses.field(default_factory=list)  # places that record that they are executed
    number: int = 0

    def fault(self, source):
        return source[:self.start] + self.new + source[self.end:]

    def difference(self, source):
        """The lines that change, as - and +."""
        old, new = (text.decode(errors="replace").splitlines() for text in (source, self.fault(source)))
        return [line for line in difflib.unified_diff(old, new, lineterm="", n=0)
                if line[:1] in "-+" and line[:3] not in ("---", "+++")]


class Finder:
    """The mutants of one file whose lines are among the chosen ones."""

    def __init__(self, file, source, tree, lines):
        self.file, self.source, self.tree, self.lines = file, source, tree, lines
        self.line_starts = [0] + [i + 1 for i, byte in enumerate(source) if byte == 10]
        self.found = []

    def mutants(self):
        bodies = []
        for node in self.tree.walk():
            if node.end <= node.start or self.tree.is_in_macro(node.start, node.end):
                continue
            if body := self._body(node):
                bodies.append((node, body))
            if self._line(node.start) in self.lines or self._line(node.end) in self.lines:
                self._look_at(node)
        for function, body in bodies:
            self._return_early(function, body)
        for mutant in self.found:
            if mutant.form == "text":
                mutant.probes = self._probes(mutant, [body for _, body in bodies])
        unique = {(m.start, m.end, m.new): m for m in self.found}
        return sorted(unique.values(), key=lambda m: (m.start, m.end, m.new))

    def _line(self, offset):
        low, high = 0, len(self.line_starts)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.line_starts[middle] <= offset else (low, middle)
        return low + 1

    def _text(self, start, end):
        return self.source[start:end]

    def _add(self, kind, node, start, end, new, form="expression"):
        if self._line(start) not in self.lines or self.tree.is_in_macro(start, end):
            return
        if form == "expression" and not self._is_run_time(node):
            form = "text"
        self.found.append(Mutant(self.file, self._line(start), kind, start, end, new, form))

    def _is_run_time(self, node):
        """Whether another value can be selected there at run time."""
        inner = node
        for outer in node.ancestors():
            if outer.kind == syntax.CASE and inner is outer.children[0]:
                return False
            if outer.kind == syntax.FOR and inner is not outer.children[-1] and self._is_parallel(outer):
                return False
            if outer.kind == syntax.VARIABLE and NO_BODY.search(self._head(outer)):
                return False
            if outer.kind == syntax.IF and re.match(rb"if\s+constexpr", self._text(outer.start, outer.end)):
                if inner is outer.children[0]:
                    return False
            if outer.kind in syntax.FUNCTIONS or outer.kind == syntax.LAMBDA:
                return inner.kind == syntax.COMPOUND or outer.kind == syntax.CONSTRUCTOR
            inner = outer
        return False

    def _head(self, declaration):
        """The text before the name of a declaration, including words before its own extent."""
        line = self.line_starts[self._line(declaration.start) - 1]
        return self._text(line, max(declaration.place, declaration.start)).decode(errors="replace")

    def _is_parallel(self, loop):
        before = self._text(0, loop.start).rstrip().rpartition(b"\n")[2]
        return before.lstrip().startswith(b"#pragma")

    def _body(self, node):
        if node.kind not in syntax.FUNCTIONS and node.kind != syntax.LAMBDA:
            return None
        last = node.children[-1] if node.children else None
        is_body = last is not None and last.kind == syntax.COMPOUND and self._text(last.start, last.start + 1) == b"{"
        return last if is_body and "consteval" not in self._head(node) else None

    def _probes(self, mutant, bodies):
        around = [body for body in bodies if body.start < mutant.start and mutant.end <= body.end]
        chosen = [max(around, key=lambda body: body.start)] if around else bodies
        return [body.start + 1 for body in chosen]

    def _look_at(self, node):
        if node.kind in (syntax.BINARY, syntax.ASSIGNMENT):
            self._flip(node)
        elif node.kind == syntax.UNARY and node.operator in ("-", "!"):
            self._drop_operator(node)
        elif node.kind in (syntax.INTEGER, syntax.FLOATING, syntax.BOOLEAN):
            self._change_constant(node)
        elif node.kind == syntax.CALL:
            self._flip_call(node)
            self._swap_arguments(node)
            self._drop_symmetrisation(node)
        if node.kind in (syntax.IF, syntax.WHILE):
            self._negate(node)
        if node.kind == syntax.RETURN and node.children:
            self._return_another(node)
        if node.kind == syntax.VARIABLE:
            self._begin_beside(node)
        self._drop(node)

    def _flip(self, node):
        if len(node.children) != 2 or node.operator is None:
            return
        left, right = node.children
        place = self._text(left.end, right.start).find(node.operator.encode())
        if place < 0 or left.end > right.start:
            return
        at = left.end + place
        new = {**RELATIONS, **SIGNS}.get(node.operator)
        kinds = {left.type.kind, right.type.kind}
        numbers = syntax.INTEGERS | syntax.FLOATS | {syntax.DEPENDENT}
        if node.operator in SIGNS and not kinds <= numbers:
            return
        if node.operator in RATIOS and not kinds & syntax.FLOATS:
            return
        if node.operator in ("==", "!=") and not node.type.kind == syntax.BOOL:
            return
        kind = "relation" if node.operator in RELATIONS else "sign"
        if node.operator in RATIOS:
            new, kind = RATIOS[node.operator], "ratio"
        if new is None:
            return
        mutated = self._text(node.start, at) + new.encode() + self._text(at + len(node.operator), node.end)
        if new == "||":
            mutated = b"(" + mutated + b")"
        self._add(kind, node, node.start, node.end, mutated)
        if node.operator == "+" and self._are_mirrored(left, right):
            twice = self._text(node.start, right.start) + self._text(left.start, left.end)
            self._add("symmetrisation", node, node.start, node.end, twice)

    def _drop_operator(self, node):
        text = self._text(node.start, node.end)
        if text.startswith(b"!="):  # C++20 rewrites it as !(a == b)
            whole = next((o for o in node.ancestors() if o.start < node.start and o.end >= node.end), None)
            if whole is not None and whole.kind == 100:
                new = self._text(whole.start, node.start) + b"==" + self._text(node.start + 2, whole.end)
                self._add("relation", whole, whole.start, whole.end, new)
        elif text.startswith(node.operator.encode()) and not self._is_in_type(node):
            kind = "sign" if node.operator == "-" else "relation"
            self._add(kind, node, node.start, node.end, text[1:])

    def _flip_call(self, node):
        """Mutates a comparison by an operator of a class."""
        operator = node.name.removeprefix("operator")
        if operator not in ("<", "<=", ">", ">=", "==", "!=") or operator == node.name or len(node.children) < 2:
            return
        left, right = node.children[0], node.children[-1]
        at = self._text(left.end, right.start).find(operator.encode())
        if at >= 0 and node.type.kind == syntax.BOOL:
            at += left.end
            new = self._text(node.start, at) + RELATIONS[operator].encode() + \
                self._text(at + len(operator), node.end)
            self._add("relation", node, node.start, node.end, new)

    def _are_mirrored(self, left, right):
        """Whether both differ by two exchanged words, such as a(i, j) and a(j, i)."""
        words = [re.findall(rb"\w+|[^\w\s]", self._text(node.start, node.end)) for node in (left, right)]
        if len(words[0]) != len(words[1]):
            return False
        pairs = {pair for pair in zip(*words) if pair[0] != pair[1]}
        return len(pairs) == 2 and all((b, a) in pairs for a, b in pairs)

    def _is_in_type(self, node):
        """Whether a literal is a size in a type or a template argument."""
        for outer in node.ancestors():
            if outer.kind in syntax.NAMED or outer.kind in syntax.TYPE_USES or outer.kind == syntax.VARIABLE and (
                    112 <= outer.type.kind <= 115 and not self._text(outer.place, node.start).count(b"{")
                    and b"=" not in self._text(outer.place, node.start)):
                return True
            if outer.kind in syntax.FUNCTIONS or outer.kind in (syntax.LAMBDA, syntax.COMPOUND):
                return False
        return False

    def _change_constant(self, node):
        text = self._text(node.start, node.end)
        if self._is_in_type(node) or not re.match(rb"[\w.+']", text):
            return
        if node.kind == syntax.BOOLEAN:
            new = {b"true": b"false", b"false": b"true"}.get(text)
        elif node.kind == syntax.INTEGER:
            new = self._next_integer(text)
        else:
            new = b"1.0" if re.fullmatch(rb"0*\.?0*", text) else b"(2 * " + text + b")"
        if new is not None:
            self._add("constant", node, node.start, node.end, new)

    @staticmethod
    def _next_integer(text):
        parts = re.fullmatch(rb"(0[xX][0-9a-fA-F']+|[0-9][0-9']*)([uUlLzZ]*)", text)
        if not parts or re.match(rb"0[0-7bB]", text):
            return None
        number = int(parts[1].replace(b"'", b""), 0)
        return str(number + 1).encode() + parts[2]

    def _swap_arguments(self, node):
        if node.name.startswith("operator") or node.name in SAME_EITHER_WAY:
            self._swap_bounds(node)
            return
        form = "text" if any(node.start == outer.place and outer.kind == syntax.VARIABLE
                             for outer in [node.parent] if outer) else "expression"
        if node.parent is not None and node.parent.kind in (syntax.CONSTRUCTOR, 100) and form == "expression":
            outer = next((o for o in node.ancestors() if o.kind != 100), None)
            if outer is not None and (outer.kind == syntax.CONSTRUCTOR or (
                    outer.kind == syntax.VARIABLE and outer.place == node.start)):
                form = "text"
        for first, second in zip(node.arguments, node.arguments[1:]):
            texts = self._text(*first[:2]), self._text(*second[:2])
            in_order = node.start <= first[0] < first[1] <= second[0] < second[1] <= node.end
            if not in_order or first[2] != second[2] or texts[0] == texts[1]:
                continue
            new = (self._text(node.start, first[0]) + texts[1] + self._text(first[1], second[0]) + texts[0]
                   + self._text(second[1], node.end))
            self._add("arguments", node, node.start, node.end, new, form)

    def _swap_bounds(self, node):
        called = self._text(node.start, node.end)
        head = re.match(rb"(?:std::)?(?:ranges::)?(min|max)\b", called)
        if head:
            new = BOUNDS[head[1].decode()].encode()
            self._add("relation", node, node.start, node.end, called[:head.start(1)] + new + called[head.end(1):])

    def _drop_symmetrisation(self, node):
        """Replaces x = symmetrised(x) by its argument."""
        if len(node.children) == 2 and SYMMETRISING.search(node.name):
            argument = node.children[1]
            text = self._text(argument.start, argument.end)
            if argument.end <= node.end and text:
                self._add("symmetrisation", node, node.start, node.end, text)

    def _negate(self, node):
        condition = node.children[0]
        text = self._text(condition.start, condition.end)
        is_plain = condition.type.kind == syntax.BOOL and condition.kind not in (syntax.VARIABLE, syntax.BINARY)
        if is_plain and not text.startswith(b"!"):
            self._add("relation", condition, condition.start, condition.end, b"!(" + text + b")")

    def _return_another(self, node):
        value = node.children[0]
        text = self._text(value.start, value.end)
        if value.type.kind in syntax.INTEGERS and not re.fullmatch(rb"[\w:']+", text):
            self._add("off by one", value, value.start, value.end, b"(" + text + b") + 1")
        elif value.type.kind == syntax.BOOL and value.kind not in (syntax.BINARY, syntax.BOOLEAN):
            self._add("relation", value, value.start, value.end, b"!(" + text + b")")

    def _begin_beside(self, node):
        """Increments the value in Index x = value."""
        value = node.children[-1] if node.children else None
        if value is None or node.type.kind not in syntax.INTEGERS or value.type.kind not in syntax.INTEGERS:
            return
        text = self._text(value.start, value.end)
        inner = next((n for n in value.walk() if n.kind not in (100,)), value)
        if inner.kind in (syntax.INTEGER, syntax.INIT_LIST, 128) or value.start <= node.place or b":" == text:
            return
        if re.search(rb"=\s*$", self._text(node.place, value.start)):
            self._add("off by one", value, value.start, value.end, b"(" + text + b") + 1")

    def _drop(self, node):
        parent = node.parent
        if parent is None or not self._is_statement(node, parent):
            return
        end = self.source.find(b";", node.end)
        if end < 0 or self._text(node.end, end).strip():
            return
        self._add("statement", node, node.start, end + 1, b";", "statement")

    def _is_statement(self, node, parent):
        inner = node
        while inner.kind == 100 and len(inner.children) == 1 and inner.children[0].start == inner.start:
            inner = inner.children[0]
        dropped = {syntax.CALL, syntax.ASSIGNMENT, syntax.THROW, syntax.BREAK, syntax.CONTINUE, syntax.UNARY}
        if inner.kind not in dropped and not (inner.kind == syntax.BINARY and inner.operator == "="):
            if not (inner.kind == 100 and self._text(inner.end, inner.end + 1) == b";"):
                return False
        if self._text(node.start, node.end).startswith(b"#"):
            return False
        if parent.kind == syntax.COMPOUND:
            return True
        if parent.kind in (syntax.FOR, syntax.WHILE, syntax.RANGE_FOR):
            return node is parent.children[-1] and self._text(node.end, node.end + 1) == b";"
        return parent.kind == syntax.IF and node is not parent.children[0] and \
            self._text(node.end, node.end + 1) == b";"

    def _return_early(self, function, body):
        first = self._line(body.start)
        begins = {first} | {self._line(child.start) for child in body.children[:1]}
        if not begins & self.lines or not body.children:
            return
        is_void = function.result.kind == 2
        known = function.result.kind in syntax.INTEGERS | syntax.FLOATS | {syntax.BOOL, 101}
        if function.kind == syntax.LAMBDA or not (is_void or known or function.result.kind == 105):
            return
        if function.kind not in (8, 21, 30):
            return
        if body.children[0].kind == syntax.RETURN and not known:
            return
        word = b" return;" if is_void else b" return {};"
        line = first if first in self.lines else self._line(body.children[0].start)
        self.found.append(Mutant(self.file, line, "early return", body.start + 1, body.start + 1, word, "early"))
