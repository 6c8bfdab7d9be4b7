#include "ci/factorised/factorised.hpp"

#include <algorithm>

#include "ci/factorised/string_tiles.hpp"
#include "ci/factorised/ways.hpp"

namespace cisolve::ci {
namespace {

Factors find_factors(const HamiltonianRows& h) {
  const base::Backend& host = h.space().host();
  const RowTables tables(h, host);
  return {h.space().dimension(), product_blocks(tables, host), Couplings::of(tables, host)};
}

}  // namespace

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
                  .bytes = factors_->couplings.bytes()};
  for (const ProductBlock& block : factors_->blocks) {
    const auto alphas = static_cast<double>(block.first_rows.size());
    const auto betas = static_cast<double>(block.columns);
    work.alone += static_cast<double>(block.alpha.values.size()) * betas +
                  static_cast<double>(block.beta.values.size()) * alphas;
    work.longest = std::max(work.longest, block.columns);
    if (backend.is_host()) continue;
    const Index alpha_tiles = count_tiles(block.alpha);
    const Index beta_tiles = count_tiles(block.beta);
    work.tiles += StringTilesView::kTileSize * (static_cast<double>(alpha_tiles) * betas +
                                                static_cast<double>(beta_tiles) * alphas);
    work.bytes += StringTilesView::kTileSize * Index{sizeof(double)} * (alpha_tiles + beta_tiles);
  }
  if (backend.is_host()) work.bytes += bytes_of(factors_->blocks);
  return work;
}

std::unique_ptr<base::LinearOperator> FactorisedHamiltonian::product(
    const base::Backend& backend) && {
  if (backend.is_host()) return factors_on_host(std::move(*factors_), backend);
  return cuda::factors(*factors_, backend);
}

}  // namespace cisolve::ci
