#include "python/core/solution.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "app/json/json.hpp"
#include "app/plot/html_report.hpp"
#include "app/report/exit_code.hpp"
#include "app/report/residual_trend.hpp"
#include "app/report/states.hpp"
#include "app/runs/folder.hpp"
#include "app/runs/natural_integrals.hpp"
#include "app/runs/result_writer.hpp"
#include "base/error.hpp"
#include "ci/properties/density.hpp"
#include "python/core/arrays.hpp"

namespace cisolve::python {

namespace nb = nanobind;

std::vector<std::string> warnings_of(const job::Outcome& found) {
  std::vector<std::string> texts;
  if (found.determinant_problem) texts = found.determinant_problem->warnings;
  for (const job::Fallback& step : found.fallbacks)
    texts.push_back(base::concat(step.reason, "; using ", step.to, " instead of ", step.from));
  if (found.result && !found.result->note.empty()) texts.push_back(found.result->note);
  if (found.result && found.verification)
    for (std::string& doubt : app::doubts_of(*found.result, *found.verification))
      texts.push_back(std::move(doubt));
  return texts;
}

namespace {

std::optional<ArrayView> vectors_of(nb::handle_t<Solution> self) {
  const auto& solution = nb::cast<const Solution&>(self);
  if (!solution.found.result) return std::nullopt;
  return view_of(std::as_const(solution.found.result->vectors).block(), self);
}

using Extents = std::vector<std::size_t>;
Extents one_each(std::size_t n) { return {n}; }
Extents square(std::size_t n) { return {n, n}; }
Extents two_squares(std::size_t n) { return {2, n, n}; }
Extents four_indices(std::size_t n) { return {n, n, n, n}; }

// One view per state of densities over n orbitals, in an array of the given extents.
template <class Get>
nb::typed<nb::list, ArrayView> views(nb::handle_t<Solution> self, Extents (*extents)(std::size_t),
                                     Get densities) {
  const auto& solution = nb::cast<const Solution&>(self);
  nb::typed<nb::list, ArrayView> all;
  if (!solution.found.analysis) return all;
  const Extents shape = extents(solution.found.analysis->kept.orbitals.size());
  for (const std::vector<double>& values : densities(solution.found.analysis->kept))
    all.append(ArrayView(values.data(), shape.size(), shape.data(), self));
  return all;
}

using Wholes = nb::ndarray<nb::numpy, base::Index>;

// An array of `count` x `words` numbers, filled by `fill`.
template <class Number, class Fill>
nb::ndarray<nb::numpy, Number> filled_array(std::size_t count, std::size_t words,
                                            const Fill& fill) {
  auto values = std::make_unique_for_overwrite<Number[]>(count * words);
  fill(values.get());
  Number* data = values.release();
  const nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<Number*>(p); });
  return {data, {count, words}, owner};
}

// The molecule whose determinants are the rows of the vectors, or null.
const job::DeterminantProblem* determinant_problem_of(const Solution& solution) {
  const job::Outcome& found = solution.found;
  if (!found.determinant_problem || !found.result) return nullptr;
  const bool fits = found.result->vectors.rows() == found.determinant_problem->space.dimension();
  return fits ? found.determinant_problem.get() : nullptr;
}

// The strings of one spin over all orbitals, frozen ones included: one per string if each alpha
// string occurs with all beta strings, else one per determinant.
nb::ndarray<nb::numpy, base::Index> strings_of(const job::DeterminantProblem& molecule,
                                               ci::Spin spin) {
  const ci::Space& space = molecule.space;
  const auto words = static_cast<std::size_t>(ci::words_of_orbitals(molecule.orbitals));
  std::vector<base::Index> of_strings;
  for (const ci::String& string : space.strings(spin)) {
    const ci::String whole = ci::whole_string(molecule.window, string).string;
    for (std::size_t w = 0; w < words; ++w)
      of_strings.push_back(static_cast<base::Index>(whole.words()[w]));
  }
  const bool is_product = space.lists() == 1;
  const std::size_t count = is_product ? of_strings.size() / words : extent(space.dimension());
  return filled_array<base::Index>(count, words, [&](base::Index* to) {
    if (is_product) {
      std::ranges::copy(of_strings, to);
      return;
    }
    for (base::Index a = 0; a < std::ssize(space.strings(ci::Spin::alpha)); ++a)
      for (const ci::StringNumber b : space.betas_of(a)) {
        const auto string = extent(spin == ci::Spin::alpha ? a : base::Index{b});
        to = std::copy_n(of_strings.begin() + static_cast<std::ptrdiff_t>(string * words), words,
                         to);
      }
  });
}

