#include <algorithm>

#include "base/loops.hpp"
#include "ci/factorised/coupling_walk.hpp"
#include "ci/factorised/product_blocks.hpp"
#include "ci/factorised/ways.hpp"

namespace cisolve::ci {
namespace {

/// A ProductBlock as the host multiplies it.
struct HostBlock {
  HostBlock(ProductBlock block, const base::Backend& host)
      : first_rows(std::move(block.first_rows)),
        places(std::move(block.beta.strings)),
        alpha(block.alpha, host),
        beta(block.beta, host) {}

  std::vector<Index> first_rows;
  std::vector<Index> places;  // within its row, of each beta string
  StringStrips alpha;
  StringStrips beta;
};

/// Columns of a block as a panel, by rows; rows of the block as one, by columns. The last panel of
/// a block ends with zeros.
class Panels {
 public:
  Panels(const HostBlock& block, const double* x, double* y) : b_(block), x_(x), y_(y) {}

  void set_alpha(Index begin) {
    const Index count = std::min<Index>(kPanel, std::ssize(b_.places) - begin);
    make_room(b_.alpha);
    for (Index row = 0; row < b_.alpha.rows(); ++row)
      std::copy_n(x_ + b_.first_rows[row] + begin, count, in(row));
    multiply_panel(b_.alpha, in_.data(), out_.data());
    for (Index row = 0; row < b_.alpha.rows(); ++row)
      std::copy_n(out(row), count, y_ + b_.first_rows[row] + begin);
  }

  void add_beta(Index begin) {
    const Index count = std::min<Index>(kPanel, std::ssize(b_.first_rows) - begin);
    make_room(b_.beta);
    for (Index j = 0; j < count; ++j)
      for (Index i = 0; i < b_.beta.rows(); ++i)
        in(i)[j] = x_[b_.first_rows[begin + j] + b_.places[i]];
    multiply_panel(b_.beta, in_.data(), out_.data());
    for (Index j = 0; j < count; ++j)
      for (Index i = 0; i < b_.beta.rows(); ++i)
        y_[b_.first_rows[begin + j] + b_.places[i]] += out(i)[j];
  }

 private:
  void make_room(const StringStrips& a) {
    in_.assign(a.rows() * kPanelPacks, {});
    out_.resize(a.strips() * StringStrips::kRows * kPanelPacks);
  }
  double* in(Index row) { return reinterpret_cast<double*>(&in_[row * kPanelPacks]); }
  double* out(Index row) { return reinterpret_cast<double*>(&out_[row * kPanelPacks]); }

  const HostBlock& b_;
  const double* x_;
  double* y_;
  std::vector<Pack> in_;
  std::vector<Pack> out_;
};

class FactorsOnHost final : public base::LinearOperator {
 public:
  FactorsOnHost(Factors factors, const base::Backend& host)
      : host_(host),
        rows_(factors.rows),
        couplings_(std::move(factors.couplings)),
        flip_(std::move(factors.flip)),
        batches_(alpha_batches(couplings_.view())) {
    for (ProductBlock& block : factors.blocks) blocks_.emplace_back(std::move(block), host);
  }

  Index rows() const override { return rows_; }

  void apply(base::ConstBlock x, base::Block y) const override {
    for (int j = 0; j < x.columns; ++j) {
      const Parity parity = flip_ ? flip_->norms_of(x.column(j), host_).parity() : Parity::mixed;
      if (parity == Parity::mixed)
        multiply(x.column(j), y.column(j));
      else
        multiply_half(parity, x.column(j), y.column(j));
    }
  }

  double purify(double share, base::Block x) const override {
    if (!flip_) return 0;
    std::vector<ParityNorms> norms;
    for (int j = 0; j < x.columns; ++j) norms.push_back(flip_->norms_of(x.column(j), host_));
    return ci::purify(norms, share, [&](int j, Parity parity) {
      flip_->add_flipped(parity, 0.5, x.column(j), host_);
    });
  }

  bool diagonal(base::Block d) const override {
    const CouplingsView c = couplings_.view();
    base::for_each_chunk(c.alphas, kGrain, host_, [&](Index first, Index last) {
      for (Index a = first; a < last; ++a)
        for (Index row = c.first_row[a]; row < c.first_row[a + 1]; ++row)
          d(row, 0) = c.diagonal(a, row - c.first_row[a]);
    });
    return true;
  }

  base::OperatorDescription description() const override {
    Index bytes = couplings_.bytes() + (flip_ ? flip_->bytes() : 0);
    for (const HostBlock& block : blocks_) bytes += block.alpha.bytes() + block.beta.bytes();
    return {"factorised", bytes, 0, 0};
  }

 private:
  static constexpr Index kGrain = 16;
  static constexpr Index kPanelGrain = 4;

  void multiply(const double* x, double* y) const {
    for (const HostBlock& block : blocks_) {
      Panels panels(block, x, y);
      in_panels(std::ssize(block.places), panels, &Panels::set_alpha);
      in_panels(std::ssize(block.first_rows), panels, &Panels::add_beta);
    }
    couple(x, y, false);
  }

  void multiply_half(Parity parity, const double* x, double* y) const {
    for (const HostBlock& block : blocks_)
      in_panels(std::ssize(block.places), Panels(block, x, y), &Panels::set_alpha);
    couple(x, y, true);
    flip_->add_flipped(parity, 1, y, host_);
  }

  void couple(const double* x, double* y, bool by_half) const {
    const CouplingsView view = couplings_.view();
    base::for_each_chunk(batches_.size(), 1, host_, [&](Index first, Index last) {
      CouplingWalk walk(view, by_half, x, y);
      for (Index i = first; i < last; ++i) walk.walk(batches_[i]);
    });
  }

  void in_panels(Index columns, const Panels& panels, void (Panels::*work)(Index)) const {
    base::for_each_chunk((columns + kPanel - 1) / kPanel, kPanelGrain, host_,
                         [&](Index first, Index last) {
                           Panels own = panels;  // buffers of the thread's own
                           for (Index panel = first; panel < last; ++panel)
                             (own.*work)(panel * kPanel);
                         });
  }

  base::Backend host_;
  Index rows_;
  std::vector<HostBlock> blocks_;
  Couplings couplings_;
  std::optional<SpinFlip> flip_;
  AlphaBatches batches_;
};

}  // namespace

std::unique_ptr<base::LinearOperator> factors_on_host(Factors factors, const base::Backend& host) {
  return std::make_unique<FactorsOnHost>(std::move(factors), host);
}

}  // namespace cisolve::ci
