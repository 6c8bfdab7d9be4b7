#include <algorithm>
#include <iterator>

#include "base/cuda/context.hpp"
#include "base/device.hpp"
#include "base/error.hpp"
#include "ci/factorised/cuda/coupling_product.cuh"
#include "ci/factorised/cuda/flip_kernels.cuh"
#include "ci/factorised/cuda/string_product.cuh"
#include "ci/factorised/ways.hpp"

namespace cisolve::ci::cuda {
namespace {

using base::cuda::check;
using base::cuda::check_launch;

// Of a block that shares its multiprocessor with another, so that one adds moves while the other
// multiplies; and of one that has it for itself.
constexpr int kWarps = 8;
constexpr int kMostWarps = 16;
static_assert(Couplings::kMostRows <= 16 * (kMostWarps - kCopiers));
constexpr int kDiagonalThreads = 128;

/// Of an alpha string for each block of threads.
__global__ void __launch_bounds__(kDiagonalThreads)
    diagonal_of_rows(const CouplingsView c, base::Block d) {
  const Index alpha = blockIdx.x;
  const Index first = c.first_row[alpha];
  for (Index place = threadIdx.x; place < c.first_row[alpha + 1] - first; place += kDiagonalThreads)
    d(first + place, 0) = c.diagonal(alpha, place);
}

/// A block of rows with its string matrices on the device.
class BlockFactors {
 public:
  BlockFactors(const ProductBlock& block, const base::Backend& device)
      : alpha_(StringTiles(block.alpha, device.host()).to(device)),
        beta_(StringTiles(block.beta, device.host()).to(device)),
        first_rows_(copied(block.first_rows, device)),
        places_(copied(block.beta.strings, device)) {}

  void set_alpha(base::ConstBlock x, base::Block y, cudaStream_t stream) const {
    const BlockOfRows rows = with(x, y);
    start(alpha_, OverAlpha{rows}, rows.betas, stream);
  }
  void add_beta(base::ConstBlock x, base::Block y, cudaStream_t stream) const {
    const BlockOfRows rows = with(x, y);
    start(beta_, OverBeta{rows}, rows.alphas, stream);
  }

  Index bytes() const {
    return alpha_.bytes() + beta_.bytes() + first_rows_.bytes() + places_.bytes();
  }

 private:
  static base::Array<Index> copied(const std::vector<Index>& values, const base::Backend& device) {
    return base::Array<Index>::copy_of(values, device, "the rows of alpha strings");
  }

  BlockOfRows with(base::ConstBlock x, base::Block y) const {
    return {first_rows_.data(), places_.data(), first_rows_.size(), places_.size(), x, y};
  }

  template <class Over>
  static void start(const StringTiles& tiles, const Over& over, Index columns,
                    cudaStream_t stream) {
    using Product = StringProduct<Over>;
    check(cudaFuncSetAttribute(string_product<Over>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(Product::kSharedBytes)),
          "cudaFuncSetAttribute");
    constexpr Index kMostParts = 65'535;  // of a grid's second dimension
    for (Index begin = 0; begin < columns; begin += kMostParts * Product::kColumns) {
      const Index parts = (columns - begin + Product::kColumns - 1) / Product::kColumns;
      const dim3 grid(static_cast<unsigned>(tiles.bands()),
                      static_cast<unsigned>(std::min(parts, kMostParts)),
                      static_cast<unsigned>(over.b.x.columns));
      string_product<Over>
          <<<grid, Product::kThreads, Product::kSharedBytes, stream>>>(tiles.view(), over, begin);
      check_launch("string_product");
    }
  }

  StringTiles alpha_;
  StringTiles beta_;
  base::Array<Index> first_rows_;
  base::Array<Index> places_;
};

/// The exchange of spins on the device.
class FlipOnDevice {
 public:
  static constexpr int kMostAtOnce = 16;

  FlipOnDevice(const SpinFlip& flip, const base::Backend& device)
      : device_(device),
        flip_(flip.to(device)),
        partial_(device, Index{kMostAtOnce} * kFlipBlocks, "the parities of vectors"),
        norms_(base::Backend::reference(), partial_.size(), "the parities of vectors") {}

