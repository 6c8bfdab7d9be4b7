#pragma once

#include <memory>

#include "ci/fock/spaces/partition.hpp"
#include "ci/hamiltonian/rows/determinants_by_beta.hpp"
#include "ci/hamiltonian/rows/mixed_integrals.hpp"
#include "ci/hamiltonian/rows/slater_condon.hpp"
#include "sparse/rows/device_rows.hpp"
#include "sparse/rows/row_source.hpp"

namespace cisolve::ci {

/// Cost of finding the elements of all rows, as counts.
struct RowCost {
  double connections = 0;      // connections of alpha strings
  double candidates = 0;       // candidate elements with an integral
  double pairs = 0;            // pairs of an alpha and a beta single, integral or not
  double look_ups = 0;         // beta strings looked up in lists
  bool has_all_betas = false;  // full lists: no look-ups needed
  double together = 0;         // strings looked at if rows are found together, on a host
  double images = 0;           // images of basis states under symmetry operations
};

/// The Hamiltonian in a space, row by row, for any storage format. The core energy is part of the
/// diagonal, so eigenvalues are total energies. Off-diagonal elements with |H| <= threshold and
/// exact zeros are left out. Rows and columns are in the order of the partition.
///
/// Slater-Condon rules by strings. For each alpha string a' connected with a:
///   a' = a    all connections of the beta string b
///   single    b itself, and every beta single in the list of a': +-(pq|rs)
///   double    b itself, if the list of a' has it
///
/// With more rows than a stored column index can number, count(), fill() and on() throw
/// ErrorKind::bad_input; products can still be computed.
///
/// Rows are found one by one, or those of an alpha string together if that is faster. count() takes
/// all beta singles of an alpha single at once: the pairs of the beta string and those with
/// integrals are bit sets.
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
  /// Magnitudes of doubles: each is an integral or the difference of two.
  std::vector<double> common_magnitudes(Index most) const override;
  std::unique_ptr<sparse::DeviceRows> on(const base::Backend& device) const override;

  /// The cost for all rows, estimated from a sample.
  RowCost work() const;
  /// Whether the rows of an alpha string are found together.
  bool finds_rows_together() const { return groups_ != nullptr; }

 private:
  friend class RowTables;
  friend class HostRowBuilder;
  friend class AlphaBatchRows;
  friend class RowReader;
  /// Element of a single: same-spin part + sum_k (pq|kk) over the electrons k of the other spin.
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
  /// Canonical numbers of rows first to last - 1 in the order of the partition.
  std::vector<Index> canonical_rows(Index first, Index last) const;
  bool keeps(double value) const { return value > threshold_ || value < -threshold_; }

  const Space& space_;
  const Partition& partition_;
  double threshold_;
  HamiltonianDiagonal diagonal_;
  std::shared_ptr<const ConnectionTable> alpha_;
  std::shared_ptr<const ConnectionTable> beta_;  // == alpha_ if the two agree
  MixedIntegrals mixed_;
  base::Array<double> on_alpha_;  // (pq|kk), pq alpha pairs, k beta orbitals
  base::Array<double> on_beta_;   // (rs|kk), rs beta pairs, k alpha orbitals
  std::unique_ptr<const DeterminantsByBeta> groups_;
};

}  // namespace cisolve::ci
