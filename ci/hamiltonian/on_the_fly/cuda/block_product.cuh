#pragma once

#include "base/block.hpp"
#include "ci/hamiltonian/on_the_fly/block_tables.hpp"
#include "ci/hamiltonian/rows/cuda/warp_group.cuh"

// One thread block computes one item: its rows of y, x of the alpha string being processed and the
// integrals of that string are in shared memory. Each row of a table belongs to one lane, so sums
// are bitwise reproducible.
namespace cisolve::ci::cuda {

inline constexpr int kCouplingsAtOnce = 128;     // connections prepared together
inline constexpr Index kMostPairsAtHand = 4096;  // beta pairs with integrals in shared memory

struct BlockProduct {
  BlocksView b;
  const BlockItem* items;
  Index x_places;  // beta strings in the shared copy of x; 0: x is read from global memory
  Index pairs_at_hand;
  base::ConstBlock x;
  base::Block y;
  Index first_of_y;
};

/// Doubles of shared memory for integrals: first of one alpha string's electrons with each orbital,
/// then of one alpha pair with each beta pair. Even, so that a double2 can follow.
inline __host__ __device__ Index at_hand(const BlockProduct& p) {
  const Index numbers = p.pairs_at_hand > p.b.t.orbitals ? p.pairs_at_hand : p.b.t.orbitals;
  return (numbers + 1) / 2 * 2;
}

/// Elements of one beta string, one for each vector.
template <int Width>
struct Numbers {
  double of[Width];

  /// Reads from the shared copy: two vectors interleaved, the next two `plane` doubles further on,
  /// so that a warp's reads of double2 spread over all banks.
  __device__ void read(const double* copy, unsigned place, Index plane) {
    if constexpr (Width == 1) {
      of[0] = copy[place];
    } else {
#pragma unroll
      for (int j = 0; j < Width; j += 2) {
        const double2 two = *reinterpret_cast<const double2*>(copy + j / 2 * plane + 2 * place);
        of[j] = two.x;
        of[j + 1] = two.y;
      }
    }
  }
  __device__ void write(double* copy, Index place, Index plane) const {
    if constexpr (Width == 1) {
      copy[place] = of[0];
    } else {
#pragma unroll
      for (int j = 0; j < Width; j += 2)
        *reinterpret_cast<double2*>(copy + j / 2 * plane + 2 * place) = {of[j], of[j + 1]};
    }
  }
  __device__ void read(base::ConstBlock x, Index row) {
#pragma unroll
    for (int j = 0; j < Width; ++j) of[j] = x(row, j);
  }
  __device__ void add(double value, const Numbers& x) {
#pragma unroll
    for (int j = 0; j < Width; ++j) of[j] = fma(value, x.of[j], of[j]);
  }
};

template <int Width, bool kCopiesX>
class ComputedRowBlock {
 public:
  __device__ ComputedRowBlock(const BlockProduct& p, double* shared)
      : p_(p),
        b_(p.b),
        item_(p.items[blockIdx.x]),
        list_(b_.t.list_of[item_.alpha]),
        begin_(b_.window_begins[item_.window]),
        rows_(static_cast<int>(b_.window_ends[item_.window] - begin_)),
        members_(b_.t.members + b_.t.list_offsets[list_]),
        couplings_(reinterpret_cast<AlphaCoupling*>(shared)),
        tables_(reinterpret_cast<Index*>(couplings_ + kCouplingsAtOnce)),
        mixed_(reinterpret_cast<double*>(tables_ + kCouplingsAtOnce)),
        y_(mixed_ + at_hand(p)),
        x_(y_ + (rows_ * Width + 1) / 2 * 2) {}

