#include "base/cuda/context.hpp"
#include "ci/hamiltonian/rows/chosen_rows.hpp"
#include "ci/hamiltonian/rows/cuda/warp_group.cuh"
#include "ci/hamiltonian/rows/group_row_builder.hpp"
#include "ci/hamiltonian/rows/row_counter.hpp"

namespace cisolve::ci {
namespace {

using base::cuda::check_launch;

using cuda::Warp;

constexpr int kThreads = 128;
constexpr int kRowsPerBlock = kThreads / 32;

__device__ Index row_of_warp() {
  return Index{blockIdx.x} * kRowsPerBlock + static_cast<Index>(threadIdx.x) / Warp::size;
}

/// Lengths of rows that can be counted without a walk.
__global__ void __launch_bounds__(kThreads)
    count_whole_rows(const RowTablesView tables, Index first, Index last, Column* lengths) {
  const Index row = first + row_of_warp();
  if (row >= last) return;
  const Column count = RowCounter<Warp>(tables, row).count();
  if (Warp::lane() == 0) lengths[row - first] = count;
}

__global__ void __launch_bounds__(kThreads)
    count_rows(const RowTablesView tables, Index first, Index last, Index end, Column* lengths) {
  const Index row = first + row_of_warp();
  if (row >= last) return;
  RowLengthCount<Warp> sink(tables, end);
  GroupRowBuilder<Warp, RowLengthCount<Warp>>(tables, row, sink).walk();
  if (Warp::lane() == 0) lengths[row - first] = sink.count();
}

__global__ void __launch_bounds__(kThreads)
    fill_rows(const RowTablesView tables, Index first, Index last,
              const sparse::RowDestinations places, const Column* reference_lengths) {
  const Index place = row_of_warp();
  const Index row = first + place;
  if (row >= last) return;
  const Index before = reference_lengths == nullptr ? 0 : Index{reference_lengths[place]};
  RowWriter<Warp> sink(tables, {places, place}, before);
  GroupRowBuilder<Warp, RowWriter<Warp>>(tables, row, sink).walk();
}

/// The rows of a Hamiltonian, one warp per row.
class HamiltonianOnDevice final : public sparse::DeviceRows {
 public:
  HamiltonianOnDevice(const HamiltonianRows& rows, const base::Backend& device)
      : tables_(rows, device),
        chosen_(device, 0, "the numbers of chosen rows"),
        shape_(rows.shape()),
        view_(tables_.view()) {}

  HamiltonianOnDevice(const HamiltonianRows& rows, const ChosenRows& chosen,
                      const base::Backend& device)
      : tables_(rows, device),
        chosen_(chosen.chosen().to(device)),
        shape_(chosen.shape()),
        view_(tables_.canonical_view()) {
    view_.rows = shape_.rows;
    view_.canonical = chosen_.data();
  }

  sparse::MatrixShape shape() const override { return shape_; }
  const base::Backend& device() const override { return tables_.backend(); }

  base::Array<Column> lengths(Index end) const override { return count(0, shape().rows, end); }

  void fill_range(Index first, Index last, const sparse::RowDestinations& places) const override {
    if (first == last) return;
    const bool is_canonical = view_.stored == nullptr;
    const auto reference = count(first, is_canonical ? first : last, shape().reference_columns);
    fill_rows<<<blocks(last - first), kThreads, 0, stream()>>>(
        view_, first, last, places, is_canonical ? nullptr : reference.data());
    check_launch("fill_rows");
  }

 private:
  base::Array<Column> count(Index first, Index last, Index end) const {
    base::Array<Column> lengths(device(), last - first, "the row lengths");
    if (first == last) return lengths;
    if (end >= shape().columns && RowCounter<Warp>::serves(view_))
      count_whole_rows<<<blocks(last - first), kThreads, 0, stream()>>>(view_, first, last,
                                                                        lengths.data());
    else
      count_rows<<<blocks(last - first), kThreads, 0, stream()>>>(view_, first, last, end,
                                                                  lengths.data());
    check_launch("count_rows");
    return lengths;
  }

  static unsigned blocks(Index rows) {
    return static_cast<unsigned>((rows + kRowsPerBlock - 1) / kRowsPerBlock);
  }
  cudaStream_t stream() const { return device().device().stream(); }

  RowTables tables_;
  base::Array<Column> chosen_;
  sparse::MatrixShape shape_;
  RowTablesView view_;
};

}  // namespace

std::unique_ptr<sparse::DeviceRows> HamiltonianRows::on(const base::Backend& device) const {
  sparse::require_storable(shape());
  return std::make_unique<HamiltonianOnDevice>(*this, device);
}

std::unique_ptr<sparse::DeviceRows> ChosenRows::on(const base::Backend& device) const {
  return std::make_unique<HamiltonianOnDevice>(h_, *this, device);
}

}  // namespace cisolve::ci
