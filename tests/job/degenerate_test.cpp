#include "job/states/degenerate.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "app/config/load.hpp"
#include "ci/hamiltonian/csf/csf_basis.hpp"
#include "job/states/eigenstates.hpp"
#include "job/states/spin_check.hpp"
#include "job/states/total_spin.hpp"

// Processing and description of states after the solution.
namespace cisolve::app {
namespace {

const base::Backend kDegenerateHost = base::Backend::openmp();

/// (x, y, z) -> (y, x, z): its eigenvectors are sums and differences of the first two.
class Exchange final : public base::LinearOperator {
 public:
  Index rows() const override { return 3; }
  void apply(base::ConstBlock x, base::Block y) const override {
    for (int j = 0; j < x.columns; ++j)
      for (const Index row : {0, 1, 2}) y(row, j) = x(row == 2 ? 2 : 1 - row, j);
  }
};

/// Converged states along the axes, as far apart as given.
solver::Result states_at(const std::vector<double>& energies, double residual) {
  solver::Result result{
      .vectors = base::MultiVector(kDegenerateHost, 3, static_cast<int>(energies.size()))};
  for (int j = 0; j < std::ssize(energies); ++j) {
    result.states.push_back(
        {.energy = energies[j], .residual = residual, .status = solver::Status::converged});
    for (const Index row : {0, 1, 2}) result.vectors(row, j) = row == j ? 1 : 0;
  }
  return result;
}

std::vector<bool> resolve(solver::Result& result, double tolerance) {
  const Exchange exchange;
  const base::LinearOperator* const operators[] = {&exchange};
  return job::resolve_degenerate(result, operators, tolerance);
}

TEST(ResolveDegenerate, RotatesStatesDegenerateWithinRounding) {
  solver::Result result = states_at({-1, -1 + 1e-12, 2}, 1e-9);
  EXPECT_EQ(resolve(result, 1e-8), (std::vector<bool>{true, true, false}));
  EXPECT_NEAR(std::abs(result.vectors(0, 0)), std::sqrt(0.5), 1e-12);
  EXPECT_NEAR(std::abs(result.vectors(0, 1)), std::sqrt(0.5), 1e-12);
}

TEST(ResolveDegenerate, NeverCostsMoreThanTheTolerance) {
  // Each residual would grow by half the distance of the two.
  for (const double distance : {9e-7, 5e-7, 1e-7, 4e-8}) {
    solver::Result result = states_at({-1, -1 + distance, 2}, 1e-9);
    EXPECT_EQ(resolve(result, 1e-8), std::vector<bool>(3, false)) << distance;
    EXPECT_EQ(result.vectors(0, 0), 1) << distance;
    EXPECT_EQ(result.states[1].energy, -1 + distance);
  }
  solver::Result result = states_at({-1, -1 + 3e-8, 2}, 1e-9);
  EXPECT_TRUE(resolve(result, 1e-8)[0]);
}

TEST(TakeVerified, ReplacesOnlyTheResidualsOfRotatedStates) {
  solver::Result result = states_at({-1, 1}, 1e-9);
  solver::Verification verification;
  verification.states = {{.residual = 3e-9, .error_bound = 4e-9, .error_estimate = 5e-18},
                         {.residual = 6e-9, .error_bound = 7e-9, .error_estimate = 8e-18}};
  job::take_verified(verification, {false, true}, result);
  EXPECT_EQ(result.states[0].residual, 1e-9);
  EXPECT_EQ(result.states[1].residual, 6e-9);
  EXPECT_EQ(result.states[0].error_bound, 4e-9);
  EXPECT_EQ(result.states[1].error_estimate, 8e-18);
}

/// A matrix of which every vector is a state: only the spin distinguishes them.
class Constant final : public base::LinearOperator {
 public:
  explicit Constant(Index rows) : rows_(rows) {}
  Index rows() const override { return rows_; }
  void apply(base::ConstBlock x, base::Block y) const override {
    for (int j = 0; j < x.columns; ++j)
      for (Index row = 0; row < rows_; ++row) y(row, j) = -3 * x(row, j);
  }

 private:
  Index rows_;
};

/// The first function of a spin, in determinants.
base::MultiVector function_of(const ci::Space& space, int twice_spin) {
  const ci::CsfBasis basis(space, twice_spin);
  base::MultiVector function(kDegenerateHost, basis.functions(), 1);
  for (Index row = 0; row < function.rows(); ++row) function(row, 0) = row == 0 ? 1 : 0;
  base::MultiVector determinants(kDegenerateHost, basis.determinants(), 1);
  basis.expand(std::as_const(function).block(), determinants.block());
  return determinants;
}

TEST(SpinCheck, AStateWithASmallComponentOfAnotherSpinFails) {
  const job::Request singlets = make_configuration(job::ProblemSource::lattice,
                                                   {{"a test", "problem.lattice.model", "hubbard"},
                                                    {"a test", "problem.lattice.columns", "4"},
                                                    {"a test", "space.spin", "0"}})
                                    .request;
  const job::DeterminantProblem molecule = job::open_molecule(singlets, kDegenerateHost);
  const job::SpinCheck check(singlets, &molecule);
  const base::MultiVector singlet = function_of(molecule.space, 0);
  const base::MultiVector triplet = function_of(molecule.space, 2);
  // <S^2> is twice the weight of the triplet.
  for (const double weight : {0.0, 1e-12, 1e-8, 1e-4, 0.3}) {
    solver::Result result{.vectors = base::MultiVector(kDegenerateHost, singlet.rows(), 1),
                          .layout = base::Layout::whole(singlet.rows())};
    result.states.push_back({.energy = -3, .status = solver::Status::converged});
    for (Index row = 0; row < singlet.rows(); ++row)
      result.vectors(row, 0) =
          std::sqrt(1 - weight) * singlet(row, 0) + std::sqrt(weight) * triplet(row, 0);
    const solver::Verification found =
        check.verify(Constant(singlet.rows()), result, {.certify_limit = 0});
    EXPECT_EQ(found.passed, weight < 1e-10) << weight;
    EXPECT_EQ(found.failures.empty(), found.passed);
  }
}

}  // namespace
}  // namespace cisolve::app
