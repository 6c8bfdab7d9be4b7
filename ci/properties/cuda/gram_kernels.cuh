#pragma once

#include "base/cuda/fragments.cuh"
#include "ci/properties/cuda/same_kernels.cuh"

// Two-particle densities as inner products of what is left of a state when two electrons are
// removed: one Gram matrix for each residue, on tensor cores.
namespace cisolve::ci::cuda {

/// A line of coefficients: the string it is read from, and the two orbitals that lose their
/// electrons to give the residue.
struct GramLine {
  StringNumber string;
  std::uint8_t first;
  std::uint8_t second;
  bool odd;  // removing the electrons changes the sign
};

/// A tile of a Gram matrix: inner products of some lines of a residue with others or, if both are
/// the same, among themselves.
struct GramWork {
  Index residue;  // number of the residue
  Index rows;     // first line of the rows
  Index columns;  // first line of the columns; not after the rows
  int row_count;
  int column_count;
};

/// A vector and the positions of its elements.
struct SpacePlaces {
  const double* x;
  const Index* first_row;         // first row of each alpha string
  const StringNumber* list_of;    // list of beta strings of each alpha string
  const StringNumber* positions;  // lists x betas, -1: absent; null if all pairs are determinants
  Index betas;

  __device__ double value(Index alpha, Index beta) const {
    const Index place = positions == nullptr ? beta : positions[list_of[alpha] * betas + beta];
    return place < 0 ? 0 : x[first_row[alpha] + place];
  }
};

/// Lines that are multiplied whole, whatever their residue.
struct WholeLines {
  __device__ void choose(Index /*residue*/) {}
  __device__ Index first() const { return 0; }
};

/// Lines of two alpha electrons: the coefficients of an alpha string, by beta strings.
struct AlphaLines : WholeLines {
  explicit AlphaLines(const SpacePlaces& places) : places(places) {}
  SpacePlaces places;
  __device__ double at(const GramLine& line, Index beta) const {
    return places.value(line.string, beta);
  }
};

/// Lines of two beta electrons: the coefficients of a beta string, by alpha strings.
struct BetaColumns : WholeLines {
  explicit BetaColumns(const SpacePlaces& places) : places(places) {}
  SpacePlaces places;
  __device__ double at(const GramLine& line, Index alpha) const {
    return places.value(alpha, line.string);
  }
};

/// Lines of one electron of each spin: the coefficients of an alpha string, by the beta strings
/// that an electron in orbital `second` makes of the beta residues. `found`: 0 if there is none,
/// else one more than the string's number, with the sign.
///
/// `counts_half`: lines begin at the beta residue equal to the alpha one, which counts half: for an
/// even or odd state, residues A and B contribute as B and A do, with the orbitals exchanged.
struct MixedLines {
  SpacePlaces places;
  const StringNumber* found;  // orbitals x residues
  Index residues;
  bool counts_half;
  Index own = 0;  // the alpha residue

  __device__ void choose(Index residue) { own = residue; }
  __device__ Index first() const { return counts_half ? own : 0; }
  __device__ double at(const GramLine& line, Index residue) const {
    constexpr double kRootOfHalf = 0.70710678118654752440;
    const StringNumber beta = found[line.second * residues + residue];
    if (beta == 0) return 0;
    double value = places.value(line.string, (beta < 0 ? -beta : beta) - 1);
    if (counts_half && residue == own) value *= kRootOfHalf;
    return beta < 0 ? -value : value;
  }
};

/// Adds inner products to mixed[p][q][r][s] for p >= q, as integers in units of 1 / scale.
struct MixedSums {
  Index orbitals;
  double scale;
  unsigned long long* sums;

  /// `row` is not before `column` among the lines of a residue.
  __device__ void add(const GramLine& row, const GramLine& column, double value) const {
    const auto units = static_cast<unsigned long long>(__double2ll_rn(value * scale));
    atomicAdd(place(row.first, column.first, row.second, column.second), units);
    if (row.first == column.first && row.second != column.second)
      atomicAdd(place(row.first, column.first, column.second, row.second), units);
  }

