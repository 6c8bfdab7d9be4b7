// The lowest states of an operator of your own: a particle in a harmonic well, on a grid.
#include <iomanip>
#include <iostream>

#include <cisolve/solver/methods/solve.hpp>
#include <cisolve/solver/verification/verify.hpp>

namespace base = cisolve::base;
namespace solver = cisolve::solver;

/// H = -1/2 d^2/dx^2 + x^2/2 by finite differences, x from -10 to 10. The solver asks for nothing
/// but the number of rows and products with blocks of vectors.
class Oscillator final : public base::LinearOperator {
 public:
  explicit Oscillator(base::Index points) : points_(points) {}
  base::Index rows() const override { return points_; }
  void apply(base::ConstBlock x, base::Block y) const override {
    for (int j = 0; j < x.columns; ++j)
      for (base::Index i = 0; i < points_; ++i) {
        const double left = i > 0 ? x(i - 1, j) : 0;
        const double right = i + 1 < points_ ? x(i + 1, j) : 0;
        const double r = -10 + step() * static_cast<double>(i + 1);
        y(i, j) = (2 * x(i, j) - left - right) / (2 * step() * step()) + r * r / 2 * x(i, j);
      }
  }

 private:
  double step() const { return 20.0 / static_cast<double>(points_ + 1); }
  base::Index points_;
};

int main() {
  const Oscillator oscillator(999);
  const solver::Problem problem{.matrix = oscillator, .backend = base::Backend::openmp()};
  const solver::Result found = solver::solve(problem, {.states = 3, .tolerance = 1e-7});

  // Residuals, orthogonality and completeness, computed again from the vectors alone.
  const solver::Verification verified =
      solver::verify(problem, found, solver::VerifyOptions{.tolerance = 1e-6});
  std::cout << std::fixed << std::setprecision(5);
  for (const solver::State& state : found.states) std::cout << state.energy << '\n';
  std::cout << (verified.passed ? "verified\n" : "not verified\n");
  return found.converged() && verified.passed ? 0 : 1;
}
