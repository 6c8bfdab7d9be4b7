#include <algorithm>
#include <charconv>
#include <string>

#include "base/loops.hpp"
#include "base/text.hpp"
#include "io/files/output_file.hpp"
#include "io/matrices/matrix_market.hpp"
#include "io/matrices/row_pieces.hpp"

namespace cisolve::io {
namespace {

using base::concat;

constexpr Index kTextPiece = 1 << 15;
constexpr Index kLongestEntry = 11 + 11 + 25;  // two 32-bit numbers, a double, three separators

template <class Number>
char* put(char* at, Number number, char separator) {
  char* end = std::to_chars(at, at + 32, number).ptr;
  *end = separator;
  return end + 1;
}

/// The lines of one piece of rows.
struct PieceText {
  std::string text;
  Index entries = 0;
};

PieceText format_piece(const sparse::RowSource& rows, std::span<const Column> lengths,
                       const RowPiece& piece, const base::Backend& host) {
  const bool lower_only = rows.shape().symmetric;
  RowBuffer elements(piece.elements, host);
  rows.fill(piece.first_row, piece.last_row, elements.columns.span(), elements.values.span());
  base::Array<char> buffer(host, piece.elements * kLongestEntry, "the text of rows to be written");
  PieceText result;
  char* at = buffer.data();
  Index k = 0;
  for (Index row = piece.first_row; row < piece.last_row; ++row)
    for (const Index end = k + lengths[row]; k < end; ++k) {
      const Index column = elements.columns[k];
      if (lower_only && column > row) continue;
      at = put(at, row + 1, ' ');
      at = put(at, column + 1, ' ');
      at = put(at, elements.values[k], '\n');
      ++result.entries;
    }
  result.text.assign(buffer.data(), at);
  return result;
}

/// Padded to the widest count, so that it can be rewritten once the count is known.
std::string size_line(const sparse::MatrixShape& shape, Index entries) {
  std::string line = concat(shape.rows, ' ', shape.columns, ' ', entries);
  line.resize(concat(shape.rows, ' ', shape.columns, ' ').size() + 19, ' ');
  return line + '\n';
}

}  // namespace

void write_matrix_market(const std::filesystem::path& path, const sparse::RowSource& rows,
                         bool overwrite, const base::Backend& host) {
  OutputFile file(path, overwrite);
  const sparse::MatrixShape shape = rows.shape();
  const base::Array<Column> lengths = sparse::row_lengths(rows, host);
  const std::vector<RowPiece> pieces = cut_rows(lengths.span(), kTextPiece);
  std::string banner = concat("%%MatrixMarket matrix coordinate real ",
                              shape.symmetric ? "symmetric" : "general", '\n');
  if (shape.reference_columns > 0)
    banner += concat(kReferenceComment, shape.reference_columns, '\n');
  file.append(banner + size_line(shape, 0));

  // Groups of pieces are formatted in parallel and written in order.
  const Index group = 8 * Index{host.threads()};
  Index entries = 0;
  for (Index first = 0; first < std::ssize(pieces); first += group) {
    std::vector<PieceText> texts(std::min(group, std::ssize(pieces) - first));
    base::for_each_chunk(std::ssize(texts), 1, host, [&](Index i, Index) {
      texts[i] = format_piece(rows, lengths.span(), pieces[first + i], host);
    });
    for (const PieceText& piece : texts) {
      file.append(piece.text);
      entries += piece.entries;
    }
  }
  file.rewrite(std::ssize(banner), size_line(shape, entries));
  file.commit();
}

}  // namespace cisolve::io
