#include "ci/hamiltonian/factorised/factorised.hpp"

#include <algorithm>
#include <utility>

#include "base/openmp/background.hpp"
#include "ci/hamiltonian/factorised/factories.hpp"
#include "ci/hamiltonian/factorised/same_spin_strips.hpp"
#include "ci/hamiltonian/factorised/same_spin_tiles.hpp"

namespace cisolve::ci {
namespace {

/// The opposite-spin tables are built serially for the most part, so concurrently with the
/// same-spin matrices.
FactorisedParts find_parts_of(const HamiltonianRows& h) {
  const base::Backend& host = h.space().host();
  const RowTables tables(h, host);
  const auto of_both = [&] {
    return std::pair(OppositeSpinTables::of(tables, host),
                     AlphaBetaSwap::of(tables.canonical_view(), host));
  };
  auto found = base::run_in_background_if(is_analysed_concurrently(h.space()), host, of_both);
  std::vector<SameSpinBlock> blocks = same_spin_blocks(tables, host);
  auto [opposite_spin, swap] = found.get();
  return {h.space().dimension(), std::move(blocks), std::move(opposite_spin), std::move(swap)};
}

}  // namespace

std::span<const Index> first_rows(const FactorisedParts& factors) {
  const OppositeSpinView view = factors.opposite_spin.view();
  return {view.first_row, static_cast<std::size_t>(view.alphas + 1)};
}

std::vector<Index> all_places(const OppositeSpinTables& opposite_spin) {
  const OppositeSpinView view = opposite_spin.view();
  return {view.first_row, view.first_row + view.alphas};
}

bool is_analysed_concurrently(const Space& space) {
  constexpr Index kManyRows = Index{1} << 22;
  return space.dimension() >= kManyRows &&
         base::can_start_background_threads(base::kBackgroundTeams * space.host().threads());
}

bool may_factorise(const HamiltonianRows& h) {
  return h.threshold() == 0 && has_factorisable_lists(h.space());
}

FactorisedHamiltonian::FactorisedHamiltonian(const HamiltonianRows& h)
    : factors_(std::make_unique<FactorisedParts>(find_parts_of(h))) {}

FactorisedHamiltonian::~FactorisedHamiltonian() = default;

FactorisedCost FactorisedHamiltonian::work(const base::Backend& backend) const {
  FactorisedCost work{.multiplications = factors_->opposite_spin.multiplications(),
                      .moves = factors_->opposite_spin.moves(),
                      .chunks = factors_->opposite_spin.chunks(),
                      .bytes = factors_->opposite_spin.bytes(),
                      .has_parity = factors_->swap.has_value()};
  for (const SameSpinBlock& block : factors_->blocks) {
    const auto alphas = static_cast<double>(block.first_rows.size());
    const auto betas = static_cast<double>(block.columns);
    const Index transposed = TransposedRows::numbers(std::ssize(block.first_rows), block.columns);
    work.transposed = std::max(work.transposed, transposed * Index{sizeof(double)});
    work.longest = std::max(work.longest, block.columns);
    const auto count = [&](Index of_alpha, Index of_beta) {
      return static_cast<double>(of_alpha) * betas + static_cast<double>(of_beta) * alphas;
    };
    const Index alpha_columns = count_columns(block.alpha);
    const Index beta_columns = block.are_alike ? alpha_columns : count_columns(block.beta);
    const Index alpha_tiles = count_tiles(block.alpha);
    const Index beta_tiles = block.are_alike ? alpha_tiles : count_tiles(block.beta);
    const Index held_tiles = block.are_alike ? alpha_tiles : alpha_tiles + beta_tiles;
    work.strips += SameSpinStrips::kRows * count(alpha_columns, beta_columns);
    work.tiles += SameSpinTilesView::kTileSize * count(alpha_tiles, beta_tiles);
    constexpr Index kColumnBytes = SameSpinStrips::kRows * sizeof(double) + sizeof(Column);
    constexpr Index kTileBytes = SameSpinTilesView::kTileSize * sizeof(double);
    const Index of_columns = kColumnBytes * (alpha_columns + beta_columns);
    work.bytes += backend.is_host() ? of_columns : kTileBytes * held_tiles;
    if (!backend.is_host() && block.are_alike) work.distributed_bytes += kTileBytes * beta_tiles;
  }
  return work;
}

std::unique_ptr<base::LinearOperator> FactorisedHamiltonian::product(
    const base::Backend& backend) && {
  if (backend.is_host()) return factorised_on_host(std::move(*factors_), backend);
  return cuda::factorised_on_device(std::move(*factors_), backend);
}

base::DistributedOperator FactorisedHamiltonian::distributed_product(
    const base::Communicator& ranks, const base::Backend& backend) && {
  return factorised_on_ranks(std::move(*factors_), ranks, backend);
}

}  // namespace cisolve::ci
