#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/operator.hpp"
#include "ci/fock/basis/molecular_orbitals.hpp"
#include "ci/fock/integrals/one_electron_operator.hpp"
#include "ci/fock/spaces/space.hpp"
#include "ci/fock/strings/window.hpp"
#include "ci/hamiltonian/rows/hamiltonian.hpp"
#include "io/molecules/fcidump.hpp"
#include "job/problem/feasibility_check.hpp"
#include "job/problem/watched_rows.hpp"
#include "job/request/request.hpp"
#include "sparse/rows/forwarded_rows.hpp"

namespace cisolve::job {

/// Integrals and determinants of a request: the data of a Hamiltonian.
struct DeterminantProblem {
  ci::Integrals integrals;  // over the active orbitals
  ci::Space space;
  ci::Window window;
  std::string dialect;  // how the file was read, or the model
  int orbitals = 0;     // orbitals of the whole problem, like the electrons
  int alpha = 0;
  int beta = 0;
  double core_energy = 0;
  std::shared_ptr<const ci::Partition> partition = nullptr;  // order of the rows; null: canonical
  std::vector<std::string> warnings;
  Index added = 0;                          // determinants that complete the space to all spins
  Index noise = 0;                          // integrals set to 0: rounding, or forbidden by irreps
  ci::IrrepNames irreps = {};               // irreps of the orbitals
  std::optional<int> irrep = std::nullopt;  // label of all states, if one is chosen
  std::optional<int> file_irrep = std::nullopt;  // label of all states, if the file names it
  /// Digest over all orbitals; set for jobs that have states, but not for sites.
  std::string integrals_digest = {};
  bool has_sites = false;                   // whether its orbitals are the sites of a lattice
  ci::OneElectronOperators operators = {};  // over the active orbitals
  /// All orbitals of the problem over basis functions; null: not known.
  std::shared_ptr<const ci::MolecularOrbitals> molecular_orbitals = nullptr;
};

/// Row order of a product: that of the partition, as stored rows have it, or canonical.
enum class RowsIn { stored_order, canonical_order };

/// Reads the problem; builds no space.
io::MolecularProblem open_problem(const Request& request, const base::Backend& host);

/// The numbers that a space is counted by; integrals are read only if nothing else gives them.
io::FcidumpOutline outline_problem(const Request& request, const base::Backend& host);

/// Reads the problem and throws if it cannot have the requested space; builds no space.
void require_possible_molecule(const Request& request, const base::Backend& host);

/// Orbitals, electrons and irrep of the requested determinants; builds no space.
ci::Sector active_sector(const Request& request, const base::Backend& host);

/// Reads the problem and builds the space. `feasibility` may refuse it before; null: accepts all.
DeterminantProblem open_molecule(const Request& request, const base::Backend& host,
                                 FeasibilityCheck* feasibility = nullptr);

/// The requested partition into Reference and Expansion space.
ci::Partition chosen_partition(const Request& request, const DeterminantProblem& molecule);

/// The rows of a determinant problem's Hamiltonian, in the order of its partition. Owns the
/// problem.
class DeterminantRows final : public sparse::ForwardedRows {
 public:
  DeterminantRows(const Request& request, const base::Backend& host,
                  FeasibilityCheck* feasibility = nullptr);

  const DeterminantProblem& determinant_problem() const { return molecule_; }
  const ci::HamiltonianRows& hamiltonian() const { return rows_; }

 private:
  const sparse::RowSource& inner() const override { return rows_; }

  DeterminantProblem molecule_;
  ci::HamiltonianRows rows_;
};

}  // namespace cisolve::job
