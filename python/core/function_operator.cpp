#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <utility>

#include "base/array.hpp"
#include "base/error.hpp"
#include "base/operator.hpp"
#include "python/core/arrays.hpp"
#include "python/core/hamiltonian_module.hpp"
#include "python/core/observer.hpp"
#include "python/core/shared_blocks.hpp"
#include "python/core/states.hpp"
#include "solver/methods/solve.hpp"
#include "solver/verification/symmetry.hpp"

namespace cisolve::python {

namespace nb = nanobind;

using base::Index;

namespace {

/// A Python function as an operator. It receives a block (rows, vectors) and returns one: in the
/// memory of the backend if shares_blocks, else as NumPy arrays.
class FunctionOperator final : public base::LinearOperator {
 public:
  FunctionOperator(Index rows, nb::object function, const std::optional<Numbers>& diagonal,
                   base::Backend backend, bool shares_blocks)
      : rows_(rows),
        function_(std::move(function)),
        backend_(std::move(backend)),
        shares_blocks_(shares_blocks) {
    if (diagonal) diagonal_ = values_of(*diagonal);
    if (diagonal && std::ssize(diagonal_) != rows)
      base::fail(base::ErrorKind::usage, "the diagonal has ", diagonal_.size(),
                 " numbers; expected ", rows);
  }

  Index rows() const override { return rows_; }

  void apply(base::ConstBlock x, base::Block y) const override {
    const nb::gil_scoped_acquire interpreter;
    if (!shares_blocks_) return apply_to_copy(x, y);
    const nb::object answer = function_(shared_view(x, backend_));
    copy_answer(answer, y, backend_);
  }

  bool diagonal(base::Block d) const override {
    if (diagonal_.empty()) return false;
    base::copy_bytes(backend_.host(), diagonal_.data(), backend_, d.column(0), bytes());
    return true;
  }

 private:
  // Passes a copy, so that the function may keep it.
  void apply_to_copy(base::ConstBlock x, base::Block y) const {
    const base::Backend host = backend_.host();
    const std::size_t columns = extent(x.columns);
    NewArray given = make_array({extent(rows_), columns}, true);
    for (int j = 0; j < x.columns; ++j)
      base::copy_bytes(backend_, x.column(j), host, given.data() + j * rows_, bytes());
    const nb::object answer = function_(given);
    nb::ndarray<const double, nb::f_contig, nb::device::cpu, nb::ndim<2>> image;
    if (!nb::try_cast(answer, image) || image.shape(0) != extent(rows_) ||
        image.shape(1) != columns)
      base::fail(base::ErrorKind::usage, "the operator returned no array in double ",
                 "precision; expected the shape of its argument, (", rows_, ", ", x.columns, ")");
    for (int j = 0; j < y.columns; ++j)
      base::copy_bytes(host, image.data() + j * rows_, backend_, y.column(j), bytes());
  }

  Index bytes() const { return rows_ * Index{sizeof(double)}; }

  Index rows_;
  nb::object function_;
  std::vector<double> diagonal_;
  base::Backend backend_;
  bool shares_blocks_;
};

base::MultiVector start_of(const Numbers& start, Index rows, const base::Backend& host) {
  if (start.ndim() != 2 || static_cast<Index>(start.shape(1)) != rows || start.shape(0) == 0)
    base::fail(base::ErrorKind::usage, "the start vectors have a wrong size; expected ", rows,
               " numbers for each");
  const int vectors = static_cast<int>(start.shape(0));
  return base::MultiVector::copy_of(host, {start.data(), rows, vectors, rows}, host);
}

States eigsh(Index rows, nb::object function, const std::optional<Numbers>& diagonal, int states,
             double tolerance, int max_iterations, const std::string& search,
             const std::optional<Numbers>& start, nb::object callback,
             const std::string& backend_name, bool shares_blocks) {
  if (rows < 1) base::fail(base::ErrorKind::usage, "an operator of ", rows, " rows has no states");
  const solver::Options options =
      SolverKeywords{states, tolerance, max_iterations, search}.options();
  const base::Backend backend = base::Backend::by_name(backend_name, 0, {});
  const base::Backend host = backend.host();
  const FunctionOperator matrix(rows, std::move(function), diagonal, backend, shares_blocks);
  ProgressObserver observer(std::move(callback));
  std::optional<solver::Checkpoint> begin;
  if (start)
    begin.emplace(solver::Checkpoint{start_of(*start, rows, host), base::Layout::whole(rows)});
  solver::Result result = [&] {
    const nb::gil_scoped_release others_may_run;
    if (rows > options.dense_limit)  // a dense solver checks all elements itself
      solver::require_symmetric({matrix, backend}, options);
    return solver::solve({matrix, backend}, options, &observer, begin ? &*begin : nullptr);
  }();
  observer.rethrow();
  States all = States::of(result, tolerance);
  if (shares_blocks) {
    all.shared_vectors = shared_vectors(std::move(result.vectors));
    return all;
  }
  all.vectors = make_array({extent(rows), all.energies.size()}, true);
  for (int j = 0; j < result.vectors.columns(); ++j)
    base::copy_bytes(backend, std::as_const(result.vectors).block().column(j), host,
                     all.vectors.data() + j * rows, rows * Index{sizeof(double)});
  return all;
}

}  // namespace

void bind_function_operator(nb::module_& module) {
  module.def(
      "eigsh", &eigsh, nb::arg("rows"), nb::arg("function"),
      nb::arg("diagonal").none() = nb::none(), nb::arg("states") = 1, nb::arg("tolerance") = 1e-8,
      nb::arg("max_iterations") = SolverKeywords{}.max_iterations, nb::arg("search") = "auto",
      nb::arg("start").none() = nb::none(), nb::arg("callback").none() = nb::none(),
      nb::arg("backend") = "openmp", nb::arg("shares_blocks") = false,
      "The lowest states of a symmetric operator, given as a function of blocks (rows, vectors).");
}

}  // namespace cisolve::python
