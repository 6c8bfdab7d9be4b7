#include <cmath>
#include <optional>

#include "base/block_kernels.hpp"
#include "base/cuda/context.hpp"
#include "base/fill.hpp"
#include "ci/spaces/spaces.hpp"
#include "ci/states/cuda/mixed_kernels.cuh"
#include "ci/states/cuda/space_on_device.cuh"
#include "ci/states/cuda/spin_kernels.cuh"
#include "ci/states/state_sums.hpp"

namespace cisolve::ci {
namespace {

using base::Array;
using base::Backend;
using base::cuda::check;
using base::cuda::check_launch;

unsigned blocks_for(Index items, Index in_each) {
  return static_cast<unsigned>((items + in_each - 1) / in_each);
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

/// Moves of alpha electrons, in pieces of so many that there is work for all multiprocessors.
class MixedOnDevice {
 public:
  MixedOnDevice(const Space& space, const Backend& device)
      : betas_(space, Spin::beta, device),
        alphas_(device, 0, kWhat),
        pieces_(device, 0, kWhat),
        occupied_(device, 0, "the beta strings") {
    constexpr Index kMovesInPiece = 16;
    const AlphaMoves moves(space);
    std::vector<cuda::MovePiece> pieces;
    Index first = 0;
    for (Index row = 0; row < moves.rows(); ++row)
      for (Index left = std::ssize(moves.of(row)); left > 0; left -= kMovesInPiece) {
        const Index count = std::min(left, kMovesInPiece);
        pieces.push_back({first, first + count, row});
        first += count;
      }
    alphas_ = moves.all().to(device);
    pieces_ = cuda::copied(pieces, device, kWhat);
    std::vector<std::uint8_t> occupied;
    for (Index b = 0; b < std::ssize(space.strings(Spin::beta)); ++b)
      occupied.insert(occupied.end(), space.occupied(Spin::beta, b).begin(),
                      space.occupied(Spin::beta, b).end());
    occupied_ = cuda::copied(occupied, device, "the beta strings");
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
        space, betas_.view(), occupied_.data(), electrons, pieces_.data(), alphas_.data(), x, scale,
        sums);
    check_launch("add_mixed");
  }

 private:
  static constexpr const char* kWhat = "the moves of alpha electrons";
  cuda::MovesOnDevice betas_;
  Array<AlphaMove> alphas_;
  Array<cuda::MovePiece> pieces_;
  Array<std::uint8_t> occupied_;
};

class DeviceSums final : public StateSums {
 public:
  DeviceSums(const Space& space, const Backend& device)
      : StateSums(space), device_(device), space_here_(space, device) {}

  const Backend& backend() const override { return device_; }

  void overlaps(const StringPairs& pairs, const double* bra, const double* ket,
                const TakeOverlaps& take) const override {
    const bool by_betas = pairs.spin() == Spin::beta;
    const Index rows = by_betas ? space().dimension() : 0;
    Array<double> bra_room(device_, bra == ket ? 0 : rows, kArranged);
    Array<double> ket_room(device_, rows, kArranged);
    if (by_betas) {
      ket = arranged(ket, ket_room);
      bra = bra_room.size() == 0 ? ket : arranged(bra, bra_room);
    }
    const cuda::LinesView lines = by_betas ? beta_lines().view() : alpha_lines();
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

  void mixed_density(const double* x, std::span<double> mixed) const override {
    double norm = 0;
    const Index rows = space().dimension();
    cuda::require_shared_sums(device_.device().info(), space().orbitals());
    base::block_kernels(device_).squared_norms(device_, {x, rows, 1, rows}, {&norm, 1});
    if (!std::isfinite(norm)) {
      std::ranges::fill(mixed, norm);
      return;
    }
    const double scale = 0x1p61 / std::max(norm, 0x1p-500);  // no sum is larger than the norm
    if (!mixed_) mixed_.emplace(space(), device_);
    Array<unsigned long long> sums(device_, std::ssize(mixed), "a two-particle density");
    base::fill_bytes(sums, 0);
    mixed_->launch(space_here_.view(), space().electrons(Spin::beta), x, scale, sums.data(),
                   stream());
    const Array<unsigned long long> found = sums.to(space().host());
    for (Index i = 0; i < found.size(); ++i)
      mixed[i] = static_cast<double>(static_cast<long long>(found[i])) / scale;
  }

  std::unique_ptr<base::LinearOperator> spin_squared() const override {
    struct Square {
      const DeviceSums& sums;
      Array<String> alphas;
      Array<String> betas;
      cuda::MovesOnDevice moves;
      double ms;
      void operator()(const double* x, double* y) const {
        const Index rows = sums.space().dimension();
        cuda::square_spin<<<blocks_for(rows, cuda::kWarps), cuda::kThreads, 0, sums.stream()>>>(
            sums.space_here_.view(), {alphas.data(), betas.data()}, moves.view(), ms, rows, x, y);
        check_launch("square_spin");
      }
    };
    const Space& own = space();
    return make_operator(
        own.dimension(),
        Square{*this,
               Array<String>::copy_of(own.strings(Spin::alpha), device_, "the alpha strings"),
               Array<String>::copy_of(own.strings(Spin::beta), device_, "the beta strings"),
               cuda::MovesOnDevice(own, Spin::alpha, device_),
               0.5 * (own.electrons(Spin::alpha) - own.electrons(Spin::beta))});
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
  static constexpr const char* kArranged = "a vector by its beta strings";

  cudaStream_t stream() const { return device_.device().stream(); }

  const double* arranged(const double* x, Array<double>& room) const {
    const auto betas = static_cast<unsigned>(space_here_.view().betas);
    cuda::arrange_by_betas<<<betas, cuda::kThreads, 0, stream()>>>(
        space_here_.view(), beta_lines().view(), x, room.data());
    check_launch("arrange_by_betas");
    return room.data();
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
};

}  // namespace

namespace cuda {

std::unique_ptr<StateSums> state_sums(const Space& space, const base::Backend& device) {
  return std::make_unique<DeviceSums>(space, device);
}

}  // namespace cuda
}  // namespace cisolve::ci
