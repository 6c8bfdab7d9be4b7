#include "sparse/rows/profile.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/loops.hpp"
#include "base/random.hpp"
#include "sparse/rows/build.hpp"

namespace cisolve::sparse {
namespace {

/// Distinct ascending shifts (column - row); cleared once there are too many.
struct DiagonalSet {
  std::vector<Index> shifts = {};
  bool too_many = false;

  void add(const std::vector<Index>& others) {
    shifts.insert(shifts.end(), others.begin(), others.end());
    std::ranges::sort(shifts);
    shifts.erase(std::ranges::unique(shifts).begin(), shifts.end());
    too_many = too_many || std::ssize(shifts) > RowProfile::kMostDiagonals;
    if (too_many) shifts.clear();
  }
  void add(const DiagonalSet& other) {
    too_many = too_many || other.too_many;
    add(other.shifts);
  }
};

/// Sums over windows: each window is filled by one thread, and windows are added in order.
struct WindowSums {
  double rows = 0;
  double elements = 0;
  double squares = 0;
  double longest = 0;
  double positions = 0;
  double lines = 0;
  double tile_parts = 0;
  DiagonalSet diagonals = {};
  MatrixValues values = {};

  void add(const WindowSums& other) {
    rows += other.rows;
    elements += other.elements;
    squares += other.squares;
    longest = std::max(longest, other.longest);
    positions += other.positions;
    lines += other.lines;
    tile_parts += other.tile_parts;
    diagonals.add(other.diagonals);
    values.add(other.values);
  }
};

/// Lengths of the rows from `first` on, at most a window; fewer if rows are long, so that a window
/// needs only a few megabytes.
std::vector<Column> window_lengths(const RowSource& source, Index first) {
  constexpr Index kMostElements = 1 << 19;
  std::vector<Column> lengths(std::min(RowProfile::kWindow, source.shape().rows - first));
  source.count(first, lengths);
  Index elements = 0;
  std::size_t rows = 0;
  while (rows < lengths.size() && elements + lengths[rows] <= kMostElements)
    elements += lengths[rows++];
  lengths.resize(std::max<std::size_t>(rows, 1));
  return lengths;
}

/// The elements of a few rows.
class Window {
 public:
  Window(const RowSource& source, Index first, int vectors, const base::Backend& host)
      : lengths_(window_lengths(source, first)),
        columns_(host, total(lengths_), "the columns of sampled rows"),
        values_(host, columns_.size(), "the values of sampled rows"),
        first_(first),
        tile_columns_(std::max<Index>(RowProfile::kTileColumns / vectors, 1)) {
    source.fill(first, first + rows(), columns_.span(), values_.span());
    for (const Column length : lengths_) begins_.push_back(begins_.back() + length);
  }

  WindowSums sums() const {
    WindowSums sums;
    sums.rows = static_cast<double>(rows());
    sums.elements = static_cast<double>(columns_.size());
    Index longest = 0;
    for (Index row = 0; row < rows(); ++row) {
      const Index length = lengths_[row];
      longest = std::max(longest, length);
      sums.squares += static_cast<double>(length) * static_cast<double>(length);
      sums.tile_parts += tile_parts(row);
      for (Index k = begins_[row]; k < begins_[row + 1]; ++k)
        sums.values.take(first_ + row, columns_[k], values_[k]);
    }
    sums.longest = static_cast<double>(longest);
    sums.positions = static_cast<double>(longest * rows());
    sums.lines = distinct_lines();
    sums.diagonals = diagonals();
    return sums;
  }

 private:
  Index rows() const { return std::ssize(lengths_); }

  DiagonalSet diagonals() const {
    DiagonalSet set;
    std::vector<Index> shifts;
    for (Index row = 0; row < rows(); ++row) {
      shifts.clear();
      if (lengths_[row] > RowProfile::kMostDiagonals) return {.too_many = true};
      for (Index k = begins_[row]; k < begins_[row + 1]; ++k)
        shifts.push_back(columns_[k] - first_ - row);
      if (set.too_many) return set;
      set.add(shifts);
    }
    return set;
  }

