"""Sources in which an environment variable selects one of many faults at run time.

CISOLVE_MUTANT=NUMBER selects it. With CISOLVE_MUTANT_HITS=FOLDER each process records in a file there, one
byte per mutant, which of them it executes. A test program has one file per test, by
tests/support/mutant_hits.hpp.
"""
import re

HEADER = """#pragma once
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <type_traits>

namespace cisolve_mutants {
inline unsigned char* map_of(const char* test) {
  const char* const folder = std::getenv("CISOLVE_MUTANT_HITS");
  if (folder == nullptr) return nullptr;
  char path[4096];
  std::snprintf(path, sizeof path, "%s/%s.%d", folder, test == nullptr ? "" : test, static_cast<int>(getpid()));
  const int file = open(path, O_RDWR | O_CREAT, 0644);
  if (file < 0 || ftruncate(file, COUNT) != 0) return nullptr;
  void* const map = mmap(nullptr, COUNT, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return map == MAP_FAILED ? nullptr : static_cast<unsigned char*>(map);
}
inline int chosen_number() {
  const char* const number = std::getenv("CISOLVE_MUTANT");
  return number == nullptr ? 0 : std::atoi(number);
}
inline int chosen = chosen_number();
inline unsigned char* volatile hits = map_of(std::getenv("CISOLVE_MUTANT_TEST"));

inline bool met(int number) {
  if (unsigned char* const noted = hits; noted != nullptr) noted[number] = 1;
  return chosen == number;
}
constexpr bool is(int number) {
#ifdef __CUDA_ARCH__
  return false;
#else
  return std::is_constant_evaluated() ? false : met(number);
#endif
}
}  // namespace cisolve_mutants

extern "C" __attribute__((used)) inline void cisolve_mutant_test(const char* test) {
  cisolve_mutants::hits = cisolve_mutants::map_of(test);
}
"""


def header(count):
    """The header that selects among mutants 1 to count."""
    return HEADER.replace("COUNT", str(count + 1))


class Switched:
    """A source with all of its mutants that can be selected at run time."""

    def __init__(self, source, mutants, header_path):
        self.source = source
        self.pieces = []  # (text, number of its mutant, or 0)
        self.spans = {}
        for mutant in mutants:
            if mutant.form == "text":
                for place in mutant.probes:
                    self.spans.setdefault((place, place), []).append(mutant)
            else:
                self.spans.setdefault((mutant.start, mutant.end), []).append(mutant)
        self._put(b'#include "%s"\n#line 1\n' % str(header_path).encode())
        self._emit(0, len(source), sorted(self.spans, key=lambda span: (span[0], span[0] != span[1], -span[1])))
        self.text = b"".join(text for text, _ in self.pieces)

    def _put(self, text, number=0):
        self.pieces.append((text, number))

    def _emit(self, start, end, spans):
        """The text between two places, with consecutive or nested spans."""
        while spans:
            first, *rest = spans
            inner = [span for span in rest if span[1] <= first[1] and span[0] < max(first[1], first[0] + 1)
                     and span[0] >= first[0] and first[0] != first[1]]
            self._put(self.source[start:first[0]])
            self._wrap(first, inner)
            start = first[1]
            spans = [span for span in rest if span not in inner]
        self._put(self.source[start:end])

    def _wrap(self, span, inner):
        mutants = self.spans[span]
        statements = [mutant for mutant in mutants if mutant.form == "statement"]
        expressions = [mutant for mutant in mutants if mutant.form == "expression"]
        for mutant in mutants:
            if mutant.form == "early":
                self._put(b"\nif (cisolve_mutants::is(%d))%s\n" % (mutant.number, mutant.new), mutant.number)
            elif mutant.form == "text":
                self._put(b"\n(void)cisolve_mutants::is(%d);\n" % mutant.number, mutant.number)
        for mutant in statements:
            self._put(b"{\nif (!cisolve_mutants::is(%d))\n" % mutant.number, mutant.number)
        for mutant in expressions:
            self._put(b"(\ncisolve_mutants::is(%d) ? (%s\n) :\n" % (mutant.number, mutant.new), mutant.number)
            self._put(b"(")
        self._emit(span[0], span[1], inner)
        self._put(b"\n))" * len(expressions))
        self._put(b"\n}" * len(statements))

    def numbers_at(self, line):
        """The mutants whose text contains a line reported by the compiler, which counts from the second."""
        at, found = -1, set()
        for text, number in self.pieces:
            last = at + text.count(b"\n")
            if number and at <= line <= last:
                found.add(number)
            at = last
        return found


def errors(output, names):
    """(file, line) of a compiler's errors and notes in files of these names."""
    found = []
    for path, line in re.findall(r"^(?:In file included from |\s+from )?([^\s:]+):(\d+):(?:\d+:)? (?:fatal )?"
                                 r"(?:error|note|required)", output, re.MULTILINE):
        for name in names:
            if path.endswith(name):
                found.append((name, int(line)))
    return found
