#include <algorithm>

#include "base/cuda/context.hpp"
#include "ci/factorised/cuda/coupling_product.cuh"
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
static_assert(Couplings::kMostRows <= 16 * kMostWarps);
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

  void multiply(base::ConstBlock x, base::Block y, cudaStream_t stream) const {
    const BlockOfRows rows{
        first_rows_.data(), places_.data(), first_rows_.size(), places_.size(), x, y};
    start(alpha_, OverAlpha{rows}, rows.betas, stream);
    start(beta_, OverBeta{rows}, rows.alphas, stream);
  }

  Index bytes() const {
    return alpha_.bytes() + beta_.bytes() + first_rows_.bytes() + places_.bytes();
  }

 private:
  static base::Array<Index> copied(const std::vector<Index>& values, const base::Backend& device) {
    return base::Array<Index>::copy_of(values, device, "the rows of alpha strings");
  }

  template <class Over>
  static void start(const StringTiles& tiles, const Over& over, Index columns,
                    cudaStream_t stream) {
    using Product = StringProduct<Over>;
    check(cudaFuncSetAttribute(string_product<Over>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(Product::kSharedBytes)),
          "cudaFuncSetAttribute");
    const dim3 grid(static_cast<unsigned>((columns + Product::kColumns - 1) / Product::kColumns),
                    static_cast<unsigned>(tiles.bands()), static_cast<unsigned>(over.b.x.columns));
    string_product<Over>
        <<<grid, Product::kThreads, Product::kSharedBytes, stream>>>(tiles.view(), over);
    check_launch("string_product");
  }

  StringTiles alpha_;
  StringTiles beta_;
  base::Array<Index> first_rows_;
  base::Array<Index> places_;
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
    const auto rounded = [](Index n, Index to) { return static_cast<int>((n + to - 1) / to * to); };
    shape_ = {.warps = kWarps,
              .sources = rounded(couplings_.most_sources(), 8),
              .rows = rounded(couplings_.most_rows(), 16),
              .words = static_cast<int>(couplings_.most_words()),
              .sums = longest + 1};
    const auto info = base::cuda::describe(device.device());
    if (shape_.bytes() > info.shared_bytes) shape_.sums = 0;
    if (2 * shape_.bytes() > info.shared_bytes || shape_.rows > 16 * kWarps)
      shape_.warps = kMostWarps;
  }

  Index rows() const override { return rows_; }

  void apply(base::ConstBlock x, base::Block y) const override {
    constexpr int kMostAtOnce = 16;
    for (int j = 0; j < x.columns; j += kMostAtOnce) {
      const int now = std::min(kMostAtOnce, x.columns - j);
      multiply(x.slice(j, now), y.slice(j, now));
    }
  }

  bool diagonal(base::Block d) const override {
    if (couplings_.view().alphas == 0) return true;
    diagonal_of_rows<<<static_cast<unsigned>(couplings_.view().alphas), kDiagonalThreads, 0,
                       device_.device().stream()>>>(couplings_.view(), d);
    check_launch("diagonal_of_rows");
    return true;
  }

  base::OperatorDescription description() const override {
    Index bytes = couplings_.bytes() + order_.bytes();
    for (const BlockFactors& block : blocks_) bytes += block.bytes();
    return {"factorised", bytes, 0, 0};
  }

 private:
  void multiply(base::ConstBlock x, base::Block y) const {
    const cudaStream_t stream = device_.device().stream();
    for (const BlockFactors& block : blocks_) block.multiply(x, y, stream);
    if (shape_.rows == 0) return;  // no two electrons do anything together
    if (shape_.sums == 0) return start_with<false>(x, y);
    start_with<true>(x, y);
  }

  template <bool kSumsAtHand>
  void start_with(base::ConstBlock x, base::Block y) const {
    if (shape_.sources <= 16) return start<2, kSumsAtHand>(x, y);
    if (shape_.sources <= 32) return start<4, kSumsAtHand>(x, y);
    if (shape_.sources <= 40) return start<5, kSumsAtHand>(x, y);
    start<6, kSumsAtHand>(x, y);
  }

  template <int kPairs, bool kSumsAtHand>
  void start(base::ConstBlock x, base::Block y) const {
    static_assert(8 * kPairs <= Couplings::kMostSources.back());
    const auto kernel = shape_.warps == kWarps
                            ? coupling_product<kPairs, kSumsAtHand, kWarps, 2>
                            : coupling_product<kPairs, kSumsAtHand, kMostWarps, 1>;
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shape_.bytes())),
          "cudaFuncSetAttribute");
    const dim3 grid(static_cast<unsigned>(order_.size()), static_cast<unsigned>(x.columns));
    kernel<<<grid, 32 * shape_.warps, shape_.bytes(), device_.device().stream()>>>(
        couplings_.view(), shape_, order_.data(), x, y);
    check_launch("coupling_product");
  }

  base::Backend device_;
  Index rows_;
  std::vector<BlockFactors> blocks_;
  Couplings couplings_;
  base::Array<Column> order_;
  CouplingShape shape_{};
};

}  // namespace

std::unique_ptr<base::LinearOperator> factors(const Factors& factors, const base::Backend& device) {
  return std::make_unique<FactorsOnDevice>(factors, device);
}

}  // namespace cisolve::ci::cuda
