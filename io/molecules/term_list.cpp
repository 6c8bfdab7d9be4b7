#include "io/molecules/term_list.hpp"

#include <string>

#include "base/error.hpp"
#include "io/files/line_scanner.hpp"

namespace cisolve::io {
namespace {

constexpr std::size_t kMostTerms = 1000000;

std::string line_at(const char* begin, const char* end) {
  const char* stop = begin;
  while (stop != end && *stop != '\n' && *stop != '#') ++stop;
  return {begin, stop};
}

}  // namespace

std::vector<ci::Term> read_terms(const std::filesystem::path& path) {
  const MappedFile file(path);
  const std::string_view text = file.text();
  const char* const end = text.data() + text.size();
  std::vector<ci::Term> terms;
  try {
    LineScanner lines(text.data(), end, '#');
    for (; lines.next(); lines.skip_line()) try {
        if (terms.size() == kMostTerms)
          base::fail(base::ErrorKind::bad_input, "there are more than ", kMostTerms,
                     " terms; expected fewer");
        terms.push_back(ci::parse_term(line_at(lines.line(), end)));
      } catch (const base::Error& error) {
        throw TextProblem{lines.line(), error.what()};
      }
    if (terms.empty())
      throw TextProblem{lines.at(),
                        "there are no terms; expected one per line, such as '1 2 0.5 J'"};
  } catch (const TextProblem& problem) {
    file.refuse(problem);
  }
  file.require_unchanged();
  return terms;
}

}  // namespace cisolve::io