  double distinct_lines() const {
    std::vector<Index> lines;
    for (const Column column : columns_.span()) lines.push_back(column / RowProfile::kLine);
    std::ranges::sort(lines);
    return static_cast<double>(std::ranges::unique(lines).begin() - lines.begin());
  }

  double tile_parts(Index row) const {
    double parts = 0;
    for (Index k = begins_[row]; k < begins_[row + 1]; ++k) {
      const auto tile = [&](Index place) { return columns_[place] / tile_columns_; };
      if (k == begins_[row] || tile(k) != tile(k - 1)) ++parts;
    }
    return parts;
  }

  std::vector<Column> lengths_;
  base::Array<Column> columns_;
  base::Array<double> values_;
  Index first_;
  std::vector<Index> begins_{0};
  Index tile_columns_;
};

/// First rows of the windows: one at a random place in each of equal parts of the rows, none across
/// the source's chunks (grain), and few if chunks are a large part of all rows.
std::vector<Index> window_begins(Index rows, Index grain) {
  constexpr Index kMost = 64;
  constexpr Index kLeast = 8;
  constexpr Index kGrains = 8;  // grains per window
  const Index least = std::clamp<Index>(rows / RowProfile::kWindow, 1, kLeast);
  const Index windows = std::clamp(rows / (kGrains * grain), least, kMost);
  std::vector<Index> begins;
  for (Index w = 0; w < windows; ++w) {
    const Index begin = rows * w / windows;
    const Index free_rows = rows * (w + 1) / windows - begin - RowProfile::kWindow;
    const auto shift = static_cast<double>(std::max<Index>(free_rows, 0)) *
                       base::unit_interval(base::mix(static_cast<std::uint64_t>(w)));
    const Index anywhere = begin + static_cast<Index>(shift);
    const Index beyond = std::max<Index>(0, anywhere % grain + RowProfile::kWindow - grain);
    begins.push_back(grain < RowProfile::kWindow ? anywhere : anywhere - beyond);
  }
  return begins;
}

// If rows are determinants, the first is a reference with the most connections.
double first_length(const RowSource& rows) {
  Column length = 0;
  rows.count(0, {&length, 1});
  return static_cast<double>(length);
}

/// Number of positions of the diagonals within the windows.
double positions_of(const std::vector<Index>& shifts, const std::vector<WindowSums>& windows,
                    const std::vector<Index>& begins, const MatrixShape& shape) {
  double positions = 0;
  for (std::size_t w = 0; w < windows.size(); ++w)
    for (const Index shift : shifts) {
      const Index end =
          std::min(begins[w] + static_cast<Index>(windows[w].rows), shape.columns - shift);
      positions += static_cast<double>(std::max<Index>(0, end - std::max(begins[w], -shift)));
    }
  return positions;
}

}  // namespace

RowProfile sample_profile(const RowSource& rows, int vectors, const base::Backend& host) {
  const MatrixShape shape = rows.shape();
  RowProfile profile{.rows = shape.rows, .columns = shape.columns, .vectors = vectors};
  if (shape.rows == 0) return profile;
  const std::vector<Index> begins = window_begins(shape.rows, rows.grain());
  std::vector<WindowSums> sums(begins.size());
  base::for_each_chunk(std::ssize(begins), 1, host, [&](Index w, Index) {
    sums[w] = Window(rows, begins[w], vectors, host).sums();
  });
  WindowSums all;
  for (const WindowSums& window : sums) all.add(window);
  profile.mean = all.elements / all.rows;
  profile.deviation =
      std::sqrt(std::max(0.0, all.squares / all.rows - profile.mean * profile.mean));
  profile.longest = std::max(all.longest, first_length(rows));
  profile.values = all.values.count();
  profile.off_diagonal_values = all.values.off_diagonal.count();
  if (all.elements == 0) return profile;
  profile.fill = all.elements / all.positions;
  profile.scatter = all.lines / all.elements;
  profile.tile_parts = all.tile_parts / all.elements;
  profile.symmetric = shape.symmetric;
  profile.diagonals = std::ssize(all.diagonals.shifts);
  profile.diagonal_fill =
      all.elements / std::max(1.0, positions_of(all.diagonals.shifts, sums, begins, shape));
  return profile;
}

}  // namespace cisolve::sparse
