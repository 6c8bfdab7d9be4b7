#include <algorithm>

#include "base/loops.hpp"
#include "ci/factorised/host_kernels.hpp"
#include "ci/factorised/product_blocks.hpp"
#include "ci/factorised/ways.hpp"

namespace cisolve::ci {
namespace {

/// What one thread needs to work on an alpha string after the other.
class CouplingWalk {
 public:
  CouplingWalk(const CouplingsView& couplings, const double* x, double* y)
      : c_(couplings), x_(x), y_(y) {}

  /// Adds what electrons of both spins do together to the rows of an alpha string.
  void walk(Index alpha) {
    const Index size = c_.first_row[alpha + 1] - c_.first_row[alpha];
    sums_.assign(size + 1, 0);
    for (Index g = c_.first_group[alpha]; g < c_.first_group[alpha + 1]; ++g)
      add_group(alpha, c_.groups[g]);
    double* y = y_ + c_.first_row[alpha];
    for (Index i = 0; i < size; ++i) y[i] += sums_[i];
  }

 private:
  void add_group(Index alpha, const CouplingsView::Group& group) {
    const CouplingsView::Table& table = c_.tables[group.table];
    const CouplingsView::Source* sources = c_.sources + group.first_source;
    weights_.resize(Index{table.rows} * group.sources);
    for (int row = 0; row < table.rows; ++row)
      for (int k = 0; k < group.sources; ++k)
        weights_[row * group.sources + k] =
            c_.weight(alpha, sources[k], c_.rows[table.first_row + row]);
    columns_.resize(Index{group.sources} * kChunk);
    g_.resize(Index{table.rows} * kRowStride);
    g_[kChunk] = 0;
    for (Index begin = 0; begin < table.columns; begin += kChunk) {
      copy_columns(sources, group.sources, begin, std::min<Index>(kChunk, table.columns - begin));
      multiply_chunk(weights_.data(), table.rows, group.sources, columns_.data(), g_.data());
      const Index first_word = c_.chunks[table.first_chunk + begin / kChunk];
      add_moves(ChunkMoves(c_.words + first_word), g_.data(), sums_.data());
    }
  }

  void copy_columns(const CouplingsView::Source* sources, int count, Index begin, Index columns) {
    for (int k = 0; k < count; ++k) {
      double* to = columns_.data() + Index{k} * kChunk;
      std::copy_n(x_ + sources[k].first + begin, columns, to);
      std::fill(to + columns, to + kChunk, 0);
    }
  }

  const CouplingsView& c_;
  const double* x_;
  double* y_;
  std::vector<double> sums_;     // of the alpha string's rows, and one that is no row's
  std::vector<double> weights_;  // rows of g x sources
  std::vector<double> columns_;  // sources x kChunk
  std::vector<double> g_;        // rows x kRowStride
};

/// Columns of a block as a panel, by rows; rows of the block as one, by columns. The last panel of
/// a block ends with zeros.
class Panels {
 public:
  Panels(const ProductBlock& block, const double* x, double* y) : b_(block), x_(x), y_(y) {}

  void set_alpha(Index begin) {
    const Index count = std::min<Index>(kPanel, b_.columns - begin);
    in_.assign(b_.alpha.rows() * kPanel, 0);
    out_.resize(in_.size());
    for (Index row = 0; row < b_.alpha.rows(); ++row)
      std::copy_n(x_ + b_.first_rows[row] + begin, count, &in_[row * kPanel]);
    multiply_panel(b_.alpha, in_.data(), out_.data());
    for (Index row = 0; row < b_.alpha.rows(); ++row)
      std::copy_n(&out_[row * kPanel], count, y_ + b_.first_rows[row] + begin);
  }

  void add_beta(Index begin) {
    const Index count = std::min<Index>(kPanel, std::ssize(b_.first_rows) - begin);
    in_.assign(b_.columns * kPanel, 0);
    out_.resize(in_.size());
    for (Index j = 0; j < count; ++j)
      for (Index i = 0; i < b_.columns; ++i)
        in_[i * kPanel + j] = x_[b_.first_rows[begin + j] + b_.beta.strings[i]];
    multiply_panel(b_.beta, in_.data(), out_.data());
    for (Index j = 0; j < count; ++j)
      for (Index i = 0; i < b_.columns; ++i)
        y_[b_.first_rows[begin + j] + b_.beta.strings[i]] += out_[i * kPanel + j];
  }

 private:
  const ProductBlock& b_;
  const double* x_;
  double* y_;
  std::vector<double> in_;
  std::vector<double> out_;
};

class FactorsOnHost final : public base::LinearOperator {
 public:
  FactorsOnHost(Factors factors, const base::Backend& host)
      : host_(host),
        rows_(factors.rows),
        blocks_(std::move(factors.blocks)),
        couplings_(std::move(factors.couplings)) {}

  Index rows() const override { return rows_; }

  void apply(base::ConstBlock x, base::Block y) const override {
    for (int j = 0; j < x.columns; ++j) multiply(x.column(j), y.column(j));
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
    return {"factorised", couplings_.bytes() + bytes_of(blocks_), 0, 0};
  }

 private:
  static constexpr Index kGrain = 16;

  void multiply(const double* x, double* y) const {
    for (const ProductBlock& block : blocks_) {
      in_panels(block.columns, [&](Index begin) { Panels(block, x, y).set_alpha(begin); });
      in_panels(std::ssize(block.first_rows),
                [&](Index begin) { Panels(block, x, y).add_beta(begin); });
    }
    const CouplingsView view = couplings_.view();
    const std::vector<Column>& order = couplings_.order();
    base::for_each_chunk(std::ssize(order), 1, host_, [&](Index first, Index last) {
      CouplingWalk walk(view, x, y);
      for (Index i = first; i < last; ++i) walk.walk(order[i]);
    });
  }

  template <class Work>
  void in_panels(Index columns, Work&& work) const {
    base::for_each_chunk((columns + kPanel - 1) / kPanel, 1, host_, [&](Index first, Index last) {
      for (Index panel = first; panel < last; ++panel) work(panel * kPanel);
    });
  }

  base::Backend host_;
  Index rows_;
  std::vector<ProductBlock> blocks_;
  Couplings couplings_;
};

}  // namespace

std::unique_ptr<base::LinearOperator> factors_on_host(Factors factors, const base::Backend& host) {
  return std::make_unique<FactorsOnHost>(std::move(factors), host);
}

}  // namespace cisolve::ci
