#include "ci/hamiltonian/parity/parity_operators.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/block_kernels.hpp"

namespace cisolve::ci {

Index whole_buffer_size(const SwapPartition& partition) {
  return std::max(partition.layout().rows(), partition.coefficients() + partition.exchanged());
}

Index image_buffer_size(const SwapPartition& partition) {
  return std::max({partition.layout().count(partition.rank()), partition.coefficients(),
                   partition.staged_in_image()});
}

WholeVectors::WholeVectors(const ParityOperator& product)
    : held_(product.backend(),
            product.whole_workspace() == nullptr ? whole_buffer_size(product.partition()) : 0,
            "a whole vector of a parity"),
      y_(product.backend(), image_buffer_size(product.partition()), "its image"),
      stage_(product.backend(), product.partition().staged(), "coefficients of other ranks"),
      x_(product.whole_workspace() == nullptr ? held_.data() : product.whole_workspace()),
      rows_(product.partition().layout().rows()),
      own_rows_(product.rows()),
      coefficients_(product.partition().coefficients()),
      stages_exchange_(product.partition().stages_exchange()) {}

ParityBlockOperator::ParityBlockOperator(const ParityOperator& product, Parity parity,
                                         std::shared_ptr<WholeVectors> vectors)
    : product_(product),
      basis_(*product.alpha_beta_swap(), parity),
      vectors_(std::move(vectors)),
      transform_(product.parity_transform(basis_)) {}

void ParityBlockOperator::apply(base::ConstBlock x, base::Block y) const {
  for (int j = 0; j < x.columns; ++j) {
    transform_->expand(x.column(j), vectors_->x().data, vectors_->stage_in_image());
    const double* received = product_.multiply_half_and_fetch(vectors_->x(), vectors_->y(),
                                                              vectors_->exchange_workspace());
    transform_->contract(1, vectors_->y().data, received, y.column(j));
  }
}

void ParityBlockOperator::contract_image(double* half) const {
  const double* image = vectors_->y().data;
  transform_->contract(0.5, image, product_.fetch_swapped(image, vectors_->exchange_workspace()),
                       half);
}

bool ParityBlockOperator::diagonal(base::Block d) const {
  const base::Block own = vectors_->y();
  product_.diagonal(own);
  transform_->contract_diagonal(own.data, d.column(0));
  return true;
}

void ParityBlockOperator::expand(base::ConstBlock coefficients, base::Block own) const {
  const base::Layout& layout = product_.partition().layout();
  for (int j = 0; j < coefficients.columns; ++j) {
    if (layout.ranks() == 1) {
      transform_->expand(coefficients.column(j), own.column(j), {});
      continue;
    }
    const double* whole = vectors_->x().data;
    transform_->expand(coefficients.column(j), vectors_->x().data, vectors_->stage_in_image());
    for (const base::Layout::Piece& piece : layout.pieces_of(product_.partition().rank()))
      base::copy_bytes(backend(), whole + piece.first, backend(), own.column(j) + piece.at,
                       piece.count * Index{sizeof(double)});
  }
}

ParityPairOperator::ParityPairOperator(const ParityOperator& product)
    : product_(product),
      vectors_(std::make_shared<WholeVectors>(product)),
      even_(product, Parity::even, vectors_),
      odd_(product, Parity::odd, vectors_) {}

base::Block ParityPairOperator::half_of(base::Block buffer, Parity parity) const {
  const Index rows = of(parity).rows();
  const Index before = parity == Parity::even ? 0 : even_.rows();
  return {buffer.data + before, rows, 1, rows};
}

/// y -= factor x, own rows.
void ParityPairOperator::subtract(double factor) const {
  const SwapPartition& partition = product_.partition();
  for (const base::Layout::Piece& piece : partition.layout().pieces_of(partition.rank()))
    base::block_kernels(product_.backend())
        .axpy(product_.backend(), std::array{-factor},
              {vectors_->x().data + piece.first, piece.count, 1, piece.count},
              {vectors_->y().data + piece.at, piece.count, 1, piece.count});
}

void ParityPairOperator::multiply(Parity parity, double shift) const {
  const ParityTransform& transform = of(parity).transform();
  transform.expand(source(parity).data, vectors_->x().data, vectors_->stage());
  product_.multiply_half(vectors_->x(), vectors_->y());
  subtract(shift / 2);  // the other half follows with +-P h
  const double* image = vectors_->y().data;
  const double* received = product_.fetch_swapped(image, vectors_->exchange_workspace());
  transform.contract(1, image, received, this->image(parity).data);
}

void ParityPairOperator::multiply_both(double shift) const {
  double* whole = vectors_->x().data;
  even_.transform().expand(source(Parity::even).data, whole, vectors_->stage());
  odd_.transform().add(source(Parity::odd).data, whole, vectors_->stage());
  product_.multiply(vectors_->x(), vectors_->y());
  subtract(shift);
  const double* of_both = vectors_->y().data;
  const double* received = product_.fetch_swapped(of_both, vectors_->exchange_workspace());
  even_.transform().contract(0.5, of_both, received, image(Parity::even).data);
  odd_.transform().contract(0.5, of_both, received, image(Parity::odd).data);
}

}  // namespace cisolve::ci