  __device__ void run() {
    add_own();
    const Index end = b_.t.alpha.offsets[item_.alpha + 1];
    for (Index first = b_.t.alpha.offsets[item_.alpha]; first < end; first += kCouplingsAtOnce) {
      const int count = static_cast<int>(min(Index{kCouplingsAtOnce}, end - first));
      prepare(b_.t.alpha.all + first, count);
      add_couplings(count);
      for (int u = 0; u < count; ++u)
        if (tables_[u] >= 0) add_products(b_.t.alpha.all[first + u], tables_[u]);
    }
    __syncthreads();
    const Index first = b_.t.first_row[item_.alpha] + begin_ - p_.first_of_y;
    for (int i = thread(); i < rows_; i += threads())
#pragma unroll
      for (int j = 0; j < Width; ++j) p_.y(first + i, j) = y_[i * Width + j];
  }

 private:
  using Sums = Numbers<Width>;

  static __device__ int thread() { return static_cast<int>(threadIdx.x); }
  static __device__ int threads() { return static_cast<int>(blockDim.x); }

  /// Copies x of `size` beta strings from row `first` on.
  __device__ void copy_x(Index first, Index size) const {
    if constexpr (kCopiesX)
      for (int i = thread(); i < size; i += threads()) {
        Sums x;
        x.read(p_.x, first + i);
        x.write(x_, i, plane());
      }
  }
  /// Distance between pairs of vectors in the copy of x.
  __device__ Index plane() const { return 2 * p_.x_places; }

  __device__ Index size_of_list(Index list) const {
    return b_.t.list_offsets[list + 1] - b_.t.list_offsets[list];
  }

  /// Elements with the same alpha string.
  __device__ void add_own() {
    const Index first = b_.t.first_row[item_.alpha];
    const Index table = item_.window;
    const bool has_moves = b_.own.first[table] < b_.own.first[table + 1];
    if (has_moves) copy_x(first, size_of_list(list_));
    for (int q = thread(); q < b_.t.orbitals; q += threads())
      mixed_[q] = b_.coulomb_of(item_.alpha, q);
    __syncthreads();
    for (int i = thread(); i < rows_; i += threads()) {
      const double diagonal = b_.diagonal(item_.alpha, members_[begin_ + i], mixed_);
#pragma unroll
      for (int j = 0; j < Width; ++j) y_[i * Width + j] = diagonal * p_.x(first + begin_ + i, j);
    }
    if (!has_moves) return;
    __syncthreads();
    const double* added = b_.added_by(item_.alpha);
    add_moves(b_.own, table, first, 1, [&](PackedExcitation move, Index k) {
      return b_.own_element(move, b_.own.values[k], added);
    });
  }

  /// Prepares the coupling and the table of each connection.
  __device__ void prepare(const Connection* connections, int count) const {
    __syncthreads();
    for (int u = thread(); u < count; u += threads()) {
      const Connection to = connections[u];
      AlphaCoupling coupling;
      tables_[u] = -1;
      bool is_there = false;
      if (to.code != Connection::kSelf) {
        is_there = b_.make_coupling(list_, to, coupling);
        if (to.is_single()) tables_[u] = used_table(to);
      }
      if (!is_there) coupling.sign = 0;
      couplings_[u] = coupling;
    }
    __syncthreads();
  }

  /// -1 if it has no excitations from these rows.
  __device__ Index used_table(const Connection& to) const {
    const Index first = b_.products_table(list_, to);
    if (first < 0) return -1;
    const Index table = first + item_.window - b_.first_window[list_];
    return b_.products.first[table] < b_.products.first[table + 1] ? table : -1;
  }

  __device__ void add_couplings(int count) const {
    constexpr int kTogether = Width == 4 ? 1 : 4;  // rows per thread; sums stay in registers
    for (int i = thread(); i < rows_; i += kTogether * threads()) {
      Sums sums[kTogether] = {};
      for (int u = 0; u < count; ++u) {
        const AlphaCoupling& coupling = couplings_[u];
        if (coupling.sign == 0) continue;
#pragma unroll
        for (int r = 0; r < kTogether; ++r)
          if (const int row = i + r * threads(); row < rows_) add_coupling(coupling, row, sums[r]);
      }
#pragma unroll
      for (int r = 0; r < kTogether; ++r)
        if (const int row = i + r * threads(); row < rows_) add_to_y(row, 1, sums[r]);
    }
  }

