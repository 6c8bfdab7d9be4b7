#include "ci/hamiltonian/factorised/cuda/device_product.hpp"

#include <algorithm>

#include "base/cuda/context.hpp"
#include "base/device.hpp"
#include "base/error.hpp"
#include "ci/hamiltonian/factorised/cuda/opposite_spin_product.cuh"
#include "ci/hamiltonian/factorised/cuda/same_spin_product.cuh"

namespace cisolve::ci::cuda {
namespace {

using base::cuda::check;
using base::cuda::check_launch;

// Warps of a thread block: 8 if two blocks share a multiprocessor, so that one scatters while the
// other multiplies; 16, with copier warps, if a block has it to itself (see fitting()).
constexpr int kWarps = 8;
constexpr int kMostWarps = 16;
static_assert(OppositeSpinTables::kMostRows <= 16 * (kMostWarps - kCopiers));
constexpr int kDiagonalThreads = 128;

/// One thread block for each alpha string.
__global__ void __launch_bounds__(kDiagonalThreads)
    diagonal_of_rows(const OppositeSpinView c, const OwnString* strings, base::Block d) {
  const OwnString own = strings[blockIdx.x];
  const Index rows = c.first_row[own.alpha + 1] - c.first_row[own.alpha];
  for (Index place = threadIdx.x; place < rows; place += kDiagonalThreads)
    d(own.place + place, 0) = c.diagonal(own.alpha, place);
}

std::vector<DeviceSameSpinBlock> blocks_of(const FactorisedParts& factors,
                                           const std::vector<Index>& places,
                                           const base::Backend& device) {
  std::vector<DeviceSameSpinBlock> blocks;
  for (const SameSpinBlock& block : factors.blocks) {
    std::vector<Index> rows;
    for (const Column alpha : block.alphas) rows.push_back(places[alpha]);
    blocks.emplace_back(block, rows, device);
  }
  return blocks;
}

Index most_transposed(const std::vector<DeviceSameSpinBlock>& blocks) {
  Index most = 0;
  for (const DeviceSameSpinBlock& block : blocks) most = std::max(most, block.transposed_numbers());
  return most;
}

/// The own alpha strings of `order`: descending work, so that no long one starts last.
base::Array<OwnString> own_strings(std::span<const Column> order, const std::vector<Index>& places,
                                   const base::Backend& device) {
  std::vector<OwnString> own;
  for (const Column alpha : order)
    if (places[alpha] >= 0) own.push_back({alpha, places[alpha]});
  return base::Array<OwnString>::copy_of(own, device, "the alpha strings");
}

std::vector<Column> order_by_half(const OppositeSpinTables& opposite_spin,
                                  std::span<const Index> late) {
  std::vector<Column> order = opposite_spin.order();
  std::vector<bool> is_late(order.size());
  for (const Index alpha : late) is_late[alpha] = true;
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](Column a) { return opposite_spin.work_of(a, true); });
  std::ranges::stable_partition(order, [&](Column a) { return !is_late[a]; });
  return order;
}

void require_shared(Index bytes, Index shared_bytes) {
  if (bytes > shared_bytes)
    throw base::DeviceMemoryError(base::concat(
        "a product of string matrices takes ", bytes, " bytes of a multiprocessor, which has ",
        shared_bytes, "; choose storage.elements: on-the-fly"));
}

/// The first of these shapes that fits in shared memory: (1) two blocks per multiprocessor, sums in
/// shared memory; (2) two blocks, sums in y, for up to kFewSources sources (with more weights a
/// warp should not wait for copies); (3) one block with copier warps, sums in shared memory or, if
/// they do not fit, in y; (4) one block of kWarps warps without copiers, sums in y.
OppositeSpinShape fitting(OppositeSpinShape shape, Index shared_bytes) {
  require_shared(SameSpinProduct<AlphaMatrixSide, true>::kSharedBytes, shared_bytes);
  constexpr int kFewSources = 40;
  constexpr Index kOfSystem = 1024;  // reserved for each block
  const bool is_tall = shape.rows > 16 * kWarps;
  const auto fit_two = [&](const OppositeSpinShape& two) {
    return !is_tall && 2 * two.bytes() + kOfSystem <= shared_bytes;
  };
  if (fit_two(shape)) return shape;
  OppositeSpinShape in_y = shape;
  in_y.sums = 0;
  if (fit_two(in_y) && shape.sources <= kFewSources) return in_y;
  shape.warps = kMostWarps;
  if (shape.bytes() > shared_bytes) shape.sums = 0;
  if (shape.bytes() > shared_bytes && !is_tall) shape.warps = kWarps;
  require_shared(shape.bytes(), shared_bytes);
  return shape;
}