 private:
  __device__ unsigned long long* place(int p, int q, int r, int s) const {
    return sums + ((p * orbitals + q) * orbitals + r) * orbitals + s;
  }
};

/// Adds inner products to the density of two electrons of one spin.
struct SameSpinPairSums {
  SameSpinSums sums;
  __device__ void add(const GramLine& row, const GramLine& column, double value) const {
    sums.add(ordered(row.second, row.first), ordered(column.second, column.first), value);
  }
};

/// Tiles of kTile by kTile lines, in steps of kStep elements.
inline constexpr int kTile = 144;

template <bool kDiagonal>
struct GramShape {
  static constexpr int kStep = 16;
  static constexpr int kStride = kStep + 4;  // no bank conflicts in a half warp
  static constexpr int kWarps = 16;
  static constexpr int kThreads = 32 * kWarps;
  static constexpr int kRows = kTile / 16;  // rows of 16 x 8 fragments
  static constexpr int kFragments = kDiagonal ? kRows * (kRows + 1) : 2 * kRows * kRows;
  static constexpr int kOfWarp = (kFragments + kWarps - 1) / kWarps;
  static constexpr int kLines = kDiagonal ? kTile : 2 * kTile;
  static constexpr int kLoads = (kLines * kStep + kThreads - 1) / kThreads;
  static constexpr int kBytes = kLines * (2 * kStride * static_cast<int>(sizeof(double)) +
                                          static_cast<int>(sizeof(GramLine)));
};

/// One warp's consecutive fragments of 16 rows and 8 columns; on the diagonal only those with a
/// product of a line and itself or an earlier one.
template <bool kDiagonal>
struct Fragments {
  int rows;
  int columns;
  int row = 0;
  int column = 0;
  int count = 0;

  __device__ Fragments(const GramWork& work, int warp, int warps)
      : rows((work.row_count + 15) / 16), columns((work.column_count + 7) / 8) {
    int all = 0;
    for (int i = 0; i < rows; ++i) all += columns_of(i);
    const int each = (all + warps - 1) / warps;
    const int begin = warp * each;
    count = max(0, min(each, all - begin));
    column = begin;
    while (row < rows && column >= columns_of(row)) column -= columns_of(row++);
  }
  __device__ int columns_of(int i) const { return kDiagonal ? min(2 * i + 2, columns) : columns; }
  __device__ void go_on() {
    if (++column < columns_of(row)) return;
    column = 0;
    ++row;
  }
};

template <bool kDiagonal, class Lines, class Sums>
class GramBlock {
 public:
  using Shape = GramShape<kDiagonal>;

  __device__ GramBlock(const GramWork& work, const GramLine* lines, const Lines& source,
                       double* shared)
      : work_(work),
        source_(source),
        fragments_(work, thread() / 32, Shape::kWarps),
        elements_(shared),
        lines_(reinterpret_cast<GramLine*>(shared + 2 * Shape::kLines * Shape::kStride)) {
    for (int i = thread(); i < work.row_count; i += Shape::kThreads)
      lines_[i] = lines[work.rows + i];
    if (!kDiagonal)
      for (int i = thread(); i < work.column_count; i += Shape::kThreads)
        lines_[kTile + i] = lines[work.columns + i];
    __syncthreads();
  }

  /// Multiplies over elements first to last - 1.
  __device__ void multiply(Index first, Index last) {
    fetch(first, last);
    for (int buffer = 0; first < last; first += Shape::kStep, buffer ^= 1) {
      double* here = elements_ + buffer * Shape::kLines * Shape::kStride;
      store(here);
      __syncthreads();
      fetch(first + Shape::kStep, last);
      add_products(here);
    }
  }