  /// Of at most kMostAtOnce vectors; waits for them.
  std::vector<ParityNorms> norms_of(base::ConstBlock x) const {
    const dim3 grid(kFlipBlocks, static_cast<unsigned>(x.columns));
    parity_norms<<<grid, dim3(kFlipTile, kFlipRows), 0, device_.device().stream()>>>(
        flip_.view(), x, partial_.data());
    check_launch("parity_norms");
    base::copy_bytes(device_, partial_.data(), norms_.backend(), norms_.data(),
                     x.columns * kFlipBlocks * Index{sizeof(ParityNorms)});
    std::vector<ParityNorms> all(x.columns);
    for (int j = 0; j < x.columns; ++j)
      for (Index i = j * kFlipBlocks; i < (j + 1) * kFlipBlocks; ++i) {
        all[j].even += norms_[i].even;
        all[j].odd += norms_[i].odd;
      }
    return all;
  }

  /// y = factor (y + y flipped), or factor (y - y flipped).
  void add_flipped_to(double* y, Parity parity, double factor) const {
    const double sign = parity == Parity::even ? 1 : -1;
    add_flipped<<<static_cast<unsigned>(flip_.view().pieces), dim3(kFlipTile, kFlipRows), 0,
                  device_.device().stream()>>>(flip_.view(), factor, sign, y);
    check_launch("add_flipped");
  }

  Index bytes() const { return flip_.bytes() + partial_.bytes(); }

 private:
  base::Backend device_;
  SpinFlip flip_;
  mutable base::Array<ParityNorms> partial_;
  mutable base::Array<ParityNorms> norms_;
};

class FactorsOnDevice final : public base::LinearOperator {
 public:
  FactorsOnDevice(const Factors& factors, const base::Backend& device)
      : device_(device),
        rows_(factors.rows),
        couplings_(factors.couplings.to(device)),
        order_(base::Array<Column>::copy_of(couplings_.order(), device, "the alpha strings")) {
    Index longest = 0;
    for (const ProductBlock& block : factors.blocks) {
      blocks_.emplace_back(block, device);
      longest = std::max(longest, block.columns);
    }
    if (factors.flip) flip_.emplace(*factors.flip, device);
    const auto rounded = [](Index n, Index to) { return static_cast<int>((n + to - 1) / to * to); };
    shape_ = fitting({.warps = kWarps,
                      .sources = rounded(couplings_.most_sources(), 8),
                      .rows = rounded(couplings_.most_rows(), 16),
                      .words = static_cast<int>(couplings_.most_words()),
                      .sums = longest + 1},
                     base::cuda::describe(device.device()).shared_bytes);
  }

  Index rows() const override { return rows_; }

  void apply(base::ConstBlock x, base::Block y) const override {
    for (int j = 0; j < x.columns; j += FlipOnDevice::kMostAtOnce) {
      const int now = std::min(FlipOnDevice::kMostAtOnce, x.columns - j);
      if (flip_)
        multiply_by_parity(x.slice(j, now), y.slice(j, now));
      else
        multiply(x.slice(j, now), y.slice(j, now));
    }
  }

  double purify(double share, base::Block x) const override {
    if (!flip_) return 0;
    std::vector<ParityNorms> norms;
    for (int j = 0; j < x.columns; j += FlipOnDevice::kMostAtOnce)
      std::ranges::copy(
          flip_->norms_of(x.slice(j, std::min(FlipOnDevice::kMostAtOnce, x.columns - j))),
          std::back_inserter(norms));
    return ci::purify(norms, share, [&](int j, Parity parity) {
      flip_->add_flipped_to(x.column(j), parity, 0.5);
    });
  }

  bool diagonal(base::Block d) const override {
    if (couplings_.view().alphas == 0) return true;
    diagonal_of_rows<<<static_cast<unsigned>(couplings_.view().alphas), kDiagonalThreads, 0,
                       device_.device().stream()>>>(couplings_.view(), d);
    check_launch("diagonal_of_rows");
    return true;
  }