OppositeSpinShape shape_of(const FactorisedParts& factors, const base::Backend& device) {
  const OppositeSpinTables& opposite_spin = factors.opposite_spin;
  Index longest = 0;
  for (const SameSpinBlock& block : factors.blocks) longest = std::max(longest, block.columns);
  const auto rounded = [](Index n, Index to) { return static_cast<int>((n + to - 1) / to * to); };
  return fitting({.warps = kWarps,
                  .sources = rounded(opposite_spin.most_sources(), 8),
                  .rows = rounded(opposite_spin.most_rows(), 16),
                  .words = static_cast<int>(opposite_spin.most_words()),
                  .sums = longest + 1},
                 base::cuda::describe(device.device()).shared_bytes);
}

}  // namespace

DeviceFactorisedProduct::DeviceFactorisedProduct(const FactorisedParts& factors,
                                                 const std::vector<Index>& places,
                                                 std::span<const Index> late,
                                                 const base::Backend& device)
    : device_(device),
      blocks_(blocks_of(factors, places, device)),
      transposed_(device, most_transposed(blocks_), "rows of beta strings"),
      opposite_spin_(factors.opposite_spin.to(device)),
      own_(own_strings(factors.opposite_spin.order(), places, device)),
      by_half_(own_strings(order_by_half(factors.opposite_spin, late), places, device)),
      late_(std::ssize(late)),
      shape_(shape_of(factors, device)) {
  if (late_ > 0) for_late_.emplace(device_.device());
}

void DeviceFactorisedProduct::multiply(base::ConstBlock x, base::Block y) const {
  for (const DeviceSameSpinBlock& block : blocks_) {
    block.set_sigma_alpha(x, y);
    block.add_sigma_beta(x, y, transposed_.data());
  }
  add_sigma_mixed(x, y, {own_.data(), own_.size(), false, device_.device().stream()});
}

void DeviceFactorisedProduct::multiply_half(base::ConstBlock x, base::Block y) const {
  for (const DeviceSameSpinBlock& block : blocks_) block.set_sigma_alpha(x, y);
  add_sigma_mixed(x, y, {by_half_.data(), by_half_.size(), true, device_.device().stream()});
}

void DeviceFactorisedProduct::begin_half(base::ConstBlock x, base::Block y) const {
  if (late_ == 0) return multiply_half(x, y);
  for (const DeviceSameSpinBlock& block : blocks_) block.set_sigma_alpha(x, y);
  for_late_->wait_for_stream();
  const Index early = by_half_.size() - late_;
  add_sigma_mixed(x, y, {by_half_.data(), early, true, device_.device().stream()});
  add_sigma_mixed(x, y, {by_half_.data() + early, late_, true, for_late_->get()});
}

void DeviceFactorisedProduct::wait_for_late() const {
  if (late_ > 0) for_late_->make_stream_wait();
}

void DeviceFactorisedProduct::diagonal(base::Block d) const {
  if (own_.size() == 0) return;
  diagonal_of_rows<<<static_cast<unsigned>(own_.size()), kDiagonalThreads, 0,
                     device_.device().stream()>>>(opposite_spin_.view(), own_.data(), d);
  check_launch("diagonal_of_rows");
}

Index DeviceFactorisedProduct::bytes() const {
  Index bytes = opposite_spin_.bytes() + own_.bytes() + by_half_.bytes() + transposed_.bytes();
  for (const DeviceSameSpinBlock& block : blocks_) bytes += block.bytes();
  return bytes;
}

void DeviceFactorisedProduct::add_sigma_mixed(base::ConstBlock x, base::Block y,
                                              const Launch& launch) const {
  if (shape_.rows == 0 || launch.count == 0) return;  // no opposite-spin terms
  if (shape_.sums == 0) return launch_with<false>(x, y, launch);
  launch_with<true>(x, y, launch);
}

template <bool kSumsInShared>
void DeviceFactorisedProduct::launch_with(base::ConstBlock x, base::Block y,
                                          const Launch& launch) const {
  if (shape_.sources <= 16) return launch_kernel<2, kSumsInShared>(x, y, launch);
  if (shape_.sources <= 32) return launch_kernel<4, kSumsInShared>(x, y, launch);
  if (shape_.sources <= 40) return launch_kernel<5, kSumsInShared>(x, y, launch);
  launch_kernel<6, kSumsInShared>(x, y, launch);
}

template <int kSourceSteps, bool kSumsInShared>
void DeviceFactorisedProduct::launch_kernel(base::ConstBlock x, base::Block y,
                                            const Launch& launch) const {
  static_assert(8 * kSourceSteps <= OppositeSpinTables::kMostSources.back());
  const auto kernel = shape_.warps == kWarps
                          ? opposite_spin_product<kSourceSteps, kSumsInShared, kWarps, 2>
                          : opposite_spin_product<kSourceSteps, kSumsInShared, kMostWarps, 1>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(shape_.bytes())),
        "cudaFuncSetAttribute");
  const dim3 grid(static_cast<unsigned>(launch.count), static_cast<unsigned>(x.columns));
  kernel<<<grid, 32 * shape_.warps, shape_.bytes(), launch.stream>>>(
      opposite_spin_.view(), shape_, launch.strings, launch.by_half, x, y);
  check_launch("opposite_spin_product");
}

}  // namespace cisolve::ci::cuda
