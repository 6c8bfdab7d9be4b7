#include "app/config/key_conditions.hpp"

#include <algorithm>

#include "app/config/schema.hpp"
#include "configuration.hpp"

// Keys that are valid but have no effect.
namespace cisolve::app {
namespace {

class KeyConditionsTest : public ConfigurationTest {
 protected:
  static std::string joined(const std::vector<UnusedKey>& idle) {
    std::string text;
    for (const UnusedKey& key : idle) text += (text.empty() ? "" : " ") + key.key;
    return text;
  }
  std::string idle(const std::string& text) const {
    return joined(keys_without_effect(load(text)));
  }
  std::string idle_in_sweep(const std::string& text) const {
    return joined(keys_without_effect_on_sweep(load(text)));
  }
};

/// A key with a value, a configuration in which it has no effect and one in which it has.
struct Case {
  std::string key;
  std::string value;
  std::string idle;
  std::string counts;
};

const std::string kMolecule = "problem: {fcidump: a.fcidump}\n";
const std::string kLattice = "problem: {lattice: {}}\n";
const std::string kGenerate = "problem: {generate: {}}\n";

std::string lattice(const std::string& keys) { return "problem: {lattice: {" + keys + "}}\n"; }

std::vector<Case> cases_of_lattices() {
  const std::string graph = lattice("shape: graph, bonds: ['1 2 1 t']");
  return {{"problem.lattice.t", "2", lattice("model: heisenberg"), kLattice},
          {"problem.lattice.u", "2", lattice("model: heisenberg"), kLattice},
          {"problem.lattice.v", "2", lattice("model: heisenberg"), kLattice},
          {"problem.lattice.j", "2", kLattice, lattice("model: heisenberg")},
          {"problem.lattice.t2", "2", lattice("model: heisenberg"), lattice("model: t-j")},
          {"problem.lattice.j2", "2", kLattice, lattice("model: t-j")},
          {"problem.lattice.jz", "2", lattice("model: t-j"), lattice("model: heisenberg")},
          {"problem.lattice.h", "2", lattice("model: t-j"), lattice("model: heisenberg")},
          {"problem.lattice.hx", "2", lattice("model: t-j"), lattice("model: heisenberg")},
          {"problem.lattice.columns", "4", graph, kLattice},
          {"problem.lattice.rows", "4", graph, kLattice},
          {"problem.lattice.periodic_columns", "true", graph, kLattice},
          {"problem.lattice.periodic_rows", "true", graph, kLattice},
          {"problem.lattice.layers", "4", kLattice, lattice("shape: cubic")},
          {"problem.lattice.periodic_layers", "true", kLattice, lattice("shape: cubic")},
          {"space.symmetry.spin", "even", kMolecule, kLattice}};
}

std::vector<Case> cases_of_the_basis() {
  return {
      {"solver.basis", "staged", kMolecule + "solver: {states: 0}\n", kMolecule},
      {"solver.basis", "staged", kMolecule + "solver: {near: -1}\n", kMolecule},
      {"solver.basis", "staged", kMolecule + "backend: openmp\n", kMolecule + "backend: cuda\n"}};
}

// The cases: at least one for each row of the table of conditions.
std::vector<Case> cases() {
  const std::string fci = kMolecule + "space: {kind: fci}\n";
  const std::string selected = kMolecule + "space: {kind: selected}\n";
  const std::string no_states = kMolecule + "solver: {states: 0}\n";
  const std::string two_states = kMolecule + "solver: {states: 2}\n";
  const std::string dense = kMolecule + "solver: {method: dense}\n";
  const std::string band = "problem: {generate: {rows: 50, pattern: banded}}\n";
  std::vector<Case> all{
      {"problem.orbital_symmetries", "pyscf", kLattice, kMolecule},
      {"problem.generate.density", "0.1", band, kGenerate},
      {"problem.generate.spread", "3", band, kGenerate},
      {"problem.generate.reference_per_row", "2", band, kGenerate},
      {"problem.generate.diagonals", "5", kGenerate, band},
      {"problem.reference_columns", "3", kGenerate, "problem: {matrix: a.mtx}\n"},
      {"analysis.correlations", "none", kMolecule, kLattice},
      {"analysis.densities", "none", lattice("model: heisenberg"), kLattice},
      {"problem.one_electron_integrals", "none", kLattice, kMolecule},
      {"problem.nucleus_repulsion", "none", kMolecule, "problem: {trexio: a.h5}\n"},
      {"problem.electrons", "4", kGenerate, kMolecule},
      {"problem.electrons", "4", kLattice + "space: {electrons: [2, 2]}\n", kLattice},
      {"problem.ms2", "2", kGenerate, kMolecule},
      {"problem.ms2", "2", kLattice + "space: {electrons: [2, 2]}\n", kLattice},
      {"space.kind", "cis", kGenerate, kMolecule},
      {"space.frozen", "1", kGenerate, kLattice},
      {"space.partition", "none", "problem: {matrix: a.mtx}\n", kMolecule},
      {"space.level", "2", fci, kMolecule + "space: {kind: mrci}\n"},
      {"space.reference", "\"20\"", fci, kMolecule + "space: {kind: cid}\n"},
      {"space.references", "[\"20\"]", fci, kMolecule + "space: {kind: mrci}\n"},
      {"space.ras1", "1", fci, kMolecule + "space: {kind: ras}\n"},
      {"space.ras2", "1", fci, kMolecule + "space: {kind: ras}\n"},
      {"space.holes", "2", fci, kMolecule + "space: {kind: ras, ras1: 1}\n"},
      {"space.holes", "2", kMolecule + "space: {kind: ras}\n",
       kMolecule + "space: {kind: ras, ras1: [3]}\n"},
      {"space.particles", "2", fci, kMolecule + "space: {kind: ras, ras2: 1}\n"},
      {"space.particles", "2", kMolecule + "space: {kind: ras}\n",
       kMolecule + "space: {kind: ras, ras2: [4]}\n"},
      {"space.complete", "spin", fci, kMolecule + "space: {kind: cisd}\n"},
      {"space.spin", "0", no_states, kMolecule},
      {"selection.size", "10", fci, selected},
      {"selection.epsilon", "1e-3", fci, selected},
      {"selection.perturbation.kind", "none", fci, selected},
      {"selection.extrapolate", "false", fci, selected},
      {"selection.perturbation.epsilon", "1e-6",
       selected + "selection: {perturbation: {kind: none}}\n", selected},
      {"storage.format", "csr", kMolecule + "storage: {elements: on-the-fly}\n", kMolecule},
      {"storage.format", "csr", kMolecule + "storage: {elements: coded}\n", kMolecule},
      {"storage.boundary", "3", kMolecule + "storage: {elements: on-the-fly}\n", kMolecule},
      {"storage.format", "csr", kMolecule + "storage: {elements: on-the-fly}\n",
       kMolecule + "storage: {elements: mixed}\n"},
      {"storage.boundary", "3", kMolecule + "storage: {format: tiled}\n",
       kMolecule + "storage: {elements: mixed}\n"},
      {"storage.share", "0.5", kMolecule, kMolecule + "storage: {elements: mixed}\n"},
      {"storage.boundary", "3", kMolecule + "storage: {format: csr}\n", kMolecule},
      {"storage.policy", "column", kMolecule + "storage: {format: tiled}\n", kMolecule},
      {"storage.slice_height", "8", kMolecule + "storage: {format: ellpack}\n",
       kMolecule + "storage: {format: sell-r}\n"},
      {"storage.block_size", "8", kMolecule + "backend: openmp\n", kMolecule + "backend: auto\n"},
      {"storage.block_size", "8", kGenerate + "backend: openmp\n", kGenerate + "backend: cuda\n"},
      {"solver.model_size", "5", kGenerate, kGenerate + "solver: {start: model}\n"},
      {"solver.model_size", "5", kMolecule + "solver: {start: random}\n", kMolecule},
      {"solver.verification", "whole", kGenerate, kMolecule},
      {"solver.search", "full", kMolecule + "solver: {follow: a.txt}\n", kMolecule},
      {"solver.follow_state", "2", kMolecule, kMolecule + "solver: {follow: a.txt}\n"},
      {"solver.follow_overlap", "s.mtx", kMolecule, kMolecule + "solver: {follow: a.txt}\n"},
      {"solver.follow_overlap", "s.mtx", "problem: {matrix: a.mtx}\nsolver: {follow: a.txt}\n",
       kMolecule + "solver: {follow: a.txt}\n"},
      {"solver.follow", "a.txt", no_states, dense},
      {"solver.near", "-1", no_states, dense},
      {"analysis.determinants", "3", kGenerate, kMolecule},
      {"analysis.determinants", "3", no_states, kMolecule},
      {"analysis.densities", "one", no_states, kLattice},
      {"problem.operators", "a.h5", kLattice, "problem: {trexio: a.h5}\n"},
      {"analysis.properties", "none", kLattice, kMolecule},
      {"analysis.properties", "[dipole]", no_states, kMolecule},
      {"analysis.correlations", "none", kLattice + "solver: {states: 0}\n", kLattice},
      {"analysis.entropies", "all", no_states, kLattice},
      {"analysis.entropies", "all", lattice("model: heisenberg"), kLattice},
      {"analysis.orbitals", "transition", kMolecule, two_states},
      {"analysis.orbitals", "transition", lattice("model: heisenberg") + "solver: {states: 2}\n",
       two_states},
      {"analysis.dyson", "a.h5", lattice("model: heisenberg"), kLattice},
      {"output.natural_fcidump", "average", lattice("model: heisenberg"), kLattice},
      {"analysis.dyson", "a.h5", no_states, kLattice},
      {"output.natural_fcidump", "average", no_states, kLattice},
      {"output.units", "cm-1", kMolecule, two_states},
      {"output.units", "cm-1", kLattice + "solver: {states: 2}\n", two_states},
      {"output.molden", "true", kLattice, kMolecule},
      {"output.molden", "true", no_states, kMolecule},
      {"output.cube", "[density]", kLattice, kMolecule},
      {"output.cube", "[density]", no_states, kMolecule},
      {"output.cube_spacing", "0.5", kMolecule, kMolecule + "output: {cube: [density]}\n"},
      {"output.cube_margin", "3", kMolecule, kMolecule + "output: {cube: [density]}\n"},
      {"threads", "2", kMolecule + "backend: reference\n", kMolecule},
      {"device_memory", "1 GiB", kMolecule + "backend: openmp\n", kMolecule},
      {"sweep.repeat", "3", kMolecule, kMolecule + "sweep: {threads: [1, 2]}\n"},
  };
  for (const std::vector<Case>& more : {cases_of_lattices(), cases_of_the_basis()})
    all.insert(all.end(), more.begin(), more.end());
  for (const auto& [key, value] : {std::pair("solver.method", "davidson"),
                                   {"solver.tolerance", "1e-6"},
                                   {"solver.verification", "whole"},
                                   {"output.vectors", "false"},
                                   {"output.history", "true"},
                                   {"output.trexio", "true"}})
    all.push_back({key, value, no_states, kMolecule});
  for (const auto& [key, value] : {std::pair("solver.max_iterations", "7"),
                                   {"solver.search", "full"},
                                   {"solver.seed", "7"},
                                   {"solver.start", "model"},
                                   {"solver.start_from", "a.h5"},
                                   {"solver.model_size", "7"},
                                   {"output.checkpoint", "1 s"}}) {
    all.push_back({key, value, no_states, kMolecule});
    all.push_back({key, value, dense, kMolecule});
  }
  return all;
}

TEST_F(KeyConditionsTest, UnusedKeysAreNamed) {
  for (const Case& one : cases()) {
    const std::vector set{parse_override(one.key + "=" + one.value)};
    EXPECT_EQ(joined(keys_without_effect(load(one.idle, set))), one.key) << one.idle;
    EXPECT_EQ(joined(keys_without_effect(load(one.counts, set))), "") << one.key << one.counts;
  }
}

TEST_F(KeyConditionsTest, EveryConditionHasACase) {
  const std::vector<Case> all = cases();
  for (const KeyCondition& condition : key_conditions()) {
    const auto meets = [&](const Case& one) {
      const bool is_its = condition.key.ends_with('.') ? one.key.starts_with(condition.key)
                                                       : one.key == condition.key;
      return is_its && !condition.holds(load(one.idle));
    };
    EXPECT_TRUE(std::ranges::any_of(all, meets)) << condition.key << " " << condition.when;
    if (!condition.key.ends_with('.')) {
      EXPECT_NE(find_key(condition.key), nullptr) << condition.key;
    }
  }
}

TEST_F(KeyConditionsTest, AutomaticAndReplacedKeysAreNotReported) {
  EXPECT_EQ(idle(kMolecule + "storage: {format: csr, boundary: auto}\nspace: {reference: auto}\n"),
            "");
  EXPECT_EQ(joined(keys_without_effect(load(lattice("model: heisenberg, u: 2"),
                                            {parse_override("problem.matrix=a.mtx")}))),
            "");
  EXPECT_EQ(idle(kMolecule + "space: {kind: fci, level: 2, holes: 1, ras1: 1}\n"),
            "space.level space.ras1 space.holes");
}

TEST_F(KeyConditionsTest, SpaceSpinAppliesToDeterminantsAndSpinLattices) {
  const std::string spin = "space: {spin: 1}\n";
  EXPECT_EQ(idle(lattice("model: heisenberg") + spin + "solver: {states: 0}\n"), "");
  EXPECT_EQ(idle(kLattice + spin), "");
  EXPECT_EQ(idle(kGenerate + spin), "space.spin");
}

TEST_F(KeyConditionsTest, AKeyOfASweepCountsWhereOnePointUsesIt) {
  const std::string formats = "sweep: {storage.format: [csr, sell, hybrid]}\n";
  EXPECT_EQ(idle_in_sweep(kMolecule + "storage: {boundary: 3, slice_height: 8}\n" + formats), "");
  EXPECT_EQ(idle_in_sweep(kMolecule + "storage: {block_size: 8}\n" + formats),
            "storage.block_size");
  EXPECT_EQ(idle_in_sweep(kMolecule + "sweep: {storage.format: [csr], storage.boundary: [1, 2]}\n"),
            "storage.boundary");
  EXPECT_EQ(idle_in_sweep(kMolecule + "storage: {format: hybrid, boundary: 3}\n"
                                      "sweep: {storage.format: [csr, sell]}\n"),
            "storage.boundary");
  EXPECT_EQ(idle_in_sweep(kMolecule + "output: {history: true}\nproduct: {repeat: 3}\n" + formats),
            "product.repeat output.history");
  EXPECT_EQ(idle_in_sweep(kMolecule + "space: {level: 3}\nsweep: {space.kind: [fci, ci]}\n"), "");
}

}  // namespace
}  // namespace cisolve::app
