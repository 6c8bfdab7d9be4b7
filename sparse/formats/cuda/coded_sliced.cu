#include "sparse/formats/coded_sliced.hpp"

#include <algorithm>

#include "base/cuda/elements.cuh"
#include "base/fill.hpp"
#include "sparse/formats/byte_codes.hpp"

// Rows are written in batches of slices: columns in place, values into scratch memory. A kernel
// then assigns a slot to each value and stores the slot as a preliminary code.
namespace cisolve::sparse {
namespace {

using base::cuda::all_threads;
using base::cuda::first_of_thread;
using base::cuda::grid_for;
using base::cuda::kElementThreads;

__device__ int take_slot(ValueSlots& slots, double value) {
  if (slots.overflow != 0) return -1;
  const auto bits = static_cast<unsigned long long>(__double_as_longlong(value));
  const int slot = slot_of(
      bits, [&](int i) { return slots.bits[i]; },
      [&](int i) {
        return atomicCAS(reinterpret_cast<unsigned long long*>(slots.bits + i),
                         static_cast<unsigned long long>(ValueSlots::kEmpty), bits);
      });
  if (slot < 0) slots.overflow = 1;
  return slot;
}

/// A batch of whole slices; columns are written in place, values relative to `begin`.
struct SliceBatch {
  Index first_row;
  Index last_row;  // may exceed the matrix's rows
  Index begin;
};

__global__ void place_batch(const CodedSlicedView a, const SliceBatch batch, Index* places) {
  const Index last = min(batch.last_row, a.rows);
  for (Index row = batch.first_row + first_of_thread(); row < last; row += all_threads())
    places[row - batch.first_row] = a.position(row, 0) - batch.begin;
}

__global__ void assign_slots(const CodedSlicedView a, const SliceBatch batch, const double* values,
                             MatrixValues* found, std::uint8_t* codes, double* diagonal) {
  for (Index row = batch.first_row + first_of_thread(); row < batch.last_row;
       row += all_threads()) {
    const Index width = a.width(row / a.slice_height);
    Index place = a.position(row, 0);
    for (Index k = 0; k < width; ++k, place += a.slice_height) {
      const Column column = a.column[place];
      int slot = 0;
      if (column == row) {
        diagonal[row] = values[place - batch.begin];
        slot = take_slot(found->diagonal, values[place - batch.begin]);
      } else if (column >= 0) {
        slot = take_slot(found->off_diagonal, values[place - batch.begin]);
      }
      codes[place] = static_cast<std::uint8_t>(max(slot, 0));
    }
  }
}

__global__ void renumber_rows(const CodedSlicedView a, const ByteCodes::Numbers* off_diagonal,
                              const ByteCodes::Numbers* diagonal, std::uint8_t* codes) {
  for (Index row = first_of_thread(); row < a.rows; row += all_threads())
    renumber_row(a, row, reinterpret_cast<const std::uint8_t*>(off_diagonal),
                 reinterpret_cast<const std::uint8_t*>(diagonal), codes);
}

/// Maximum positions of a batch.
Index scratch_positions(Index asked, const base::Backend& device) {
  constexpr Index kMost = Index{1} << 26;
  if (asked > 0) return asked;
  return std::clamp<Index>(device.memory().left() / 2 / Index{sizeof(double)}, 1, kMost);
}

/// Cuts the matrix into batches of whole slices with up to `positions` positions, at least one
/// slice.
std::vector<SliceBatch> batches_of(const CodedSliced& matrix, Index positions) {
  const base::Array<Index> offsets = matrix.slice_offsets.to(matrix.codes.backend().host());
  std::vector<SliceBatch> batches;
  for (Index slice = 0; slice < matrix.slices();) {
    Index end = slice + 1;
    while (end < matrix.slices() && offsets[end + 1] - offsets[slice] <= positions) ++end;
    batches.push_back({slice * matrix.slice_height, end * matrix.slice_height, offsets[slice]});
    slice = end;
  }
  return batches;
}

MatrixValues on_host(const base::Array<MatrixValues>& values) {
  return values.to(values.backend().host())[0];
}

/// Writes columns, slots and the diagonal; returns all values, or an overflow as soon as it occurs.
MatrixValues take_all(const DeviceRows& rows, Index scratch, CodedSliced& matrix) {
  const base::Backend& device = rows.device();
  const MatrixValues none;
  auto found = base::Array<MatrixValues>::copy_of({&none, 1}, device, "the values of a matrix");
  const CodedSlicedView view = matrix.view();
  const std::vector<SliceBatch> batches = batches_of(matrix, scratch_positions(scratch, device));
  Index longest = 0;
  Index most_rows = 0;
  const auto end_of = [&](std::size_t batch) {
    return batch + 1 < batches.size() ? batches[batch + 1].begin : matrix.columns.size();
  };
  for (std::size_t i = 0; i < batches.size(); ++i) {
    longest = std::max(longest, end_of(i) - batches[i].begin);
    most_rows = std::max(most_rows, batches[i].last_row - batches[i].first_row);
  }
  base::Array<double> values(device, longest, "the values of some slices");
  base::Array<Index> places(device, most_rows, "the places of some rows");
  cudaStream_t stream = device.device().stream();
  for (const SliceBatch& batch : batches) {
    const unsigned grid = grid_for(batch.last_row - batch.first_row);
    place_batch<<<grid, kElementThreads, 0, stream>>>(view, batch, places.data());
    base::cuda::check_launch("place_lot");
    rows.fill_range(batch.first_row, std::min(batch.last_row, view.rows),
                    {.tail_first = places.data(),
                     .tail_step = matrix.slice_height,
                     .tail_columns = matrix.columns.data() + batch.begin,
                     .tail_values = values.data()});
    assign_slots<<<grid, kElementThreads, 0, stream>>>(view, batch, values.data(), found.data(),
                                                       matrix.codes.data(), matrix.diagonal.data());
    base::cuda::check_launch("take_slots");
    if (on_host(found).off_diagonal.overflow != 0) break;
  }
  return on_host(found);
}

void renumber_on_device(const ByteCodes& codes, CodedSliced& matrix) {
  const base::Backend& device = matrix.codes.backend();
  const ByteCodes::Numbers both[] = {codes.off_diagonal, codes.diagonal};
  const auto numbers = base::Array<ByteCodes::Numbers>::copy_of(both, device, "codes of slots");
  renumber_rows<<<grid_for(matrix.shape.rows), kElementThreads, 0, device.device().stream()>>>(
      matrix.view(), numbers.data(), numbers.data() + 1, matrix.codes.data());
  base::cuda::check_launch("renumber_rows");
  device.synchronize();
}

}  // namespace

std::optional<CodedSliced> build_coded_sliced(const DeviceRows& rows, const FormatOptions& options,
                                              Index scratch) {
  const MatrixShape shape = rows.shape();
  CodedSliced matrix = allocate_coded_sliced(shape, options, rows.lengths(shape.columns));
  base::fill_bytes(matrix.diagonal, 0);
  if (matrix.elements < matrix.columns.size()) base::fill_bytes(matrix.columns, 0xff);  // -1
  const std::optional<ByteCodes> codes = number_values(take_all(rows, scratch, matrix));
  if (!codes) return std::nullopt;
  renumber_on_device(*codes, matrix);
  adopt_table(*codes, matrix);
  return matrix;
}

}  // namespace cisolve::sparse
