#include "base/multivector.hpp"

#include <algorithm>
#include <utility>

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

MultiVector::MultiVector(MultiVector&& other) noexcept
    : rows_(std::exchange(other.rows_, 0)),
      columns_(std::exchange(other.columns_, 0)),
      stride_(std::exchange(other.stride_, 0)),
      values_(std::move(other.values_)) {}

MultiVector& MultiVector::operator=(MultiVector&& other) noexcept {
  MultiVector taken(std::move(other));
  std::swap(rows_, taken.rows_);
  std::swap(columns_, taken.columns_);
  std::swap(stride_, taken.stride_);
  std::swap(values_, taken.values_);
  return *this;
}

MultiVector MultiVector::copy_of(const Backend& from, ConstBlock source, const Backend& backend) {
  MultiVector copy(backend, source.rows, source.columns);
  copy_columns(from, source, backend, copy.block());
  return copy;
}

void copy_columns(const Backend& from, ConstBlock source, const Backend& to, Block target) {
  for (int j = 0; j < source.columns; ++j)
    copy_bytes(from, source.column(j), to, target.column(j), source.rows * Index{sizeof(double)});
}

int preallocated_columns(const Backend& backend, Index numbers) {
  constexpr Index most = 4;  // more save little time
  constexpr Index part = 8;  // at most 1/8 of the free memory
  const Index bytes = Index{sizeof(double)} * std::max<Index>(1, numbers);
  return static_cast<int>(std::clamp<Index>(backend.memory().left() / part / bytes, 1, most));
}

}  // namespace cisolve::base
