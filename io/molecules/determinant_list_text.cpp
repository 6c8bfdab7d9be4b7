#include <functional>

#include "io/files/line_scanner.hpp"
#include "io/molecules/determinant_list_body.hpp"

namespace cisolve::io {
namespace {

using base::concat;

/// The words of one line of a list.
struct Entry {
  std::string_view first;
  std::string_view second;  // empty where there is one word
};

/// Reads elements line by line and refuses repeats. `parse` makes an element of an entry and its
/// number, and throws base::Error for what is none.
template <class Element>
std::vector<Element> read_list(const MappedFile& file, const base::Backend& host, int most_words,
                               const std::function<Element(const Entry&, Index)>& parse) {
  const char* begin = file.text().data();
  LineScanner lines(begin, begin + file.text().size(), '#');
  std::vector<Element> elements;
  std::vector<const char*> places;
  Entry first;
  try {
    while (lines.next()) {
      Entry entry{lines.word(), {}};
      if (most_words > 1 && !lines.is_next('#')) entry.second = lines.word();
      if (!lines.is_next('#')) lines.finish("one determinant a line");
      lines.skip_line();
      if (elements.empty()) first = entry;
      if (entry.first.size() != first.first.size() || entry.second.size() != first.second.size())
        throw TextProblem{lines.line(),
                          "words of another length than those of the first line; "
                          "expected one character for each orbital"};
      if (elements.size() == elements.capacity())
        host.memory().require(3 * std::ssize(elements) * Index{sizeof(Element)},
                              "a list of determinants");
      try {
        elements.push_back(parse(entry, std::ssize(elements) + 1));
      } catch (const base::Error& error) {
        throw TextProblem{lines.line(), error.what()};
      }
      places.push_back(lines.line());
    }
    if (elements.empty()) throw TextProblem{lines.at(), "no determinants; expected one a line"};
    if (const auto repeat = first_repeat(elements))
      throw TextProblem{
          places[repeat->first],
          concat("determinant ", repeat->first + 1, " is determinant ", repeat->second + 1,
                 " of line ", file.line_of(places[repeat->second]), " again; expected each once")};
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
  return read_list<ci::Determinant>(file, host, 2, [&](const Entry& entry, Index number) {
    const ci::Determinant determinant =
        entry.second.empty() ? ci::parse_determinant(entry.first, sector.orbitals)
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
  return read_list<ci::String>(file, host, 1, [&](const Entry& entry, Index number) {
    const ci::String string = ci::parse_string(entry.first, orbitals);
    if (string.count() != electrons)
      base::fail(base::Fault::bad_input, "string ", number, " has ", string.count(),
                 " electrons; expected ", electrons);
    return string;
  });
}

}  // namespace cisolve::io
