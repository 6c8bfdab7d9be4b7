#include "python/core/orbitals.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/runs/orbital_files.hpp"
#include "base/error.hpp"
#include "python/core/arrays.hpp"
#include "python/core/solution.hpp"

namespace cisolve::python {

namespace nb = nanobind;

namespace {

/// Functions by orbitals.
using Columns = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

base::SmallMatrix matrix_of(const Columns& given) {
  base::SmallMatrix matrix(static_cast<int>(given.shape(0)), static_cast<int>(given.shape(1)));
  const double* next = given.data();
  for (int p = 0; p < matrix.rows(); ++p)
    for (int q = 0; q < matrix.columns(); ++q) matrix(p, q) = *next++;
  return matrix;
}

base::SmallMatrix matrix_if_any(const std::optional<Columns>& given) {
  return given ? matrix_of(*given) : base::SmallMatrix(0, 0);
}

/// Orbitals that a request of Python gives.
struct GivenOrbitals {
  ci::MolecularOrbitals all;

  explicit GivenOrbitals(bool is_spherical) { all.basis.is_spherical = is_spherical; }

  void add_nucleus(int atomic_number, double charge, std::array<double, 3> place) {
    all.basis.nuclei.push_back({.atomic_number = atomic_number, .charge = charge, .place = place});
  }
  void add_shell(int nucleus, int momentum, std::vector<double> exponents,
                 std::vector<double> coefficients) {
    all.basis.shells.push_back({.nucleus = nucleus,
                                .momentum = momentum,
                                .exponents = std::move(exponents),
                                .coefficients = std::move(coefficients)});
  }
  void set_orbitals(const std::optional<Columns>& overlap, const Columns& alpha,
                    const std::optional<Columns>& beta, const std::optional<Columns>& inactive,
                    const std::optional<Columns>& inactive_beta) {
    all.overlap = matrix_if_any(overlap);
    all.alpha = matrix_of(alpha);
    all.beta = matrix_if_any(beta);
    all.inactive = matrix_if_any(inactive);
    all.inactive_beta = matrix_if_any(inactive_beta);
  }
};

void hold_orbitals(app::Configuration& configuration, const GivenOrbitals& given) {
  configuration.request.molecular_orbitals =
      std::make_shared<const ci::MolecularOrbitals>(given.all);
}

/// The problem of a solution, with basis functions.
const job::DeterminantProblem& problem_in_basis(const Solution& solution) {
  if (!solution.found.determinant_problem ||
      !solution.found.determinant_problem->molecular_orbitals)
    base::fail(base::ErrorKind::usage,
               "the job knows no basis functions; expected orbitals=, problem.operators with a "
               "group /basis, or the keywords of ci_solve.pyscf.from_scf");
  return *solution.found.determinant_problem;
}

ci::OneParticleDensity density_of(const Solution& solution, base::Index state) {
  const auto& analysis = solution.found.analysis;
  if (!analysis || analysis->kept.one_particle.empty())
    base::fail(base::ErrorKind::usage, "the job has no density matrices; expected ",
               "analysis: {densities: one}");
  const auto states = std::ssize(analysis->kept.one_particle);
  if (state < 0 || state >= states)
    base::fail(base::ErrorKind::usage, "state ", state, "; expected 0 to ", states - 1);
  return job::kept_density(analysis->kept, extent(state));
}

/// An array rows by columns.
NewArray array_of(const base::SmallMatrix& matrix) {
  NewArray array = make_array({extent(matrix.rows()), extent(matrix.columns())});
  double* next = array.data();
  for (int p = 0; p < matrix.rows(); ++p)
    for (int q = 0; q < matrix.columns(); ++q) *next++ = matrix(p, q);
  return array;
}

NewArray array_of(const std::vector<double>& values) {
  NewArray array = make_array({values.size()});
  std::ranges::copy(values, array.data());
  return array;
}

nb::typed<nb::tuple, NewArray, NewArray> density_in_basis(const Solution& solution,
                                                          base::Index state) {
  const job::DeterminantProblem& problem = problem_in_basis(solution);
  const auto density = job::density_in_basis(problem, density_of(solution, state));
  return nb::make_tuple(array_of(density[0]), array_of(density[1]));
}

nb::typed<nb::tuple, NewArray, NewArray> natural_orbitals_in_basis(const Solution& solution,
                                                                   base::Index state) {
  const job::DeterminantProblem& problem = problem_in_basis(solution);
  const auto found = job::natural_orbitals(problem, density_of(solution, state));
  return nb::make_tuple(array_of(found.weights), array_of(found.coefficients));
}

nb::typed<nb::tuple, NewArray, NewArray, NewArray, NewArray> populations_of(
    const Solution& solution, base::Index state) {
  const job::DeterminantProblem& problem = problem_in_basis(solution);
  const job::Populations found = job::PopulationAnalysis(problem).of(density_of(solution, state));
  return nb::make_tuple(array_of(found.mulliken.charges), array_of(found.mulliken.spins),
                        array_of(found.loewdin.charges), array_of(found.loewdin.spins));
}

void write_molden(const Solution& solution, const std::string& path,
                  std::optional<base::Index> state, bool overwrite) {
  static_cast<void>(problem_in_basis(solution));
  if (!state) return app::write_problem_orbitals(path, solution.found, overwrite);
  static_cast<void>(density_of(solution, *state));  // refuses a state that there is not
  app::write_natural_orbitals(path, solution.found, extent(*state), overwrite);
}

void write_cube(const Solution& solution, const std::string& path, const std::string& contents,
                base::Index state, double spacing, double margin, bool overwrite) {
  const job::DeterminantProblem& problem = problem_in_basis(solution);
  const auto known = app::cube_contents(contents);
  if (!known)
    base::fail(base::ErrorKind::usage, "the cube file of '", contents.substr(0, 64),
               "'; expected density, spin_density, natural_N, orbital_N or beta_orbital_N");
  if (!(spacing >= 0.01 && spacing <= 10 && margin >= 0 && margin <= 100))
    base::fail(base::ErrorKind::usage, "spacing ", spacing, " and margin ", margin,
               "; expected 0.01 to 10 and 0 to 100 bohr");
  app::require_cube_orbital(contents, *known, problem);
  if (known->is_of_states()) static_cast<void>(density_of(solution, state));
  const io::CubeGrid grid = io::grid_around(problem.molecular_orbitals->basis, spacing, margin);
  io::require_sensible(grid, "spacing and margin");
  const nb::gil_scoped_release others_may_run;
  app::write_cube_file(path, solution.found, *known, extent(state), grid, overwrite);
}

}  // namespace

void bind_orbitals(nb::module_& module) {
  nb::class_<GivenOrbitals>(module, "Orbitals", "Orbitals over Gaussian basis functions.")
      .def(nb::init<bool>(), nb::arg("is_spherical"))
      .def("add_nucleus", &GivenOrbitals::add_nucleus, nb::arg("atomic_number"), nb::arg("charge"),
           nb::arg("place"))
      .def("add_shell", &GivenOrbitals::add_shell, nb::arg("nucleus"), nb::arg("momentum"),
           nb::arg("exponents"), nb::arg("coefficients"))
      .def("set_orbitals", &GivenOrbitals::set_orbitals, nb::arg("overlap").none(),
           nb::arg("alpha"), nb::arg("beta").none(), nb::arg("inactive").none(),
           nb::arg("inactive_beta").none());
  module.def("hold_orbitals", &hold_orbitals, nb::arg("configuration"), nb::arg("orbitals"),
             "Gives a request the orbitals of its problem; they are copied.");
  module.def("density_in_basis", &density_in_basis, nb::arg("solution"), nb::arg("state"),
             "Density matrices of alpha and of beta electrons, (functions, functions) each.");
  module.def("natural_orbitals_in_basis", &natural_orbitals_in_basis, nb::arg("solution"),
             nb::arg("state"), "Occupations and orbitals, (functions, orbitals).");
  module.def("populations", &populations_of, nb::arg("solution"), nb::arg("state"),
             "Mulliken charges and spins, Loewdin charges and spins of the atoms.");
  module.def("write_molden", &write_molden, nb::arg("solution"), nb::arg("path"),
             nb::arg("state").none(), nb::arg("overwrite"),
             "The orbitals of the problem, or the natural orbitals of a state.");
  module.def("write_cube", &write_cube, nb::arg("solution"), nb::arg("path"), nb::arg("contents"),
             nb::arg("state"), nb::arg("spacing"), nb::arg("margin"), nb::arg("overwrite"),
             "A cube file, as output.cube names its contents.");
}

}  // namespace cisolve::python
