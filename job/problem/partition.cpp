#include "ci/spaces/partition.hpp"

#include <algorithm>
#include <charconv>

#include "base/error.hpp"
#include "ci/hamiltonian/slater_condon.hpp"
#include "job/problem/molecular_space.hpp"
#include "job/problem/molecule.hpp"

namespace cisolve::job {
namespace {

using base::fail;
using base::Fault;

/// n of "name: n", for texts that the schema has checked.
std::optional<Index> count_of(std::string_view rule, std::string_view name) {
  if (!rule.starts_with(name)) return std::nullopt;
  const std::string_view digits = rule.substr(name.size());
  Index count = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), count);
  return count;
}

ci::Determinant first_reference(const ci::Space& space) {
  if (!space.references().empty()) return space.references().front();
  return ci::aufbau(space.electrons(ci::Spin::alpha), space.electrons(ci::Spin::beta));
}

}  // namespace

ci::Partition chosen_partition(const Request& request, const Molecule& molecule) {
  const std::string& rule = request.space.partition;
  const ci::Space& space = molecule.space;
  const bool is_automatic = rule.empty();
  if (rule == "reference" || (is_automatic && keys_of(request.space.kind).references)) {
    if (space.references().empty())
      fail(Fault::configuration, request.origin, ": space.partition is reference, but a ",
           word_of(request.space.kind),
           " space has none; expected kind cis to cisdtq, ci or mrci, ",
           "or partition {lowest: n} or {excitation: n}");
    return ci::Partition::of(space, space.references());
  }
  if (const auto count = count_of(rule, "lowest: ")) {
    if (*count > space.dimension())
      fail(Fault::configuration, request.origin, ": space.partition is the ", *count,
           " lowest determinants; expected at most ", space.dimension(), ", all of the space");
    const auto diagonal = ci::HamiltonianDiagonal(space, molecule.integrals).all();
    return ci::Partition::of_lowest(space, diagonal.span(), *count);
  }
  if (const auto level = count_of(rule, "excitation: "))
    return ci::Partition::by_excitation(space, first_reference(space), static_cast<int>(*level));
  return ci::Partition(space.host());
}

}  // namespace cisolve::job
