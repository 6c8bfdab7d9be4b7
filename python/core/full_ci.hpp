#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <vector>

#include "python/core/even_spins.hpp"
#include "python/core/hamiltonian.hpp"
#include "python/core/integrals.hpp"
#include "solver/task/result.hpp"

namespace cisolve::python {

/// How a problem of full CI is to be solved.
struct FullCISettings {
  std::string backend = "auto";
  int threads = 0;  // 0: as many as there are, one for a small problem
  Index memory = 0;
};

/// Full CI over given integrals, of all irreps or one. Vectors have an element for each alpha
/// string with each beta string, whatever the irrep: those of others are zero.
class FullCI {
 public:
  FullCI(const SharedIntegrals& integrals, std::optional<Index> irrep,
         const FullCISettings& settings);

  Index alphas() const { return alphas_; }
  Index betas() const { return betas_; }
  Index size() const { return alphas_ * betas_; }
  Index dimension() const { return hamiltonian_.rows(); }
  /// What products and vectors are worked on; where a device has not the room, the host in the end.
  const base::Backend& backend() const { return hamiltonian_.backend(); }
  const ci::Space& space() const { return hamiltonian_.molecule()->space; }

  /// y = H x for `vectors` of them, side by side.
  void contract(const double* x, double* y, int vectors);
  void diagonal(double* d);

  struct Found {
    solver::Result result;
    std::vector<double> s2;  // empty where the integrals do not tell it
  };
  /// Which states: those of one spin, of all even ones, or any.
  struct Spins {
    std::optional<double> one;
    bool even = false;
  };
  /// `start`: as many vectors of size(), side by side.
  Found solve(const solver::Options& options, const Spins& spins, const double* start, int starts,
              solver::Observer* observer);
  /// Vectors over the determinants of the irrep into those over all.
  void scatter(base::ConstBlock from, double* to) const;

 private:
  std::vector<double> gathered(const double* x, int vectors) const;
  EvenSpins even_spins(const Spins& spins) const;
  solver::Result solve_even(const EvenSpins& spins, const solver::Options& options,
                            const solver::Checkpoint* start, solver::Observer* observer);
  bool is_whole() const { return places_.empty(); }

  Hamiltonian hamiltonian_;
  Index alphas_;
  Index betas_;
  std::vector<Index> places_;  // of the determinants among all; empty where these are all
};

/// Not copied.
void bind_full_ci(nanobind::module_& module);

}  // namespace cisolve::python
