#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "base/block_kernels.hpp"
#include "base/cuda/context.hpp"
#include "base/fill.hpp"
#include "ci/fock/spaces/spaces.hpp"
#include "ci/properties/cuda/gram_densities.cuh"
#include "ci/properties/cuda/mirror_kernels.cuh"
#include "ci/properties/cuda/mixed_kernels.cuh"
#include "ci/properties/cuda/residue_lines.cuh"
#include "ci/properties/cuda/space_on_device.cuh"
#include "ci/properties/cuda/spin_kernels.cuh"
#include "ci/properties/cuda/spin_squared.cuh"
#include "ci/properties/state_sums.hpp"

namespace cisolve::ci {
namespace {

using base::Array;
using base::Backend;
using base::cuda::check;
using base::cuda::check_launch;

unsigned blocks_for(Index items, Index in_each) {
  return static_cast<unsigned>((items + in_each - 1) / in_each);
}

/// Occupied orbitals of all strings.
std::vector<std::uint8_t> occupied_of(const Space& space, Spin spin) {
  std::vector<std::uint8_t> all;
  for (Index s = 0; s < std::ssize(space.strings(spin)); ++s)
    all.insert(all.end(), space.occupied(spin, s).begin(), space.occupied(spin, s).end());
  return all;
}

/// An operator of one vector at a time, queued on the device's stream.
template <class Multiply>
class ColumnOperator final : public base::LinearOperator {
 public:
  ColumnOperator(Index rows, Multiply multiply) : rows_(rows), multiply_(std::move(multiply)) {}
  Index rows() const override { return rows_; }
  void apply(base::ConstBlock x, base::Block y) const override {
    for (int j = 0; j < x.columns; ++j) multiply_(x.column(j), y.column(j));
  }

 private:
  Index rows_;
  Multiply multiply_;
};

template <class Multiply>
std::unique_ptr<base::LinearOperator> make_operator(Index rows, Multiply multiply) {
  return std::make_unique<ColumnOperator<Multiply>>(rows, std::move(multiply));
}

/// Excitations of alpha electrons, in pieces small enough to occupy all multiprocessors.
class MixedOnDevice {
 public:
  /// `listed`: beta excitations into lists, if they replace `of_betas`.
  MixedOnDevice(const Space& space, const SingleExcitations& of_betas,
                const std::optional<ListExcitations>& listed, const Backend& device)
      : in_lists_(listed.has_value()),
        betas_(listed ? cuda::ExcitationsOnDevice(*listed, device)
                      : cuda::ExcitationsOnDevice(of_betas, device)),
        alphas_(device, 0, kMemoryLabel),
        pieces_(device, 0, kMemoryLabel),
        occupied_(device, 0, "the beta strings") {
    constexpr Index kMovesInPiece = 16;
    const AlphaExcitations moves =
        cuda::are_alike(space) ? AlphaExcitations(space, of_betas) : AlphaExcitations(space);
    std::vector<cuda::MovePiece> pieces;
    Index first = 0;
    for (Index row = 0; row < moves.rows(); ++row)
      for (Index left = std::ssize(moves.of(row)); left > 0; left -= kMovesInPiece) {
        const Index count = std::min(left, kMovesInPiece);
        pieces.push_back({first, first + count, row});
        first += count;
      }
    alphas_ = moves.all().to(device);
    pieces_ = cuda::copied(pieces, device, kMemoryLabel);
    occupied_ = cuda::copied(occupied_of(space, Spin::beta), device, "the beta strings");
  }

  void launch(const cuda::SpaceView& space, int electrons, const double* x, double scale,
              unsigned long long* sums, cudaStream_t stream) const {
    const Index bytes = 2 * Index{sizeof(unsigned)} * space.orbitals * space.orbitals;
    check(cudaFuncSetAttribute(cuda::add_mixed, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(bytes)),
          "cudaFuncSetAttribute");
    if (pieces_.size() == 0) return;
    cuda::add_mixed<<<static_cast<unsigned>(pieces_.size()), cuda::kThreads,
                      static_cast<std::size_t>(bytes), stream>>>(
        space, betas_.view(), in_lists_, occupied_.data(), electrons, pieces_.data(),
        alphas_.data(), x, scale, sums);
    check_launch("add_mixed");
  }

 private:
  static constexpr const char* kMemoryLabel = "the moves of alpha electrons";
  bool in_lists_;
  cuda::ExcitationsOnDevice betas_;
  Array<AlphaExcitation> alphas_;
  Array<cuda::MovePiece> pieces_;
  Array<std::uint8_t> occupied_;
};

class DeviceSums final : public StateSums {
 public:
  DeviceSums(const Space& space, const Backend& device)
      : StateSums(space), device_(device), space_here_(space, device) {}

  const Backend& backend() const override { return device_; }

