#include "solver/vectors/space_bytes.hpp"

#include <algorithm>

#include "solver/vectors/host_panel_store.hpp"

namespace cisolve::solver {
namespace {

/// Memory left to the operator: a fraction of what is free, up to half a vector within absolute
/// limits. More on a small device, where kernels hold partial sums of inner products.
constexpr double kLeftToOthers = 0.2;
constexpr double kPartialSums = 640 * 1024;
double most_left_to_others(Index rows) {
  return std::clamp(4.0 * static_cast<double>(rows), 0x1p26, 0x1p31);
}

double left_to_vectors(Index bytes, bool on_host, Index rows) {
  const auto all = static_cast<double>(bytes);
  const double left_to_others = std::min(kLeftToOthers * all, most_left_to_others(rows));
  return all -
         (on_host ? left_to_others : std::max(left_to_others, std::min(kPartialSums, all / 2)));
}

constexpr Index kRoundedUp = 8;

double bytes_of_numbers(Index numbers) { return sizeof(double) * static_cast<double>(numbers); }

/// Bytes of a search space: per column a vector, its image, scratch of rotate() and padding; plus
/// fixed ones.
struct SpaceBytes {
  double column;
  double fixed_bytes;

  SpaceBytes(bool on_host, Index rows, Index dimension)
      : column(bytes_of_numbers(2 * rows + scratch_rows(on_host, rows) + 3 * kRoundedUp)),
        fixed_bytes(
            bytes_of_numbers(rows + kRoundedUp) +
            (on_host ? bytes_of_numbers(transfer_rows(on_host, dimension) + kRoundedUp) : 0)) {}
};

double with_what_is_left_to_others(double needed, Index rows) {
  constexpr double rounded = 64;  // reverse of left_to_vectors(), within this
  return rounded + std::min(needed / (1 - kLeftToOthers), needed + most_left_to_others(rows));
}

/// Device: the diagonal, a free vector and image or in the end the states, two panels of each
/// column, and scratch of rotate(). Host: the columns.
StagedBytes staged_bytes(Index columns, Index states, Index rows) {
  const auto exact = static_cast<double>(exact_columns(states, columns));
  const double singles = static_cast<double>(columns) - exact;
  const double panel = bytes_of_numbers(HostPanelStore::panel_rows(false, rows));
  const double scratch = bytes_of_numbers(scratch_rows(false, rows) + kRoundedUp);
  const double whole = bytes_of_numbers(rows + kRoundedUp);
  const double at_once = 2 + static_cast<double>(std::max<Index>(1, states));
  return {
      at_once * whole + static_cast<double>(columns) * scratch + (4 * exact + 2 * singles) * panel,
      (2 * exact + singles) * whole + bytes_of_numbers(transfer_rows(false, rows))};
}

}  // namespace

Index transfer_rows(bool on_host, Index dimension) {
  // Small compared with other host memory, large enough for a message or a copy.
  return std::min<Index>(dimension, Index{1} << (on_host ? 14 : 17));
}

Index scratch_rows(bool on_host, Index rows) {
  // Long enough to hide launches, short compared with a vector.
  return std::min<Index>(rows, on_host ? Index{1} << 14 : Index{1} << 20);
}

MemoryForSpace MemoryForSpace::of(const Backend& backend, Index rows, Index dimension) {
  return {backend.memory().left(), backend.host_memory().left(), backend.is_host(), rows,
          dimension};
}

Index columns_that_fit(const MemoryForSpace& memory) {
  const SpaceBytes space(memory.on_host, memory.rows, memory.dimension);
  const double left = left_to_vectors(memory.bytes, memory.on_host, memory.rows);
  return static_cast<Index>((left - space.fixed_bytes) / space.column);
}

Index staged_columns_that_fit(const MemoryForSpace& memory, Index states) {
  constexpr double most = 1 << 20;
  const StagedBytes least = staged_bytes(states, states, memory.rows);
  const StagedBytes more = staged_bytes(states + 1, states, memory.rows);
  const double here = left_to_vectors(memory.bytes, memory.on_host, memory.rows) - least.device;
  const double home = left_to_vectors(memory.host_bytes, true, memory.rows) - least.host;
  if (here < 0 || home < 0) return 0;
  const double further =
      std::min(here / (more.device - least.device), home / (more.host - least.host));
  return states + static_cast<Index>(std::min(further, most));
}

double least_bytes_for(Index columns, bool on_host, Index rows, Index dimension) {
  const SpaceBytes space(on_host, rows, dimension);
  return with_what_is_left_to_others(
      space.fixed_bytes + static_cast<double>(columns) * space.column, rows);
}

StagedBytes least_staged_bytes_for(Index columns, Index states, Index rows) {
  const StagedBytes needed = staged_bytes(columns, states, rows);
  return {with_what_is_left_to_others(needed.device, rows),
          with_what_is_left_to_others(needed.host, rows)};
}

}  // namespace cisolve::solver
