#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "base/error.hpp"
#include "python/core/arrays.hpp"
#include "python/core/full_ci.hpp"
#include "python/core/observer.hpp"

namespace cisolve::python {

namespace nb = nanobind;

namespace {

// What a solution of full CI gives to Python.
struct FullCIStates {
  std::vector<double> energies = {};
  std::vector<double> residuals = {};
  std::vector<bool> converged = {};
  std::vector<double> s2 = {};
  Fresh vectors;
  int iterations = 0;
  Index products = 0;
};

std::size_t extent(Index size) { return static_cast<std::size_t>(size); }

int vectors_in(const FullCI& self, const Numbers& x) {
  const auto size = static_cast<std::size_t>(self.size());
  if (x.size() == 0 || x.size() % size != 0)
    base::fail(base::Fault::usage, "vectors of ", x.size(), " numbers together; expected ",
               self.alphas(), " x ", self.betas(), " for each, one for each determinant");
  return static_cast<int>(x.size() / size);
}

Fresh contract(FullCI& self, const Numbers& x) {
  const int vectors = vectors_in(self, x);
  const std::size_t alphas = extent(self.alphas());
  const std::size_t betas = extent(self.betas());
  Fresh y =
      x.ndim() == 3 ? make_array({extent(vectors), alphas, betas}) : make_array({alphas, betas});
  if (vectors != 1 && x.ndim() != 3)
    base::fail(base::Fault::usage, vectors, " vectors side by side; expected an array (vectors, ",
               self.alphas(), ", ", self.betas(), ")");
  const nb::gil_scoped_release others_may_run;
  self.contract(x.data(), y.data(), vectors);
  return y;
}

Fresh diagonal(FullCI& self) {
  Fresh d = make_array({extent(self.alphas()), extent(self.betas())});
  self.diagonal(d.data());
  return d;
}

solver::Options options_of(int states, double tolerance, int max_iterations,
                           const std::string& search, int subspace) {
  solver::Options options;
  options.states = states;
  options.tolerance = tolerance;
  options.max_iterations = max_iterations;
  options.max_subspace = subspace;
  if (search == "none")
    options.search = solver::SearchEffort::none;
  else if (search == "full")
    options.search = solver::SearchEffort::full;
  else if (search != "auto")
    base::fail(base::Fault::usage, "search is '", search, "'; expected auto, none or full");
  if (states < 1) base::fail(base::Fault::usage, states, " states; expected at least one");
  if (!(tolerance > 0)) base::fail(base::Fault::usage, "the tolerance must be above 0");
  return options;
}

FullCIStates solve(FullCI& self, int states, double tolerance, std::optional<double> spin,
                   const std::optional<Numbers>& start, int max_iterations,
                   const std::string& search, int subspace, nb::object tell) {
  const solver::Options options = options_of(states, tolerance, max_iterations, search, subspace);
  const int starts = start ? vectors_in(self, *start) : 0;
  Observer observer(std::move(tell));
  FullCI::Found found = [&] {
    const nb::gil_scoped_release others_may_run;
    return self.solve(options, spin, start ? start->data() : nullptr, starts, &observer);
  }();
  observer.rethrow();
  const solver::Result& result = found.result;
  FullCIStates all{
      .s2 = std::move(found.s2),
      .vectors = make_array({result.states.size(), extent(self.alphas()), extent(self.betas())}),
      .iterations = result.iterations,
      .products = result.products};
  self.scatter(result.vectors.block(), all.vectors.data());
  for (const solver::State& state : result.states) {
    all.energies.push_back(state.energy);
    all.residuals.push_back(state.residual);
    all.converged.push_back(state.status == solver::Status::converged);
  }
  return all;
}

}  // namespace

void bind_full_ci(nb::module_& module) {
  nb::class_<FullCIStates>(module, "FullCIStates", "The lowest states of a problem of full CI.")
      .def_ro("energies", &FullCIStates::energies)
      .def_ro("residuals", &FullCIStates::residuals)
      .def_ro("converged", &FullCIStates::converged)
      .def_ro("s2", &FullCIStates::s2, "<S^2>; empty where the integrals do not tell it.")
      .def_prop_ro(
          "vectors", [](const FullCIStates& all) { return all.vectors; }, nb::rv_policy::automatic,
          "An array (states, alphas, betas).")
      .def_ro("iterations", &FullCIStates::iterations)
      .def_ro("products", &FullCIStates::products);

  nb::class_<FullCI>(
      module, "FullCI",
      "Full CI over given integrals, of all irreps or one (from 1).\n\n"
      "Vectors are arrays (alpha strings, beta strings), row by row, strings ascending as numbers; "
      "with an irrep, those of others are zero.")
      .def(
          "__init__",
          [](FullCI* self, const Integrals& integrals, std::optional<Index> irrep,
             const std::string& backend, int threads, Index memory) {
            new (self) FullCI(integrals, irrep, {backend, threads, memory});
          },
          nb::arg("integrals"), nb::arg("irrep").none() = nb::none(), nb::arg("backend") = "auto",
          nb::arg("threads") = 0, nb::arg("memory") = 0)
      .def_prop_ro("shape",
                   [](const FullCI& self) { return nb::make_tuple(self.alphas(), self.betas()); })
      .def_prop_ro("dimension", &FullCI::dimension, "Determinants of the irrep.")
      .def("contract", &contract, nb::arg("ci"),
           "H ci, core energy included, of one vector or of an array (vectors, alphas, betas).")
      .def("diagonal", &diagonal, "Elements <i|H|i>; 0 of other irreps.")
      .def("solve", &solve, nb::arg("states") = 1, nb::arg("tolerance") = 1e-8,
           nb::arg("spin").none() = nb::none(), nb::arg("start").none() = nb::none(),
           nb::arg("max_iterations") = 200, nb::arg("search") = "auto", nb::arg("subspace") = 0,
           nb::arg("tell").none() = nb::none(),
           "The lowest states, of total spin S where `spin` is given; `tolerance` is that of "
           "residuals, `start` vectors to begin with.");
}

}  // namespace cisolve::python
