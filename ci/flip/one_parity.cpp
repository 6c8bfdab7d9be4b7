#include "ci/flip/one_parity.hpp"

#include <array>
#include <utility>

#include "base/block_kernels.hpp"

namespace cisolve::ci {

OneParity::OneParity(const FlipProduct& product, Parity parity,
                     std::shared_ptr<WholeVectors> vectors)
    : product_(product),
      halves_(*product.flip(), parity),
      maker_(product.halves_maker(halves_)),
      vectors_(std::move(vectors)) {}

void OneParity::apply(base::ConstBlock x, base::Block y) const {
  const auto [whole, image] = room();
  for (int j = 0; j < x.columns; ++j) {
    maker_->expand(x.column(j), whole.data);
    product_.multiply_half(whole, image);
    maker_->fold(1, image.data, y.column(j));
  }
}

bool OneParity::diagonal(base::Block d) const {
  const base::Block whole = room()[0];
  product_.diagonal(whole);
  maker_->fold_diagonal(whole.data, d.column(0));
  return true;
}

void OneParity::expand(base::ConstBlock halves, base::Block whole) const {
  for (int j = 0; j < halves.columns; ++j) maker_->expand(halves.column(j), whole.column(j));
}

BothParities::BothParities(const FlipProduct& product)
    : product_(product),
      vectors_(std::make_shared<WholeVectors>(product)),
      even_(product, Parity::even, vectors_),
      odd_(product, Parity::odd, vectors_) {}

base::Block BothParities::half_of(base::MultiVector& whole, Parity parity) const {
  const Index rows = of(parity).rows();
  const Index before = parity == Parity::even ? 0 : even_.rows();
  return {whole.block().data + before, rows, 1, rows};
}

/// y = y - factor x
void BothParities::subtract(double factor) const {
  base::block_kernels(product_.backend())
      .axpy(product_.backend(), std::array{-factor}, vectors_->x.block(), vectors_->y.block());
}

void BothParities::multiply(Parity parity, double shift) const {
  const HalvesMaker& maker = of(parity).maker();
  maker.expand(source(parity).data, vectors_->x.block().data);
  product_.multiply_half(vectors_->x.block(), vectors_->y.block());
  subtract(shift / 2);  // of what is to be added to its own flip
  maker.fold(1, vectors_->y.block().data, image(parity).data);
}

void BothParities::multiply_both(double shift) const {
  double* whole = vectors_->x.block().data;
  even_.maker().expand(source(Parity::even).data, whole);
  odd_.maker().add(source(Parity::odd).data, whole);
  product_.apply(vectors_->x.block(), vectors_->y.block());
  subtract(shift);
  const double* image_of_both = vectors_->y.block().data;
  even_.maker().fold(0.5, image_of_both, image(Parity::even).data);
  odd_.maker().fold(0.5, image_of_both, image(Parity::odd).data);
}

}  // namespace cisolve::ci
