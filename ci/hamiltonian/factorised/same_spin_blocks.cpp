#include "ci/hamiltonian/factorised/same_spin_blocks.hpp"

#include <utility>

namespace cisolve::ci {
namespace {

constexpr Index kMostLists = 64;  // each list is processed on its own

}  // namespace

std::vector<SameSpinBlock> same_spin_blocks(const RowTables& tables, const base::Backend& host) {
  const RowTablesView t = tables.canonical_view();
  const std::vector<std::vector<Column>> alphas = alphas_of_lists(t);
  std::vector<SameSpinBlock> blocks;
  for (std::size_t i = 0; i < alphas.size(); ++i) {
    const auto list = static_cast<Index>(i);
    if (alphas[i].empty() || t.list_offsets[list + 1] == t.list_offsets[list]) continue;
    SameSpinMatrices matrices = same_spin_matrices(t, alphas[i], list, host);
    SameSpinBlock block{.alphas = {},
                        .first_rows = {},
                        .columns = t.list_offsets[list + 1] - t.list_offsets[list],
                        .alpha = std::move(matrices.alpha),
                        .beta = std::move(matrices.beta),
                        .are_alike = matrices.are_alike};
    for (const Index place : block.alpha.strings) {
      block.alphas.push_back(alphas[i][place]);
      block.first_rows.push_back(t.first_row[block.alphas.back()]);
    }
    blocks.push_back(std::move(block));
  }
  return blocks;
}

bool has_factorisable_lists(const Space& space) {
  if (space.lists() > kMostLists) return false;
  std::vector<bool> is_met(space.strings(Spin::beta).size(), false);
  for (Index list = 0; list < space.lists(); ++list) {
    if (std::ssize(space.list(list)) > ScatterTarget::kMostTargets) return false;
    for (const StringNumber beta : space.list(list)) {
      if (is_met[beta]) return false;
      is_met[beta] = true;
    }
  }
  return true;
}

}  // namespace cisolve::ci
