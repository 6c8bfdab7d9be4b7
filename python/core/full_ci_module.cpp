#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "base/error.hpp"
#include "python/core/arrays.hpp"
#include "python/core/full_ci.hpp"
#include "python/core/observer.hpp"
#include "python/core/states.hpp"

namespace cisolve::python {

namespace nb = nanobind;

namespace {

int vectors_in(const FullCI& self, const Numbers& x) {
  const auto size = static_cast<std::size_t>(self.size());
  if (x.size() == 0 || x.size() % size != 0)
    base::fail(base::ErrorKind::usage, "the vectors have ", x.size(),
               " numbers together; expected ", self.alphas(), " x ", self.betas(),
               " numbers per vector, one per determinant");
  return static_cast<int>(x.size() / size);
}

NewArray contract(FullCI& self, const Numbers& x) {
  const int vectors = vectors_in(self, x);
  const std::size_t alphas = extent(self.alphas());
  const std::size_t betas = extent(self.betas());
  NewArray y =
      x.ndim() == 3 ? make_array({extent(vectors), alphas, betas}) : make_array({alphas, betas});
  if (vectors != 1 && x.ndim() != 3)
    base::fail(base::ErrorKind::usage, vectors,
               " vectors are not stacked; expected an array of shape (vectors, ", self.alphas(),
               ", ", self.betas(), ")");
  const nb::gil_scoped_release others_may_run;
  self.contract(x.data(), y.data(), vectors);
  return y;
}

NewArray diagonal(FullCI& self) {
  NewArray d = make_array({extent(self.alphas()), extent(self.betas())});
  self.diagonal(d.data());
  return d;
}

States solve(FullCI& self, int states, double tolerance, std::optional<double> spin,
             const std::optional<Numbers>& start, int max_iterations, const std::string& search,
             int subspace, Index dense, int model, bool even_spins, nb::object callback) {
  const solver::Options options =
      SolverKeywords{states, tolerance, max_iterations, search, subspace, dense, model}.options();
  const int starts = start ? vectors_in(self, *start) : 0;
  ProgressObserver observer(std::move(callback));
  FullCI::Found found = [&] {
    const nb::gil_scoped_release others_may_run;
    return self.solve(options, {spin, even_spins}, start ? start->data() : nullptr, starts,
                      &observer);
  }();
  observer.rethrow();
  States all = States::of(found.result, tolerance);
  all.s2 = std::move(found.s2);
  all.vectors = make_array({all.energies.size(), extent(self.alphas()), extent(self.betas())});
  self.scatter(found.result.vectors.block(), all.vectors.data());
  return all;
}

}  // namespace

void bind_full_ci(nb::module_& module) {
  nb::class_<FullCI>(
      module, "FullCI",
      "Full CI over given integrals, in all irreps or in one, numbered from 1.\n\n"
      "Vectors are arrays (alpha strings, beta strings), row by row, strings ascending as numbers. "
      "With an irrep, elements of determinants of other irreps are 0.")
      .def(
          "__init__",
          [](FullCI* self, const SharedIntegrals& integrals, std::optional<Index> irrep,
             const std::string& backend, int threads, Index memory) {
            new (self) FullCI(integrals, irrep, {backend, threads, memory});
          },
          nb::arg("integrals"), nb::arg("irrep").none() = nb::none(), nb::arg("backend") = "auto",
          nb::arg("threads") = 0, nb::arg("memory") = 0)
      .def_prop_ro("shape",
                   [](const FullCI& self) { return shape_of(self.alphas(), self.betas()); })
      .def_prop_ro("dimension", &FullCI::dimension,
                   "Number of determinants of the irrep, or of all.")
      .def_prop_ro(
          "backend", [](const FullCI& self) { return std::string(self.backend().name()); },
          "The backend that multiplies; changes to the host if device memory does not suffice.")
      .def("contract", &contract, nb::arg("ci"),
           "H ci, core energy included, of one vector or of an array (vectors, alphas, betas).")
      .def("diagonal", &diagonal, "Diagonal elements <i|H|i>; 0 for determinants of other irreps.")
      .def("solve", &solve, nb::arg("states") = 1, nb::arg("tolerance") = 1e-8,
           nb::arg("spin").none() = nb::none(), nb::arg("start").none() = nb::none(),
           nb::arg("max_iterations") = SolverKeywords{}.max_iterations, nb::arg("search") = "auto",
           nb::arg("subspace") = 0, nb::arg("dense") = SolverKeywords{}.dense_limit,
           nb::arg("model") = SolverKeywords{}.model_size, nb::arg("even_spins") = false,
           nb::arg("callback").none() = nb::none(),
           "The lowest states.\n\n"
           "tolerance: largest residual norm of a converged state.\n"
           "spin: total spin S of all states; None: any.\n"
           "start: start vectors, shaped like those of contract(); a dense solution uses none.\n"
           "max_iterations: largest number of iterations.\n"
           "search: 'auto', 'none' or 'full', the search for missed states.\n"
           "subspace: most vectors of the search space; 0: chosen by the solver.\n"
           "dense: largest number of determinants for a dense solution.\n"
           "model: number of rows with the lowest diagonal elements whose block of H gives start "
           "vectors and a preconditioner; -1: chosen by the solver.\n"
           "even_spins: only states of S = 0, 2, 4 and so on.\n"
           "callback: called after each iteration with its numbers; False stops the solution.");
}

}  // namespace cisolve::python
