#include "io/files/line_scanner.hpp"
#include "io/files/text_pieces.hpp"
#include "io/molecules/determinant_list_body.hpp"

namespace cisolve::io {
namespace {

using base::concat;

constexpr std::size_t kShown = 300;  // characters of a word in a message

/// The words of one line of a list.
struct ListLine {
  std::string_view first;
  std::string_view second;  // empty if there is one word
};

/// Format of the lines of a list.
struct LineFormat {
  std::string_view name;
  std::string_view one_a_line;  // what messages call one entry
  int most_words;
};

/// Reads the entry of the scanner's line and goes to the next line.
ListLine take_entry(LineScanner& lines, const LineFormat& format) {
  ListLine entry{lines.word(), {}};
  if (format.most_words > 1 && !lines.is_next('#')) entry.second = lines.word();
  if (!lines.is_next('#')) lines.finish(format.one_a_line);
  lines.skip_line();
  return entry;
}

LineScanner scanner_of(std::string_view text) {
  return {text.data(), text.data() + text.size(), '#'};
}

/// Number of the entry in a line, counted from 1.
Index number_of(std::string_view text, const char* line) {
  Index number = 0;
  LineScanner lines = scanner_of(text);
  for (; lines.next() && lines.line() <= line; lines.skip_line()) ++number;
  return number;
}

/// Line of entry `number`, counted from 0.
const char* place_of(std::string_view text, Index number) {
  LineScanner lines = scanner_of(text);
  while (lines.next() && number-- > 0) lines.skip_line();
  return lines.line();
}

/// Reader of a list with one entry per line and one character per orbital in each word.
class ListReader {
 public:
  ListReader(const MappedFile& file, const LineFormat& format, int orbitals,
             const base::Backend& host)
      : file_(file), text_(file.text()), format_(format), orbitals_(orbitals), host_(host) {
    LineScanner start = scanner_of(text_);
    if (!start.next())
      throw TextProblem{start.at(),
                        concat("the file has no ", format.name, "s; expected one per line")};
    has_second_ = !take_entry(start, format).second.empty();
  }

  /// `parse` makes a determinant of an entry or throws base::Error; `problem_of` returns a
  /// determinant's problem or an empty text.
  template <class Parse, class Problem>
  ci::DeterminantIndex read(const Parse& parse, const Problem& problem_of) const {
    std::vector<ci::ListChunk> parts(count_text_pieces(text_));
    for_each_text_piece(text_, host_, [&](Index piece, const char* begin, const char* end) {
      LineScanner lines(begin, end, '#');
      while (lines.next()) {
        const char* line = lines.line();
        const ci::Determinant determinant = parsed(lines, parse);
        const std::string problem = problem_of(determinant);
        if (!problem.empty())
          throw TextProblem{line, concat(format_.name, ' ', number_of(text_, line), problem)};
        parts[piece].add(determinant);
      }
      parts[piece].reserve_in_budget(host_);
    });
    return without_repeats({std::move(parts), host_});
  }

 private:
  template <class Parse>
  ci::Determinant parsed(LineScanner& lines, const Parse& parse) const {
    const char* line = lines.line();
    const ListLine entry = take_entry(lines, format_);
    if (entry.second.empty() == has_second_)
      throw TextProblem{line, concat("the line has ", has_second_ ? "one word" : "two words",
                                     ", unlike the first line; expected the same on all lines")};
    for (const std::string_view word : {entry.first, entry.second})
      if (!word.empty() && std::ssize(word) != orbitals_)
        throw TextProblem{line, concat("'", word.substr(0, kShown), "' has ", word.size(),
                                       " characters; expected ", orbitals_,
                                       ", one for each orbital of the problem",
                                       std::ssize(word) == Index{2} * orbitals_
                                           ? "; separate alpha and beta bits by a space"
                                           : "")};
    try {
      return parse(entry);
    } catch (const base::Error& error) {
      throw TextProblem{line, error.what()};
    }
  }

  ci::DeterminantIndex without_repeats(ci::DeterminantIndex order) const {
    const auto repeat = order.first_repeat();
    if (!repeat) return order;
    const Index line = file_.line_of(place_of(text_, repeat->second));
    throw TextProblem{place_of(text_, repeat->first),
                      concat(format_.name, " ", repeat->first + 1, " repeats ", format_.name, " ",
                             repeat->second + 1, " on line ", line, "; expected each once")};
  }

  const MappedFile& file_;
  std::string_view text_;
  LineFormat format_;
  int orbitals_;
  const base::Backend& host_;
  bool has_second_ = false;
};

template <class Parse, class Problem>
ci::DeterminantIndex read_list(const MappedFile& file, int orbitals, const base::Backend& host,
                               const LineFormat& format, const Parse& parse,
                               const Problem& problem_of) {
  try {
    ci::DeterminantIndex order = ListReader(file, format, orbitals, host).read(parse, problem_of);
    file.require_unchanged();
    return order;
  } catch (const TextProblem& problem) {
    file.refuse(problem);
  }
}

}  // namespace

ci::DeterminantIndex read_text_determinants(const MappedFile& file, const ListSector& sector,
                                            const base::Backend& host) {
  return read_list(
      file, sector.orbitals, host, {"determinant", "one determinant per line", 2},
      [&](const ListLine& entry) {
        return entry.second.empty()
                   ? ci::parse_occupations(entry.first, sector.orbitals)
                   : ci::Determinant{ci::parse_string(entry.first, sector.orbitals),
                                     ci::parse_string(entry.second, sector.orbitals)};
      },
      [&](const ci::Determinant& determinant) { return problem_of(determinant, sector); });
}

std::vector<ci::String> read_strings(const std::filesystem::path& path, const ListSector& sector,
                                     const base::Backend& host) {
  if (is_hdf5(path))
    base::fail(base::ErrorKind::bad_input, path.string(),
               ": the file is HDF5; expected a text of bit strings, one per line");
  const MappedFile file(path);
  const ci::DeterminantIndex order = read_list(
      file, sector.orbitals, host, {"string", "one string per line", 1},
      [&](const ListLine& entry) {
        return ci::Determinant{ci::parse_string(entry.first, sector.orbitals), {}};
      },
      [&](const ci::Determinant& string) { return problem_of(string.alpha, sector); });
  std::vector<ci::String> strings;
  for (const ci::Determinant& string : order.determinants()) strings.push_back(string.alpha);
  return strings;
}

}  // namespace cisolve::io
