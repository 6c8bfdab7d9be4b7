#include "app/config/conditions.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "app/config/suggest.hpp"
#include "base/text.hpp"
#include "job/problem/molecular_space.hpp"
#include "job/ranking/rank_plans.hpp"
#include "job/request/elements.hpp"
#include "sparse/stored/formats.hpp"

namespace cisolve::app::conditions {
namespace {

using C = Configuration;
using job::LatticeModel;

bool has_states(const C& c) { return c.request.solver.states > 0; }
bool is_graph(const C& c) { return !c.request.lattice.shape; }
bool has_shape(const C& c) { return !is_graph(c); }
bool is_hubbard(const C& c) {
  return c.request.lattice.model == LatticeModel::hubbard && has_shape(c);
}
bool is_heisenberg(const C& c) {
  return c.request.lattice.model == LatticeModel::heisenberg && has_shape(c);
}
bool has_hopping(const C& c) {
  return c.request.lattice.model != LatticeModel::heisenberg && has_shape(c);
}
bool has_couplings(const C& c) {
  return c.request.lattice.model != LatticeModel::hubbard && has_shape(c);
}
bool is_cubic(const C& c) { return c.request.lattice.shape == ci::LatticeType::cubic; }
bool has_lattice(const C& c) { return c.request.source == job::ProblemSource::lattice; }
bool has_described_states(const C& c) {
  return job::has_determinants(c.request) || job::is_site_basis(c.request);
}
bool is_like_ci(const C& c) { return c.request.generate.pattern == sparse::GeneratedPattern::ci; }
bool is_selected(const C& c) { return c.request.space.kind == job::SpaceKind::selected; }
bool is_perturbed(const C& c) {
  return is_selected(c) && c.request.selection.perturbation != job::PerturbationKind::none;
}
bool has_determinants(const C& c) { return job::has_determinants(c.request); }
bool has_electrons(const C& c) {
  return has_determinants(c) ||
         (has_lattice(c) && c.request.lattice.model != LatticeModel::heisenberg);
}
bool has_symmetries(const C& c) {
  return c.request.source == job::ProblemSource::fcidump ||
         c.request.source == job::ProblemSource::integrals;
}
bool has_basis(const Configuration& c) {
  return (c.request.solver.method == solver::Method::automatic ||
          c.request.solver.method == solver::Method::davidson) &&
         !c.request.solver.near && c.request.solver.follow.empty();
}

bool is_iterative(const C& c) { return c.request.solver.method != solver::Method::dense; }

using KeyOfKind = bool job::SpaceKeys::*;

template <KeyOfKind key>
bool has_kind(const C& c) {
  return job::keys_of(c.request.space.kind).*key;
}

/// The kinds of space that use a key, or do not use it: "ci or mrci"
std::string kinds_that(KeyOfKind key, bool heed) {
  std::vector<std::string> kinds;
  for (std::size_t k = 0; k < job::Words<job::SpaceKind>::all.size(); ++k)
    if (job::keys_of(static_cast<job::SpaceKind>(k)).*key == heed)
      kinds.emplace_back(job::Words<job::SpaceKind>::all[k]);
  return alternatives(kinds);
}

/// Holds with the kinds of space that use a key.
template <KeyOfKind key>
Condition with_kinds() {
  static const std::string when = "with space.kind " + kinds_that(key, true);
  return {when.c_str(), has_kind<key>};
}

const char* with_incomplete_kinds() {
  static const std::string when =
      base::concat("with a space.kind other than ", kinds_that(&job::SpaceKeys::complete, false),
                   ", which are always complete");
  return when.c_str();
}

bool is_empty(const job::OrbitalSet& set) { return set.count == 0 && set.numbers.empty(); }

// Whether a format that the job may use has this option; on a device other formats are possible.
bool heeds(const C& c, std::string_view option) {
  if (job::must_compute(c.request)) return false;
  const auto does = [&](bool on_device) {
    return std::ranges::any_of(job::possible_forms(c.request, on_device), [&](const auto& form) {
      return sparse::format_named(form.storage.format).accepts(option);
    });
  };
  return (!c.request.backend.needs_device() && does(false)) ||
         (c.request.backend.may_have_device() && does(true));
}

// Elements are to be coded, and the format cannot hold codes.
bool is_coded_otherwise(const C& c) {
  return job::must_code(c.request) && job::names_format(c.request) &&
         !sparse::format_named(c.request.storage.format).coded;
}

bool uses_model_space(const C& c) {
  return c.request.solver.start == solver::StartKind::model_space ||
         (c.request.solver.start == solver::StartKind::automatic &&
          job::has_determinants(c.request) && !c.request.space.spin);
}

}  // namespace

const Condition kOfMatrix{"with problem.matrix", [](const C& c) {
                            return c.request.source == job::ProblemSource::matrix;
                          }};
const Condition kLikeCi{"with problem.generate.pattern ci", is_like_ci};
const Condition kOfDiagonals{"with problem.generate.pattern banded or diagonals",
                             [](const C& c) { return !is_like_ci(c); }};
const Condition kOnShape{"with a problem.lattice.shape other than graph", has_shape};
const Condition kCubic{"with problem.lattice.shape cubic", is_cubic};
const Condition kHopping{"with problem.lattice.model hubbard or t-j and a shape other than graph",
                         has_hopping};
const Condition kHubbard{"with problem.lattice.model hubbard and a shape other than graph",
                         is_hubbard};
const Condition kCoupled{
    "with problem.lattice.model heisenberg or t-j and a shape other than graph", has_couplings};
const Condition kHeisenberg{"with problem.lattice.model heisenberg and a shape other than graph",
                            is_heisenberg};
const Condition kOfFcidump{
    "with fcidump", [](const C& c) { return c.request.source == job::ProblemSource::fcidump; }};
const Condition kOfTrexio{
    "with trexio", [](const C& c) { return c.request.source == job::ProblemSource::trexio; }};
const Condition kIntegrals{"with fcidump or trexio, or with integrals in memory",
                           [](const C& c) { return has_determinants(c) && !has_lattice(c); }};
const Condition kElectrons{"with fcidump, trexio or a lattice of electrons", has_electrons};
const Condition kWithoutSpaceElectrons{
    "without space.electrons, if the problem is a lattice", [](const C& c) {
      return c.request.source != job::ProblemSource::lattice || c.request.space.electrons.empty();
    }};
const Condition kDescribed{"with fcidump, trexio or lattice", has_described_states};
const Condition kOrbsym{"with fcidump, or with integrals in memory", has_symmetries};
const Condition kSpaceOfDeterminants{
    "with fcidump, trexio, or a lattice of electrons without space.symmetry (space.spin "
    "also on lattices of spins and with space.symmetry)",
    has_determinants};
const Condition kLattice{"with a lattice", has_lattice};
const Condition kLevel = with_kinds<&job::SpaceKeys::level>();
const Condition kOneReference = with_kinds<&job::SpaceKeys::reference>();
const Condition kReferences = with_kinds<&job::SpaceKeys::references>();
const Condition kSelected{"with space.kind selected", is_selected};
const Condition kPerturbed{
    "with space.kind selected and a selection.perturbation.kind other than none", is_perturbed};
const Condition kRas = with_kinds<&job::SpaceKeys::ras>();
const Condition kRas1{"with orbitals in space.ras1",
                      [](const C& c) { return !is_empty(c.request.space.ras1); }};
const Condition kRas3{"if space.ras2 leaves orbitals to ras3",
                      [](const C& c) { return !c.request.space.ras2.is_automatic(); }};
const Condition kIncomplete{with_incomplete_kinds(), has_kind<&job::SpaceKeys::complete>};
const Condition kStatesOrSpins{
    "with solver.states above 0, or on a lattice of spins, where it sets problem.ms2", has_states};
const Condition kStored{
    "if elements are stored; coded elements have only the formats sell and tiled",
    [](const C& c) { return !job::must_compute(c.request) && !is_coded_otherwise(c); }};
const Condition kBoundary{"with storage.format hybrid",
                          [](const C& c) { return heeds(c, "boundary"); }};
const Condition kPolicy{"with storage.format hybrid",
                        [](const C& c) { return heeds(c, "policy"); }};
const Condition kSliceHeight{"with storage.format sell or sell-r",
                             [](const C& c) { return heeds(c, "slice_height"); }};
const Condition kBlockSize{"with storage.format csb or tiled",
                           [](const C& c) { return heeds(c, "block_size"); }};
const Condition kMixed{"with storage.elements mixed",
                       [](const C& c) { return job::must_mix(c.request); }};
const Condition kStates{"with solver.states above 0", has_states};
const Condition kSeveralStates{"with solver.states above 1",
                               [](const C& c) { return c.request.solver.states > 1; }};
const Condition kInHartree{"with fcidump or trexio, whose energies are in Hartree",
                           [](const C& c) { return job::is_in_hartree(c.request); }};
const Condition kIterative{"with a solver.method other than dense", is_iterative};
const Condition kSearchSpace{"with solver.method auto or davidson, for the lowest states",
                             has_basis};
const Condition kDevice{"with backend cuda or auto",
                        [](const C& c) { return c.request.backend.may_have_device(); }};
const Condition kNotFollowed{"without solver.follow",
                             [](const C& c) { return c.request.solver.follow.empty(); }};
const Condition kFollowed{"with solver.follow", [](const C& c) {
                            return has_states(c) && !c.request.solver.follow.empty();
                          }};
const Condition kCube{"with output.cube",
                      [](const Configuration& c) { return !c.output.cube.empty(); }};
const Condition kDeterminants{"with fcidump, trexio or a lattice of electrons", has_determinants};
const Condition kModelSpace{
    "with solver.start model, or auto in a space of determinants without space.spin",
    uses_model_space};
const Condition kThreads{"with a backend other than reference", [](const C& c) {
                           return c.request.backend != base::BackendKind::reference;
                         }};
const Condition kSwept{"with swept keys", [](const C& c) { return !c.sweep.axes.empty(); }};

}  // namespace cisolve::app::conditions
