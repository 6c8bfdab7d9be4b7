#include <algorithm>
#include <array>

#include "base/column_widths.hpp"
#include "base/cuda/context.hpp"
#include "base/device.hpp"
#include "ci/hamiltonian/on_the_fly/cuda/block_product.cuh"
#include "ci/hamiltonian/on_the_fly/factories.hpp"

namespace cisolve::ci::cuda {
namespace {

using base::cuda::check;
using base::cuda::check_launch;
using base::cuda::DeviceInfo;

constexpr int kDiagonalThreads = 128;

__global__ void __launch_bounds__(kDiagonalThreads)
    diagonal_by_blocks(const BlocksView b, base::Block d) {
  __shared__ double coulomb[kMostOrbitals];
  const Index alpha = blockIdx.x;
  for (int q = static_cast<int>(threadIdx.x); q < b.t.orbitals; q += kDiagonalThreads)
    coulomb[q] = b.coulomb_of(alpha, q);
  __syncthreads();
  const Index first = b.t.first_row[alpha];
  const Column* members = b.t.members + b.t.list_offsets[b.t.list_of[alpha]];
  for (Index row = first + threadIdx.x; row < b.t.first_row[alpha + 1]; row += kDiagonalThreads)
    d(row, 0) = b.diagonal(alpha, members[row - first], coulomb);
}

/// Items launched together, with similar numbers of rows.
struct ItemGroup {
  int threads;
  Index first;
  Index count;
  Index rows;            // rows of the largest item
  Index reach;           // longest list whose x is copied; 0: no copy
  bool is_whole = true;  // whether each item has all rows of its alpha string
};

constexpr std::array kGroupRows{Index{32}, Index{128}, Index{1} << 62};

/// Groups keep the order of `items`; `sorted` receives the items group by group.
std::vector<ItemGroup> grouped(const BlockTables& tables, std::vector<BlockItem>& sorted) {
  std::vector<ItemGroup> groups;
  Index least = 0;
  for (const Index most : kGroupRows) {
    ItemGroup group{most == kGroupRows.back() ? 512 : static_cast<int>(most), std::ssize(sorted)};
    Index own = 0;
    for (const BlockItem& item : tables.items()) {
      const Index rows = tables.rows_of(item);
      if (rows <= least || rows > most) continue;
      sorted.push_back(item);
      group.rows = std::max(group.rows, rows);
      group.reach = std::max(group.reach, tables.reach_of(item));
      own = std::max(own, tables.list_size_of(item));
      group.is_whole &= rows == tables.list_size_of(item);
    }
    // If any item copies x, each item also copies x of its own list.
    if (group.reach > 0) group.reach = std::max(group.reach, own);
    group.count = std::ssize(sorted) - group.first;
    if (group.count > 0) groups.push_back(group);
    least = most;
  }
  return groups;
}

/// Groups run one after the other.
double cost_of(const BlockTables& tables, const std::vector<bool>& is_retained) {
  constexpr double kItemsOfAMultiprocessor = 2.8;  // concurrent items of the largest size
  const DeviceInfo device = base::cuda::describe(tables.backend().device());
  double cost = 0;
  Index least = 0;
  for (const Index most : kGroupRows) {
    double sum = 0;
    double largest = 0;
    for (std::size_t i = 0; i < is_retained.size(); ++i) {
      const Index rows = tables.rows_of(tables.items()[i]);
      if (!is_retained[i] || rows <= least || rows > most) continue;
      sum += tables.works()[i];
      largest = std::max(largest, tables.works()[i]);
    }
    cost += std::max(sum, kItemsOfAMultiprocessor * device.multiprocessors * largest);
    least = most;
  }
  return cost;
}

class BlocksOnDevice final : public ComputedProduct {
 public:
  explicit BlocksOnDevice(BlockTables tables)
      : tables_(std::move(tables)), items_(tables_.backend(), 0, "the blocks of a product") {
    group_items();
  }

  Index rows() const override { return tables_.view().t.rows; }

  void apply(base::ConstBlock x, base::Block y) const override {
    base::in_constant_widths<kWidest>(
        widest_, x, y,
        [this](auto width, base::ConstBlock from, base::Block to) { multiply<width>(from, to); });
  }

  bool diagonal(base::Block d) const override {
    const BlocksView view = tables_.view();
    if (view.t.alphas == 0) return true;
    diagonal_by_blocks<<<static_cast<unsigned>(view.t.alphas), kDiagonalThreads, 0, stream()>>>(
        view, d);
    check_launch("diagonal_by_blocks");
    return true;
  }

  base::OperatorDescription description() const override {
    return {"on-the-fly", tables_.bytes() + items_.bytes(), 0, 0};
  }

