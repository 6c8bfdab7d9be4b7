#include <algorithm>
#include <numeric>
#include <vector>

#include "io/files/text_pieces.hpp"
#include "io/matrices/matrix_market_body.hpp"
#include "io/matrices/matrix_market_value.hpp"

namespace cisolve::io {
namespace {

using base::concat;
using Symmetry = MatrixMarketSymmetry;

std::string_view body_of(const MappedFile& file, const MatrixMarketHeader& header) {
  return file.text().substr(header.body - file.text().data());
}

Index read_index(LineScanner& line, std::string_view what, Index most) {
  const char* where = line.at();
  const Index index = line.integer(what);
  if (index < 1 || index > most)
    throw TextProblem{where, concat(what, " ", index, " is out of range; expected 1 to ", most)};
  return index - 1;
}

RowFiller::Position read_position(LineScanner& line, const MatrixMarketInfo& info) {
  const Index row = read_index(line, "row", info.rows);
  const Index column = read_index(line, "column", info.columns);
  if (info.symmetry == Symmetry::symmetric && column > row)
    throw TextProblem{line.line(), concat("entry (", row + 1, ", ", column + 1, ") lies above the ",
                                          "diagonal of a symmetric matrix; expected its lower ",
                                          "triangle only")};
  if (info.symmetry == Symmetry::skew_symmetric && column >= row)
    throw TextProblem{
        line.line(),
        concat("entry (", row + 1, ", ", column + 1, ") is not below the ",
               "diagonal of a skew-symmetric matrix; expected its lower ", "triangle only")};
  return {row, column};
}

/// Goes to the line of entry `number`, counted from 0 within the piece.
void go_to_entry(LineScanner& lines, Index number) {
  for (; lines.next() && number > 0; --number) lines.skip_line();
}

void require_declared_count(std::string_view body, const std::vector<Index>& entries_of_piece,
                            const MatrixMarketInfo& info, const base::Backend& host) {
  Index found = 0;
  for (const Index entries : entries_of_piece) found += entries;
  if (found < info.entries)
    throw TextProblem{body.data() + body.size(),
                      concat("the file ends after ", found, " entries; expected ", info.entries,
                             " as the size line says")};
  if (found == info.entries) return;
  std::vector<Index> before(entries_of_piece.size());
  std::exclusive_scan(entries_of_piece.begin(), entries_of_piece.end(), before.begin(), Index{0});
  for_each_text_piece(body, host, [&](Index piece, const char* begin, const char* end) {
    if (before[piece] + entries_of_piece[piece] <= info.entries) return;
    LineScanner lines(begin, end, '%');
    go_to_entry(lines, std::max<Index>(0, info.entries - before[piece]));
    throw TextProblem{lines.line(),
                      concat("the file has ", found, " entries, but its size line announces ",
                             info.entries, "; expected equal numbers")};
  });
}

void announce_entries(const char* begin, const char* end, const MatrixMarketInfo& info,
                      RowFiller& rows, Index& entries) {
  ElementBatch batch([&](auto elements) { rows.announce(elements); });
  LineScanner lines(begin, end, '%');
  for (entries = 0; lines.next(); ++entries) {
    const auto [row, column] = read_position(lines, info);
    lines.skip_line();
    batch.add(row, column, 0);
    if (info.symmetry != Symmetry::general && row != column) batch.add(column, row, 0);
  }
  batch.flush();
}

void put_entries(const char* begin, const char* end, const MatrixMarketInfo& info,
                 RowFiller& rows) {
  const double mirror = info.symmetry == Symmetry::skew_symmetric ? -1 : 1;
  ElementBatch batch([&](auto elements) { rows.put(elements); });
  LineScanner lines(begin, end, '%');
  while (lines.next()) {
    const auto [row, column] = read_position(lines, info);
    const double value = matrix_market_value(lines, info.field);
    lines.finish("one entry per line");
    batch.add(row, column, value);
    if (info.symmetry != Symmetry::general && row != column) batch.add(column, row, mirror * value);
  }
  batch.flush();
}

}  // namespace

void fill_from_coordinates(const MappedFile& file, const MatrixMarketHeader& header,
                           const base::Backend& host, RowFiller& rows) {
  const std::string_view body = body_of(file, header);
  std::vector<Index> entries(count_text_pieces(body));
  for_each_text_piece(body, host, [&](Index piece, const char* begin, const char* end) {
    announce_entries(begin, end, header.info, rows, entries[piece]);
  });
  require_declared_count(body, entries, header.info, host);
  rows.allocate();
  for_each_text_piece(body, host, [&](Index, const char* begin, const char* end) {
    put_entries(begin, end, header.info, rows);
  });
}

void refuse_duplicate(const MappedFile& file, const MatrixMarketHeader& header,
                      RowFiller::Position twice) {
  if (header.info.symmetry != Symmetry::general && twice.column > twice.row)
    std::swap(twice.row, twice.column);
  const std::string_view body = body_of(file, header);
  LineScanner lines(body.data(), body.data() + body.size(), '%');
  const char* earlier = nullptr;
  for (; lines.next(); lines.skip_line()) {
    const auto [row, column] = read_position(lines, header.info);
    if (row != twice.row || column != twice.column) continue;
    if (earlier != nullptr) break;
    earlier = lines.line();
  }
  throw TextProblem{lines.line(), concat("entry (", twice.row + 1, ", ", twice.column + 1,
                                         ") is already on line ", file.line_of(earlier),
                                         "; expected each entry once")};
}

}  // namespace cisolve::io
