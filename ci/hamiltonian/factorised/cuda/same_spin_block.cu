#include <algorithm>

#include "base/cuda/context.hpp"
#include "ci/hamiltonian/factorised/cuda/device_product.hpp"
#include "ci/hamiltonian/factorised/cuda/same_spin_product.cuh"

namespace cisolve::ci::cuda {
namespace {

using base::cuda::check;
using base::cuda::check_launch;

constexpr auto kRows = "the rows of alpha strings";
constexpr int kTransposeThreads = 256;

/// Transposes rows: a tile of 32 x 32 for each thread block.
__global__ void __launch_bounds__(kTransposeThreads)
    transpose_rows(const SameSpinRows b, double* transposed) {
  constexpr int kSide = 32;
  __shared__ double square[kSide][kSide + 1];
  const int lane = static_cast<int>(threadIdx.x) % kSide;
  const int first = static_cast<int>(threadIdx.x) / kSide;
  const Index alphas = Index{blockIdx.x} * kSide;
  const Index betas = Index{blockIdx.y} * kSide;
  for (int i = first; i < kSide; i += kTransposeThreads / kSide)
    if (alphas + i < b.alphas && betas + lane < b.betas)
      square[i][lane] = b.x(b.first_rows[alphas + i] + b.places[betas + lane], 0);
  __syncthreads();
  const Index width = TransposedRows::width(b.alphas);
  for (int k = first; k < kSide; k += kTransposeThreads / kSide)
    if (betas + k < b.betas && alphas + lane < width)
      transposed[(betas + k) * width + alphas + lane] =
          alphas + lane < b.alphas ? square[lane][k] : 0;
}

base::Array<Index> copied(const std::vector<Index>& values, const base::Backend& device) {
  return base::Array<Index>::copy_of(values, device, kRows);
}

/// Alpha strings with rows in y.
std::vector<Index> own_of(const std::vector<Index>& rows_of_y) {
  std::vector<Index> own;
  for (std::size_t i = 0; i < rows_of_y.size(); ++i)
    if (rows_of_y[i] >= 0) own.push_back(static_cast<Index>(i));
  return own;
}

base::Array<Index> copied(const std::vector<Index>& values, const std::vector<Index>& which,
                          const base::Backend& device) {
  std::vector<Index> those;
  for (const Index i : which) those.push_back(values[i]);
  return copied(those, device);
}

/// The beta tiles; none if the alpha tiles have all rows and are alike.
std::optional<SameSpinTiles> own_tiles_of_beta(const SameSpinBlock& block,
                                               const std::vector<Index>& own,
                                               const base::Backend& device) {
  if (block.are_alike && std::ssize(own) == block.alpha.rows()) return {};
  return SameSpinTiles(block.beta, device.host()).to(device);
}

/// Whether all rows begin and end at multiples of 16 bytes.
bool are_aligned(const SameSpinBlock& block) {
  return block.columns % 2 == 0 &&
         std::ranges::all_of(block.first_rows, [](Index row) { return row % 2 == 0; });
}

template <bool kWhole, class Side>
void launch_product(const SameSpinTiles& tiles, const Side& side, Index columns,
                    cudaStream_t stream) {
  using Product = SameSpinProduct<Side, kWhole>;
  if (tiles.bands() == 0) return;
  const auto kernel = same_spin_product<Side, kWhole>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(Product::kSharedBytes)),
        "cudaFuncSetAttribute");
  constexpr Index kMostParts = 65'535;  // limit of a grid's second dimension
  for (Index begin = 0; begin < columns; begin += kMostParts * Product::kColumns) {
    const Index parts = (columns - begin + Product::kColumns - 1) / Product::kColumns;
    const dim3 grid(static_cast<unsigned>(tiles.bands()),
                    static_cast<unsigned>(std::min(parts, kMostParts)),
                    static_cast<unsigned>(side.b.x.columns));
    kernel<<<grid, Product::kThreads, Product::kSharedBytes, stream>>>(tiles.view(), side, begin);
    check_launch("same_spin_product");
  }
}

}  // namespace

DeviceSameSpinBlock::DeviceSameSpinBlock(const SameSpinBlock& block,
                                         const std::vector<Index>& rows_of_y,
                                         const base::Backend& device)
    : DeviceSameSpinBlock(block, rows_of_y, own_of(rows_of_y), device) {}

DeviceSameSpinBlock::DeviceSameSpinBlock(const SameSpinBlock& block,
                                         const std::vector<Index>& rows_of_y,
                                         const std::vector<Index>& own, const base::Backend& device)
    : device_(device),
      alpha_(SameSpinTiles(block.alpha, own, device.host()).to(device)),
      beta_(own_tiles_of_beta(block, own, device)),
      aligned_rows_(are_aligned(block)),
      first_rows_(copied(block.first_rows, device)),
      own_rows_(copied(block.first_rows, own, device)),
      own_of_y_(copied(rows_of_y, own, device)),
      betas_(copied(block.beta.strings, device)) {}

void DeviceSameSpinBlock::set_sigma_alpha(base::ConstBlock x, base::Block y) const {
  const SameSpinRows rows{
      first_rows_.data(), own_of_y_.data(), betas_.data(), first_rows_.size(), betas_.size(), x, y};
  const bool is_whole = aligned_rows_ && base::cuda::are_pairs(x);
  const auto launch = is_whole ? cuda::launch_product<true, AlphaMatrixSide>
                               : cuda::launch_product<false, AlphaMatrixSide>;
  launch(alpha_, AlphaMatrixSide{rows}, rows.betas, device_.device().stream());
}

void DeviceSameSpinBlock::add_sigma_beta(base::ConstBlock x, base::Block y,
                                         double* transposed) const {
  const Index at_once = TransposedRows::at_once(own_rows_.size(), betas_.size());
  for (int j = 0; j < x.columns; ++j)
    for (Index first = 0; first < own_rows_.size(); first += at_once)
      add_sigma_beta({own_rows_.data() + first, own_of_y_.data() + first, betas_.data(),
                      std::min(at_once, own_rows_.size() - first), betas_.size(), x.slice(j, 1),
                      y.slice(j, 1)},
                     transposed);
}

void DeviceSameSpinBlock::add_sigma_beta(const SameSpinRows& rows, double* transposed) const {
  if (rows.betas == 0) return;
  const auto squares = [](Index n) { return static_cast<unsigned>((n + 31) / 32); };
  cudaStream_t stream = device_.device().stream();
  transpose_rows<<<dim3(squares(rows.alphas), squares(rows.betas)), kTransposeThreads, 0, stream>>>(
      rows, transposed);
  check_launch("transpose_rows");
  launch_product<true>(beta(), BetaMatrixSide{rows, transposed}, rows.alphas, stream);
}

Index DeviceSameSpinBlock::transposed_numbers() const {
  return TransposedRows::numbers(own_rows_.size(), betas_.size());
}

Index DeviceSameSpinBlock::bytes() const {
  return alpha_.bytes() + (beta_ ? beta_->bytes() : 0) + first_rows_.bytes() + own_rows_.bytes() +
         own_of_y_.bytes() + betas_.bytes();
}

}  // namespace cisolve::ci::cuda
