#include "io/matrices/matrix_market_header.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "io/files/line_scanner.hpp"
#include "sparse/rows/shape.hpp"

namespace cisolve::io {
namespace {

using base::concat;
using Layout = MatrixMarketLayout;
using Field = MatrixMarketField;
using Symmetry = MatrixMarketSymmetry;

constexpr char kNoComment = '\n';  // no token begins with it

std::string lower_case(std::string_view word) {
  std::string lower(word);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

template <class Choice, std::size_t N>
Choice choose(LineScanner& banner, std::string_view what,
              const std::pair<std::string_view, Choice> (&choices)[N]) {
  const char* where = banner.at();
  const std::string word = lower_case(banner.word().substr(0, 40));
  std::vector<std::string_view> names;
  for (const auto& [name, choice] : choices) {
    if (word == name) return choice;
    names.push_back(name);
  }
  if (word == "complex")
    throw TextProblem{where,
                      "complex matrices are not supported; expected real, integer or "
                      "pattern values"};
  throw TextProblem{
      where, concat("unknown ", what, " '", word, "'; expected one of: ", base::joined(names))};
}

void parse_banner(LineScanner& banner, MatrixMarketInfo& info) {
  constexpr std::string_view expected = "%%MatrixMarket matrix LAYOUT FIELD SYMMETRY";
  if (!banner.next() || lower_case(banner.word().substr(0, 40)) != "%%matrixmarket" ||
      lower_case(banner.word().substr(0, 40)) != "matrix")
    throw TextProblem{
        banner.at(),
        concat("the file does not begin as a Matrix Market file; expected the line ", expected)};
  info.layout = choose<Layout>(banner, "layout",
                               {{"coordinate", Layout::coordinate}, {"array", Layout::array}});
  info.field = choose<Field>(
      banner, "field",
      {{"real", Field::real}, {"integer", Field::integer}, {"pattern", Field::pattern}});
  info.symmetry = choose<Symmetry>(banner, "symmetry",
                                   {{"general", Symmetry::general},
                                    {"symmetric", Symmetry::symmetric},
                                    {"skew-symmetric", Symmetry::skew_symmetric},
                                    {"hermitian", Symmetry::symmetric}});
  banner.finish(expected);
  if (info.field == Field::pattern && info.layout == Layout::array)
    throw TextProblem{banner.line(), "an array needs values; expected real or integer"};
  if (info.field == Field::pattern && info.symmetry == Symmetry::skew_symmetric)
    throw TextProblem{banner.line(),
                      "a pattern cannot be skew-symmetric; expected general or symmetric"};
}

/// Largest number of elements for the size and symmetry: rows x columns or one triangle.
Index most_entries(const MatrixMarketInfo& info) {
  switch (info.symmetry) {
    case Symmetry::general: return info.rows * info.columns;
    case Symmetry::symmetric: return info.rows * (info.rows + 1) / 2;
    case Symmetry::skew_symmetric: return info.rows * (info.rows - 1) / 2;
  }
  return 0;
}

Index fewest_bytes_per_entry(const MatrixMarketInfo& info) {
  if (info.layout == Layout::array) return 2;   // "1\n"
  return info.field == Field::pattern ? 4 : 6;  // "1 1\n" and "1 1 1\n"
}

/// Searches our own comment before the size line.
void parse_comments(const char* at, const char* end, MatrixMarketInfo& info) {
  LineScanner lines(at, end, kNoComment);
  bool found = false;
  while (lines.next() && *lines.line() == '%') {
    const std::string_view rest(lines.line(), end);
    if (rest.starts_with(kReferenceComment)) {
      if (found)
        throw TextProblem{lines.line(), "a second comment sets reference_columns; expected one"};
      found = true;
      LineScanner number(lines.line() + kReferenceComment.size(), end, kNoComment);
      info.reference_columns = number.integer("the number of reference columns");
      number.finish("the end of the comment");
    }
    lines.skip_line();
  }
}

void parse_size(LineScanner& lines, const MappedFile& file, MatrixMarketInfo& info) {
  if (!lines.next())
    throw TextProblem{lines.at(),
                      "the file ends before its size line; expected the number of "
                      "rows, columns and, for a coordinate file, entries"};
  info.rows = lines.integer("the number of rows");
  info.columns = lines.integer("the number of columns");
  if (info.layout == Layout::coordinate) info.entries = lines.integer("the number of entries");
  lines.finish("the end of the size line");
  const sparse::MatrixShape shape{info.rows, info.columns, info.reference_columns,
                                  info.symmetry != Symmetry::general};
  try {
    sparse::require_storable(shape);
  } catch (const base::Error& error) {
    throw TextProblem{lines.line(), error.what()};
  }
  if (info.layout == Layout::array) info.entries = most_entries(info);
  if (info.entries < 0 || info.entries > most_entries(info))
    throw TextProblem{lines.line(),
                      concat("the size line announces ", info.entries, " entries; expected 0 to ",
                             most_entries(info), " for this size and symmetry")};
  const char* end = file.text().data() + file.text().size();
  const Index possible_entries = (end - lines.at() + 1) / fewest_bytes_per_entry(info);
  if (info.entries > possible_entries)
    throw TextProblem{lines.line(),
                      concat("the size line announces ", info.entries, " entries, but ",
                             "the rest of the file can hold at most ", possible_entries,
                             "; expected a complete file")};
}

}  // namespace

MatrixMarketHeader parse_matrix_market_header(const MappedFile& file) {
  const char* begin = file.text().data();
  const char* end = begin + file.text().size();
  MatrixMarketHeader header{};
  try {
    LineScanner banner(begin, end, kNoComment);
    parse_banner(banner, header.info);
    parse_comments(banner.at(), end, header.info);
    LineScanner lines(banner.at(), end, '%');
    parse_size(lines, file, header.info);
    header.body = lines.at();
  } catch (const TextProblem& problem) {
    file.refuse(problem);
  }
  return header;
}

MatrixMarketInfo matrix_market_info(const std::filesystem::path& path) {
  return parse_matrix_market_header(MappedFile(path)).info;
}

}  // namespace cisolve::io