std::optional<nb::typed<nb::tuple, Wholes, Wholes>> determinants_of(const Solution& solution) {
  const job::DeterminantProblem* molecule = determinant_problem_of(solution);
  if (molecule == nullptr) return std::nullopt;
  return nb::make_tuple(strings_of(*molecule, ci::Spin::alpha),
                        strings_of(*molecule, ci::Spin::beta));
}

// Sign of each determinant between the window's order of creators, which the vectors have, and the
// ascending order of all orbitals; None if the two are the same.
std::optional<nb::ndarray<nb::numpy, double>> signs_of(const Solution& solution) {
  const job::DeterminantProblem* molecule = determinant_problem_of(solution);
  if (molecule == nullptr) return std::nullopt;
  const ci::Space& space = molecule->space;
  std::array<std::vector<bool>, 2> odd;
  bool any = false;
  for (const ci::Spin spin : {ci::Spin::alpha, ci::Spin::beta})
    for (const ci::String& string : space.strings(spin)) {
      odd[static_cast<std::size_t>(spin)].push_back(ci::whole_string(molecule->window, string).odd);
      any |= odd[static_cast<std::size_t>(spin)].back();
    }
  if (!any) return std::nullopt;
  return filled_array<double>(extent(space.dimension()), 1, [&](double* to) {
    for (base::Index a = 0; a < std::ssize(space.strings(ci::Spin::alpha)); ++a)
      for (const ci::StringNumber b : space.betas_of(a))
        *to++ = odd[0][extent(a)] != odd[1][extent(b)] ? -1 : 1;
  });
}

NewArray transition_between(const Solution& solution, base::Index bra, base::Index ket) {
  const auto& [found, molecule] =
      std::tie(solution.found.result, solution.found.determinant_problem);
  if (!found || !molecule)
    base::fail(base::ErrorKind::usage,
               "the job has no states over determinants; expected a job that has");
  const base::ConstBlock vectors = std::as_const(found->vectors).block();
  for (const base::Index state : {bra, ket})
    if (state < 0 || state >= vectors.columns)
      base::fail(base::ErrorKind::usage, "state ", state, "; expected 0 to ", vectors.columns - 1);
  const int n = molecule->space.orbitals();
  NewArray density = make_array({2, extent(n), extent(n)});
  const nb::gil_scoped_release others_may_run;
  const auto sums = ci::transition_density(molecule->space, vectors.column(static_cast<int>(bra)),
                                           vectors.column(static_cast<int>(ket)));
  double* next = density.data();
  for (const ci::Spin spin : {ci::Spin::alpha, ci::Spin::beta})
    for (int p = 0; p < n; ++p)
      for (int q = 0; q < n; ++q) *next++ = sums(spin, p, q);
  return density;
}

// Writes the files that the program would write.
void write_files(const Solution& solution, const std::string& name, bool overwrite) {
  if (!solution.found.verification)
    base::fail(base::ErrorKind::usage, "the job has no states; expected solver.states above 0");
  const std::filesystem::path folder = name;
  app::Configuration configuration = solution.configuration;
  configuration.output.directory = name;
  configuration.output.vectors = true;  // explicitly requested
  app::make_folder(folder);
  app::require_writable(folder / "run.json", overwrite);
  app::ResultWriter writer(configuration, overwrite);
  writer.finish(solution.found, solution.started);
  app::write_text_file(folder / "run.json", solution.record, overwrite);
}

// Writes the integrals over natural orbitals; `state` from 0, or None for the mean density.
void write_natural(const Solution& solution, const std::string& fcidump,
                   const std::string& operators, std::optional<base::Index> state, bool overwrite) {
  const nb::gil_scoped_release others_may_run;
  const std::string why_not = app::write_over_natural_orbitals(
      solution.found,
      state ? std::optional<std::size_t>(static_cast<std::size_t>(*state)) : std::nullopt,
      {fcidump, operators}, overwrite);
  if (!why_not.empty()) base::fail(base::ErrorKind::usage, fcidump, " was not written: ", why_not);
}

// Binds the state of a solution at the time it was stopped.
void bind_stopped_state(nb::module_& module) {
  nb::class_<StoppedState>(module, "State",
                           "The state of an interrupted solution; see ci_solve.Interrupted.")
      .def_prop_ro("energies", [](const StoppedState& state) { return state.checkpoint.energies; })
      .def_prop_ro("iterations",
                   [](const StoppedState& state) { return state.checkpoint.iterations; })
      .def_prop_ro("products", [](const StoppedState& state) { return state.checkpoint.products; })
      .def(
          "__reduce__",
          [](const StoppedState&) -> nb::tuple {
            throw nb::type_error(
                "the state of a solution cannot be pickled; to continue in another process, run "
                "the "
                "program: it writes checkpoints for "
                "ci-solve resume");
          },
          nb::sig("def __reduce__(self) -> str"));
}

