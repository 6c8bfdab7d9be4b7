#include "ci/properties/excitation_products.hpp"

#include <algorithm>
#include <cmath>

#include "base/loops.hpp"
#include "ci/properties/tile_products.hpp"

namespace cisolve::ci {
namespace {

using base::Array;

constexpr Index kBlock = 256;  // determinants multiplied at once
constexpr Index kPanelsInChunk = 4;
constexpr Index kDeterminantsInChunk = 16;

Index in_tiles(Index size, Index tile) { return (size + tile - 1) / tile * tile; }

/// A determinant and its weight in sums.
struct WeightedDeterminant {
  Index alpha;
  Index beta;
  double weight;
};

class HostProducts final : public ExcitationProducts {
 public:
  HostProducts(const ExcitationRows& rows, const Space& space, const double* x)
      : ExcitationProducts(rows),
        host_(space.host()),
        x_(x),
        alphas_(std::ssize(space.strings(Spin::alpha))),
        betas_(std::ssize(space.strings(Spin::beta))),
        pairs_(rows.pairs()),
        by_halves_(is_even_or_odd(space, x)),
        of_alpha_(sources_of(space, Spin::alpha, rows)),
        of_beta_(sources_of(space, Spin::beta, rows)),
        excited_(host_, alphas_ * betas_ * pairs_, kMemoryLabel) {
    base::for_each_chunk(alphas_, 1, host_, [&](Index a, Index) { excite(a); });
  }

  Sums densities() override {
    const std::vector<Index>& lower = rows().lower();
    return multiply(std::ssize(lower), true, [&](const WeightedDeterminant& at, double* column) {
      const double* const excited = excited_of(at.alpha, at.beta);
      for (std::size_t i = 0; i < lower.size(); ++i) column[i] = at.weight * excited[lower[i]];
    });
  }

  Sums contracted(std::span<const double> two_body, int first, int last) override {
    const Index n = rows().orbitals();
    const Index count = last - first;
    const Array<double> images = images_of(integrals_by_place(rows(), two_body, first, last));
    const Index size = n * count;
    const auto image = [&](Index alpha, Index beta) {
      return images.data() + (alpha * betas_ + beta) * size;
    };
    return multiply(2 * size, false, [&](const WeightedDeterminant& at, double* column) {
      std::fill_n(column, 2 * size, 0.0);
      const auto add = [&](StringNumber source, Index place, const double* from) {
        const double weight = source < 0 ? -at.weight : at.weight;
        const auto [p, q] = rows().pair(place);
        double* const created = column + p * count;
        double* const destroyed = column + size + q * count;
        for (Index f = 0; f < count; ++f) {
          created[f] += weight * from[q * count + f];
          destroyed[f] += weight * from[p * count + f];
        }
      };
      for (Index place = 0; place < pairs_; ++place) {
        if (const StringNumber source = of_alpha_[at.alpha * pairs_ + place]; source != 0)
          add(source, place, image(std::abs(source) - 1, at.beta));
        if (const StringNumber source = of_beta_[at.beta * pairs_ + place]; source != 0)
          add(source, place, image(at.alpha, std::abs(source) - 1));
      }
    });
  }

  int most_contracted() const override {
    const Index n = rows().orbitals();
    const Index fixed = block_bytes(kProductTileColumns);  // what fills up the last tile
    const Index each = (alphas_ * betas_ * n + 2 * n * (padded_rows() + kBlock)) * kNumber;
    const Index most = (host_.host_memory().left() - fixed) / each;
    return static_cast<int>(std::clamp<Index>(most, 1, n));
  }

 private:
  static constexpr const char* kMemoryLabel = "excited vectors of all determinants";
  static constexpr const char* kProducts = "products of excited vectors";
  static constexpr Index kNumber = sizeof(double);

  Index padded_rows() const { return in_tiles(rows().rows(), kProductTileRows); }
  Index block_bytes(Index columns) const {
    return (padded_rows() + columns) * kBlock * kNumber + padded_rows() * columns * kNumber;
  }
  double* excited_of(Index alpha, Index beta) {
    return excited_.data() + (alpha * betas_ + beta) * pairs_;
  }

