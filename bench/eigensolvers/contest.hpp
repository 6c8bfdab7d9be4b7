#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/multivector.hpp"
#include "sparse/formats/csr.hpp"
#include "sparse/stored/matrix.hpp"

namespace cisolve::bench {

using base::Index;

/// A matrix and its number of wanted states.
struct TestProblem {
  std::string name;
  std::string kind;  // "random", "ci" or "hard"
  std::shared_ptr<const sparse::Csr> matrix;
  int states = 1;
  std::vector<double> lowest = {};  // known eigenvalues, at least of the states, if any

  bool is_hard() const { return kind == "hard"; }
};

/// Result of a solver.
struct Answer {
  std::vector<double> values;   // ascending
  std::vector<double> vectors;  // column by column
  Index iterations = 0;
  Index restarts = -1;  // -1: unknown
  Index searched = 0;   // products of the search for missed states
};

/// Conditions common to all solvers: products, preconditioner, start vectors, block width, columns
/// of the search space, and the norm that each residual must reach.
class Contest {
 public:
  /// `host`: backend of all solvers; `device`: backend of our solvers instead, or null.
  Contest(const TestProblem& problem, int width, double tolerance, const base::Backend& host,
          const base::Backend* device);

  Index rows() const { return matrix_->rows(); }
  int states() const { return states_; }
  int width() const { return width_; }
  int columns() const;
  double tolerance() const { return tolerance_; }
  bool is_hard() const { return is_hard_; }
  /// The largest magnitude of a wanted eigenvalue if known, else of the lowest diagonal element.
  double size() const { return size_; }
  const base::Backend& backend() const { return start_.backend(); }
  /// Backend of our solvers.
  const base::Backend& own_backend() const { return device_ != nullptr ? *device_ : backend(); }
  const sparse::SparseMatrix& matrix() const { return *matrix_; }
  const std::vector<double>& diagonal() const { return diagonal_; }
  /// Orthonormal, one for each state: unit vectors of the lowest diagonal elements, with a small
  /// random component.
  const base::MultiVector& start() const { return start_; }

  /// y = A x, each vector counted; solvers have no other access to the matrix.
  void multiply(base::ConstBlock x, base::Block y) const;
  /// multiply() in the memory of own_backend().
  void multiply_on_device(base::ConstBlock x, base::Block y) const;
  bool diagonal_on_device(base::Block d) const;
  Index products() const { return products_; }
  double product_seconds() const { return product_seconds_; }
  /// Mean time of a product with one vector on the device, in a series of them; 0 without a device.
  double device_seconds_per_product() const;
  /// True after kMostProducts products: the solver is to stop.
  bool exhausted() const { return products_ >= kMostProducts; }

  /// t = (D - shift)^-1 r
  void precondition(double shift, const double* r, double* t) const;

  static constexpr Index kMostProducts = 3000;

 private:
  void fill_start();

  const base::Backend* device_;
  std::unique_ptr<sparse::SparseMatrix> matrix_;
  std::unique_ptr<sparse::SparseMatrix> on_device_;
  int states_;
  int width_;
  bool is_hard_;
  double size_ = 0;
  double tolerance_;
  std::vector<double> diagonal_;
  base::MultiVector start_;
  mutable Index products_ = 0;
  mutable double product_seconds_ = 0;
};

using Solver = std::function<Answer(const Contest&)>;

/// A solver under the name that the table shows.
struct Contestant {
  std::string name;
  Solver solve;
};

/// The contestants in this build.
std::vector<Contestant>& contestants();

/// Registers a contestant; each rival's source has one at namespace scope.
struct RegisterContestant {
  RegisterContestant(const char* name, Solver solve) {
    contestants().push_back({name, std::move(solve)});
  }
};

/// Performance of a contestant, checked in one way for all.
struct Score {
  Index products = 0;
  Index searched = 0;  // products of the search for missed states, counted in `products` too
  Index iterations = 0;
  Index restarts = -1;
  double seconds = 0;
  double product_seconds = 0;             // seconds spent in products
  double device_seconds_per_product = 0;  // seconds of one vector on the device, if any
  double residual = 0;                    // the largest |A x - (x^T A x) x|, recomputed
  double orthogonality = 0;
  std::vector<double> values = {};  // x^T A x, ascending
  std::string failure = {};         // empty: none
};

Score run(const Contestant& contestant, const TestProblem& problem, int width, double tolerance,
          const base::Backend& host, const base::Backend* device);

}  // namespace cisolve::bench