  __device__ void add_coupling(const AlphaCoupling& coupling, int row, Sums& sums) const {
    Index place = begin_ + row;
    const double value =
        b_.element(coupling, coupling.others == nullptr ? Index{0} : Index{members_[place]});
    if (coupling.map != nullptr) {
      place = coupling.map[place];
      if (place == BlocksView::kNowhere) return;
    }
    Sums x;
    x.read(p_.x, coupling.first + place);
    sums.add(value, x);
  }

  __device__ void add_products(const Connection& to, Index table) const {
    const Index first = b_.t.first_row[to.target];
    const double* mixed = b_.t.mixed + to.pair().pair() * b_.t.beta_pairs;
    __syncthreads();
    copy_x(first, size_of_list(b_.t.list_of[to.target]));
    for (int k = thread(); k < p_.pairs_at_hand; k += threads()) mixed_[k] = mixed[k];
    __syncthreads();
    if (p_.pairs_at_hand > 0) mixed = mixed_;
    add_moves(b_.products, table, first, to.pair().sign(), [&](PackedExcitation move, Index) {
      const double value = mixed[move.pair()];
      return move.is_odd() ? -value : value;
    });
  }

  /// A warp processes a slice; element(move, k) is the element of entry k.
  template <class Element>
  __device__ void add_moves(const ExcitationSlicesView& slices, Index table, Index first,
                            double sign, Element&& element) const {
    constexpr int kTogether = 4;
    const Index end = slices.first[table + 1];
    const int lane = Warp::lane();
    for (Index slice = slices.first[table] + thread() / Warp::size; slice < end;
         slice += threads() / Warp::size) {
      const Index last = slices.begins[slice + 1];
      Sums sums = {};
      for (Index k = slices.begins[slice] + lane; k < last; k += kTogether * kSliceRows) {
        PackedExcitation moves[kTogether];
#pragma unroll
        for (int u = 0; u < kTogether; ++u)
          moves[u] =
              k + u * kSliceRows < last ? slices.moves[k + u * kSliceRows] : PackedExcitation{};
#pragma unroll
        for (int u = 0; u < kTogether; ++u) {
          if (!moves[u].is_there()) continue;
          Sums x;
          if constexpr (kCopiesX)
            x.read(x_, moves[u].place(), plane());
          else
            x.read(p_.x, first + moves[u].place());
          sums.add(element(moves[u], k + u * kSliceRows), x);
        }
      }
      const std::uint16_t row = slices.rows[slice * kSliceRows + lane];
      if (row != ExcitationSlicesView::kNoRow) add_to_y(row - static_cast<int>(begin_), sign, sums);
    }
  }

  __device__ void add_to_y(int row, double factor, const Sums& sums) const {
#pragma unroll
    for (int j = 0; j < Width; ++j)
      y_[row * Width + j] = fma(factor, sums.of[j], y_[row * Width + j]);
  }

  const BlockProduct& p_;
  const BlocksView& b_;
  const BlockItem item_;
  const Index list_;
  const Index begin_;
  const int rows_;
  const Column* members_;
  // Shared memory.
  AlphaCoupling* couplings_;
  Index* tables_;  // table of products for each connection; -1: none
  double* mixed_;  // integrals of an alpha pair with each beta pair
  double* y_;      // [row][vector]
  double* x_;      // [pair of vectors][beta string][vector of the pair]
};

inline constexpr int kMostBlockThreads = 1024;

template <int Width, bool kCopiesX>
__global__ void __launch_bounds__(kMostBlockThreads) block_product(const BlockProduct p) {
  extern __shared__ double2 block_room[];
  ComputedRowBlock<Width, kCopiesX>(p, reinterpret_cast<double*>(block_room)).run();
}

}  // namespace cisolve::ci::cuda
