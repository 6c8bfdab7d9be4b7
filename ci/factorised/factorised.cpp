#include "ci/factorised/factorised.hpp"

#include <algorithm>

#include "ci/factorised/string_strips.hpp"
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
    work.longest = std::max(work.longest, block.columns);
    const auto elements = [&](const StringMatrix& matrix) {
      return backend.is_host() ? StringStrips::kRows * count_columns(matrix)
                               : StringTilesView::kTileSize * count_tiles(matrix);
    };
    const Index of_alpha = elements(block.alpha);
    const Index of_beta = elements(block.beta);
    work.tiles += static_cast<double>(of_alpha) * betas + static_cast<double>(of_beta) * alphas;
    work.bytes += (of_alpha + of_beta) * Index{sizeof(double)};
    if (backend.is_host())
      work.bytes += (of_alpha + of_beta) / StringStrips::kRows * Index{sizeof(Column)};
  }
  return work;
}

std::unique_ptr<base::LinearOperator> FactorisedHamiltonian::product(
    const base::Backend& backend) && {
  if (backend.is_host()) return factors_on_host(std::move(*factors_), backend);
  return cuda::factors(*factors_, backend);
}

}  // namespace cisolve::ci
