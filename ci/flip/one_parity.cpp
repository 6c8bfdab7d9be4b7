#include "ci/flip/one_parity.hpp"

namespace cisolve::ci {

OneParity::OneParity(const FlipProduct& product, Parity parity)
    : product_(product),
      halves_(*product.flip(), parity),
      maker_(product.halves_maker(halves_)),
      x_(product.backend(), product.rows(), 1, "a whole vector of one parity"),
      y_(product.backend(), product.rows(), 1, "its image") {}

void OneParity::apply(base::ConstBlock x, base::Block y) const {
  for (int j = 0; j < x.columns; ++j) {
    maker_->expand(x.column(j), x_.block().column(0));
    product_.multiply_half(x_.block(), y_.block());
    maker_->fold(1, y_.block().column(0), y.column(j));
  }
}

bool OneParity::diagonal(base::Block d) const {
  product_.diagonal(x_.block());
  maker_->fold_diagonal(x_.block().column(0), d.column(0));
  return true;
}

void OneParity::expand(base::ConstBlock halves, base::Block whole) const {
  for (int j = 0; j < halves.columns; ++j) maker_->expand(halves.column(j), whole.column(j));
}

}  // namespace cisolve::ci
