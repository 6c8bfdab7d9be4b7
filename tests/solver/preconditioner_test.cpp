#include "solver/task/preconditioner.hpp"

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "solver/basis/root_status.hpp"
#include "solver/methods/correction.hpp"
#include "solver/methods/solve.hpp"
#include "solver/task/model_space.hpp"
#include "solver/task/solver_setup.hpp"
#include "tests/solver/matrices.hpp"
#include "tests/support/backend.hpp"

namespace cisolve::test {
namespace {

class Preconditioner : public BackendTest {
 protected:
  static constexpr int kRows = 150;
  base::Backend backend = backend_under_test();
  DenseOperator a{diagonally_dominant(kRows, 8, 0.4), backend};
  solver::Problem problem{a, backend};
  solver::MeteredOperator matrix{problem};
  solver::Vectors vectors{backend, solver::kOneProcess, base::Layout::whole(kRows), 4};

  base::MultiVector diagonal() {
    base::MultiVector d(backend, kRows, 1);
    a.diagonal(d.block());
    return d;
  }
};

TEST_F(Preconditioner, TheModelSpaceIsInvertedExactly) {
  const auto d = diagonal();
  const auto model = solver::make_model_space(problem, matrix, vectors, d.block(), 20, 2);
  EXPECT_EQ(std::ssize(model.rows), 20);
  EXPECT_EQ(matrix.products(), 20);
  const auto preconditioner = solver::model_preconditioner(vectors, d.block(), model);
  base::MultiVector t(backend, kRows, 2);
  vectors.randomise(3, t);
  const auto r = t.to(backend.host());
  const std::vector<double> shifts{-1.3, 0.77};
  preconditioner->apply(shifts, t.block());
  const auto solved = t.to(backend.host());

  // M: the diagonal outside, the exact block inside.
  Dense m = a.matrix().diagonal().asDiagonal();
  for (const Index i : model.rows)
    for (const Index j : model.rows) m(i, j) = a.matrix()(i, j);
  for (int k = 0; k < 2; ++k) {
    const Eigen::Map<const Eigen::VectorXd> before(r.block().column(k), kRows);
    const Eigen::Map<const Eigen::VectorXd> after(solved.block().column(k), kRows);
    const Eigen::VectorXd back = m * after - shifts[k] * after;
    EXPECT_LT((back - before).cwiseAbs().maxCoeff(), 1e-11);
  }
}

TEST_F(Preconditioner, AModelBlockCostsNoProducts) {
  const auto d = diagonal();
  const auto by_products = solver::make_model_space(problem, matrix, vectors, d.block(), 20, 2);
  const ElementsOf elements(a.matrix());
  problem.model_block = &elements;
  const Index before = matrix.products();
  const auto by_elements = solver::make_model_space(problem, matrix, vectors, d.block(), 20, 2);
  EXPECT_EQ(matrix.products(), before);
  for (int j = 0; j < 20; ++j)
    EXPECT_NEAR(by_elements.inverse.lowest(20).values[j], by_products.inverse.lowest(20).values[j],
                1e-13);
}

/// A model block that returns its lowest rows, which may be wrong.
class LowestOf final : public solver::ModelBlock {
 public:
  LowestOf(const Dense& a, std::vector<Index> rows) : elements_(a), rows_(std::move(rows)) {}
  void fill(std::span<const Index> rows, std::span<const Index> columns,
            base::SmallMatrix& block) const override {
    elements_.fill(rows, columns, block);
  }
  std::vector<Index> lowest(Index count) const override {
    EXPECT_EQ(count, 3);
    return rows_;
  }

 private:
  ElementsOf elements_;
  std::vector<Index> rows_;
};

TEST_F(Preconditioner, AModelBlockMayProvideTheLowestRows) {
  const auto d = diagonal();
  const auto rows_with = [&](const std::vector<Index>& known) {
    const LowestOf elements(a.matrix(), known);
    problem.model_block = &elements;
    return solver::make_model_space(problem, matrix, vectors, d.block(), 3, 1).rows;
  };
  EXPECT_EQ(rows_with({2, 5, 149}), (std::vector<Index>{2, 5, 149}));
  EXPECT_EQ(rows_with({}), vectors.lowest(d.block(), 3));
  problem.model_rows = {4, 9};
  EXPECT_EQ(rows_with({2, 5, 149}), (std::vector<Index>{4, 9}));
}

TEST_F(Preconditioner, RowsOfTheModelSpaceMustExist) {
  const auto d = diagonal();
  const auto refusal = [&](const std::vector<Index>& rows, std::optional<double> near) {
    problem.model_rows = rows;
    try {
      solver::make_model_space(problem, matrix, vectors, d.block(), 20, 2, near);
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), base::ErrorKind::usage);
      return std::string(error.what());
    }
    return std::string();
  };
  for (const std::optional<double> near : {std::optional<double>(), std::optional(0.5)}) {
    EXPECT_EQ(refusal({3, 9, kRows}, near),
              "model_rows has row 150 after row 9; expected ascending rows from 0 to 149");
    EXPECT_EQ(refusal({-1, 3}, near),
              "model_rows has row -1; expected ascending rows from 0 to 149");
    EXPECT_EQ(refusal({3, 9, 9}, near),
              "model_rows has row 9 after row 9; expected ascending rows from 0 to 149");
    EXPECT_EQ(refusal({3, 9, 149}, near), "");
  }
}

