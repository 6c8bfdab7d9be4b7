#include "ci/fock/spaces/partition.hpp"

#include "base/error.hpp"
#include "ci/hamiltonian/rows/slater_condon.hpp"
#include "job/problem/determinant_problem.hpp"
#include "job/problem/molecular_space.hpp"

namespace cisolve::job {
namespace {

using base::ErrorKind;
using base::fail;

ci::Determinant first_reference(const ci::Space& space) {
  if (!space.references().empty()) return space.references().front();
  return ci::aufbau(space.electrons(ci::Spin::alpha), space.electrons(ci::Spin::beta));
}

}  // namespace

ci::Partition chosen_partition(const Request& request, const DeterminantProblem& molecule) {
  const PartitionRule& rule = request.space.partition;
  const ci::Space& space = molecule.space;
  const bool has_several = keys_of(request.space.kind).references;
  switch (rule.by) {
    case PartitionBy::none: break;
    case PartitionBy::automatic:
      if (!has_several) break;
      [[fallthrough]];
    case PartitionBy::reference:
      if (space.references().empty())
        fail(ErrorKind::configuration, request.origin, ": space.partition is reference, but a ",
             word_of(request.space.kind), " space has none; expected kind cis to cisdtq, ci or ",
             "mrci, or partition {lowest: n} or {excitation: n}");
      return ci::Partition::of(space, space.references());
    case PartitionBy::lowest: {
      if (rule.number > space.dimension())
        fail(ErrorKind::configuration, request.origin, ": space.partition is the ", rule.number,
             " lowest determinants; expected at most ", space.dimension(),
             ", the dimension of the space");
      const auto diagonal = ci::HamiltonianDiagonal(space, molecule.integrals).all();
      return ci::Partition::of_lowest(space, diagonal.span(), rule.number);
    }
    case PartitionBy::excitation:
      return ci::Partition::by_excitation(space, first_reference(space),
                                          static_cast<int>(rule.number));
  }
  return ci::Partition(space.host());
}

}  // namespace cisolve::job
