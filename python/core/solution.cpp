#include "python/core/solution.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <filesystem>
#include <optional>

#include "app/json/json.hpp"
#include "app/plot/html_report.hpp"
#include "app/report/exit_code.hpp"
#include "app/report/outlook.hpp"
#include "app/report/states.hpp"
#include "app/runs/folder.hpp"
#include "app/runs/result_writer.hpp"
#include "base/error.hpp"
#include "python/core/arrays.hpp"

namespace cisolve::python {

namespace nb = nanobind;

namespace {

// All that the job had to say beside its numbers.
std::vector<std::string> warnings_of(const Solution& solution) {
  std::vector<std::string> texts;
  if (solution.found.molecule) texts = solution.found.molecule->warnings;
  for (const job::Fallback& step : solution.found.fallbacks)
    texts.push_back(
        base::concat(step.reason, "; went on with ", step.to, " instead of ", step.from));
  if (solution.found.result && !solution.found.result->note.empty())
    texts.push_back(solution.found.result->note);
  if (solution.found.result && solution.found.verification)
    for (std::string& doubt : app::doubts_of(*solution.found.result, *solution.found.verification))
      texts.push_back(std::move(doubt));
  return texts;
}

std::optional<View> vectors_of(nb::handle_t<Solution> self) {
  const auto& solution = nb::cast<const Solution&>(self);
  if (!solution.found.result) return std::nullopt;
  return view_of(std::as_const(solution.found.result->vectors).block(), self);
}

// A view of each state's density.
template <class Get>
nb::typed<nb::list, View> views(nb::handle_t<Solution> self, std::size_t leading, Get densities) {
  const auto& solution = nb::cast<const Solution&>(self);
  nb::typed<nb::list, View> all;
  if (!solution.found.analysis) return all;
  const std::size_t n = solution.found.analysis->kept.orbitals.size();
  for (const std::vector<double>& values : densities(solution.found.analysis->kept))
    all.append(leading == 2 ? view_of(values.data(), {2, n, n}, self)
                            : view_of(values.data(), {n, n, n, n}, self));
  return all;
}

// As the program leaves them.
void write_files(const Solution& solution, const std::string& name, bool overwrite) {
  if (!solution.found.verification)
    base::fail(base::Fault::usage, "there are no states; expected solver.states above 0");
  const std::filesystem::path folder = name;
  app::Configuration configuration = solution.configuration;
  configuration.output.directory = name;
  configuration.output.vectors = true;  // they are here, and to write them is what was asked for
  app::make_folder(folder);
  app::require_writable(folder / "run.json", overwrite);
  app::ResultWriter writer(configuration, overwrite);
  writer.finish(solution.found, solution.started);
  app::write_text_file(folder / "run.json", solution.record, overwrite);
}

}  // namespace

void bind_solution(nb::module_& module) {
  nb::class_<StoppedState>(
      module, "State",
      "What a solution had reached when it was stopped; of ci_solve.Interrupted, see there.")
      .def_prop_ro("energies", [](const StoppedState& state) { return state.checkpoint.energies; })
      .def_prop_ro("iterations",
                   [](const StoppedState& state) { return state.checkpoint.iterations; })
      .def_prop_ro("products", [](const StoppedState& state) { return state.checkpoint.products; })
      .def(
          "__reduce__",
          [](const StoppedState&) -> nb::tuple {
            throw nb::type_error(
                "the state of a solution cannot be pickled; a job of the program keeps it in "
                "files: "
                "ci-solve resume");
          },
          nb::sig("def __reduce__(self) -> str"));

  nb::class_<Solution>(module, "Solution", "All that a job found.")
      .def_ro("record", &Solution::record)
      .def_prop_ro(
          "state", [](const Solution& solution) { return solution.state; },
          nb::for_getter(nb::sig("def state(self) -> State | None")))
      .def_prop_ro("warnings", &warnings_of)
      .def_prop_ro(
          "advice",
          [](const Solution& solution) {
            return solution.found.result ? app::advice_on_tolerance(*solution.found.result)
                                         : std::string();
          },
          "What to ask for where arithmetic allows no more.")
      .def_prop_ro("exit_code",
                   [](const Solution& solution) {
                     return static_cast<int>(app::exit_code(solution.found.end));
                   })
      .def_prop_ro("vectors", &vectors_of, nb::rv_policy::automatic,
                   "An array (rows, states), a view; None where no states were asked for.")
      .def_prop_ro(
          "one_particle",
          [](nb::handle_t<Solution> self) {
            return views(
                self, 2, [](const auto& kept) -> auto& { return kept.one_particle; });
          },
          "Of each state an array (2, n, n), a view.")
      .def_prop_ro(
          "two_particle",
          [](nb::handle_t<Solution> self) {
            return views(
                self, 4, [](const auto& kept) -> auto& { return kept.two_particle; });
          },
          "Of each state an array (n, n, n, n), summed over spins, a view; where they were kept.")
      .def_prop_ro(
          "transition",
          [](nb::handle_t<Solution> self) {
            return views(
                self, 2, [](const auto& kept) -> auto& { return kept.transition; });
          },
          "From the first state to each other one an array (2, n, n), a view.")
      .def("write", &write_files, nb::arg("folder"), nb::arg("overwrite") = false,
           "results.h5 and run.json, as the program leaves them.");
  module.def(
      "html_report",
      [](const std::string& title, const std::string& record) {
        return app::html_report(title, app::parse_json(record, "the record"), {}, {});
      },
      nb::arg("title"), nb::arg("record"), "A page that needs no other file.");
}

}  // namespace cisolve::python