// A device waits while the host builds the model space.
TEST_F(Preconditioner, AModelSpaceHasTheWorthwhileNumberOfRows) {
  constexpr Index kFew = 500'000;
  const auto rows = [&](int states, int model_size, Index dimension) {
    solver::Options options;
    options.states = states;
    options.model_size = model_size;
    return solver::model_rows(options, backend, dimension);
  };
  const int of_few = backend.is_host() ? 400 : 128;
  EXPECT_EQ(rows(1, solver::Options{}.model_size, kFew), of_few);
  EXPECT_EQ(rows(2, solver::Options{}.model_size, kFew / 2), of_few);
  EXPECT_EQ(rows(2, solver::Options{}.model_size, kFew), 400);
  EXPECT_EQ(rows(1, solver::Options{}.model_size, 2 * kFew), 400);
  EXPECT_EQ(rows(32, solver::Options{}.model_size, 10'000), of_few);
  EXPECT_EQ(rows(33, solver::Options{}.model_size, 10'000), 400);
  for (const int wanted : {0, 7, 4000}) EXPECT_EQ(rows(1, wanted, kFew), wanted);
}

// Unit and model space vectors alone would never leave a block of the matrix.
TEST_F(Preconditioner, StartVectorsHaveAComponentInEveryRow) {
  for (const int model_size : {0, 20}) {
    solver::Options options;
    options.start = solver::StartKind::model_space;
    options.model_size = model_size;
    const solver::SolverSetup setup(problem, options, matrix, vectors);
    base::MultiVector y(backend, kRows, 2);
    base::MultiVector scratch(backend, kRows, 2);
    setup.fill_start(y.block(), scratch.block());
    const auto start = y.to(backend.host());
    for (int j = 0; j < 2; ++j) {
      const Eigen::Map<const Eigen::VectorXd> v(start.block().column(j), kRows);
      EXPECT_GT(v.cwiseAbs().minCoeff(), 0);
      EXPECT_NEAR(v.tail(kRows - 30).norm(), 1e-4, 3e-5);
    }
  }
}

TEST_F(Preconditioner, BetterPreconditionersNeedFewerProducts) {
  DenseOperator large(diagonally_dominant(1000, 9, 0.25), backend);
  const ElementsOf elements(large.matrix());
  solver::Problem hard{large, backend};
  hard.model_block = &elements;
  const double exact = eigenvalues(large.matrix()).front();
  solver::Options options;
  options.method = solver::Method::davidson;
  options.search = solver::SearchEffort::none;
  options.max_iterations = 1000;
  std::vector<Index> products;
  using Kind = solver::PreconditionerKind;
  for (const Kind kind : {Kind::model_space, Kind::diagonal, Kind::none}) {
    options.preconditioner = kind;
    const auto result = solver::solve(hard, options);
    EXPECT_TRUE(result.converged());
    EXPECT_NEAR(result.states[0].energy, exact, 1e-10);
    products.push_back(result.products);
  }
  EXPECT_LT(products[0], products[1]);
  EXPECT_LT(products[1], products[2]);
}

TEST_F(Preconditioner, OlsenCorrectionIsOrthogonalToTheState) {
  solver::SearchSpace space(matrix, vectors, {.capacity = 4});
  vectors.randomise(4, space.free_basis(2));
  space.append(2);
  const auto s = solver::columns_of(space.ritz().vectors, 0, 1);
  vectors.randomise(5, space.free_basis(1));
  const auto d = diagonal();
  const auto preconditioner = solver::diagonal_preconditioner(vectors, d.block());
  const std::vector<double> shifts{-0.4};
  solver::correct(solver::Correction::olsen, *preconditioner, vectors, shifts, s, space);
  const auto overlap = vectors.gram(space.basis(), space.free_basis(1));
  const double size = vectors.norms(space.free_basis(1))[0];
  EXPECT_NEAR(s(0, 0) * overlap(0, 0) + s(1, 0) * overlap(1, 0), 0, 1e-13 * size);
}

TEST_F(Preconditioner, OlsenCorrectionConverges) {
  solver::Options options;
  options.method = solver::Method::davidson;
  options.correction = solver::Correction::olsen;
  options.states = 3;
  const auto exact = eigenvalues(a.matrix());
  const auto result = solver::solve(problem, options);
  EXPECT_TRUE(result.converged());
  for (int j = 0; j < 3; ++j) EXPECT_NEAR(result.states[j].energy, exact[j], 1e-10);
}

TEST(RootStatus, ReopensARootWhoseEnergyMoved) {
  solver::RootStatus ledger(3);
  for (int j = 0; j < 3; ++j) ledger.record(j, j, 1e-9, 1e-8);
  EXPECT_TRUE(ledger.all_finished(3));
  ledger.forget_moved(std::vector<double>{0, 1 - 1e-9, 2}, 1e-8);
  EXPECT_TRUE(ledger.all_finished(3));
  ledger.forget_moved(std::vector<double>{0, 0.5, 2}, 1e-8);
  EXPECT_TRUE(ledger.finished(0));
  EXPECT_FALSE(ledger.finished(1));
  ledger.record(1, 0.5, std::nan(""), 1e-8);
  EXPECT_FALSE(ledger.finished(1));
}

}  // namespace
}  // namespace cisolve::test
