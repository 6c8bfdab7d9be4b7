#include "solver/vectors/orthogonalise.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "solver/vectors/eigen_map.hpp"
#include "solver/vectors/small_eigen.hpp"

namespace cisolve::solver {
namespace {

constexpr double kNoise = 1e-10;          // of a unit vector: what is left is rounding errors
constexpr double kNoiseOfSingles = 1e-6;  // likewise beside vectors in single precision
constexpr double kDependent = 1e-12;      // an eigenvalue of a Gram matrix with a unit diagonal
constexpr double kLostNothing = 0.7;      // a larger factor of the first pass needs no second one
constexpr double kLostDigits = 1e-2;      // a smaller factor of a pass calls for another one
constexpr int kMostPasses = 5;

/// W T is orthonormal and W = (W T) back, for the kept columns.
struct Factors {
  SmallMatrix transform;
  SmallMatrix back;
  double smallest = 1;  // how much of a direction survived: 1 where the block was orthonormal
};

Factors factors_of(const SmallMatrix& gram, double noise) {
  const auto g = as_eigen(gram);
  std::vector<int> own;  // columns that are not noise
  for (int j = 0; j < gram.columns(); ++j)
    if (std::sqrt(gram(j, j)) > noise) own.push_back(j);
  const auto count = static_cast<Eigen::Index>(own.size());
  if (count == 0) return {SmallMatrix(gram.rows(), 0), SmallMatrix(0, gram.columns())};
  const Eigen::VectorXd lengths = g.diagonal()(own).cwiseSqrt();
  const Eigen::MatrixXd scaled =
      lengths.cwiseInverse().asDiagonal() * g(own, own) * lengths.cwiseInverse().asDiagonal();

  Eigen::MatrixXd transform;  // of the columns of unit length
  Eigen::MatrixXd back;
  double pivot = 1;
  const Eigen::LLT<Eigen::MatrixXd> cholesky(scaled);
  if (cholesky.info() == Eigen::Success)
    pivot = Eigen::MatrixXd(cholesky.matrixL()).diagonal().minCoeff();
  if (cholesky.info() == Eigen::Success && pivot > std::sqrt(kDependent)) {
    back = cholesky.matrixU();
    transform = cholesky.matrixU().solve(Eigen::MatrixXd::Identity(count, count));
  } else {
    SmallMatrix copy(static_cast<int>(count), static_cast<int>(count));
    as_eigen(copy) = scaled;
    const EigenPairs pairs = symmetric_eigen(copy);
    const auto dropped =
        std::ranges::count_if(pairs.values, [](double v) { return !(v > kDependent); });
    const Eigen::Index rank = count - dropped;
    const Eigen::VectorXd sizes =
        Eigen::VectorXd::Map(pairs.values.data(), count).tail(rank).cwiseSqrt();
    const auto directions = as_eigen(pairs.vectors).rightCols(rank);
    transform = directions * sizes.cwiseInverse().asDiagonal();
    back = sizes.asDiagonal() * directions.transpose();
    pivot = rank > 0 ? sizes.minCoeff() : 1;
  }

  const auto rank = static_cast<int>(transform.cols());
  Factors factors{SmallMatrix(gram.rows(), rank), SmallMatrix(rank, gram.columns())};
  as_eigen(factors.transform)(own, Eigen::all) = lengths.cwiseInverse().asDiagonal() * transform;
  as_eigen(factors.back)(Eigen::all, own) = back * lengths.asDiagonal();
  factors.smallest = std::min(pivot, 1.0) * std::min(lengths.minCoeff(), 1.0);
  return factors;
}

/// Scales the columns of w to unit length; zero columns stay. Returns the lengths on a diagonal.
SmallMatrix normalise(Vectors& vectors, Columns w) {
  const std::vector<double> norms = vectors.norms(w);
  SmallMatrix lengths(w.count(), w.count());
  std::vector<double> factors(w.count());
  for (int j = 0; j < w.count(); ++j) {
    if (!std::isfinite(norms[j]))
      base::fail(base::Fault::bad_input,
                 "the operator gives vectors with values that are infinite or not numbers");
    lengths(j, j) = norms[j];
    factors[j] = norms[j] > 0 ? 1 / norms[j] : 0;
  }
  vectors.scale(factors, w);
  return lengths;
}

}  // namespace

Orthogonalised orthogonalise(Vectors& vectors, ConstColumns v, Columns w, Care care) {
  const double enough = care == Care::full ? kLostNothing : kLostDigits;
  const double noise = care == Care::full ? kNoise : kNoiseOfSingles;
  Orthogonalised result{w.count(), SmallMatrix(v.count(), w.count()), normalise(vectors, w)};
  double smallest = 0;
  const auto goes_on = [&](int pass) {
    if (pass < 2) return pass == 0 || smallest < enough;
    return smallest < kLostDigits && pass < kMostPasses;
  };
  for (int pass = 0; goes_on(pass); ++pass) {
    const Columns rest = w.slice(0, result.kept);
    if (result.kept == 0) break;
    if (v.count() > 0) {  // W = W - V (V^T W)
      const SmallMatrix overlap = vectors.project_out(v, rest);
      as_eigen(result.against) += as_eigen(overlap) * as_eigen(result.triangle);
    }
    // W = W R^-1 with R^T R = W^T W
    const Factors factors = factors_of(vectors.gram(rest, rest), noise);
    vectors.rotate(rest, factors.transform);
    result.triangle = product(factors.back, result.triangle);
    result.kept = factors.transform.columns();
    smallest = factors.smallest;
  }
  return result;
}

}  // namespace cisolve::solver