  __device__ void add_to(const Sums& sums) const {
    Fragments<kDiagonal> at = fragments_;
#pragma unroll
    for (int f = 0; f < Shape::kOfWarp; ++f, at.go_on()) {
      if (f >= at.count) break;
      const int row = 16 * at.row + lane() / 4;
      const int column = 8 * at.column + 2 * (lane() % 4);
      for (int i = 0; i < 4; ++i) add_to(row + 8 * (i / 2), column + i % 2, sum_[f][i], sums);
    }
  }

 private:
  static constexpr int kColumnsAt = kDiagonal ? 0 : kTile;

  static __device__ int thread() { return static_cast<int>(threadIdx.x); }
  static __device__ int lane() { return thread() % 32; }

  /// Calls act(i, line) for the lines of which this thread loads an element.
  template <class Act>
  __device__ void for_each_load(Act&& act) {
#pragma unroll
    for (int i = 0; i < Shape::kLoads; ++i) {
      const int line = thread() / Shape::kStep + i * (Shape::kThreads / Shape::kStep);
      if (line < Shape::kLines) act(i, line);
    }
  }

  __device__ bool is_used(int line) const {
    return line < kTile ? line < work_.row_count : line - kTile < work_.column_count;
  }

  /// Prefetches the next step.
  __device__ void fetch(Index first, Index last) {
    const Index at = first + thread() % Shape::kStep;
    for_each_load([&](int i, int line) {
      next_[i] = at < last && is_used(line) ? source_.at(lines_[line], at) : 0;
    });
  }

  __device__ void store(double* elements) {
    for_each_load([&](int i, int line) {
      elements[line * Shape::kStride + thread() % Shape::kStep] = next_[i];
    });
  }

  __device__ void add_products(const double* elements) {
    const double* place = elements + lane() / 4 * Shape::kStride + lane() % 4;
#pragma unroll
    for (int k = 0; k < Shape::kStep; k += 8) {
      Fragments<kDiagonal> at = fragments_;
      double a[4];
      int row = -1;
#pragma unroll
      for (int f = 0; f < Shape::kOfWarp; ++f, at.go_on()) {
        if (f >= at.count) break;
        if (at.row != row) {
          row = at.row;
          const double* from = place + 16 * row * Shape::kStride + k;
          a[0] = from[0];
          a[1] = from[8 * Shape::kStride];
          a[2] = from[4];
          a[3] = from[8 * Shape::kStride + 4];
        }
        const double* b = place + (kColumnsAt + 8 * at.column) * Shape::kStride + k;
        base::cuda::multiply_add(sum_[f], a[0], a[1], a[2], a[3], b[0], b[4]);
      }
    }
  }

  __device__ void add_to(int row, int column, double value, const Sums& sums) const {
    if (row >= work_.row_count || column >= work_.column_count || value == 0) return;
    if (kDiagonal && row < column) return;
    const GramLine& a = lines_[row];
    const GramLine& b = lines_[kColumnsAt + column];
    sums.add(a, b, a.odd == b.odd ? value : -value);
  }

  GramWork work_;
  const Lines& source_;
  Fragments<kDiagonal> fragments_;
  double* elements_;  // holds two buffers: lines x kStride
  GramLine* lines_;
  double sum_[Shape::kOfWarp][4] = {};
  double next_[Shape::kLoads] = {};
};

/// Grid: works x parts of the `size` elements of lines.
template <bool kDiagonal, class Lines, class Sums>
__global__ void __launch_bounds__(GramShape<kDiagonal>::kThreads)
    add_gram(const GramWork* works, const GramLine* lines, Index size, Index part, Lines source,
             const Sums sums) {
  extern __shared__ double shared[];
  const Index first = part * blockIdx.y;
  source.choose(works[blockIdx.x].residue);
  GramBlock<kDiagonal, Lines, Sums> block(works[blockIdx.x], lines, source, shared);
  block.multiply(max(first, source.first()), min(first + part, size));
  block.add_to(sums);
}

}  // namespace cisolve::ci::cuda