// Densities and natural orbitals, as views of what the job holds.
void bind_densities(nb::class_<Solution>& bound) {
  bound
      .def_prop_ro(
          "one_particle",
          [](nb::handle_t<Solution> self) {
            return views(
                self, two_squares, [](const auto& kept) -> auto& { return kept.one_particle; });
          },
          "For each state an array (2, n, n), a view.")
      .def_prop_ro(
          "two_particle",
          [](nb::handle_t<Solution> self) {
            return views(
                self, four_indices, [](const auto& kept) -> auto& { return kept.two_particle; });
          },
          "For each state an array (n, n, n, n), summed over spins, a view; only if they were "
          "kept.")
      .def_prop_ro(
          "transition",
          [](nb::handle_t<Solution> self) {
            return views(
                self, two_squares, [](const auto& kept) -> auto& { return kept.transition; });
          },
          "For each state after the first an array (2, n, n), from the first state to it, a view.")
      .def_prop_ro(
          "natural_orbitals",
          [](nb::handle_t<Solution> self) {
            return views(
                self, square, [](const auto& kept) -> auto& { return kept.natural_orbitals; });
          },
          "For each state an array (n, n), a row for each orbital, a view.")
      .def_prop_ro(
          "natural_occupations",
          [](nb::handle_t<Solution> self) {
            return views(
                self, one_each, [](const auto& kept) -> auto& { return kept.natural_occupations; });
          },
          "For each state an array (n), in descending order, a view.");
}

// One view per state of the entropies of orbitals.
template <class Get>
nb::typed<nb::list, ArrayView> entropy_views(nb::handle_t<Solution> self,
                                             Extents (*extents)(std::size_t), Get values_of) {
  const auto& solution = nb::cast<const Solution&>(self);
  nb::typed<nb::list, ArrayView> all;
  if (!solution.found.analysis || !solution.found.analysis->entropies) return all;
  const io::StoredEntropies& entropies = *solution.found.analysis->entropies;
  const Extents shape = extents(entropies.orbitals.size());
  for (const std::vector<double>& values : values_of(entropies))
    all.append(ArrayView(values.data(), shape.size(), shape.data(), self));
  return all;
}

// Binds entropies of orbitals, as views of what the job holds.
void bind_entropies(nb::class_<Solution>& bound) {
  bound
      .def_prop_ro(
          "entropies",
          [](nb::handle_t<Solution> self) {
            return entropy_views(
                self, one_each, [](const auto& found) -> auto& { return found.single; });
          },
          "Of each state an array (n), a view; where they were asked for.")
      .def_prop_ro(
          "mutual_information",
          [](nb::handle_t<Solution> self) {
            return entropy_views(
                self, square, [](const auto& found) -> auto& { return found.mutual; });
          },
          "Of each state an array (n, n), a view; where they were asked for.");
}

// One view per transition or level of natural transition orbitals or their weights.
nb::typed<nb::list, ArrayView> pair_views(
    nb::handle_t<Solution> self, Extents (*extents)(std::size_t),
    std::vector<std::vector<double>> io::StoredTransitionOrbitals::*member) {
  const auto& solution = nb::cast<const Solution&>(self);
  nb::typed<nb::list, ArrayView> all;
  if (!solution.found.analysis || !solution.found.analysis->transition_orbitals) return all;
  const io::StoredTransitionOrbitals& stored = *solution.found.analysis->transition_orbitals;
  const Extents shape = extents(stored.orbitals.size());
  for (const std::vector<double>& values : stored.*member)
    all.append(ArrayView(values.data(), shape.size(), shape.data(), self));
  return all;
}

Extents two_rows(std::size_t n) { return {2, n}; }

// Binds natural transition orbitals, as views of what the job holds.
void bind_transition_orbitals(nb::class_<Solution>& bound) {
  using Stored = io::StoredTransitionOrbitals;
  const auto bind = [&](const char* name, Extents (*shape)(std::size_t), auto member,
                        const char* help) {
    bound.def_prop_ro(
        name,
        [shape, member](nb::handle_t<Solution> self) { return pair_views(self, shape, member); },
        help);
  };
  bind("transition_weights", two_rows, &Stored::weights,
       "For each state after the first an array (2, n), a view; where they were asked for.");
  bind("transition_holes", two_squares, &Stored::holes,
       "For each state after the first an array (2, n, n), a row for each orbital, a view.");
  bind("transition_particles", two_squares, &Stored::particles,
       "For each state after the first an array (2, n, n), a row for each orbital, a view.");
  bind("level_hole_weights", two_rows, &Stored::level_hole_weights,
       "For each level after the first an array (2, n), a view.");
  bind("level_particle_weights", two_rows, &Stored::level_particle_weights,
       "For each level after the first an array (2, n), a view.");
  bind("level_holes", two_squares, &Stored::level_holes,
       "For each level after the first an array (2, n, n), a row for each orbital, a view.");
  bind("level_particles", two_squares, &Stored::level_particles,
       "For each level after the first an array (2, n, n), a row for each orbital, a view.");
  bound.def_prop_ro(
      "levels",
      [](const Solution& solution) {
        std::vector<std::tuple<base::Index, base::Index>> all;
        if (solution.found.analysis && solution.found.analysis->transition_orbitals) {
          const Stored& stored = *solution.found.analysis->transition_orbitals;
          for (std::size_t k = 0; k < stored.level_first.size(); ++k)
            all.emplace_back(stored.level_first[k], stored.level_states[k]);
        }
        return all;
      },
      "First state, from 1, and number of states of each level with transition orbitals.");
}

