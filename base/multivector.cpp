#include "base/multivector.hpp"

namespace cisolve::base {
namespace {

// Each column starts on a cache line.
Index padded(Index rows) { return (rows + 7) / 8 * 8; }

}  // namespace

MultiVector::MultiVector(const Backend& backend, Index rows, int columns, std::string_view what)
    : rows_(rows),
      columns_(columns),
      stride_(padded(rows)),
      values_(backend, padded(rows) * columns, what) {}

MultiVector MultiVector::copy_of(const Backend& from, ConstBlock source, const Backend& backend) {
  MultiVector copy(backend, source.rows, source.columns);
  for (int j = 0; j < source.columns; ++j)
    copy_bytes(from, source.column(j), backend, copy.block().column(j),
               source.rows * Index{sizeof(double)});
  return copy;
}

}  // namespace cisolve::base
