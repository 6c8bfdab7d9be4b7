#include "solver/vectors/orthogonalise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>
#include <utility>

#include "base/error.hpp"
#include "solver/vectors/dense_decompositions.hpp"
#include "solver/vectors/eigen_map.hpp"
#include "solver/vectors/small_eigen.hpp"

namespace cisolve::solver {
namespace {

/// Relative to a unit vector: a smaller remainder is rounding error.
constexpr double kNoise = 1e-10;
constexpr double kNoiseOfSingles = 1e-6;  // the same if v is in single precision
constexpr double kDependent = 1e-12;      // smallest eigenvalue of a Gram matrix with unit diagonal
constexpr double kLostNothing = 0.7;      // a larger ratio after the first pass needs no second one
constexpr double kLostDigits = 1e-2;      // a smaller ratio calls for another pass
constexpr int kMostPasses = 5;
// Fraction of |w|^2 that must remain for the difference |w|^2 - |V^T w|^2 to be accurate: for one
// vector before another pass, and for the final norm or a rank decision.
constexpr double kForNow = 1e-4;
constexpr double kForGood = kLostNothing * kLostNothing;

struct Factors {
  SmallMatrix transform;  // T, with which W T is orthonormal
  double smallest = 1;    // remaining fraction of a direction; 1 if the block was orthonormal
};

/// Factors for columns whose squared norms were `squares` before projection.
Factors factors_of(const SmallMatrix& gram, const Eigen::VectorXd& squares, double noise) {
  const auto g = as_eigen(gram);
  const Eigen::VectorXd survived = (g.diagonal().array() / squares.array()).sqrt();
  std::vector<int> own;  // columns that are not noise
  for (int j = 0; j < gram.columns(); ++j)
    if (survived(j) > noise) own.push_back(j);
  const auto count = static_cast<Eigen::Index>(own.size());
  if (count == 0) return {SmallMatrix(gram.rows(), 0)};
  const Eigen::VectorXd lengths = g.diagonal()(own).cwiseSqrt();
  const Eigen::MatrixXd scaled =
      lengths.cwiseInverse().asDiagonal() * g(own, own) * lengths.cwiseInverse().asDiagonal();

  Eigen::MatrixXd transform;  // transform of the columns of unit length
  double pivot = 1;
  const Eigen::LLT<Eigen::MatrixXd> cholesky(scaled);
  if (cholesky.info() == Eigen::Success)
    pivot = Eigen::MatrixXd(cholesky.matrixL()).diagonal().minCoeff();
  if (cholesky.info() == Eigen::Success && pivot > std::sqrt(kDependent)) {
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
    pivot = rank > 0 ? sizes.minCoeff() : 1;
  }

  Factors factors{SmallMatrix(gram.rows(), static_cast<int>(transform.cols()))};
  as_eigen(factors.transform)(own, Eigen::all) = lengths.cwiseInverse().asDiagonal() * transform;
  factors.smallest = std::min(pivot, 1.0) * std::min(survived(own).minCoeff(), 1.0);
  return factors;
}

/// Scales the columns of w to unit length; zero columns stay.
void normalise(Vectors& vectors, Columns w) {
  const std::vector<double> norms = vectors.norms(w);
  std::vector<double> factors(w.count());
  for (int j = 0; j < w.count(); ++j) {
    if (!std::isfinite(norms[j]))
      base::fail(base::ErrorKind::bad_input,
                 "the operator gives products that are infinite or NaN");
    factors[j] = norms[j] > 0 ? 1 / norms[j] : 0;
  }
  vectors.scale(factors, w);
}

bool have_digits(const SmallMatrix& gram) {
  return std::ranges::all_of(std::views::iota(0, gram.columns()),
                             [&](int j) { return has_digits(gram(j, j)); });
}

/// A pass over W: projects out V and orthonormalises the rest.
class Pass {
 public:
  Pass(Vectors& vectors, ConstColumns v, Columns w)
      : vectors_(vectors), v_(v), w_(w), grams_(vectors.gram_with_own(v, w)) {}

  const SmallMatrix& overlap() const { return grams_.first; }
  bool has_digits() const { return have_digits(grams_.second); }

  /// If a fraction `enough` of the squares remains, the Gram matrix of the rest follows from the
  /// overlap, without another pass over memory.
  Factors run(double enough, double noise) {
    const Eigen::VectorXd squares = as_eigen(grams_.second).diagonal();
    SmallMatrix left = grams_.second;
    as_eigen(left) -= as_eigen(overlap()).transpose() * as_eigen(overlap());
    const bool is_known = (as_eigen(left).diagonal().array() >= enough * squares.array()).all();
    Factors factors = is_known ? factors_of(left, squares, noise) : Factors{SmallMatrix(0, 0)};
    if (is_known && w_.count() == 1 && factors.transform.columns() == 1) {
      shorten(factors.transform(0, 0));
      return factors;
    }
    take();
    if (!is_known) factors = factors_of(vectors_.gram(w_, w_), squares, noise);
    vectors_.rotate(w_, factors.transform);
    return factors;
  }

 private:
  void take() const {
    if (v_.count() > 0) vectors_.update(-1, v_, overlap(), 1, w_);
  }
  /// W = (W - V overlap) factor
  void shorten(double factor) const {
    if (v_.count() > 0)
      vectors_.update(-factor, v_, overlap(), factor, w_);
    else
      vectors_.scale(factor, w_);
  }

  Vectors& vectors_;
  ConstColumns v_;
  Columns w_;
  std::pair<SmallMatrix, SmallMatrix> grams_;  // V^T W and W^T W
};

}  // namespace

int orthogonalise(Vectors& vectors, ConstColumns v, Columns w,
                  Reorthogonalisation reorthogonalisation) {
  const bool is_full = reorthogonalisation == Reorthogonalisation::full;
  const double enough = is_full ? kLostNothing : kLostDigits;
  const double noise = is_full ? kNoise : kNoiseOfSingles;
  int kept = w.count();
  double smallest = 0;
  const auto goes_on = [&](int number) {
    if (number < 2) return number == 0 || smallest < enough;
    return smallest < kLostDigits && number < kMostPasses;
  };
  for (int number = 0; kept > 0 && goes_on(number); ++number) {
    const Columns rest = w.slice(0, kept);
    std::optional<Pass> pass(std::in_place, vectors, v, rest);
    if (number == 0 && !pass->has_digits()) {
      normalise(vectors, rest);
      pass.emplace(vectors, v, rest);
    }
    // With v in single precision V^T V is not 1, so the difference is not valid.
    const double known_by = number == 0 && kept == 1 ? kForNow : kForGood;
    const Factors factors =
        pass->run(is_full ? known_by : std::numeric_limits<double>::infinity(), noise);
    kept = factors.transform.columns();
    smallest = factors.smallest;
  }
  return kept;
}

Projection project_out(Vectors& vectors, ConstColumns v, Columns w) {
  auto [overlap, own] = vectors.gram_with_own(v, w);
  const double square = own(0, 0);
  const bool is_known = has_digits(square);
  Projection taken{std::move(overlap), is_known ? std::sqrt(square) : vectors.norms(w)[0], {}};
  vectors.update(-1, v, taken.overlap, 1, w);
  const double left = square - as_eigen(taken.overlap).squaredNorm();
  if (is_known && left >= kForGood * square) taken.after = std::sqrt(left);
  return taken;
}

}  // namespace cisolve::solver