  void overlaps(Spin spin, const StringPairs& pairs, const double* bra, const double* ket,
                const TakeOverlaps& take) const override {
    const bool is_one = bra == ket;
    const SortedVector here_ket(*this, spin, ket);
    const SortedVector here_bra(*this, is_one ? Spin::alpha : spin, bra);
    ket = here_ket.data();
    bra = is_one ? ket : here_bra.data();
    const cuda::LinesView lines = lines_of(spin);
    pairs.for_each_batch([&](const PairBatch& batch) {
      const Index count = batch.pairs.size();
      const Array<StringPair> here = batch.pairs.to(device_);
      Array<double> values(device_, count, "the overlaps of strings");
      cuda::multiply_lines<<<blocks_for(count, cuda::kWarps), cuda::kThreads, 0, stream()>>>(
          lines, here.data(), count, bra, ket, values.data());
      check_launch("multiply_lines");
      const Array<double> found = values.to(space().host());
      take(batch.pairs.span(), found.span());
    });
  }

  void one_density(Spin spin, const double* x, std::span<double> values) const override {
    const auto add = [&](double scale, unsigned long long* sums) {
      residues(spin, 1).add(lines_of(spin), SortedVector(*this, spin, x).data(),
                            cuda::OneSums{space().orbitals(), scale, sums});
    };
    add_mirrored(space().orbitals(), x, values, add);
  }

  void same_spin_density(Spin spin, const double* x, std::span<double> values) const override {
    const auto add = [&](double scale, unsigned long long* sums) {
      const cuda::SameSpinSums here{pairs_of(space().orbitals()), scale, sums};
      if (by_lines())
        grams().add_same(spin, x, here, stream());
      else
        residues(spin, 2).add(lines_of(spin), SortedVector(*this, spin, x).data(),
                              cuda::SameSpinPairSums{here});
    };
    add_mirrored(pairs_of(space().orbitals()), x, values, add);
  }

  void mixed_density(const double* x, std::span<double> mixed) const override {
    const double scale = scale_for(x);
    if (!std::isfinite(scale)) {
      std::ranges::fill(mixed, scale);
      return;
    }
    Array<unsigned long long> sums(device_, std::ssize(mixed), "a two-particle density");
    base::fill_bytes(sums, 0);
    const Index bytes = std::ssize(mixed) * Index{sizeof(unsigned long long)};
    const bool has_memory = 2 * bytes <= space().host().host_memory().left();
    const bool counts_half = by_lines() && has_memory && has_parity(x);
    if (by_lines()) {
      grams().add_mixed(x, counts_half, {space().orbitals(), scale, sums.data()}, stream());
    } else {
      cuda::require_shared_sums(device_.device().info(), space().orbitals());
      if (!mixed_) make_mixed();
      mixed_->launch(space_here_.view(), space().electrons(Spin::beta), x, scale, sums.data(),
                     stream());
    }
    Array<unsigned long long> found = sums.to(space().host());
    if (counts_half) add_exchanged(found.span());
    for (Index i = 0; i < found.size(); ++i)
      mixed[i] = static_cast<double>(static_cast<long long>(found[i])) / scale;
  }

  std::unique_ptr<base::LinearOperator> spin_squared() const override {
    return make_operator(space().dimension(),
                         cuda::SpinSquaredOnDevice(space(), space_here_.view(), device_));
  }

  std::unique_ptr<base::LinearOperator> irrep_labels(std::span<const int> labels) const override {
    const auto labels_of = [&](Spin spin) {
      std::vector<std::int8_t> all;
      for (const String& string : space().strings(spin))
        all.push_back(static_cast<std::int8_t>(irrep_of(string, labels)));
      return cuda::copied(all, device_, "the irreps of the strings");
    };
    struct Label {
      const DeviceSums& sums;
      Array<std::int8_t> alphas;
      Array<std::int8_t> betas;
      void operator()(const double* x, double* y) const {
        const auto blocks = static_cast<unsigned>(alphas.size());
        cuda::multiply_labels<<<blocks, cuda::kThreads, 0, sums.stream()>>>(
            sums.space_here_.view(), alphas.data(), betas.data(), x, y);
        check_launch("multiply_labels");
      }
    };
    return make_operator(space().dimension(),
                         Label{*this, labels_of(Spin::alpha), labels_of(Spin::beta)});
  }

 private:
  bool is_even_or_odd(const double* x) const override {
    Array<int> differs(device_, 2, "whether a state is even or odd");
    base::fill_bytes(differs, 0);
    const Index n = std::ssize(space().strings(Spin::alpha));
    const unsigned tiles = blocks_for(n, cuda::kMirrorTile);
    cuda::compare_with_mirror<<<dim3(tiles, tiles), dim3(cuda::kMirrorTile, cuda::kMirrorRows), 0,
                                stream()>>>(x, n, differs.data());
    check_launch("compare_with_mirror");
    const Array<int> found = differs.to(space().host());
    return found[0] == 0 || found[1] == 0;
  }

  cudaStream_t stream() const { return device_.device().stream(); }

