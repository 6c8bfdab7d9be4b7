#include "ci/hamiltonian/factorised/host_product.hpp"

#include <algorithm>

#include "base/loops.hpp"

namespace cisolve::ci {
namespace {

constexpr Index kAlphasGrain = 16;
constexpr Index kPanelGrain = 4;

/// The rows of a SameSpinMatrix for which which(row) is true.
template <class Which>
SameSpinMatrix some_rows(SameSpinMatrix matrix, Which which) {
  std::vector<Index> rows;
  std::vector<Index> offsets = {0};
  for (Index row = 0; row < matrix.rows(); ++row) {
    if (!which(row)) continue;
    rows.push_back(row);
    offsets.push_back(offsets.back() + matrix.offsets[row + 1] - matrix.offsets[row]);
  }
  if (std::ssize(rows) == matrix.rows()) return matrix;
  const base::Backend host = matrix.offsets.backend();
  constexpr auto kMemoryLabel = "the string matrix of a rank";
  base::Array<Column> columns(host, offsets.back(), kMemoryLabel);
  base::Array<double> values(host, offsets.back(), kMemoryLabel);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Index from = matrix.offsets[rows[i]];
    const Index count = offsets[i + 1] - offsets[i];
    std::copy_n(&matrix.columns[from], count, columns.data() + offsets[i]);
    std::copy_n(&matrix.values[from], count, values.data() + offsets[i]);
  }
  return {base::Array<Index>::copy_of(offsets, host, kMemoryLabel),
          std::move(columns),
          std::move(values),
          {}};
}

/// Multiplies kPanel columns of a block (sigma_alpha) or kPanel rows of it, transposed
/// (sigma_beta). The last panel is padded with zeros.
class Panels {
 public:
  Panels(const HostSameSpinBlock& block, const double* x, double* y) : b_(block), x_(x), y_(y) {}

  void set_sigma_alpha(Index begin) {
    const Index count = std::min<Index>(kPanel, std::ssize(b_.places) - begin);
    allocate_workspace(std::ssize(b_.first_rows), b_.alpha);
    for (std::size_t row = 0; row < b_.first_rows.size(); ++row)
      std::copy_n(x_ + b_.first_rows[row] + begin, count, in(static_cast<Index>(row)));
    multiply_panel(b_.alpha, in_.data(), out_.data());
    for (std::size_t row = 0; row < b_.own.size(); ++row)
      std::copy_n(out(static_cast<Index>(row)), count, y_ + b_.own[row].of_y + begin);
  }

  void add_sigma_beta(Index begin) {
    const Index count = std::min<Index>(kPanel, std::ssize(b_.own) - begin);
    allocate_workspace(b_.beta.rows(), b_.beta);
    for (Index j = 0; j < count; ++j)
      for (Index i = 0; i < b_.beta.rows(); ++i)
        in(i)[j] = x_[b_.own[begin + j].of_x + b_.places[i]];
    multiply_panel(b_.beta, in_.data(), out_.data());
    for (Index j = 0; j < count; ++j)
      for (Index i = 0; i < b_.beta.rows(); ++i)
        y_[b_.own[begin + j].of_y + b_.places[i]] += out(i)[j];
  }

 private:
  void allocate_workspace(Index columns, const SameSpinStrips& a) {
    in_.assign(columns * kPanelPacks, {});
    out_.resize(a.strips() * SameSpinStrips::kRows * kPanelPacks);
  }
  double* in(Index row) { return reinterpret_cast<double*>(&in_[row * kPanelPacks]); }
  double* out(Index row) { return reinterpret_cast<double*>(&out_[row * kPanelPacks]); }