// Binds Dyson orbitals: of each state, over the states of the other job.
void bind_dyson(nb::class_<Solution>& bound) {
  bound
      .def_prop_ro(
          "dyson_orbitals",
          [](const Solution& solution) {
            nb::list all;
            if (!solution.found.analysis || !solution.found.analysis->dyson) return all;
            const io::StoredDyson& dyson = *solution.found.analysis->dyson;
            const std::size_t others = dyson.other_energies.size();
            for (std::size_t first = 0; first < dyson.orbitals.size(); first += others)
              all.append(
                  filled_array<double>(others, dyson.orbitals.front().size(), [&](double* to) {
                    for (std::size_t j = 0; j < others; ++j)
                      to = std::ranges::copy(dyson.orbitals[first + j], to).out;
                  }));
            return all;
          },
          nb::for_getter(
              nb::sig("def dyson_orbitals(self) -> list[numpy.typing.NDArray[numpy.float64]]")),
          "For each state an array (other states, orbitals of the problem).")
      .def_prop_ro(
          "dyson_energies",
          [](const Solution& solution) {
            return solution.found.analysis && solution.found.analysis->dyson
                       ? solution.found.analysis->dyson->energies
                       : std::vector<double>();
          },
          "E(fewer electrons) - E(more) of each pair of states, state by state.");
}

}  // namespace

void bind_solution(nb::module_& module) {
  bind_stopped_state(module);

  nb::class_<Solution> bound(module, "Solution", "The results of a job.");
  bind_densities(bound);
  bind_entropies(bound);
  bind_transition_orbitals(bound);
  bind_dyson(bound);
  bound.def_ro("record", &Solution::record)
      .def_prop_ro(
          "state", [](const Solution& solution) { return solution.state; },
          nb::for_getter(nb::sig("def state(self) -> State | None")))
      .def_prop_ro("warnings", [](const Solution& solution) { return warnings_of(solution.found); })
      .def_prop_ro(
          "advice",
          [](const Solution& solution) {
            return solution.found.result ? app::advice_on_tolerance(*solution.found.result)
                                         : std::string();
          },
          "Advice if rounding errors limit the residuals.")
      .def_prop_ro("exit_code",
                   [](const Solution& solution) {
                     return static_cast<int>(app::exit_code(solution.found.end));
                   })
      .def_prop_ro("vectors", &vectors_of, nb::rv_policy::automatic,
                   "An array (rows, states), a view; None if no states were requested.")
      .def_prop_ro(
          "determinants", &determinants_of,
          "Alpha and beta bit strings over all orbitals, bit 0 for orbital 1: a row of 64-bit "
          "words for each string of a product space, else for each row of the vectors; "
          "None without determinants.")
      .def_prop_ro("signs", &signs_of, nb::rv_policy::automatic,
                   "Factors that convert each row of the vectors to the signs of determinants "
                   "whose creators "
                   "ascend over all orbitals; None if all are 1.")
      .def("transition_density", &transition_between, nb::arg("bra"), nb::arg("ket"),
           "<bra|a+_p a_q|ket> over the active orbitals, an array (2, n, n); states from 0.")
      .def("write", &write_files, nb::arg("folder"), nb::arg("overwrite") = false,
           "Writes results.h5 and run.json as the program does.");
  bound.def("write_natural", &write_natural, nb::arg("fcidump"), nb::arg("operators"),
            nb::arg("state").none(), nb::arg("overwrite") = false,
            "Writes the integrals over natural orbitals, and the operators beside them.");
  module.def(
      "html_report",
      [](const std::string& title, const std::string& record) {
        return app::html_report(title, app::parse_json(record, "the record"), {}, {});
      },
      nb::arg("title"), nb::arg("record"), "A self-contained HTML page.");
}

}  // namespace cisolve::python
