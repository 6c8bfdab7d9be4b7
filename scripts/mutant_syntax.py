"""The syntax of C++ sources, by libclang: the basis of scripts/mutate --changed."""
import ctypes
import ctypes.util
import functools
import glob

from mutant_trees import Refused

# Numbers of clang-c/Index.h, which are fixed.
FUNCTIONS = {8, 21, 24, 25, 26, 30}  # of a class or not, constructors, destructors, conversions, templates
VARIABLE, CONSTRUCTOR, LAMBDA, INIT_LIST = 9, 24, 144, 119
NAMED = {101, 102}  # a use of a name; its children are its template arguments
CALL, UNARY, BINARY, ASSIGNMENT, CONDITIONAL = 103, 112, 114, 115, 116
INTEGER, FLOATING, BOOLEAN, THROW = 106, 107, 130, 133
CASE, COMPOUND, IF, WHILE, DO, FOR, RANGE_FOR = 203, 202, 205, 207, 208, 209, 225
CONTINUE, BREAK, RETURN = 212, 213, 214
TYPE_USES = {43, 45}
MACRO_EXPANSION = 502
BINARY_OPERATORS = {3: "*", 4: "/", 6: "+", 7: "-", 11: "<", 12: ">", 13: "<=", 14: ">=", 15: "==", 16: "!=",
                    20: "&&", 21: "||", 22: "=", 26: "+=", 27: "-="}
UNARY_OPERATORS = {1: "++", 2: "--", 3: "++", 4: "--", 8: "-", 10: "!"}
INTEGERS, FLOATS, BOOL, DEPENDENT = set(range(4, 21)), {21, 22, 23}, 3, 26
DETAILED_PREPROCESSING = 1


class _Cursor(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("xdata", ctypes.c_int), ("data", ctypes.c_void_p * 3)]


class _Type(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("data", ctypes.c_void_p * 2)]


class _Location(ctypes.Structure):
    _fields_ = [("pointers", ctypes.c_void_p * 2), ("number", ctypes.c_uint)]


class _Range(ctypes.Structure):
    _fields_ = [("pointers", ctypes.c_void_p * 2), ("begin", ctypes.c_uint), ("end", ctypes.c_uint)]


class _String(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("flags", ctypes.c_uint)]


_VISIT = ctypes.CFUNCTYPE(ctypes.c_int, _Cursor, _Cursor, ctypes.c_void_p)
_CALLS = {
    "clang_createIndex": (ctypes.c_void_p, [ctypes.c_int, ctypes.c_int]),
    "clang_parseTranslationUnit": (ctypes.c_void_p, [
        ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_char_p), ctypes.c_int, ctypes.c_void_p,
        ctypes.c_uint, ctypes.c_uint]),
    "clang_disposeTranslationUnit": (None, [ctypes.c_void_p]),
    "clang_getTranslationUnitCursor": (_Cursor, [ctypes.c_void_p]),
    "clang_visitChildren": (ctypes.c_uint, [_Cursor, _VISIT, ctypes.c_void_p]),
    "clang_getCursorExtent": (_Range, [_Cursor]),
    "clang_getCursorLocation": (_Location, [_Cursor]),
    "clang_getRangeStart": (_Location, [_Range]),
    "clang_getRangeEnd": (_Location, [_Range]),
    "clang_Location_isFromMainFile": (ctypes.c_int, [_Location]),
    "clang_getFileLocation": (None, [_Location] + 4 * [ctypes.c_void_p]),
    "clang_getCursorType": (_Type, [_Cursor]),
    "clang_getCursorResultType": (_Type, [_Cursor]),
    "clang_getCanonicalType": (_Type, [_Type]),
    "clang_getTypeSpelling": (_String, [_Type]),
    "clang_getCursorSpelling": (_String, [_Cursor]),
    "clang_getCString": (ctypes.c_char_p, [_String]),
    "clang_disposeString": (None, [_String]),
    "clang_getCursorReferenced": (_Cursor, [_Cursor]),
    "clang_Cursor_getNumArguments": (ctypes.c_int, [_Cursor]),
    "clang_Cursor_getArgument": (_Cursor, [_Cursor, ctypes.c_uint]),
    "clang_getCursorBinaryOperatorKind": (ctypes.c_int, [_Cursor]),
    "clang_getCursorUnaryOperatorKind": (ctypes.c_int, [_Cursor]),
}


@functools.cache
def _library():
    names = ["libclang-19.so.1", *sorted(glob.glob("/usr/lib/llvm-19/lib/libclang*.so*")),
             ctypes.util.find_library("clang-19")]
    for name in filter(None, names):
        try:
            library = ctypes.CDLL(name)
            for call, (result, arguments) in _CALLS.items():
                getattr(library, call).restype = result
                getattr(library, call).argtypes = arguments
            return library
        except (OSError, AttributeError):
            continue
    raise Refused("libclang 19 is missing: install libclang1-19, as Debian and Ubuntu call it")


