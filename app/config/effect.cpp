#include "app/config/effect.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>

#include "app/config/load.hpp"
#include "app/config/save.hpp"
#include "base/error.hpp"
#include "job/plan/computing.hpp"
#include "job/plan/mixing.hpp"
#include "job/problem/molecular_space.hpp"
#include "sparse/stored/formats.hpp"

namespace cisolve::app {
namespace {

using C = Configuration;
using job::LatticeModel;

bool has_states(const C& c) { return c.solver.states > 0; }
bool is_graph(const C& c) { return !c.lattice.shape; }
bool has_shape(const C& c) { return !is_graph(c); }
bool is_hubbard(const C& c) { return c.lattice.model == LatticeModel::hubbard && has_shape(c); }
bool is_heisenberg(const C& c) {
  return c.lattice.model == LatticeModel::heisenberg && has_shape(c);
}
bool has_hopping(const C& c) { return c.lattice.model != LatticeModel::heisenberg && has_shape(c); }
bool has_couplings(const C& c) { return c.lattice.model != LatticeModel::hubbard && has_shape(c); }
bool is_cubic(const C& c) { return c.lattice.shape == ci::Net::cubic; }
bool has_lattice(const C& c) { return c.source == job::ProblemSource::lattice; }
bool has_described_states(const C& c) { return job::is_molecular(c) || job::is_spins(c); }
bool is_like_ci(const C& c) { return c.generate.pattern == sparse::GeneratedPattern::ci; }
bool is_ras(const C& c) { return job::keys_of(c.space.kind).ras; }
bool has_determinants(const C& c) { return job::is_molecular(c); }
bool has_electrons(const C& c) {
  return has_determinants(c) || (has_lattice(c) && c.lattice.model != LatticeModel::heisenberg);
}
bool has_symmetries(const C& c) {
  return c.source == job::ProblemSource::fcidump || c.source == job::ProblemSource::integrals;
}
bool has_basis(const Configuration& c) {
  return (c.solver.method == solver::Method::automatic ||
          c.solver.method == solver::Method::davidson) &&
         !c.solver.near && c.solver.follow.empty();
}

bool is_iterative(const C& c) { return c.solver.method != solver::Method::dense; }

bool has_one_reference(const C& c) { return job::keys_of(c.space.kind).reference; }

bool is_empty(const job::OrbitalSet& set) { return set.count == 0 && set.numbers.empty(); }

// By the format that the job may be stored in: which one, a device may decide.
bool heeds(const C& c, std::string_view option) {
  if (job::must_compute(c)) return false;
  const auto does = [&](bool on_device) {
    return std::ranges::any_of(job::possible_storages(c, on_device), [&](const auto& storage) {
      return sparse::format_named(storage.format).heeds(option);
    });
  };
  return (!c.backend.needs_device() && does(false)) || (c.backend.may_have_device() && does(true));
}

// Elements are to be coded, and the format cannot hold codes.
bool is_coded_otherwise(const C& c) {
  return job::must_code(c) && c.storage.format != "auto" &&
         !sparse::format_named(c.storage.format).coded;
}

bool uses_model_space(const C& c) {
  return c.solver.start == solver::StartKind::model_space ||
         (c.solver.start == solver::StartKind::automatic && job::is_molecular(c) && !c.space.spin);
}

bool matches(const KeyCondition& condition, const std::string& key) {
  if (!condition.key.ends_with('.')) return key == condition.key;
  return key.starts_with(condition.key) &&
         key.find('.', condition.key.size()) == std::string::npos;  // not of a section within
}

// The one key of spaces of determinants that states of words have as well.
bool is_of_spins(const C& c, const std::string& key) {
  return key == "space.spin" && job::is_spins(c);
}

const KeyCondition* broken_condition(const C& configuration, const std::string& key) {
  if (is_of_spins(configuration, key)) return nullptr;
  for (const KeyCondition& condition : key_conditions())
    if (matches(condition, key) && !condition.holds(configuration)) return &condition;
  return nullptr;
}

// What a replaced source had to say is replaced with it.
bool counts_as_given(const C& configuration, const Key& key) {
  return configuration.given.contains(key.path) &&
         !belongs_to_another_source(key, configuration.source);
}

// What a sweep never does, whatever its points are.
const KeyCondition* condition_beyond_sweeps(const std::string& key) {
  static const std::vector<KeyCondition> conditions{
      {"analysis.", "in a single job, not in a sweep", nullptr},
      {"product.repeat", "in a single job; sweep.repeat is that of a sweep", nullptr},
      {"output.vectors", "in a single job, not in a sweep", nullptr},
      {"output.history", "in a single job, not in a sweep", nullptr},
      {"output.trexio", "in a single job, not in a sweep", nullptr},
      {"output.checkpoint", "in a single job; a sweep keeps each point that it has measured",
       nullptr},
  };
  for (const KeyCondition& condition : conditions)
    if (matches(condition, key)) return &condition;
  return nullptr;
}

std::vector<KeyCondition> conditions_of_problems() {
  return {
      {"problem.reference_columns", "with problem.matrix",
       [](const C& c) { return c.source == job::ProblemSource::matrix; }},
      {"problem.generate.density", "with problem.generate.pattern ci", is_like_ci},
      {"problem.generate.spread", "with problem.generate.pattern ci", is_like_ci},
      {"problem.generate.reference_per_row", "with problem.generate.pattern ci", is_like_ci},
      {"problem.generate.diagonals", "with problem.generate.pattern banded or diagonals",
       [](const C& c) { return !is_like_ci(c); }},
      {"problem.lattice.columns", "with another problem.lattice.shape than graph", has_shape},
      {"problem.lattice.rows", "with another problem.lattice.shape than graph", has_shape},
      {"problem.lattice.periodic_columns", "with another problem.lattice.shape than graph",
       has_shape},
      {"problem.lattice.periodic_rows", "with another problem.lattice.shape than graph", has_shape},
      {"problem.lattice.layers", "with problem.lattice.shape cubic", is_cubic},
      {"problem.lattice.periodic_layers", "with problem.lattice.shape cubic", is_cubic},
      {"problem.lattice.t", "with problem.lattice.model hubbard or t-j on a shape", has_hopping},
      {"problem.lattice.t2", "with problem.lattice.model hubbard or t-j on a shape", has_hopping},
      {"problem.lattice.u", "with problem.lattice.model hubbard on a shape", is_hubbard},
      {"problem.lattice.v", "with problem.lattice.model hubbard or t-j on a shape", has_hopping},
      {"problem.lattice.j", "with problem.lattice.model heisenberg or t-j on a shape",
       has_couplings},
      {"problem.lattice.j2", "with problem.lattice.model heisenberg or t-j on a shape",
       has_couplings},
      {"problem.lattice.jz", "with problem.lattice.model heisenberg on a shape", is_heisenberg},
      {"problem.lattice.h", "with problem.lattice.model heisenberg on a shape", is_heisenberg},
      {"problem.lattice.hx", "with problem.lattice.model heisenberg on a shape", is_heisenberg},
      {"problem.one_electron_integrals", "with fcidump",
       [](const C& c) { return c.source == job::ProblemSource::fcidump; }},
      {"problem.electrons", "with fcidump, trexio or a lattice of electrons", has_electrons},
      {"problem.electrons", "with a lattice where space.electrons is not given",
       [](const C& c) {
         return c.source != job::ProblemSource::lattice || c.space.electrons.empty();
       }},
      {"problem.ms2", "with fcidump, trexio or lattice", has_described_states},
      {"problem.ms2", "with a lattice where space.electrons is not given",
       [](const C& c) {
         return c.source != job::ProblemSource::lattice || c.space.electrons.empty();
       }},
      {"problem.orbital_symmetries", "with fcidump, or with integrals in memory", has_symmetries},
      {"space.",
       "with fcidump, trexio or a lattice of electrons without space.symmetry; space.spin with any "
       "lattice",
       has_determinants},
      {"space.symmetry.", "with a lattice", has_lattice},
      {"space.level", "with space.kind ci or mrci",
       [](const C& c) { return job::keys_of(c.space.kind).level; }},
      {"space.reference", "with space.kind cis, cid, cisd, cisdt, cisdtq or ci", has_one_reference},
      {"space.references", "with space.kind mrci",
       [](const C& c) { return job::keys_of(c.space.kind).references; }},
      {"space.ras1", "with space.kind ras", is_ras},
      {"space.ras2", "with space.kind ras", is_ras},
      {"space.holes", "with space.kind ras", is_ras},
      {"space.holes", "with orbitals in space.ras1",
       [](const C& c) { return !is_empty(c.space.ras1); }},
      {"space.particles", "with space.kind ras", is_ras},
      {"space.particles", "where space.ras2 leaves orbitals to ras3",
       [](const C& c) { return !c.space.ras2.is_automatic(); }},
      {"space.complete", "with another space.kind than fci, cas or ras, which lack nothing",
       [](const C& c) { return job::keys_of(c.space.kind).complete; }},
      {"space.spin",
       "with solver.states above 0, or of spins on a lattice, whose ms2 it may choose", has_states},
  };
}

std::vector<KeyCondition> conditions_of_solutions() {
  return {
      {"storage.format", "where elements are stored, and with sell or tiled where they are coded",
       [](const C& c) { return !job::must_compute(c) && !is_coded_otherwise(c); }},
      {"storage.boundary", "with storage.format hybrid",
       [](const C& c) { return heeds(c, "boundary"); }},
      {"storage.policy", "with storage.format hybrid",
       [](const C& c) { return heeds(c, "policy"); }},
      {"storage.slice_height", "with storage.format sell or sell-r",
       [](const C& c) { return heeds(c, "slice_height"); }},
      {"storage.block_size", "with storage.format csb or tiled",
       [](const C& c) { return heeds(c, "block_size"); }},
      {"storage.share", "with storage.elements mixed", [](const C& c) { return job::must_mix(c); }},
      {"solver.method", "with solver.states above 0", has_states},
      {"solver.tolerance", "with solver.states above 0", has_states},
      {"solver.max_iterations", "with solver.states above 0", has_states},
      {"solver.max_iterations", "with another solver.method than dense", is_iterative},
      {"solver.basis", "with solver.states above 0", has_states},
      {"solver.basis", "with solver.method auto or davidson, for the lowest states", has_basis},
      {"solver.basis", "with backend cuda or auto",
       [](const C& c) { return c.backend.may_have_device(); }},
      {"solver.search", "with solver.states above 0", has_states},
      {"solver.search", "with another solver.method than dense", is_iterative},
      {"solver.search", "without solver.follow",
       [](const C& c) { return c.solver.follow.empty(); }},
      {"solver.seed", "with solver.states above 0", has_states},
      {"solver.seed", "with another solver.method than dense", is_iterative},
      {"solver.start", "with solver.states above 0", has_states},
      {"solver.start", "with another solver.method than dense", is_iterative},
      {"solver.start_from", "with solver.states above 0", has_states},
      {"solver.start_from", "with another solver.method than dense", is_iterative},
      {"solver.near", "with solver.states above 0", has_states},
      {"solver.follow", "with solver.states above 0", has_states},
      {"solver.follow_state", "with solver.follow",
       [](const C& c) { return has_states(c) && !c.solver.follow.empty(); }},
      {"solver.follow_overlap", "with solver.follow",
       [](const C& c) { return has_states(c) && !c.solver.follow.empty(); }},
      {"solver.follow_overlap", "with fcidump, trexio or a lattice of electrons", has_determinants},
      {"solver.model_size", "with solver.states above 0", has_states},
      {"solver.model_size", "with another solver.method than dense", is_iterative},
      {"solver.model_size",
       "with solver.start model, or auto where determinants of any spin span the space",
       uses_model_space},
      {"solver.verification", "with solver.states above 0", has_states},
      {"solver.verification", "with fcidump, trexio or lattice", has_described_states},
      {"analysis.", "with fcidump, trexio or lattice", has_described_states},
      {"analysis.densities", "with fcidump, trexio or a lattice of electrons", has_determinants},
      {"analysis.correlations", "with a lattice", has_lattice},
      {"analysis.", "with solver.states above 0", has_states},
      {"threads", "with another backend than reference",
       [](const C& c) { return c.backend != base::BackendKind::reference; }},
      {"device_memory", "with backend cuda or auto",
       [](const C& c) { return c.backend.may_have_device(); }},
      {"output.vectors", "with solver.states above 0", has_states},
      {"output.history", "with solver.states above 0", has_states},
      {"output.trexio", "with solver.states above 0", has_states},
      {"output.checkpoint", "with solver.states above 0", has_states},
      {"output.checkpoint", "with another solver.method than dense", is_iterative},
      {"sweep.repeat", "beside keys that are swept",
       [](const C& c) { return !c.sweep.axes.empty(); }},
  };
}

}  // namespace

const std::vector<KeyCondition>& key_conditions() {
  static const std::vector<KeyCondition> conditions = [] {
    std::vector<KeyCondition> all = conditions_of_problems();
    for (KeyCondition& one : conditions_of_solutions()) all.push_back(std::move(one));
    return all;
  }();
  return conditions;
}

std::vector<IdleKey> keys_without_effect(const Configuration& configuration) {
  std::vector<IdleKey> idle;
  for (const Key& key : schema())
    if (counts_as_given(configuration, key))
      if (const KeyCondition* broken = broken_condition(configuration, key.path))
        idle.push_back({key.path, broken->when});
  return idle;
}

std::vector<IdleKey> keys_without_effect_on_sweep(const Configuration& configuration) {
  std::vector<IdleKey> idle;
  std::vector<const Key*> open;  // that no point has used yet
  const std::vector<SweepAxis>& axes = configuration.sweep.axes;
  for (const Key& key : schema()) {
    const bool swept = std::ranges::count(axes, key.path, &SweepAxis::key) > 0;
    if (!swept && !counts_as_given(configuration, key)) continue;
    if (const KeyCondition* beyond = condition_beyond_sweeps(key.path))
      idle.push_back({key.path, beyond->when});
    else
      open.push_back(&key);
  }
  std::vector<std::size_t> chosen(axes.size(), 0);
  std::vector<IdleKey> last;
  do {
    if (open.empty()) break;
    try {
      C point = at_sweep_point(configuration, chosen);
      point.sweep.axes = axes;
      last.clear();
      std::erase_if(open, [&](const Key* key) {
        const KeyCondition* broken = broken_condition(point, key->path);
        if (broken != nullptr) last.push_back({key->path, broken->when});
        return broken == nullptr;
      });
    } catch (const base::Error&) {
      continue;  // a point that cannot be says nothing of the others
    }
  } while (next_choice(axes, chosen));
  std::ranges::move(last, std::back_inserter(idle));
  return idle;
}

}  // namespace cisolve::app