  const HostSameSpinBlock& b_;
  const double* x_;
  double* y_;
  std::vector<Pack> in_;
  std::vector<Pack> out_;
};

void in_panels(Index columns, const Panels& panels, const base::Backend& host,
               void (Panels::*work)(Index)) {
  base::for_each_chunk((columns + kPanel - 1) / kPanel, kPanelGrain, host,
                       [&](Index first, Index last) {
                         Panels own = panels;  // buffers of this thread
                         for (Index panel = first; panel < last; ++panel)
                           (own.*work)(panel * kPanel);
                       });
}

std::vector<StringNumber> strings_with(const std::vector<Index>& places) {
  std::vector<StringNumber> strings;
  for (std::size_t alpha = 0; alpha < places.size(); ++alpha)
    if (places[alpha] >= 0) strings.push_back(static_cast<StringNumber>(alpha));
  return strings;
}

std::span<const Index> lists_of(const OppositeSpinView& opposite_spin) {
  return {opposite_spin.first_member, static_cast<std::size_t>(opposite_spin.alphas)};
}

}  // namespace

HostSameSpinBlock::HostSameSpinBlock(SameSpinBlock block, const std::vector<Index>& places_in_y,
                                     const base::Backend& host)
    : first_rows(std::move(block.first_rows)),
      places(std::move(block.beta.strings)),
      alpha(some_rows(std::move(block.alpha),
                      [&](Index row) { return places_in_y[block.alphas[row]] >= 0; }),
            host),
      beta(block.beta, host) {
  for (std::size_t row = 0; row < first_rows.size(); ++row)
    if (const Index place = places_in_y[block.alphas[row]]; place >= 0)
      own.push_back({first_rows[row], place});
}

HostFactorisedProduct::HostFactorisedProduct(std::vector<SameSpinBlock> blocks,
                                             OppositeSpinTables opposite_spin,
                                             std::vector<Index> places, const base::Backend& host)
    : host_(host),
      places_(std::move(places)),
      alphas_(strings_with(places_)),
      opposite_spin_(std::move(opposite_spin)),
      batches_(lists_of(opposite_spin_.view()), alphas_) {
  for (SameSpinBlock& block : blocks) blocks_.emplace_back(std::move(block), places_, host);
}

void HostFactorisedProduct::multiply(const double* x, double* y) const {
  for (const HostSameSpinBlock& block : blocks_) {
    set_sigma_alpha(block, x, y);
    add_sigma_beta(block, x, y);
  }
  add_sigma_mixed(false, x, y);
}

void HostFactorisedProduct::multiply_half(const double* x, double* y) const {
  for (const HostSameSpinBlock& block : blocks_) set_sigma_alpha(block, x, y);
  add_sigma_mixed(true, x, y);
}

void HostFactorisedProduct::diagonal(double* d) const {
  const OppositeSpinView c = opposite_spin_.view();
  base::for_each_chunk(std::ssize(alphas_), kAlphasGrain, host_, [&](Index first, Index last) {
    for (Index k = first; k < last; ++k) {
      const Index a = alphas_[k];
      for (Index i = 0; i < c.first_row[a + 1] - c.first_row[a]; ++i)
        d[places_[a] + i] = c.diagonal(a, i);
    }
  });
}

Index HostFactorisedProduct::bytes() const {
  Index bytes = opposite_spin_.bytes();
  for (const HostSameSpinBlock& block : blocks_) bytes += block.alpha.bytes() + block.beta.bytes();
  return bytes;
}

void HostFactorisedProduct::set_sigma_alpha(const HostSameSpinBlock& block, const double* x,
                                            double* y) const {
  if (block.own.empty()) return;
  in_panels(std::ssize(block.places), Panels(block, x, y), host_, &Panels::set_sigma_alpha);
}

void HostFactorisedProduct::add_sigma_beta(const HostSameSpinBlock& block, const double* x,
                                           double* y) const {
  in_panels(std::ssize(block.own), Panels(block, x, y), host_, &Panels::add_sigma_beta);
}

void HostFactorisedProduct::add_sigma_mixed(bool by_half, const double* x, double* y) const {
  const OppositeSpinView view = opposite_spin_.view();
  base::for_each_chunk(batches_.size(), 1, host_, [&](Index first, Index last) {
    OppositeSpinBatch batch(view, places_, by_half, x, y);
    for (Index i = first; i < last; ++i) batch.add_rows(batches_[i]);
  });
}

}  // namespace cisolve::ci
