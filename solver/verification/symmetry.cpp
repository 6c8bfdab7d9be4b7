#include "solver/verification/symmetry.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/number.hpp"
#include "base/random.hpp"
#include "solver/vectors/metered_operator.hpp"
#include "solver/vectors/vectors.hpp"

namespace cisolve::solver {
namespace {

constexpr double kSymmetric = 1e-10;    // relative to the norm of a row
constexpr std::uint64_t kOfProbe = 23;  // distinguishes its random vectors from start vectors

}  // namespace

// For random vectors x^T (A - A^T) y is about |x| |y| / n times |A - A^T|_F, which is sqrt(n) times
// the norm of a row of the difference.
void require_symmetric(const Problem& problem, const Options& options) {
  const base::Layout layout = layout_of(problem);
  Vectors vectors(problem.backend, problem.communicator, layout, 2);
  MeteredOperator matrix(problem);
  base::MultiVector x = vectors.make(2, "random vectors");
  base::MultiVector y = vectors.make(2, "images of random vectors");
  vectors.randomise(base::mix(options.seed, kOfProbe), x);
  matrix.apply(x, y);
  const SmallMatrix products = vectors.gram(x, y);
  const std::vector<double> given = vectors.norms(x);
  const std::vector<double> found = vectors.norms(y);
  const double rows = std::sqrt(static_cast<double>(layout.rows()));
  const double difference =
      std::abs(products(0, 1) - products(1, 0)) * rows / (given[0] * given[1]);
  const double size = std::max(found[0] / given[0], found[1] / given[1]);
  if (!std::isfinite(difference) || !std::isfinite(size))
    base::fail(base::ErrorKind::bad_input, "the operator gives products that are infinite or NaN");
  if (difference > std::max(kSymmetric * size, options.tolerance))
    base::fail(base::ErrorKind::bad_input,
               "the operator is not symmetric: its products with random ",
               "vectors show that a row and its column differ by about ", base::brief(difference),
               ", compared with a row norm of about ", base::brief(size),
               "; expected a symmetric one, such as (A + A^T) / 2");
}

}  // namespace cisolve::solver
