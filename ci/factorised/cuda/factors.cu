#include <algorithm>
#include <array>

#include "base/cuda/context.hpp"
#include "ci/factorised/cuda/coupling_product.cuh"
#include "ci/factorised/cuda/string_product.cuh"
#include "ci/factorised/product_blocks.hpp"
#include "ci/factorised/ways.hpp"

namespace cisolve::ci::cuda {
namespace {

using base::cuda::check;
using base::cuda::check_launch;

constexpr int kLeastWarps = 8;
constexpr int kMostWarps = 12;
constexpr Index kMostRows = 16 * kMostWarps;
constexpr std::array kSources{Index{16}, Index{32}, Index{40}, Index{48}, Index{80}};

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
  FactorsOnDevice(const HamiltonianRows& h, const base::Backend& device)
      : FactorsOnDevice(h, RowTables(h, device.host()), device) {}

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
  FactorsOnDevice(const HamiltonianRows& h, const RowTables& tables, const base::Backend& device)
      : device_(device),
        couplings_(Couplings::of(tables,
                                 {.rows = kMostRows, .sources = {kSources.begin(), kSources.end()}},
                                 device.host())
                       .to(device)),
        order_(base::Array<Column>::copy_of(couplings_.order(), device, "the alpha strings")),
        rows_(h.space().dimension()) {
    Index longest = 0;
    for (const ProductBlock& block : product_blocks(tables, device.host())) {
      blocks_.emplace_back(block, device);
      longest = std::max(longest, block.columns);
    }
    const auto rounded = [](Index n, Index to) { return static_cast<int>((n + to - 1) / to * to); };
    const int rows = rounded(couplings_.most_rows(), 16);
    shape_ = {.warps = std::clamp(rows / 16, kLeastWarps, kMostWarps),
              .sources = rounded(couplings_.most_sources(), 8),
              .rows = rows,
              .words = static_cast<int>(couplings_.most_words()),
              .sums = longest};
    if (shape_.bytes() > base::cuda::describe(device.device()).shared_bytes) shape_.sums = 0;
  }

  void multiply(base::ConstBlock x, base::Block y) const {
    const cudaStream_t stream = device_.device().stream();
    for (const BlockFactors& block : blocks_) block.multiply(x, y, stream);
    if (shape_.sources <= 16) return start<2>(x, y, stream);
    if (shape_.sources <= 32) return start<4>(x, y, stream);
    if (shape_.sources <= 40) return start<5>(x, y, stream);
    if (shape_.sources <= 48) return start<6>(x, y, stream);
    start<10>(x, y, stream);
  }

  template <int kPairs>
  void start(base::ConstBlock x, base::Block y, cudaStream_t stream) const {
    static_assert(8 * kPairs <= kSources.back());
    // Two blocks on a multiprocessor, so that one adds moves while the other multiplies.
    constexpr int kBlocks = kPairs > 6 ? 1 : 2;
    const auto kernel = shape_.warps > kLeastWarps ? coupling_product<kPairs, kMostWarps, 1>
                                                   : coupling_product<kPairs, kLeastWarps, kBlocks>;
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shape_.bytes())),
          "cudaFuncSetAttribute");
    const dim3 grid(static_cast<unsigned>(order_.size()), static_cast<unsigned>(x.columns));
    kernel<<<grid, 32 * shape_.warps, shape_.bytes(), stream>>>(couplings_.view(), shape_,
                                                                order_.data(), x, y);
    check_launch("coupling_product");
  }

  base::Backend device_;
  std::vector<BlockFactors> blocks_;
  Couplings couplings_;
  base::Array<Column> order_;
  Index rows_;
  CouplingShape shape_{};
};

}  // namespace

std::unique_ptr<base::LinearOperator> factors(const HamiltonianRows& h,
                                              const base::Backend& device) {
  return std::make_unique<FactorsOnDevice>(h, device);
}

}  // namespace cisolve::ci::cuda
