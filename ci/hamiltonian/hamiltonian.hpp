#pragma once

#include <memory>

#include "ci/hamiltonian/beta_groups.hpp"
#include "ci/hamiltonian/mixed_integrals.hpp"
#include "ci/hamiltonian/slater_condon.hpp"
#include "ci/spaces/partition.hpp"
#include "sparse/rows/row_source.hpp"

namespace cisolve::ci {

/// What is looked at to find the elements of rows.
struct RowWork {
  double connections = 0;      // of alpha strings
  double candidates = 0;       // elements that those lead to which have integrals
  double pairs = 0;            // of singles of either spin, whether or not they have any
  double look_ups = 0;         // of beta strings in lists that an alpha string leads to
  bool has_all_betas = false;  // so that nothing is looked up
  double together = 0;  // strings that are looked at where rows are found together, on a host
  double images = 0;    // of words of spins, by the operations of a symmetry
};

/// The Hamiltonian in a space, row by row, for any storage format. The core energy is part of the
/// diagonal, so eigenvalues are total energies. Elements with |H| <= threshold are left out, exact
/// zeros always; the diagonal stays whatever its value. Rows and columns are in the order of the
/// partition.
///
/// An element is found from the strings alone. For an alpha string a' connected with a: a double
/// needs the same beta string in the list of a'; a single takes that and every beta single in the
/// list, with the value sign * (pq|rs); a itself takes all connections of the beta string.
///
/// There may be more rows than columns that can be stored: then count(), fill() and on() throw
/// Fault::bad_input, and products alone can be computed.
///
/// Rows are found one by one, or those of an alpha string together where that pays. One by one,
/// count() walks a row as fill() does, but takes each product of singles as a whole: the pairs that
/// a beta string offers and those with integrals are sets of bits.
class HamiltonianRows final : public sparse::RowSource {
 public:
  /// The space and the partition must outlive it; the integrals need not.
  HamiltonianRows(const Space& space, const Integrals& integrals, const Partition& partition,
                  double threshold = 0);
  HamiltonianRows(const Space& space, const Integrals& integrals, Partition&& temporary,
                  double threshold = 0) = delete;
  HamiltonianRows(Space&& temporary, const Integrals& integrals, const Partition& partition,
                  double threshold = 0) = delete;

  const Space& space() const { return space_; }
  const HamiltonianDiagonal& diagonal() const { return diagonal_; }
  double threshold() const { return threshold_; }
  const Partition& partition() const { return partition_; }
  std::span<const Connection> connections_of_alpha(Index string) const {
    return alpha_->of(string);
  }
  std::span<const Connection> connections_of_beta(Index string) const { return beta_->of(string); }
  sparse::MatrixShape shape() const override;
  void count(Index first, std::span<Column> lengths) const override;
  void fill(Index first, Index last, std::span<Column> columns,
            std::span<double> values) const override;
  /// Of doubles: each is an integral or the difference of two.
  std::vector<double> common_magnitudes(Index most) const override;
  std::unique_ptr<sparse::DeviceRows> on(const base::Backend& device) const override;

  /// What there is to look at along all rows, by some of them.
  RowWork work() const;
  /// Those of an alpha string, where most of these have a list of their own.
  bool finds_rows_together() const { return groups_ != nullptr; }

 private:
  friend class RowTables;
  friend class RowWalk;
  friend class AlphaWalk;
  friend class RowReader;
  /// A single's element: its own part and (pq|kk) over the electrons of the other spin.
  double alpha_single(const Connection& single, Index beta) const {
    return with_others(single, on_alpha_, Spin::beta, beta);
  }
  double beta_single(const Connection& single, Index alpha) const {
    return with_others(single, on_beta_, Spin::alpha, alpha);
  }
  double with_others(const Connection& single, const base::Array<double>& table, Spin other,
                     Index string) const {
    const double* row = table.data() + single.pair().pair() * space_.orbitals();
    double value = single.value;
    for (const std::uint8_t k : space_.occupied(other, string)) value += row[k];
    return single.pair().sign() * value;
  }
  Index most_elements(const Space::Place& place) const;
  /// Of some in the order of the partition.
  std::vector<Index> canonical_rows(Index first, Index last) const;
  bool keeps(double value) const { return value > threshold_ || value < -threshold_; }

  const Space& space_;
  const Partition& partition_;
  double threshold_;
  HamiltonianDiagonal diagonal_;
  std::shared_ptr<const ConnectionTable> alpha_;
  std::shared_ptr<const ConnectionTable> beta_;  // the same as alpha_ where the two agree
  MixedIntegrals mixed_;
  base::Array<double> on_alpha_;  // (pq|kk), pq alpha pairs, k beta orbitals
  base::Array<double> on_beta_;   // (rs|kk), rs beta pairs, k alpha orbitals
  std::unique_ptr<const BetaGroups> groups_;
};

}  // namespace cisolve::ci
