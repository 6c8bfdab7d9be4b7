#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <vector>

#include "python/core/even_spin_basis.hpp"
#include "python/core/hamiltonian.hpp"
#include "python/core/integrals.hpp"
#include "solver/task/result.hpp"

namespace cisolve::python {

/// Settings of a full-CI problem.
struct FullCISettings {
  std::string backend = "auto";
  int threads = 0;  // 0: all, or one for a small problem
  Index memory = 0;
};

/// Full CI over given integrals, for all irreps or one. Vectors have an element for every alpha
/// with every beta string; elements of other irreps are zero.
class FullCI {
 public:
  FullCI(const SharedIntegrals& integrals, std::optional<Index> irrep,
         const FullCISettings& settings);

  Index alphas() const { return alphas_; }
  Index betas() const { return betas_; }
  Index size() const { return alphas_ * betas_; }
  Index dimension() const { return hamiltonian_.rows(); }
  /// Backend of products and vectors; the host if a device lacks memory.
  const base::Backend& backend() const { return hamiltonian_.backend(); }
  const ci::Space& space() const { return hamiltonian_.determinant_problem()->space; }

  /// y = H x for `vectors` contiguous vectors.
  void contract(const double* x, double* y, int vectors);
  void diagonal(double* d);

  struct Found {
    solver::Result result;
    std::vector<double> s2;  // empty if not defined for these integrals
  };
  /// States wanted: those of one spin, of all even spins, or any.
  struct SpinChoice {
    std::optional<double> one;
    bool even = false;
  };
  /// `start`: `starts` contiguous vectors of size().
  Found solve(const solver::Options& options, const SpinChoice& spins, const double* start,
              int starts, solver::Observer* observer);
  /// Expands vectors over the irrep's determinants into those over all.
  void scatter(base::ConstBlock from, double* to) const;

 private:
  std::vector<double> gathered(const double* x, int vectors) const;
  EvenSpinBasis even_spins(const SpinChoice& spins) const;
  solver::Result solve_even(const EvenSpinBasis& spins, const solver::Options& options,
                            const solver::Checkpoint* start, solver::Observer* observer);
  bool is_whole() const { return places_.empty(); }

  Hamiltonian hamiltonian_;
  Index alphas_;
  Index betas_;
  std::vector<Index> places_;  // positions of the determinants; empty if all are present
};

/// Binds FullCI, which is not copied.
void bind_full_ci(nanobind::module_& module);

}  // namespace cisolve::python
