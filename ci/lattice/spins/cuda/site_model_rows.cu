#include "base/block_kernels.hpp"
#include "base/column_widths.hpp"
#include "base/cuda/elements.cuh"
#include "base/multivector.hpp"
#include "ci/lattice/spins/site_model_view.hpp"

namespace cisolve::ci {
namespace {

using base::Column;
using base::cuda::all_threads;
using base::cuda::check_launch;
using base::cuda::first_of_thread;

constexpr int kThreads = 128;

unsigned blocks_for(Index rows) { return static_cast<unsigned>((rows + kThreads - 1) / kThreads); }

template <int kColumns>
__global__ void __launch_bounds__(kThreads)
    multiply_spins(const SiteModelView spins, base::ConstBlock x, base::Block y) {
  const Index row = first_of_thread();
  if (row >= spins.rows) return;
  double sums[kColumns] = {};
  spins.visit_elements(row, [&](Index column, double value) {
#pragma unroll
    for (int j = 0; j < kColumns; ++j) sums[j] = fma(value, x(column, j), sums[j]);
  });
#pragma unroll
  for (int j = 0; j < kColumns; ++j) y(row, j) = sums[j];
}

class SiteProductOnDevice final : public base::LinearOperator {
 public:
  SiteProductOnDevice(const SiteModelRows& rows, const base::Backend& device)
      : tables_(rows, device) {}

  /// Replaces the model.
  void take(const SiteModel& model) { tables_.take(model); }

  Index rows() const override { return tables_.view().rows; }

  void apply(base::ConstBlock x, base::Block y) const override {
    if (rows() == 0) return;
    base::in_constant_widths(x, y, [this](auto width, base::ConstBlock from, base::Block to) {
      multiply_spins<width>
          <<<blocks_for(rows()), kThreads, 0, tables_.backend().device().stream()>>>(tables_.view(),
                                                                                     from, to);
      check_launch("multiply_spins");
    });
  }

  // Terms that map an orbit to itself contribute to the diagonal, too.
  bool diagonal(base::Block d) const override {
    const SiteModelView spins = tables_.view();
    base::cuda::launch_elements(tables_.backend(), rows(), 1, [=] __device__(Index row, int) {
      double sum = 0;
      spins.visit_elements(row, [&](Index column, double value) {
        if (column == row) sum += value;
      });
      d(row, 0) = sum;
    });
    return true;
  }

  base::OperatorDescription description() const override {
    return {"on-the-fly", tables_.bytes(), 0, 0};
  }

 private:
  SiteModelTables tables_;
};

/// The elements of one row in scratch memory: columns ascending and unique, values of one column
/// added in order of arrival.
class GatheredRow {
 public:
  __device__ GatheredRow(Index* columns, double* values, Index step)
      : columns_(columns), values_(values), step_(step) {}

  __device__ void add(Index column, double value) {
    int place = count_;
    while (place > 0 && column_at(place - 1) > column) --place;
    if (place > 0 && column_at(place - 1) == column) {
      double& sum = values_[(place - 1) * step_];
      sum = __dadd_rn(sum, value);  // rounds like the host, without contraction to an FMA
      return;
    }
    for (int i = count_; i > place; --i) {
      columns_[i * step_] = column_at(i - 1);
      values_[i * step_] = value_at(i - 1);
    }
    columns_[place * step_] = column;
    values_[place * step_] = value;
    ++count_;
  }

  __device__ int count() const { return count_; }
  __device__ Index column_at(int i) const { return columns_[i * step_]; }
  __device__ double value_at(int i) const { return values_[i * step_]; }

 private:
  Index* columns_;
  double* values_;
  Index step_;
  int count_ = 0;
};

/// A batch of rows; thread i handles row first + i.
struct RowsAtOnce {
  Index first;
  Index count;
  Index* columns;  // scratch for `count` rows, interleaved
  double* values;