def require_library():
    """Raises Refused if libclang cannot be used."""
    _library()


def _text(string):
    library = _library()
    found = library.clang_getCString(string)
    library.clang_disposeString(string)
    return (found or b"").decode(errors="replace")


def _offset(location):
    number = ctypes.c_uint()
    _library().clang_getFileLocation(location, None, None, None, ctypes.byref(number))
    return number.value


class Node:
    """A piece of the main file, from start to end in bytes, with its children."""

    def __init__(self, cursor, parent):
        library = _library()
        extent = library.clang_getCursorExtent(cursor)
        self.cursor, self.parent, self.kind = cursor, parent, cursor.kind
        self.start = _offset(library.clang_getRangeStart(extent))
        self.end = _offset(library.clang_getRangeEnd(extent))
        self.children = []

    @functools.cached_property
    def type(self):
        library = _library()
        return library.clang_getCanonicalType(library.clang_getCursorType(self.cursor))

    @functools.cached_property
    def result(self):
        """The type that a function returns."""
        library = _library()
        return library.clang_getCanonicalType(library.clang_getCursorResultType(self.cursor))

    @functools.cached_property
    def name(self):
        return _text(_library().clang_getCursorSpelling(self.cursor))

    @functools.cached_property
    def place(self):
        """Position of the name of a declaration."""
        return _offset(_library().clang_getCursorLocation(self.cursor))

    @functools.cached_property
    def operator(self):
        if self.kind in (BINARY, ASSIGNMENT):
            return BINARY_OPERATORS.get(_library().clang_getCursorBinaryOperatorKind(self.cursor))
        if self.kind == UNARY:
            return UNARY_OPERATORS.get(_library().clang_getCursorUnaryOperatorKind(self.cursor))
        return None

    @functools.cached_property
    def arguments(self):
        """(start, end, type of the parameter) of each argument of a call; empty if one is unknown."""
        library = _library()
        called = library.clang_getCursorReferenced(self.cursor)
        count = library.clang_Cursor_getNumArguments(self.cursor)
        if count < 2 or library.clang_Cursor_getNumArguments(called) != count:
            return []
        found = []
        for number in range(count):
            extent = library.clang_getCursorExtent(library.clang_Cursor_getArgument(self.cursor, number))
            wanted = library.clang_getCursorType(library.clang_Cursor_getArgument(called, number))
            found.append((_offset(library.clang_getRangeStart(extent)), _offset(library.clang_getRangeEnd(extent)),
                          _text(library.clang_getTypeSpelling(library.clang_getCanonicalType(wanted)))))
        return found

    def ancestors(self):
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    def walk(self):
        yield self
        for child in self.children:
            yield from child.walk()


class Syntax:
    """A source as a tree; with it, the macros that it uses. The file is that of `path`."""

    def __init__(self, path, flags):
        library = _library()
        words = [word.encode() for word in ("-x", "c++", *flags, "-w")]
        index = library.clang_createIndex(0, 0)
        self.unit = library.clang_parseTranslationUnit(
            index, str(path).encode(), (ctypes.c_char_p * len(words))(*words), len(words), None, 0,
            DETAILED_PREPROCESSING)
        if not self.unit:
            raise Refused(f"libclang cannot read {path}")
        self.macros = []
        self.nodes = []  # at the top
        top = library.clang_getTranslationUnitCursor(self.unit)
        self._fill(top, None, self.nodes)

    def _fill(self, cursor, parent, into):
        library = _library()
        found = []

        def visit(child, _parent, _data):
            location = library.clang_getRangeStart(library.clang_getCursorExtent(child))
            if library.clang_Location_isFromMainFile(location):
                copy = _Cursor()
                ctypes.pointer(copy)[0] = child
                found.append(copy)
            return 1  # continue with the next sibling

        library.clang_visitChildren(cursor, _VISIT(visit), None)
        for child in found:
            node = Node(child, parent)
            if child.kind == MACRO_EXPANSION:
                self.macros.append((node.start, node.end))
            elif not 500 <= child.kind < 600:
                into.append(node)
                self._fill(child, node, node.children)

    def walk(self):
        for node in self.nodes:
            yield from node.walk()

    def is_in_macro(self, start, end):
        """Whether a piece comes from a macro, even in part."""
        return any(s < end and start < e and not (start <= s and e <= end) for s, e in self.macros) or any(
            s <= start and end <= e for s, e in self.macros)
