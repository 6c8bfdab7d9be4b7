#include "base/column_widths.hpp"
#include "base/cuda/elements.cuh"
#include "ci/hamiltonian/on_the_fly/factories.hpp"
#include "ci/hamiltonian/on_the_fly/list_tables.hpp"
#include "ci/hamiltonian/on_the_fly/row_items.hpp"

namespace cisolve::ci::cuda {
namespace {

constexpr int kListThreads = 128;
constexpr int kTogether = 32;  // rows of an alpha string, one per lane

struct DeviceBits {
  static __device__ int count(std::uint64_t word) { return __popcll(word); }
  static __device__ int first(std::uint64_t word) {
    return __ffsll(static_cast<long long>(word)) - 1;
  }
};

template <int kColumns>
struct DeviceSums {
  base::ConstBlock x;
  double of[kColumns] = {};

  __device__ void add(double value, Index column) {
#pragma unroll
    for (int j = 0; j < kColumns; ++j) of[j] = fma(value, x(column, j), of[j]);
  }
};

/// kTogether rows of an alpha string, from `first` on.
struct ListPiece {
  Column alpha;
  Column first;
};

template <int kColumns>
__global__ void __launch_bounds__(kListThreads)
    product_by_lists(const ListsView l, const ListPiece* pieces, Index count, base::ConstBlock x,
                     base::Block y, Index first_of_y) {
  const Index thread = Index{blockIdx.x} * kListThreads + threadIdx.x;
  if (thread / kTogether >= count) return;
  const ListPiece piece = pieces[thread / kTogether];
  const Index row = l.t.first_row[piece.alpha] + piece.first + thread % kTogether;
  if (row >= l.t.first_row[piece.alpha + 1]) return;
  const Index members = l.t.list_offsets[l.t.list_of[piece.alpha]];
  const Index beta = l.t.members[members + piece.first + thread % kTogether];
  DeviceSums<kColumns> sums{x};
  ListRow<DeviceBits, DeviceSums<kColumns>>(l, piece.alpha, beta, sums).walk();
#pragma unroll
  for (int j = 0; j < kColumns; ++j) y(row - first_of_y, j) = sums.of[j];
}

class ListsOnDevice final : public ComputedProduct {
 public:
  ListsOnDevice(const HamiltonianRows& h, ListTables tables)
      : tables_(std::move(tables)), items_(h), pieces_(tables_.backend(), 0, kPieces) {
    cut();
  }

  Index rows() const override { return tables_.view().t.rows; }

  void apply(base::ConstBlock x, base::Block y) const override {
    base::in_widths(x, y, 8, [&](base::ConstBlock from, base::Block to) {
      if (from.columns == 8) launch<8>(from, to);
      if (from.columns == 4) launch<4>(from, to);
      if (from.columns == 2) launch<2>(from, to);
      if (from.columns == 1) launch<1>(from, to);
    });
  }

  bool diagonal(base::Block d) const override {
    const RowTablesView t = tables_.view().t;
    base::cuda::launch_elements(tables_.backend(), rows(), 1, [=] __device__(Index row, int) {
      d(row, 0) = RowLookUp(t, row).diagonal();
    });
    return true;
  }

  base::OperatorDescription description() const override {
    return {"on-the-fly", tables_.bytes() + pieces_.bytes(), 0, 0};
  }

  std::vector<Item> items() const override { return items_.items(); }
  void keep(const std::vector<bool>& is_retained) override {
    items_.keep(is_retained);
    cut();
  }

  void begin_y_with(Index row) override { first_of_y_ = row; }

 private:
  static constexpr const char* kPieces = "the pieces of a product";

  void cut() {
    std::vector<ListPiece> pieces;
    for (std::size_t i = 0; i < items_.items().size(); ++i)
      for (Index first = 0; first < items_.items()[i].rows; first += kTogether)
        pieces.push_back({items_.alphas()[i], static_cast<Column>(first)});
    pieces_ = base::Array<ListPiece>::copy_of(pieces, tables_.backend(), kPieces);
  }

  template <int kColumns>
  void launch(base::ConstBlock x, base::Block y) const {
    if (pieces_.size() == 0) return;
    constexpr int kPiecesOfABlock = kListThreads / kTogether;
    const Index blocks = (pieces_.size() + kPiecesOfABlock - 1) / kPiecesOfABlock;
    product_by_lists<kColumns>
        <<<static_cast<unsigned>(blocks), kListThreads, 0, tables_.backend().device().stream()>>>(
            tables_.view(), pieces_.data(), pieces_.size(), x, y, first_of_y_);
    base::cuda::check_launch("product_by_lists");
  }

  ListTables tables_;
  RowItems items_;
  base::Array<ListPiece> pieces_;
  Index first_of_y_ = 0;
};

}  // namespace

ComputedProductPtr by_lists(const HamiltonianRows& h, ListTables tables) {
  return std::make_unique<ListsOnDevice>(h, std::move(tables));
}

}  // namespace cisolve::ci::cuda
