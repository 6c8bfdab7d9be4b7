#pragma once

#include <memory>
#include <span>

#include "base/array.hpp"
#include "ci/properties/excitation_rows.hpp"

namespace cisolve::ci {

/// Matrix products over the determinants of full CI: rows, as ExcitationRows numbers them, times
/// columns of excited vectors. Sums are taken in a fixed order.
class ExcitationProducts {
 public:
  /// A matrix in the host's memory.
  struct Sums {
    base::Array<double> values;
    Index stride = 0;  // between columns
    double operator()(Index row, Index column) const { return values[column * stride + row]; }
  };

  explicit ExcitationProducts(const ExcitationRows& rows) : rows_(rows) {}
  ExcitationProducts(const ExcitationProducts&) = delete;
  ExcitationProducts& operator=(const ExcitationProducts&) = delete;
  virtual ~ExcitationProducts() = default;

  /// Columns E_tu|x>, t >= u; rows from rows_of_column() on are unspecified.
  virtual Sums densities() = 0;

  /// For f = first ... last - 1 and each o, with W_fe = sum_pq (fe|pq) E_pq and f counted from
  /// `first`: column o * (last - first) + f is sum_e E_oe W_fe |x>; as many columns later follow
  /// sum_e E_eo W_fe |x>. `two_body` has n^4 numbers (pq|rs).
  virtual Sums contracted(std::span<const double> two_body, int first, int last) = 0;
  /// How many f fit into memory at once, at least 1.
  virtual int most_contracted() const = 0;

  const ExcitationRows& rows() const { return rows_; }

 private:
  const ExcitationRows& rows_;
};

/// (fe|pq) by place of pq, row by row, and then by e and f - first.
std::vector<double> integrals_by_place(const ExcitationRows& rows, std::span<const double> two_body,
                                       int first, int last);

/// Whether the vector is even or odd under the exchange of alpha and beta strings, up to rounding;
/// then determinants with beta <= alpha suffice.
bool is_even_or_odd(const Space& space, const double* x);

/// `x` in the host's memory; `rows`, `space` and `x` must outlive the result.
std::unique_ptr<ExcitationProducts> excitation_products(const ExcitationRows& rows,
                                                        const Space& space, const double* x,
                                                        const base::Backend& backend);

namespace cuda {
std::unique_ptr<ExcitationProducts> excitation_products(const ExcitationRows& rows,
                                                        const Space& space, const double* x,
                                                        const base::Backend& device);
}

}  // namespace cisolve::ci
