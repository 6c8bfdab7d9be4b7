#include "ci/hamiltonian/rows/hamiltonian.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "ci/hamiltonian/rows/row_reader.hpp"
#include "sparse/rows/build.hpp"
#include "sparse/rows/value_table.hpp"

namespace cisolve::ci {
namespace {

bool have_same_connections(const Space& space, const Integrals& integrals) {
  return !integrals.spin_dependent() &&
         std::ranges::equal(space.strings(Spin::alpha), space.strings(Spin::beta));
}

/// (pq|kk) for pairs of one spin and all orbitals of the other.
base::Array<double> coulomb_integrals(const Integrals& integrals, Spin spin,
                                      const VariableOrbitals& variable, const base::Backend& host) {
  base::Array<double> table(host, variable.pairs() * integrals.orbitals(),
                            "the integrals of singles");
  double* next = table.data();
  for (std::size_t i = 0; i < variable.orbitals().size(); ++i)
    for (std::size_t j = 0; j <= i; ++j)
      for (int k = 0; k < integrals.orbitals(); ++k)
        *next++ =
            integrals.two(spin, variable.orbitals()[i], variable.orbitals()[j], other(spin), k, k);
  return table;
}

double checked_threshold(double threshold) {
  if (!(threshold >= 0))
    base::fail(base::ErrorKind::bad_input, "the threshold is ", threshold, "; expected 0 or more");
  return threshold;
}

}  // namespace

HamiltonianRows::HamiltonianRows(const Space& space, const Integrals& integrals,
                                 const Partition& partition, double threshold)
    : space_(space),
      partition_(partition),
      threshold_(checked_threshold(threshold)),
      diagonal_(space, integrals),
      alpha_(std::make_shared<ConnectionTable>(space, Spin::alpha, integrals, threshold)),
      beta_(have_same_connections(space, integrals)
                ? alpha_
                : std::make_shared<ConnectionTable>(space, Spin::beta, integrals, threshold)),
      mixed_(integrals, alpha_->variable(), beta_->variable(), threshold, space.host()),
      on_alpha_(coulomb_integrals(integrals, Spin::alpha, alpha_->variable(), space.host())),
      on_beta_(coulomb_integrals(integrals, Spin::beta, beta_->variable(), space.host())),
      groups_(DeterminantsByBeta::create_if_worthwhile(space, *alpha_, *beta_, mixed_)) {}

sparse::MatrixShape HamiltonianRows::shape() const {
  return {space_.dimension(), space_.dimension(), partition_.reference(), true};
}

void HamiltonianRows::count(Index first, std::span<Column> lengths) const {
  sparse::require_storable(shape());
  RowReader(*this).count(canonical_rows(first, first + std::ssize(lengths)), lengths);
}

void HamiltonianRows::fill(Index first, Index last, std::span<Column> columns,
                           std::span<double> values) const {
  sparse::require_storable(shape());
  std::size_t next = 0;
  RowReader(*this).read(canonical_rows(first, last), [&](std::span<const Column> row_columns,
                                                         std::span<const double> row_values) {
    const std::size_t size = row_columns.size();
    partition_.to_stored(row_columns, row_values, columns.subspan(next, size),
                         values.subspan(next, size));
    next += size;
  });
}

std::vector<Index> HamiltonianRows::canonical_rows(Index first, Index last) const {
  std::vector<Index> rows;
  rows.reserve(last - first);
  for (Index row = first; row < last; ++row) rows.push_back(partition_.canonical(row));
  return rows;
}

std::vector<double> HamiltonianRows::common_magnitudes(Index most) const {
  sparse::DistinctMagnitudes found(most);
  const auto add_doubles = [&](const ConnectionTable& table) {
    for (const Connection& to : table.all())
      if (to.is_double()) found.add(to.value);
  };
  add_doubles(*alpha_);
  if (beta_ != alpha_) add_doubles(*beta_);
  for (const double value : mixed_.all()) found.add(value);
  return found.sorted();
}

RowCost HamiltonianRows::work() const {
  constexpr Index kLooked = 512;
  const Index rows = space_.dimension();
  const Index looked = std::min(rows, kLooked);
  RowCost work;
  std::vector<Index> seen(space_.lists(), -1);
  for (Index i = 0; i < looked; ++i) {
    const Space::Place place = space_.place_of(rows / looked * i);
    const auto singles = static_cast<double>(beta_->singles(place.beta).size());
    for (const Connection& to : alpha_->of(place.alpha)) {
      const Index list = space_.list_of(to.target);
      const double found = std::min(static_cast<double>(space_.list(list).size()), 1 + singles);
      if (std::exchange(seen[list], i) != i) work.look_ups += found;
      work.connections += 1;
      if (to.is_single()) {
        work.pairs += found;
        work.candidates += std::min(found, 1 + singles * mixed_.sources_fraction(to.pair().pair()));
      } else {
        work.candidates += to.is_double() ? 1 : static_cast<double>(beta_->of(place.beta).size());
      }
    }
  }
  const double all = static_cast<double>(rows) / static_cast<double>(std::max<Index>(looked, 1));
  const bool has_all =
      space_.lists() == 1 && space_.list(0).size() == space_.strings(Spin::beta).size();
  return {.connections = all * work.connections,
          .candidates = all * work.candidates,
          .pairs = all * work.pairs,
          .look_ups = all * work.look_ups,
          .has_all_betas = has_all,
          .together = groups_ ? groups_->looks() : 0};
}

Index HamiltonianRows::most_elements(const Space::Place& place) const {
  return std::ssize(alpha_->of(place.alpha)) + std::ssize(beta_->of(place.beta)) +
         std::ssize(alpha_->singles(place.alpha)) * std::ssize(beta_->singles(place.beta));
}

}  // namespace cisolve::ci
