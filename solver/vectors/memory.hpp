#pragma once

#include "base/error.hpp"
#include "solver/vectors/columns.hpp"
#include "solver/vectors/host_panel_store.hpp"

// The memory of columns; for the sources of this folder alone.
namespace cisolve::solver {

template <class T>
base::BasicBlock<T> memory_of(const BasicColumns<T>& columns) {
  if (columns.store_ != nullptr)
    base::fail(base::ErrorKind::internal,
               "vectors in the host panel store have no contiguous memory");
  return columns.memory_;
}

/// Operations on columns in a HostPanelStore. All its vectors are read, those outside the view with
/// a factor of zero.
class PanelStoreAccess {
 public:
  static const HostPanelStore* panel_store_of(ConstColumns columns) { return columns.store_; }

  /// Y = alpha V C + beta Y, for the rows of Y, the first of which is row `first` of V.
  static void update(double alpha, ConstColumns v, const SmallMatrix& c, double beta,
                     base::Index first, Block y) {
    SmallMatrix padded(v.store_->size(), c.columns());
    for (int b = 0; b < c.columns(); ++b)
      for (int a = 0; a < c.rows(); ++a) padded(v.first_ + a, b) = c(a, b);
    v.store_->update(alpha, padded, beta, first, y);
  }

  static void gram(ConstColumns v, std::span<const HostPanelStore::Products> products) {
    std::vector<SmallMatrix> all;
    for (const auto& [y, g] : products) all.emplace_back(v.store_->size(), y.columns);
    std::vector<HostPanelStore::Products> padded;
    for (std::size_t k = 0; k < all.size(); ++k) padded.push_back({products[k].y, &all[k]});
    v.store_->gram(padded);
    for (std::size_t k = 0; k < all.size(); ++k)
      for (int b = 0; b < all[k].columns(); ++b)
        for (int a = 0; a < v.count(); ++a) (*products[k].g)(a, b) = all[k](v.first_ + a, b);
  }
};

/// Rows first to first + count.
template <class T>
base::BasicBlock<T> row_range(base::BasicBlock<T> v, base::Index first, base::Index count) {
  return {v.data + first, count, v.columns, v.stride};
}

}  // namespace cisolve::solver