  base::OperatorDescription description() const override {
    Index bytes = couplings_.bytes() + order_.bytes() + (flip_ ? flip_->bytes() : 0);
    for (const BlockFactors& block : blocks_) bytes += block.bytes();
    return {"factorised", bytes, 0, 0};
  }

 private:
  /// In what a block may have. Some warps that copy ahead pay where a block has its multiprocessor
  /// to itself, and take more than they are worth where its sums would not fit otherwise.
  static CouplingShape fitting(CouplingShape shape, Index shared_bytes) {
    const bool is_tall = shape.rows > 16 * kWarps;
    if (2 * shape.bytes() > shared_bytes || is_tall) shape.warps = kMostWarps;
    if (shape.bytes() > shared_bytes) shape.sums = 0;
    if (shape.bytes() > shared_bytes && !is_tall) shape.warps = kWarps;
    for (const Index bytes : {shape.bytes(), StringProduct<OverAlpha>::kSharedBytes})
      if (bytes > shared_bytes)
        throw base::DeviceMemoryError(base::concat(
            "a product of string matrices takes ", bytes, " bytes of a multiprocessor, which has ",
            shared_bytes, "; choose storage.elements: on-the-fly"));
    return shape;
  }

  void multiply_by_parity(base::ConstBlock x, base::Block y) const {
    const std::vector<ParityNorms> norms = flip_->norms_of(x);
    for (int j = 0; j < x.columns; ++j) {
      const Parity parity = norms[j].parity();
      if (parity == Parity::mixed) {
        multiply(x.slice(j, 1), y.slice(j, 1));
        continue;
      }
      const cudaStream_t stream = device_.device().stream();
      for (const BlockFactors& block : blocks_)
        block.set_alpha(x.slice(j, 1), y.slice(j, 1), stream);
      couple(x.slice(j, 1), y.slice(j, 1), true);
      flip_->add_flipped_to(y.column(j), parity, 1);
    }
  }

  void multiply(base::ConstBlock x, base::Block y) const {
    const cudaStream_t stream = device_.device().stream();
    for (const BlockFactors& block : blocks_) {
      block.set_alpha(x, y, stream);
      block.add_beta(x, y, stream);
    }
    couple(x, y, false);
  }

  void couple(base::ConstBlock x, base::Block y, bool by_half) const {
    if (shape_.rows == 0) return;  // no two electrons do anything together
    if (shape_.sums == 0) return start_with<false>(x, y, by_half);
    start_with<true>(x, y, by_half);
  }

  template <bool kSumsAtHand>
  void start_with(base::ConstBlock x, base::Block y, bool by_half) const {
    if (shape_.sources <= 16) return start<2, kSumsAtHand>(x, y, by_half);
    if (shape_.sources <= 32) return start<4, kSumsAtHand>(x, y, by_half);
    if (shape_.sources <= 40) return start<5, kSumsAtHand>(x, y, by_half);
    start<6, kSumsAtHand>(x, y, by_half);
  }

  template <int kPairs, bool kSumsAtHand>
  void start(base::ConstBlock x, base::Block y, bool by_half) const {
    static_assert(8 * kPairs <= Couplings::kMostSources.back());
    const auto kernel = shape_.warps == kWarps
                            ? coupling_product<kPairs, kSumsAtHand, kWarps, 2>
                            : coupling_product<kPairs, kSumsAtHand, kMostWarps, 1>;
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shape_.bytes())),
          "cudaFuncSetAttribute");
    const dim3 grid(static_cast<unsigned>(order_.size()), static_cast<unsigned>(x.columns));
    kernel<<<grid, 32 * shape_.warps, shape_.bytes(), device_.device().stream()>>>(
        couplings_.view(), shape_, order_.data(), by_half, x, y);
    check_launch("coupling_product");
  }

  base::Backend device_;
  Index rows_;
  std::vector<BlockFactors> blocks_;
  Couplings couplings_;
  base::Array<Column> order_;
  std::optional<FlipOnDevice> flip_;
  CouplingShape shape_{};
};

}  // namespace

std::unique_ptr<base::LinearOperator> factors(const Factors& factors, const base::Backend& device) {
  return std::make_unique<FactorsOnDevice>(factors, device);
}

}  // namespace cisolve::ci::cuda