  /// E_pq|x> at the determinants of an alpha string, by place of pq.
  void excite(Index alpha) {
    std::fill_n(excited_of(alpha, 0), betas_ * pairs_, 0.0);
    for (Index place = 0; place < pairs_; ++place)
      if (const StringNumber source = of_alpha_[alpha * pairs_ + place]; source != 0) {
        const double* const from = x_ + (std::abs(source) - 1) * betas_;
        const double sign = source < 0 ? -1.0 : 1.0;
        for (Index b = 0; b < betas_; ++b) excited_of(alpha, b)[place] += sign * from[b];
      }
    const double* const from = x_ + alpha * betas_;
    for (Index b = 0; b < betas_; ++b)
      for (Index place = 0; place < pairs_; ++place)
        if (const StringNumber source = of_beta_[b * pairs_ + place]; source != 0)
          excited_of(alpha, b)[place] += (source < 0 ? -1.0 : 1.0) * from[std::abs(source) - 1];
  }

  /// Matrix [place][i] times E_pq|x> at each determinant: [determinant][i].
  Array<double> images_of(const std::vector<double>& matrix) {
    const Index size = std::ssize(matrix) / pairs_;
    const Index padded = in_tiles(size, kProductTileRows);
    std::vector<double> panels(static_cast<std::size_t>(padded * pairs_), 0.0);
    for (Index place = 0; place < pairs_; ++place)
      for (Index i = 0; i < size; ++i)
        panels[(i / kProductTileRows * pairs_ + place) * kProductTileRows + i % kProductTileRows] =
            matrix[place * size + i];
    Array<double> images(host_, alphas_ * betas_ * size, kMemoryLabel);
    base::for_each_chunk(alphas_ * betas_, kBlock, host_, [&](Index first, Index last) {
      std::vector<double> columns(static_cast<std::size_t>(pairs_ * kProductTileColumns));
      std::vector<double> sums(static_cast<std::size_t>(padded * kProductTileColumns));
      for (Index begin = first; begin < last; begin += kProductTileColumns) {
        const Index count = std::min(kProductTileColumns, last - begin);
        std::ranges::fill(columns, 0.0);
        std::ranges::fill(sums, 0.0);
        for (Index i = 0; i < count; ++i)
          for (Index place = 0; place < pairs_; ++place)
            columns[place * kProductTileColumns + i] = excited_[(begin + i) * pairs_ + place];
        for (Index row = 0; row < padded; row += kProductTileRows)
          add_tile_products(panels.data() + row * pairs_, columns.data(), pairs_, sums.data() + row,
                            padded);
        for (Index i = 0; i < count; ++i)
          std::copy_n(sums.data() + i * padded, size, images.data() + (begin + i) * size);
      }
    });
    return images;
  }

  /// Calls take for blocks of determinants.
  template <class Take>
  void for_each_block(Take&& take) const {
    std::vector<WeightedDeterminant> block;
    const auto flush = [&] {
      if (!block.empty()) take(std::span<const WeightedDeterminant>(block));
      block.clear();
    };
    for (Index a = 0; a < alphas_; ++a)
      for (Index b = 0; b < (by_halves_ ? a + 1 : betas_); ++b) {
        block.push_back({a, b, by_halves_ && b < a ? 2.0 : 1.0});
        if (std::ssize(block) == kBlock) flush();
      }
    flush();
  }

  /// All rows times columns; fill(determinant, column values) gives the latter. `are_staircase`:
  /// rows from rows_of_column() on are left out.
  template <class Fill>
  Sums multiply(Index columns, bool are_staircase, const Fill& fill) {
    const Index panels = padded_rows() / kProductTileRows;
    const Index groups = (columns + kProductTileColumns - 1) / kProductTileColumns;
    const Index stride = padded_rows();
    Sums sums{Array<double>(host_, stride * groups * kProductTileColumns, kProducts), stride};
    Array<double> left(host_, stride * kBlock, kProducts);
    Array<double> right(host_, groups * kProductTileColumns * kBlock, kProducts);
    std::ranges::fill(sums.values.span(), 0.0);
    std::ranges::fill(left.span(), 0.0);
    std::ranges::fill(right.span(), 0.0);
    std::vector<Index> first_group(static_cast<std::size_t>(panels), 0);
    for (Index panel = 0, column = 0; are_staircase && panel < panels; ++panel) {
      while (column < columns && rows().rows_of_column(column) <= panel * kProductTileRows)
        ++column;
      first_group[panel] = column / kProductTileColumns;
    }
    for_each_block([&](std::span<const WeightedDeterminant> block) {
      const Index count = std::ssize(block);
      base::for_each_chunk(count, kDeterminantsInChunk, host_, [&](Index first, Index last) {
        std::vector<double> column(static_cast<std::size_t>(groups * kProductTileColumns), 0.0);
        for (Index i = first; i < last; ++i) {
          fill_rows(block[i], i, left);
          fill(block[i], column.data());
          for (Index c = 0; c < groups * kProductTileColumns; ++c)
            right[(c / kProductTileColumns * kBlock + i) * kProductTileColumns +
                  c % kProductTileColumns] = column[c];
        }
      });
      base::for_each_chunk(panels, kPanelsInChunk, host_, [&](Index first, Index last) {
        for (Index panel = first; panel < last; ++panel)
          for (Index group = first_group[panel]; group < groups; ++group)
            add_tile_products(left.data() + panel * kBlock * kProductTileRows,
                              right.data() + group * kBlock * kProductTileColumns, count,
                              sums.values.data() + group * kProductTileColumns * stride +
                                  panel * kProductTileRows,
                              stride);
      });
    });
    return sums;
  }

