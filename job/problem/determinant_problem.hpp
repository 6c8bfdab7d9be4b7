#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/operator.hpp"
#include "ci/fock/spaces/space.hpp"
#include "ci/fock/strings/window.hpp"
#include "ci/hamiltonian/rows/hamiltonian.hpp"
#include "io/molecules/fcidump.hpp"
#include "job/problem/admission.hpp"
#include "job/problem/watched_rows.hpp"
#include "job/request/request.hpp"
#include "sparse/rows/forwarded_rows.hpp"

namespace cisolve::job {

/// Integrals and the determinants that a request asks for: what a Hamiltonian stands on.
struct DeterminantProblem {
  ci::Integrals integrals;  // over the active orbitals
  ci::Space space;
  ci::Window window;
  std::string dialect;  // how the file was read, or the model
  int orbitals = 0;     // of the problem, with the electrons
  int alpha = 0;
  int beta = 0;
  double core_energy = 0;
  std::shared_ptr<const ci::Partition> partition =
      nullptr;  // of rows; canonical where there is none
  std::vector<std::string> warnings;
  Index added = 0;             // determinants that complete the space to all spins
  Index noise = 0;             // integrals of rounding, or that irreps forbid, which are 0
  ci::IrrepNames irreps = {};  // of the orbitals
  std::optional<int> irrep = std::nullopt;       // the label of all states, where it is chosen
  std::optional<int> file_irrep = std::nullopt;  // the label of all states that the file names
  std::string integrals_digest = {};  // over all orbitals; of a job that has states, not of sites
  bool has_sites = false;             // its orbitals are the sites of a lattice
};

/// The order in which a product has a molecule's rows: that of the partition, as where they are
/// stored, or the canonical one.
enum class RowsIn { stored_order, canonical_order };

/// Reads the problem alone.
io::MolecularProblem open_problem(const Request& request, const base::Backend& host);

/// What a space is counted by; integrals are read only where nothing else tells it.
io::FcidumpOutline outline_problem(const Request& request, const base::Backend& host);

/// Reads the problem and refuses a space that it cannot have, without building it.
void require_possible_molecule(const Request& request, const base::Backend& host);

/// Where the determinants of a request live; no space is built.
ci::Sector active_sector(const Request& request, const base::Backend& host);

/// Reads the problem and builds the space, one that `admission` lets pass, where that is given.
DeterminantProblem open_molecule(const Request& request, const base::Backend& host,
                                 FeasibilityCheck* admission = nullptr);

/// The division into Reference and Expansion space that a request chooses.
ci::Partition chosen_partition(const Request& request, const DeterminantProblem& molecule);

/// The rows of a molecule's Hamiltonian, with all that they stand on, in the order of its
/// partition.
class DeterminantRows final : public sparse::ForwardedRows {
 public:
  DeterminantRows(const Request& request, const base::Backend& host,
                  FeasibilityCheck* admission = nullptr);

  const DeterminantProblem& molecule() const { return molecule_; }
  const ci::HamiltonianRows& hamiltonian() const { return rows_; }

 private:
  const sparse::RowSource& inner() const override { return rows_; }

  DeterminantProblem molecule_;
  ci::HamiltonianRows rows_;
};

}  // namespace cisolve::job
