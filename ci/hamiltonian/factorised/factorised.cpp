#include "ci/hamiltonian/factorised/factorised.hpp"

#include <algorithm>
#include <utility>

#include "base/openmp/beside.hpp"
#include "ci/hamiltonian/factorised/string_strips.hpp"
#include "ci/hamiltonian/factorised/string_tiles.hpp"
#include "ci/hamiltonian/factorised/ways.hpp"

namespace cisolve::ci {
namespace {

/// What joins electrons of both spins is found step by step for the most part, beside what those of
/// one do alone.
Factors find_factors(const HamiltonianRows& h) {
  const base::Backend& host = h.space().host();
  const RowTables tables(h, host);
  const auto of_both = [&] {
    return std::pair(Couplings::of(tables, host), SpinFlip::of(tables.canonical_view(), host));
  };
  auto found = base::begin_beside_if(is_looked_at_by_several(h.space()), host, of_both);
  std::vector<ProductBlock> blocks = product_blocks(tables, host);
  auto [couplings, flip] = found.get();
  return {h.space().dimension(), std::move(blocks), std::move(couplings), std::move(flip)};
}

}  // namespace

std::span<const Index> first_rows(const Factors& factors) {
  const CouplingsView view = factors.couplings.view();
  return {view.first_row, static_cast<std::size_t>(view.alphas + 1)};
}

std::vector<Index> all_places(const Couplings& couplings) {
  const CouplingsView view = couplings.view();
  return {view.first_row, view.first_row + view.alphas};
}

bool is_looked_at_by_several(const Space& space) {
  constexpr Index kManyRows = Index{1} << 22;
  return space.dimension() >= kManyRows &&
         base::knows_threads_beside(base::kTeamsBeside * space.host().threads());
}

bool may_factorise(const HamiltonianRows& h) {
  return h.threshold() == 0 && has_factors(h.space());
}

FactorisedHamiltonian::FactorisedHamiltonian(const HamiltonianRows& h)
    : factors_(std::make_unique<Factors>(find_factors(h))) {}

FactorisedHamiltonian::~FactorisedHamiltonian() = default;

FactorWork FactorisedHamiltonian::work(const base::Backend& backend) const {
  FactorWork work{.multiplications = factors_->couplings.multiplications(),
                  .moves = factors_->couplings.moves(),
                  .chunks = factors_->couplings.chunks(),
                  .bytes = factors_->couplings.bytes(),
                  .flips = factors_->flip.has_value()};
  for (const ProductBlock& block : factors_->blocks) {
    const auto alphas = static_cast<double>(block.first_rows.size());
    const auto betas = static_cast<double>(block.columns);
    const Index turned = TurnedRows::numbers(std::ssize(block.first_rows), block.columns);
    work.turned = std::max(work.turned, turned * Index{sizeof(double)});
    work.longest = std::max(work.longest, block.columns);
    const auto count = [&](Index of_alpha, Index of_beta) {
      return static_cast<double>(of_alpha) * betas + static_cast<double>(of_beta) * alphas;
    };
    const Index alpha_columns = count_columns(block.alpha);
    const Index beta_columns = block.are_alike ? alpha_columns : count_columns(block.beta);
    const Index alpha_tiles = count_tiles(block.alpha);
    const Index beta_tiles = block.are_alike ? alpha_tiles : count_tiles(block.beta);
    const Index held_tiles = block.are_alike ? alpha_tiles : alpha_tiles + beta_tiles;
    work.strips += StringStrips::kRows * count(alpha_columns, beta_columns);
    work.tiles += StringTilesView::kTileSize * count(alpha_tiles, beta_tiles);
    constexpr Index kColumnBytes = StringStrips::kRows * sizeof(double) + sizeof(Column);
    constexpr Index kTileBytes = StringTilesView::kTileSize * sizeof(double);
    const Index of_columns = kColumnBytes * (alpha_columns + beta_columns);
    work.bytes += backend.is_host() ? of_columns : kTileBytes * held_tiles;
    if (!backend.is_host() && block.are_alike) work.apart += kTileBytes * beta_tiles;
  }
  return work;
}

std::unique_ptr<base::LinearOperator> FactorisedHamiltonian::product(
    const base::Backend& backend) && {
  if (backend.is_host()) return factors_on_host(std::move(*factors_), backend);
  return cuda::factors(std::move(*factors_), backend);
}

base::SharedOperator FactorisedHamiltonian::shared_product(const base::Communicator& ranks,
                                                           const base::Backend& backend) && {
  return factors_on_ranks(std::move(*factors_), ranks, backend);
}

}  // namespace cisolve::ci