  /// Writes the rows of determinant i of a block into panels of kBlock determinants,
  /// kProductTileRows rows each.
  void fill_rows(const WeightedDeterminant& at, Index i, Array<double>& panels) {
    Index row = 0;
    const auto next = [&]() -> double& {
      double& value =
          panels[(row / kProductTileRows * kBlock + i) * kProductTileRows + row % kProductTileRows];
      ++row;
      return value;
    };
    next() = x_[at.alpha * betas_ + at.beta];
    const double* const excited = excited_of(at.alpha, at.beta);
    for (Index place = 0; place < pairs_; ++place) next() = excited[place];
    for (Index x = 0; x < pairs_; ++x) {
      const StringNumber alpha = of_alpha_[at.alpha * pairs_ + x];
      const StringNumber beta = of_beta_[at.beta * pairs_ + x];
      const double* const a = alpha != 0 ? excited_of(std::abs(alpha) - 1, at.beta) : excited;
      const double* const b = beta != 0 ? excited_of(at.alpha, std::abs(beta) - 1) : excited;
      const double of_a = alpha == 0 ? 0 : alpha < 0 ? -1 : 1;
      const double of_b = beta == 0 ? 0 : beta < 0 ? -1 : 1;
      // The rows of this pair, in pieces that lie in one panel each.
      for (Index y = 0; y <= x;) {
        const Index length = std::min(x + 1 - y, kProductTileRows - row % kProductTileRows);
        double* const to = &next();
        row += length - 1;
        for (Index j = 0; j < length; ++j) to[j] = of_a * a[y + j] + of_b * b[y + j];
        y += length;
      }
    }
  }

  const base::Backend& host_;
  const double* x_;
  Index alphas_;
  Index betas_;
  Index pairs_;
  bool by_halves_;
  std::vector<StringNumber> of_alpha_;
  std::vector<StringNumber> of_beta_;
  Array<double> excited_;  // E_pq|x>, [determinant][place]
};

}  // namespace

std::vector<double> integrals_by_place(const ExcitationRows& rows, std::span<const double> two_body,
                                       int first, int last) {
  const Index n = rows.orbitals();
  std::vector<double> matrix;
  matrix.reserve(static_cast<std::size_t>(rows.pairs() * n * (last - first)));
  for (Index place = 0; place < rows.pairs(); ++place) {
    const auto [p, q] = rows.pair(place);
    for (Index e = 0; e < n; ++e)
      for (Index f = first; f < last; ++f)
        matrix.push_back(two_body[((f * n + e) * n + p) * n + q]);
  }
  return matrix;
}

bool is_even_or_odd(const Space& space, const double* x) {
  constexpr double kRounding = 1e-14;  // of elements, whose squares add up to 1
  if (!std::ranges::equal(space.strings(Spin::alpha), space.strings(Spin::beta))) return false;
  const Index n = std::ssize(space.strings(Spin::alpha));
  double norm = 0;
  double even = 0;
  double odd = 0;
  for (Index a = 0; a < n; ++a)
    for (Index b = 0; b <= a; ++b) {
      const double here = x[a * n + b];
      const double mirrored = x[b * n + a];
      norm += here * here + mirrored * mirrored;
      even = std::max(even, std::abs(here - mirrored));
      odd = std::max(odd, std::abs(here + mirrored));
    }
  return std::min(even, odd) <= kRounding * std::sqrt(norm);
}

std::unique_ptr<ExcitationProducts> excitation_products(const ExcitationRows& rows,
                                                        const Space& space, const double* x,
                                                        const base::Backend& backend) {
  if (!backend.is_host()) return cuda::excitation_products(rows, space, x, backend);
  return std::make_unique<HostProducts>(rows, space, x);
}

}  // namespace cisolve::ci
