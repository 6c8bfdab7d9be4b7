#include <Spectra/DavidsonSymEigsSolver.h>

#include "bench/eigensolvers/contest.hpp"

namespace cisolve::bench {
namespace {

/// A matrix with the interface of Spectra's Davidson.
class SpectraMatrix {
 public:
  using Scalar = double;
  explicit SpectraMatrix(const Contest& contest) : contest_(contest) {}

  Eigen::Index rows() const { return contest_.rows(); }
  Eigen::Index cols() const { return contest_.rows(); }
  double operator()(Eigen::Index i, Eigen::Index /*j*/) const { return contest_.diagonal()[i]; }

  Eigen::MatrixXd operator*(const Eigen::Ref<const Eigen::MatrixXd>& x) const {
    Eigen::MatrixXd y = Eigen::MatrixXd::Zero(x.rows(), x.cols());
    if (contest_.exhausted()) return y;  // the solver then ends, unconverged
    const auto columns = static_cast<int>(x.cols());
    contest_.multiply({x.data(), x.rows(), columns, x.outerStride()},
                      {y.data(), y.rows(), columns, y.rows()});
    return y;
  }

 private:
  const Contest& contest_;
};

Answer spectra(const Contest& contest) {
  SpectraMatrix matrix(contest);
  const int states = contest.states();
  Spectra::DavidsonSymEigsSolver<SpectraMatrix> solver(matrix, states);
  solver.set_max_search_space_size(contest.columns());
  solver.set_initial_search_space_size(2 * states);  // columns kept at a restart; its default
  const Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>> start(
      contest.start().block().column(0), contest.rows(), states,
      Eigen::OuterStride<>(contest.start().block().stride));
  solver.compute_with_guess(start, Spectra::SortRule::SmallestAlge, Contest::kMostProducts,
                            contest.tolerance());
  const Eigen::VectorXd values = solver.eigenvalues();
  const Eigen::MatrixXd vectors = solver.eigenvectors();
  return {{values.begin(), values.end()},
          {vectors.data(), vectors.data() + vectors.size()},
          solver.num_iterations(),
          -1};
}

const RegisterContestant kSpectra("Spectra Davidson", spectra);

}  // namespace
}  // namespace cisolve::bench
