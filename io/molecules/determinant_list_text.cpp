#include "io/files/line_scanner.hpp"
#include "io/files/text_pieces.hpp"
#include "io/molecules/determinant_list_body.hpp"

namespace cisolve::io {
namespace {

using base::concat;

/// The words of one line of a list.
struct Entry {
  std::string_view first;
  std::string_view second;  // empty where there is one word
};

/// What the lines of a list are.
struct Entries {
  std::string_view name;
  std::string_view one_a_line;  // what is expected
  int most_words;
};

/// The entry of the scanner's line, which it then leaves.
Entry take_entry(LineScanner& lines, const Entries& are) {
  Entry entry{lines.word(), {}};
  if (are.most_words > 1 && !lines.is_next('#')) entry.second = lines.word();
  if (!lines.is_next('#')) lines.finish(are.one_a_line);
  lines.skip_line();
  return entry;
}

LineScanner scanner_of(std::string_view text) {
  return {text.data(), text.data() + text.size(), '#'};
}

/// How many entries each piece of the text has, those before it summed; then all.
std::vector<Index> entries_before(std::string_view text, const base::Backend& host) {
  std::vector<Index> before(count_text_pieces(text) + 1, 0);
  for_each_text_piece(text, host, [&](Index piece, const char* begin, const char* end) {
    LineScanner lines(begin, end, '#');
    for (; lines.next(); lines.skip_line()) ++before[piece + 1];
  });
  for (std::size_t piece = 1; piece < before.size(); ++piece) before[piece] += before[piece - 1];
  return before;
}

/// Where entry `number` stands, counted from 0.
const char* place_of(std::string_view text, Index number) {
  LineScanner lines = scanner_of(text);
  while (lines.next() && number-- > 0) lines.skip_line();
  return lines.line();
}

/// Reads elements, one a line, and refuses repeats. `parse` makes an element of an entry and its
/// number, and throws base::Error for what is none.
template <class Element, class Parse>
std::vector<Element> read_list(const MappedFile& file, const base::Backend& host,
                               const Entries& are, const Parse& parse) {
  const std::string_view text = file.text();
  std::vector<Element> elements;
  try {
    LineScanner start = scanner_of(text);
    if (!start.next())
      throw TextProblem{start.at(), concat("no ", are.name, "s; expected one a line")};
    const Entry first = take_entry(start, are);
    const std::vector<Index> before = entries_before(text, host);
    host.memory().require(2 * before.back() * Index{sizeof(Element)},
                          concat("a list of ", are.name, "s"));
    elements.resize(before.back());
    for_each_text_piece(text, host, [&](Index piece, const char* begin, const char* end) {
      LineScanner lines(begin, end, '#');
      for (Index number = before[piece]; lines.next(); ++number) {
        const char* line = lines.line();
        const Entry entry = take_entry(lines, are);
        if (entry.first.size() != first.first.size() || entry.second.size() != first.second.size())
          throw TextProblem{line,
                            "words of another length than those of the first line; "
                            "expected one character for each orbital"};
        try {
          elements[number] = parse(entry, number + 1);
        } catch (const base::Error& error) {
          throw TextProblem{line, error.what()};
        }
      }
    });
    if (const auto repeat = first_repeat(elements, host))
      throw TextProblem{
          place_of(text, repeat->first),
          concat(are.name, " ", repeat->first + 1, " is ", are.name, " ", repeat->second + 1,
                 " of line ", file.line_of(place_of(text, repeat->second)),
                 " again; expected each once")};
  } catch (const TextProblem& problem) {
    file.refuse(problem);
  }
  file.require_unchanged();
  return elements;
}

}  // namespace

std::vector<ci::Determinant> read_text_determinants(const MappedFile& file,
                                                    const ListSector& sector,
                                                    const base::Backend& host) {
  return read_list<ci::Determinant>(
      file, host, {"determinant", "one determinant a line", 2},
      [&](const Entry& entry, Index number) {
        const ci::Determinant determinant =
            entry.second.empty() ? ci::parse_occupations(entry.first, sector.orbitals)
                                 : ci::Determinant{ci::parse_string(entry.first, sector.orbitals),
                                                   ci::parse_string(entry.second, sector.orbitals)};
        const std::string problem = electron_problem(determinant, sector, number);
        if (!problem.empty()) base::fail(base::Fault::bad_input, problem);
        return determinant;
      });
}

std::vector<ci::String> read_strings(const std::filesystem::path& path, int orbitals, int electrons,
                                     const base::Backend& host) {
  const MappedFile file(path);
  return read_list<ci::String>(file, host, {"string", "one string a line", 1},
                               [&](const Entry& entry, Index number) {
                                 const ci::String string = ci::parse_string(entry.first, orbitals);
                                 if (string.count() != electrons)
                                   base::fail(base::Fault::bad_input, "string ", number, " has ",
                                              string.count(), " electrons; expected ", electrons);
                                 return string;
                               });
}

}  // namespace cisolve::io