  /// A vector sorted by the strings of one spin; on entry it is sorted by alpha strings.
  class SortedVector {
   public:
    SortedVector(const DeviceSums& sums, Spin spin, const double* x)
        : sorted_copy_(sums.device_, spin == Spin::beta ? sums.space().dimension() : 0,
                       "a vector by its beta strings"),
          data_(spin == Spin::beta ? sorted_copy_.data() : x) {
      if (spin == Spin::alpha) return;
      const cuda::SpaceView& view = sums.space_here_.view();
      cuda::
          arrange_by_betas<<<static_cast<unsigned>(view.betas), cuda::kThreads, 0, sums.stream()>>>(
              view, sums.beta_lines().view(), x, sorted_copy_.data());
      check_launch("arrange_by_betas");
    }
    const double* data() const { return data_; }

   private:
    Array<double> sorted_copy_;
    const double* data_;
  };

  void make_mixed() const {
    const SingleExcitations betas(space(), Spin::beta);
    const bool has_places = space_here_.view().places != nullptr;
    mixed_.emplace(space(), betas, has_places ? ListExcitations::of(space(), betas) : std::nullopt,
                   device_);
  }

  /// Decided once, since the free memory changes while densities are computed.
  bool by_lines() const {
    if (!by_lines_) by_lines_ = cuda::GramDensities::suit(space());
    return *by_lines_;
  }

  cuda::GramDensities& grams() const {
    if (!grams_) grams_.emplace(space(), device_);
    return *grams_;
  }

  /// Lines of one spin without `electrons` electrons; both spins share them if their strings are
  /// equal.
  cuda::ResidueLines& residues(Spin spin, int electrons) const {
    if (cuda::are_alike(space())) spin = Spin::alpha;
    auto& lines = residues_[2 * static_cast<std::size_t>(spin) + (electrons == 2 ? 1 : 0)];
    if (!lines) lines.emplace(space(), spin, electrons, device_);
    return *lines;
  }

  /// Adds a symmetric matrix of `rows` rows; add(scale, sums) fills one of (i, j) and (j, i).
  template <class Add>
  void add_mirrored(Index rows, const double* x, std::span<double> values, Add&& add) const {
    const double scale = scale_for(x);
    if (!std::isfinite(scale)) {
      std::ranges::fill(values, scale);
      return;
    }
    Array<unsigned long long> sums(device_, std::ssize(values), "a density");
    base::fill_bytes(sums, 0);
    add(scale, sums.data());
    const Array<unsigned long long> found = sums.to(space().host());
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < rows; ++j) {
        const unsigned long long here = found[i * rows + j];
        const unsigned long long mirrored = i == j ? 0 : found[j * rows + i];
        values[i * rows + j] +=
            static_cast<double>(static_cast<long long>(here + mirrored)) / scale;
      }
  }

  /// Adds mixed[r][s][p][q] to mixed[p][q][r][s] for p >= q, with mixed[p][q][r][s] =
  /// mixed[q][p][s][r].
  void add_exchanged(std::span<unsigned long long> mixed) const {
    const Index n = space().orbitals();
    const auto half =
        Array<unsigned long long>::copy_of(mixed, space().host(), "half of a two-particle density");
    const auto at = [n](Index p, Index q, Index r, Index s) {
      return ((p * n + q) * n + r) * n + s;
    };
    for (Index p = 0; p < n; ++p)
      for (Index q = 0; q <= p; ++q)
        for (Index r = 0; r < n; ++r)
          for (Index s = 0; s < n; ++s)
            mixed[at(p, q, r, s)] += r >= s ? half[at(r, s, p, q)] : half[at(s, r, q, p)];
  }

  /// Units for sums of products of a vector's elements, none of which exceeds its norm. NaN if the
  /// vector has an element that is not finite.
  double scale_for(const double* x) const {
    double norm = 0;
    const Index rows = space().dimension();
    base::block_kernels(device_).squared_norms(device_, {x, rows, 1, rows}, {&norm, 1});
    return std::isfinite(norm) ? 0x1p61 / std::max(norm, 0x1p-500)
                               : std::numeric_limits<double>::quiet_NaN();
  }

  cuda::LinesView lines_of(Spin spin) const {
    return spin == Spin::beta ? beta_lines().view() : alpha_lines();
  }
  cuda::LinesView alpha_lines() const {
    const cuda::SpaceView& view = space_here_.view();
    return {view.betas, view.first_row, view.others_at, view.others};
  }
  const cuda::BetaLines& beta_lines() const {
    if (!beta_lines_) beta_lines_.emplace(space(), device_);
    return *beta_lines_;
  }

  Backend device_;
  cuda::SpaceOnDevice space_here_;
  mutable std::optional<cuda::BetaLines> beta_lines_;
  mutable std::optional<MixedOnDevice> mixed_;
  mutable std::optional<bool> by_lines_;
  mutable std::optional<cuda::GramDensities> grams_;
  mutable std::array<std::optional<cuda::ResidueLines>, 4> residues_;
};

}  // namespace

namespace cuda {

std::unique_ptr<StateSums> state_sums(const Space& space, const base::Backend& device) {
  return std::make_unique<DeviceSums>(space, device);
}

}  // namespace cuda
}  // namespace cisolve::ci