  __device__ GatheredRow gathered(const SiteModelView& spins, Index i) const {
    GatheredRow row(columns + i, values + i, count);
    spins.visit_elements(first + i, [&](Index column, double value) { row.add(column, value); });
    return row;
  }
};

__global__ void __launch_bounds__(kThreads)
    count_spin_rows(const SiteModelView spins, const RowsAtOnce rows, Index end, Column* lengths) {
  const Index i = first_of_thread();
  if (i >= rows.count) return;
  const GatheredRow row = rows.gathered(spins, i);
  int length = row.count();
  while (length > 0 && row.column_at(length - 1) >= end) --length;
  lengths[i] = static_cast<Column>(length);
}

__global__ void __launch_bounds__(kThreads)
    fill_spin_rows(const SiteModelView spins, const RowsAtOnce rows,
                   const sparse::RowDestinations places, Index before) {
  const Index i = first_of_thread();
  if (i >= rows.count) return;
  const GatheredRow row = rows.gathered(spins, i);
  const sparse::RowDestination place(places, before + i);
  for (int k = 0; k < row.count(); ++k)
    place.write(k, static_cast<Column>(row.column_at(k)), row.value_at(k));
}

/// Rows in stored form, built in batches in scratch memory.
class SiteRowsOnDevice final : public sparse::DeviceRows {
 public:
  SiteRowsOnDevice(const SiteModelRows& rows, const base::Backend& device)
      : tables_(rows, device),
        shape_(rows.shape()),
        at_once_(std::clamp<Index>(kBatchElements / tables_.most_elements(), 1,
                                   std::max<Index>(1, shape_.rows))),
        columns_(device, at_once_ * tables_.most_elements(), kRows),
        values_(device, at_once_ * tables_.most_elements(), kRows) {}

  sparse::MatrixShape shape() const override { return shape_; }
  const base::Backend& device() const override { return tables_.backend(); }

  base::Array<Column> lengths(Index end) const override {
    base::Array<Column> all(device(), shape_.rows, "the row lengths");
    in_batches(0, shape_.rows, [&](const RowsAtOnce& rows) {
      count_spin_rows<<<blocks_for(rows.count), kThreads, 0, stream()>>>(tables_.view(), rows, end,
                                                                         all.data() + rows.first);
      check_launch("count_spin_rows");
    });
    return all;
  }

  void fill_range(Index first, Index last, const sparse::RowDestinations& places) const override {
    in_batches(first, last, [&](const RowsAtOnce& rows) {
      fill_spin_rows<<<blocks_for(rows.count), kThreads, 0, stream()>>>(tables_.view(), rows,
                                                                        places, rows.first - first);
      check_launch("fill_spin_rows");
    });
  }

 private:
  static constexpr Index kBatchElements = Index{1} << 23;  // elements of a batch
  static constexpr const char* kRows = "rows of spins that are made at once";

  template <class Launch>
  void in_batches(Index first, Index last, Launch launch) const {
    for (; first < last; first += at_once_)
      launch({first, std::min(at_once_, last - first), columns_.data(), values_.data()});
  }

  cudaStream_t stream() const { return device().device().stream(); }

  SiteModelTables tables_;
  sparse::MatrixShape shape_;
  Index at_once_;
  mutable base::Array<Index> columns_;
  mutable base::Array<double> values_;
};

}  // namespace

std::unique_ptr<sparse::DeviceRows> SiteModelRows::on(const base::Backend& device) const {
  sparse::require_storable(shape());
  return std::make_unique<SiteRowsOnDevice>(*this, device);
}

namespace cuda {

std::unique_ptr<base::LinearOperator> site_product(const SiteModelRows& rows,
                                                   const base::Backend& device) {
  return std::make_unique<SiteProductOnDevice>(rows, device);
}

std::vector<std::vector<double>> site_expectation_values(const SymmetryAdaptedBasis& basis,
                                                         std::span<const SiteModel> models,
                                                         base::ConstBlock x,
                                                         const base::Backend& device) {
  SiteProductOnDevice product(SiteModelRows(basis, SiteModel{}), device);
  base::MultiVector y(device, x.rows, 1, "a product of spins");
  base::SmallMatrix mean(1, 1);
  std::vector<std::vector<double>> means(x.columns);
  for (const SiteModel& model : models) {
    product.take(model);
    for (int j = 0; j < x.columns; ++j) {
      product.apply(x.slice(j, 1), y.block());
      base::block_kernels(device).gram(device, x.slice(j, 1), std::as_const(y).block(), mean);
      means[j].push_back(mean(0, 0));
    }
  }
  return means;
}

}  // namespace cuda
}  // namespace cisolve::ci