  std::vector<Item> items() const override { return items_of(tables_); }
  double cost(const std::vector<bool>& is_retained) const override {
    return cost_of(tables_, is_retained);
  }
  void keep(const std::vector<bool>& is_retained) override {
    tables_.keep(is_retained);
    group_items();
  }
  void begin_y_with(Index row) override { first_of_y_ = row; }

 private:
  static constexpr int kWidest = 4;
  static constexpr double kNearlyAll = 0.9;

  void group_items() {
    std::vector<BlockItem> sorted;
    groups_ = grouped(tables_, sorted);
    items_ = base::Array<BlockItem>::copy_of(sorted, tables_.backend(), "the blocks of a product");
    widest_ = widest();
  }

  cudaStream_t stream() const { return tables_.backend().device().stream(); }

  template <int Width>
  void multiply(base::ConstBlock x, base::Block y) const {
    for (const ItemGroup& group : groups_) launch<Width>(group, x, y);
  }

  template <int Width>
  void launch(const ItemGroup& group, base::ConstBlock x, base::Block y) const {
    BlockProduct product = product_of(group);
    product.x = x;
    product.y = y;
    product.first_of_y = first_of_y_;
    if (group.reach > 0 && shared_bytes(product, group, Width) <= most_shared())
      return launch_kernel<Width, true>(product, group);
    product.x_places = 0;
    launch_kernel<Width, false>(product, group);
  }

  /// Number of vectors multiplied at once: the most for which every group can be launched and
  /// nearly all items fit their copies; if not even one vector fits, as many as can be launched.
  int widest() const {
    for (int width = kWidest; width >= 1; width /= 2)
      if (can_launch(width) && fraction_with_space(width) >= kNearlyAll) return width;
    for (int width = kWidest; width > 1; width /= 2)
      if (can_launch(width)) return width;
    return 1;
  }

  bool can_launch(int width) const {
    return std::ranges::all_of(groups_, [&](const ItemGroup& group) {
      BlockProduct product = product_of(group);
      product.x_places = 0;
      return shared_bytes(product, group, width) <= most_shared();
    });
  }

  double fraction_with_space(int width) const {
    Index fitting_items = 0;
    for (const ItemGroup& group : groups_)
      if (fits(group, width)) fitting_items += group.count;
    return groups_.empty()
               ? 1.0
               : static_cast<double>(fitting_items) / static_cast<double>(items_.size());
  }

  /// Without copies, each part of an alpha string's rows reads x from global memory: more than two
  /// vectors at once then took twice as long as pairs of vectors.
  bool fits(const ItemGroup& group, int width) const {
    if (group.reach == 0 && !group.is_whole && width > 2) return false;
    return shared_bytes(product_of(group), group, width) <= most_shared();
  }

  BlockProduct product_of(const ItemGroup& group) const {
    const BlocksView view = tables_.view();
    const Index pairs = view.t.beta_pairs <= kMostPairsAtHand ? view.t.beta_pairs : 0;
    return {view, items_.data() + group.first, group.reach, pairs, {}, {}, 0};
  }

  Index most_shared() const {
    return base::cuda::describe(tables_.backend().device()).shared_bytes;
  }

  static Index shared_bytes(const BlockProduct& product, const ItemGroup& group, int width) {
    const Index numbers =
        at_hand(product) + (group.rows * width + 1) / 2 * 2 + product.x_places * width;
    return kCouplingsAtOnce * Index{sizeof(AlphaCoupling) + sizeof(Index)} +
           numbers * Index{sizeof(double)};
  }

  template <int Width, bool kCopiesX>
  void launch_kernel(const BlockProduct& product, const ItemGroup& group) const {
    const Index shared = shared_bytes(product, group, Width);
    // If a multiprocessor holds only one block, use a large one.
    const bool alone = 2 * shared > most_shared();
    const int threads = alone && group.threads == 512 ? kMostBlockThreads : group.threads;
    const auto kernel = block_product<Width, kCopiesX>;
    // Ranks that are threads share the kernel, so all set the same maximum.
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(most_shared())),
          "cudaFuncSetAttribute");
    kernel<<<static_cast<unsigned>(group.count), threads, shared, stream()>>>(product);
    check_launch("block_product");
  }

  BlockTables tables_;
  std::vector<ItemGroup> groups_;
  base::Array<BlockItem> items_;  // group by group
  int widest_ = 1;                // vectors multiplied at once
  Index first_of_y_ = 0;
};

}  // namespace

ComputedProductPtr by_blocks(BlockTables tables) {
  return std::make_unique<BlocksOnDevice>(std::move(tables));
}

}  // namespace cisolve::ci::cuda
