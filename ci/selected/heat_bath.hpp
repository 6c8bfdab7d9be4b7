#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/array.hpp"
#include "ci/fock/integrals/integrals.hpp"
#include "ci/selected/packed_determinant.hpp"

// Matrix elements by falling size, so that all determinants that couple to one by |H| >= t are
// found in a time proportional to their number: heat-bath selection of A. A. Holmes, N. M. Tubman
// and C. J. Umrigar, J. Chem. Theory Comput. 12, 3674 (2016), with singles as in S. Sharma et al.,
// J. Chem. Theory Comput. 13, 1595 (2017).
namespace cisolve::ci {

/// Numbers of electrons of either spin.
struct SpinElectrons {
  int alpha = 0;
  int beta = 0;
  int of(Spin spin) const { return spin == Spin::alpha ? alpha : beta; }
  friend bool operator==(const SpinElectrons&, const SpinElectrons&) = default;
};

/// The contents of HeatBathTables, by pointers: a value that kernels may take. Energies in Hartree.
struct HeatBathView {
  /// Double excitations p, q -> r, s of one spin, p < q, r < s, all different:
  ///   value = (pr|qs) - (ps|qr);  element = value x signs of a+_r a_p, then of a+_s a_q.
  /// List q (q - 1) / 2 + p is begins[list] to begins[list + 1], by falling |value|.
  struct SameSpin {
    const Index* begins;
    const double* values;
    const std::uint16_t* targets;  // r + 256 s
  };
  /// Double excitations p -> r of alpha, q -> s of beta, p != r, q != s:
  ///   value = (pr|qs);  element = value x sign of a+_r a_p on alpha x sign of a+_s a_q on beta.
  /// One list serves p -> r and r -> p. List unordered_pair(p, r) n + q, by falling |value|.
  struct OppositeSpin {
    const Index* begins;
    const double* values;
    const std::uint8_t* targets;     // s
    const double* largest;           // at p n + r: the largest |value| for any q and s
    const std::uint8_t* by_largest;  // for each p: n - 1 orbitals r by falling largest
  };
  /// Single excitations p -> r of one spin:
  ///   value = h_pr + sum_k [(pr|kk) - (pk|kr)] + sum_l (pr|ll)
  /// over the electrons k of this spin (k = p contributes 0) and l of the other. With p = r these
  /// are the terms of the diagonal.
  struct SingleSpin {
    const double* one;              // h_pr at p n + r
    const double* same;             // for electron k at (p n + r) n + k
    const double* other;            // for electron l at (p n + r) n + l
    const double* bounds;           // at p n + r: at least |value| for any occupation
    const std::uint8_t* by_bounds;  // for each p: n - 1 orbitals r by falling bound
  };

  int orbitals;
  double least;  // doubles with a smaller |value| are left out; zeros always are
  SameSpin same_spin[2];
  OppositeSpin opposite_spin;
  SingleSpin singles[2];

  static constexpr Index pair_of(Index p, Index q) { return q * (q - 1) / 2 + p; }  // p < q
  static constexpr Index unordered_pair(Index p, Index q) {
    return p < q ? pair_of(p, q) : pair_of(q, p);
  }

  /// The element of p -> r but for its sign; the bits are the same from either determinant.
  double single_value(Spin spin, const std::uint8_t* own, int own_count, const std::uint8_t* others,
                      int other_count, int p, int r) const {
    const SingleSpin& single = singles[static_cast<int>(spin)];
    const Index pair = Index{p} * orbitals + r;
    double value = single.one[pair];
    const double* const same = single.same + pair * orbitals;
    const double* const other = single.other + pair * orbitals;
    for (int k = 0; k < own_count; ++k) value += same[own[k]];
    for (int l = 0; l < other_count; ++l) value += other[others[l]];
    return value;
  }
};

/// Tables of one set of integrals, restricted or spin-dependent, held in the host's budget. With n
/// orbitals they take at most most_bytes(n, ...), about 4.5 n^4 bytes for opposite spins, 2.5 n^4
/// for the same spin and 16 n^3 for singles, the latter two twice if the integrals are
/// spin-dependent: 1.8 GiB for 128 restricted orbitals. `least` leaves out smaller doubles: no
/// determinant with |c| <= 1 needs an element below the smallest epsilon of a schedule.
class HeatBathTables {
 public:
  /// The integrals must outlive the tables. Throws ErrorKind::resources before the tables would
  /// exceed the budget, and ErrorKind::bad_input for electrons that the orbitals cannot hold or a
  /// `least` that is negative or no number.
  HeatBathTables(const Integrals& integrals, SpinElectrons electrons, double least,
                 const base::Backend& host);

  int orbitals() const { return orbitals_; }
  SpinElectrons electrons() const { return electrons_; }
  double least() const { return least_; }
  const base::Backend& host() const { return host_; }
  const Integrals& integrals() const { return integrals_; }
  HeatBathView view() const;
  Index bytes() const;
  static Index most_bytes(int orbitals, bool spin_dependent);

 private:
  struct SameSpinTable {
    base::Array<Index> begins;
    base::Array<double> values;
    base::Array<std::uint16_t> targets;
  };
  struct OppositeSpinTable {
    base::Array<Index> begins;
    base::Array<double> values;
    base::Array<std::uint8_t> targets;
    base::Array<double> largest;
    base::Array<std::uint8_t> by_largest;
  };
  struct SingleTable {
    base::Array<double> one;
    base::Array<double> same;
    base::Array<double> other;
    base::Array<double> bounds;
    base::Array<std::uint8_t> by_bounds;
  };

  SameSpinTable same_spin_table(const Integrals& integrals, Spin spin) const;
  OppositeSpinTable opposite_spin_table(const Integrals& integrals) const;
  SingleTable single_table(const Integrals& integrals, Spin spin) const;

  const Integrals& integrals_;
  base::Backend host_;
  int orbitals_;
  SpinElectrons electrons_;
  double least_;
  std::vector<SameSpinTable> same_spin_;  // alpha [, beta]
  std::optional<OppositeSpinTable> opposite_spin_;
  std::vector<SingleTable> singles_;  // alpha [, beta]
};

}  // namespace cisolve::ci
