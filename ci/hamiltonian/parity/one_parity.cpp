#include "ci/hamiltonian/parity/one_parity.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/block_kernels.hpp"

namespace cisolve::ci {

Index numbers_of_whole(const FlipShares& shares) {
  return std::max(shares.layout().rows(), shares.halves() + shares.exchanged());
}

Index numbers_of_image(const FlipShares& shares) {
  return std::max(
      {shares.layout().count(shares.rank()), shares.halves(), shares.staged_in_image()});
}

WholeVectors::WholeVectors(const FlipProduct& product)
    : held_(product.backend(),
            product.whole_room() == nullptr ? numbers_of_whole(product.shares()) : 0,
            "a whole vector of a parity"),
      y_(product.backend(), numbers_of_image(product.shares()), "its image"),
      stage_(product.backend(), product.shares().staged(), "halves of all ranks"),
      x_(product.whole_room() == nullptr ? held_.data() : product.whole_room()),
      rows_(product.shares().layout().rows()),
      own_rows_(product.rows()),
      halves_(product.shares().halves()),
      is_exchanged_beside_(product.shares().is_exchanged_beside()) {}

OneParity::OneParity(const FlipProduct& product, Parity parity,
                     std::shared_ptr<WholeVectors> vectors)
    : product_(product),
      halves_(*product.flip(), parity),
      vectors_(std::move(vectors)),
      maker_(product.halves_maker(halves_)) {}

void OneParity::apply(base::ConstBlock x, base::Block y) const {
  for (int j = 0; j < x.columns; ++j) {
    maker_->expand(x.column(j), vectors_->x().data, vectors_->stage_in_image());
    const double* received =
        product_.multiply_half_and_bring(vectors_->x(), vectors_->y(), vectors_->exchange());
    maker_->fold(1, vectors_->y().data, received, y.column(j));
  }
}

void OneParity::contract_image(double* half) const {
  const double* image = vectors_->y().data;
  maker_->fold(0.5, image, product_.bring_flips(image, vectors_->exchange()), half);
}

bool OneParity::diagonal(base::Block d) const {
  const base::Block own = vectors_->y();
  product_.diagonal(own);
  maker_->fold_diagonal(own.data, d.column(0));
  return true;
}

void OneParity::expand(base::ConstBlock halves, base::Block own) const {
  const base::Layout& layout = product_.shares().layout();
  for (int j = 0; j < halves.columns; ++j) {
    if (layout.ranks() == 1) {
      maker_->expand(halves.column(j), own.column(j), {});
      continue;
    }
    const double* whole = vectors_->x().data;
    maker_->expand(halves.column(j), vectors_->x().data, vectors_->stage_in_image());
    for (const base::Layout::Piece& piece : layout.pieces_of(product_.shares().rank()))
      base::copy_bytes(backend(), whole + piece.first, backend(), own.column(j) + piece.at,
                       piece.count * Index{sizeof(double)});
  }
}

BothParities::BothParities(const FlipProduct& product)
    : product_(product),
      vectors_(std::make_shared<WholeVectors>(product)),
      even_(product, Parity::even, vectors_),
      odd_(product, Parity::odd, vectors_) {}

base::Block BothParities::half_of(base::Block room, Parity parity) const {
  const Index rows = of(parity).rows();
  const Index before = parity == Parity::even ? 0 : even_.rows();
  return {room.data + before, rows, 1, rows};
}

/// y = y - factor x, of the own rows
void BothParities::subtract(double factor) const {
  const FlipShares& shares = product_.shares();
  for (const base::Layout::Piece& piece : shares.layout().pieces_of(shares.rank()))
    base::block_kernels(product_.backend())
        .axpy(product_.backend(), std::array{-factor},
              {vectors_->x().data + piece.first, piece.count, 1, piece.count},
              {vectors_->y().data + piece.at, piece.count, 1, piece.count});
}

void BothParities::multiply(Parity parity, double shift) const {
  const HalvesMaker& maker = of(parity).maker();
  maker.expand(source(parity).data, vectors_->x().data, vectors_->stage());
  product_.multiply_half(vectors_->x(), vectors_->y());
  subtract(shift / 2);  // of what is to be added to its own flip
  const double* image = vectors_->y().data;
  const double* received = product_.bring_flips(image, vectors_->exchange());
  maker.fold(1, image, received, this->image(parity).data);
}

void BothParities::multiply_both(double shift) const {
  double* whole = vectors_->x().data;
  even_.maker().expand(source(Parity::even).data, whole, vectors_->stage());
  odd_.maker().add(source(Parity::odd).data, whole, vectors_->stage());
  product_.multiply(vectors_->x(), vectors_->y());
  subtract(shift);
  const double* of_both = vectors_->y().data;
  const double* received = product_.bring_flips(of_both, vectors_->exchange());
  even_.maker().fold(0.5, of_both, received, image(Parity::even).data);
  odd_.maker().fold(0.5, of_both, received, image(Parity::odd).data);
}

}  // namespace cisolve::ci
