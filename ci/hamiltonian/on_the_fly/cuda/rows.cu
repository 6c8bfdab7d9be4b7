#include "base/column_widths.hpp"
#include "base/cuda/elements.cuh"
#include "ci/hamiltonian/on_the_fly/factories.hpp"
#include "ci/hamiltonian/on_the_fly/row_items.hpp"
#include "ci/hamiltonian/rows/cuda/warp_group.cuh"
#include "ci/hamiltonian/rows/group_row_builder.hpp"

namespace cisolve::ci::cuda {
namespace {

constexpr int kRowThreads = 128;
constexpr int kRowsPerBlock = kRowThreads / Warp::size;

/// Multiplies the elements of a row with kColumns vectors; each lane sums the elements passed to
/// it.
template <int kColumns>
class RowSums {
 public:
  __device__ explicit RowSums(base::ConstBlock x) : x_(x) {}

  __device__ void take(bool is_retained, Index column, double value) {
    if (!is_retained) return;
#pragma unroll
    for (int j = 0; j < kColumns; ++j) sums_[j] = fma(value, x_(column, j), sums_[j]);
  }

  /// Valid in lane 0.
  __device__ double sum(int j) const {
    double sum = sums_[j];
    for (int distance = Warp::size / 2; distance > 0; distance /= 2)
      sum += __shfl_down_sync(Warp::all, sum, distance);
    return sum;
  }

 private:
  base::ConstBlock x_;
  double sums_[kColumns] = {};
};

template <int kColumns>
__global__ void __launch_bounds__(kRowThreads)
    product_by_rows(const RowTablesView tables, const Column* left, Index count, base::ConstBlock x,
                    base::Block y, Index first_of_y) {
  const Index number =
      Index{blockIdx.x} * kRowsPerBlock + static_cast<Index>(threadIdx.x) / Warp::size;
  if (number >= count) return;
  const Index row = left == nullptr ? number : Index{left[number]};
  RowSums<kColumns> sums(x);
  GroupRowBuilder<Warp, RowSums<kColumns>>(tables, row, sums).walk();
#pragma unroll
  for (int j = 0; j < kColumns; ++j) {
    const double sum = sums.sum(j);
    if (Warp::lane() == 0) y(row - first_of_y, j) = sum;
  }
}

class RowsOnDevice final : public ComputedProduct {
 public:
  RowsOnDevice(const HamiltonianRows& h, const base::Backend& device)
      : tables_(h, device), items_(h), left_(device, 0, kLeft) {}

  Index rows() const override { return tables_.shape().rows; }

  void apply(base::ConstBlock x, base::Block y) const override {
    base::in_widths(x, y, 8, [&](base::ConstBlock from, base::Block to) {
      if (from.columns == 8) launch<8>(from, to);
      if (from.columns == 4) launch<4>(from, to);
      if (from.columns == 2) launch<2>(from, to);
      if (from.columns == 1) launch<1>(from, to);
    });
  }

  bool diagonal(base::Block d) const override {
    const RowTablesView tables = tables_.canonical_view();
    base::cuda::launch_elements(tables_.backend(), rows(), 1, [=] __device__(Index row, int) {
      d(row, 0) = RowLookUp(tables, row).diagonal();
    });
    return true;
  }

  base::OperatorDescription description() const override {
    return {"on-the-fly", tables_.bytes() + left_.bytes(), 0, 0};
  }

  std::vector<Item> items() const override { return items_.items(); }
  void keep(const std::vector<bool>& is_retained) override {
    items_.keep(is_retained);
    left_ = base::Array<Column>::copy_of(items_.rows(), tables_.backend(), kLeft);
  }

  void begin_y_with(Index row) override { first_of_y_ = row; }

 private:
  static constexpr const char* kLeft = "the rows that a product computes";

  template <int kColumns>
  void launch(base::ConstBlock x, base::Block y) const {
    const Index count = items_.count();
    if (count == 0) return;
    const auto blocks = static_cast<unsigned>((count + kRowsPerBlock - 1) / kRowsPerBlock);
    product_by_rows<kColumns><<<blocks, kRowThreads, 0, tables_.backend().device().stream()>>>(
        tables_.canonical_view(), left_.size() == 0 ? nullptr : left_.data(), count, x, y,
        first_of_y_);
    base::cuda::check_launch("product_by_rows");
  }

  RowTables tables_;
  RowItems items_;
  base::Array<Column> left_;  // kept rows; empty: all
  Index first_of_y_ = 0;
};

}  // namespace

ComputedProductPtr by_rows(const HamiltonianRows& h, const base::Backend& device) {
  return std::make_unique<RowsOnDevice>(h, device);
}

}  // namespace cisolve::ci::cuda
