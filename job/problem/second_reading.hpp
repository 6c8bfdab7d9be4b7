#pragma once

#include <memory>
#include <utility>

#include "base/operator.hpp"
#include "ci/direct/rowwise.hpp"
#include "job/problem/molecule.hpp"
#include "job/problem/spin_problem.hpp"
#include "job/problem/watched_rows.hpp"

namespace cisolve::job {

/// An operator, and the backend in whose memory its vectors lie.
struct SecondOperator {
  std::unique_ptr<base::LinearOperator> matrix;
  base::Backend backend;
};

/// A problem read a second time: what its states are verified and described by. It shares no
/// storage with the first reading, so that a fault in that shows.
class SecondReading {
 public:
  /// Orbits of spins are found on the backend; all else is the host's.
  SecondReading(const Request& request, const base::Backend& backend);

  /// Null where a matrix is all there is.
  const Molecule* molecule() const { return molecule_.get(); }
  /// Null where there are no spins.
  const SpinProblemRows* spins() const { return spins_.get(); }
  /// It stays where it is.
  std::unique_ptr<const Molecule> take_molecule() { return std::move(molecule_); }

  /// A Hamiltonian straight from its determinants, on the backend; one of spins straight from its
  /// terms, on the backend's host; a matrix from its file, or
  /// generated, on the backend's host, which reads its rows in each product where it has not the
  /// room for them. `watch` hears of rows that are built, or of those of products on the host. It
  /// refers to this.
  SecondOperator matrix(const base::Backend& backend, const Watch& watch = {}) const;

  /// Of a molecule or of spins, on the host.
  std::unique_ptr<ci::DirectProduct> direct(const Watch& watch = {}) const;
  /// Whether matrix(backend) would be that.
  bool is_direct(const base::Backend& backend) const;

 private:
  const Request& request_;
  std::unique_ptr<const Molecule> molecule_;
  std::unique_ptr<const SpinProblemRows> spins_;
};

}  // namespace cisolve::job
