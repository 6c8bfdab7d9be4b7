#include "python/core/run.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "app/config/load.hpp"
#include "app/config/machine_rates.hpp"
#include "app/report/job_record.hpp"
#include "app/runs/result_files.hpp"
#include "job/run/run.hpp"
#include "python/core/integrals.hpp"
#include "python/core/solution.hpp"

namespace cisolve::python {

namespace nb = nanobind;

namespace {

/// Builds the record and passes iterations to a Python observer.
class Listener final : public job::Listener {
 public:
  Listener(const app::Configuration& configuration, ProgressObserver& observer,
           const StoppedState* start)
      : record_(configuration), observer_(observer), start_(start) {}

  void opened(const job::OpenProblem& problem) override { record_.opened(problem); }
  void chose_spin(const ci::CsfBasis& basis) override { record_.chose_spin(basis); }
  void described(const job::MatrixDescription& matrix) override { record_.described(matrix); }
  void built(const job::Outcome& found) override { record_.built(found); }
  void measured(const job::Outcome& found) override { record_.measured(found); }
  void solved(const job::Outcome& found) override { record_.solved(found); }
  void verified(const job::Outcome& found) override { record_.verified(found); }
  void perturbed(const job::Outcome& found) override { record_.perturbed(found); }
  solver::Observer* observer() override { return &observer_; }
  std::optional<solver::Checkpoint> start() override {
    return start_ == nullptr ? std::nullopt : std::optional(start_->copy());
  }

  std::string record(const job::Outcome& found) const {
    auto members = record_.members(found);
    const std::vector<std::string> warnings = warnings_of(found);
    members.emplace_back("warnings", app::Json::array({warnings.begin(), warnings.end()}));
    return app::record(std::move(members)).document();
  }

 private:
  app::JobRecord record_;
  ProgressObserver& observer_;
  const StoppedState* start_;
};

using Keywords = std::vector<std::pair<std::string, std::string>>;

// Keywords override the request, as the command line overrides a file.
std::vector<app::Override> overrides_of(const Keywords& keywords) {
  std::vector<app::Override> overrides;
  for (const auto& [key, value] : keywords) overrides.push_back({"a keyword", key, value, true});
  return overrides;
}

app::Configuration configuration_of_text(const std::string& text, const std::string& origin,
                                         const Keywords& keywords,
                                         const SharedIntegrals* integrals) {
  using Source = job::ProblemSource;
  const auto source = integrals != nullptr ? std::optional(Source::integrals) : std::nullopt;
  app::Configuration configuration =
      app::configuration_of_text(text, origin, source, overrides_of(keywords));
  if (integrals != nullptr) configuration.request.integrals = integrals->values;
  return configuration;
}

app::Configuration configuration_of_file(const std::string& path, const Keywords& keywords) {
  return app::load_configuration(path, overrides_of(keywords));
}

/// Bit strings as rows of 64-bit words, packed by NumPy.
using WordRows = nb::ndarray<const std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

ci::PackedStrings strings_in(const WordRows& rows) {
  return {static_cast<int>(rows.shape(1)), {rows.data(), rows.data() + rows.size()}};
}

void hold_determinants(app::Configuration& configuration, const WordRows& alpha,
                       const WordRows& beta) {
  configuration.request.space.determinants = std::make_shared<const ci::PackedDeterminants>(
      ci::PackedDeterminants{strings_in(alpha), strings_in(beta)});
}

void hold_strings(app::Configuration& configuration, const WordRows& alpha, const WordRows& beta) {
  configuration.request.space.alpha = std::make_shared<const ci::PackedStrings>(strings_in(alpha));
  configuration.request.space.beta = std::make_shared<const ci::PackedStrings>(strings_in(beta));
}

/// A matrix for each component, (components, n, n).
using Matrices = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

std::vector<base::SmallMatrix> matrices_in(const Matrices& given) {
  const auto rows = static_cast<int>(given.shape(1));
  const auto columns = static_cast<int>(given.shape(2));
  std::vector<base::SmallMatrix> matrices;
  const double* next = given.data();
  for (std::size_t c = 0; c < given.shape(0); ++c) {
    base::SmallMatrix& matrix = matrices.emplace_back(rows, columns);
    for (int p = 0; p < rows; ++p)
      for (int q = 0; q < columns; ++q) matrix(p, q) = *next++;
  }
  return matrices;
}

/// Operators that a request of Python gives.
struct GivenOperators {
  ci::OneElectronOperators all;

  void add(std::string name, std::vector<std::string> components, std::string unit,
           bool antisymmetric, std::vector<double> constants, const Matrices& alpha,
           const std::optional<Matrices>& beta, std::optional<std::array<double, 3>> origin,
           std::string origin_note, std::optional<double> core_charge) {
    all.push_back({.name = std::move(name),
                   .components = std::move(components),
                   .unit = std::move(unit),
                   .antisymmetric = antisymmetric,
                   .constants = std::move(constants),
                   .alpha = matrices_in(alpha),
                   .beta = beta ? matrices_in(*beta) : std::vector<base::SmallMatrix>(),
                   .origin = origin,
                   .origin_note = std::move(origin_note),
                   .core_charge = core_charge});
  }
};

void hold_operators(app::Configuration& configuration, const GivenOperators& given) {
  configuration.request.operators = std::make_shared<const ci::OneElectronOperators>(given.all);
}

std::unique_ptr<Solution> run(app::Configuration configuration, nb::object callback,
                              const StoppedState* start) {
  if (configuration.rates == app::Rates::automatic)
    configuration.request.machine_factors = app::machine_rates();
  auto solution = std::make_unique<Solution>();
  solution->configuration = std::move(configuration);
  solution->started = app::utc_time();
  ProgressObserver observer(std::move(callback));
  {
    const nb::gil_scoped_release others_may_run;
    Listener listener(solution->configuration, observer, start);
    solution->found = job::run(solution->configuration.request, listener);
    solution->record = listener.record(solution->found);
  }
  if (!observer.was_interrupted()) observer.rethrow();
  solution->state = observer.state();
  return solution;
}

}  // namespace

void bind_run(nb::module_& module) {
  nb::class_<GivenOperators>(module, "Operators", "One-electron operators over orbitals.")
      .def(nb::init<>())
      .def("add", &GivenOperators::add, nb::arg("name"), nb::arg("components"), nb::arg("unit"),
           nb::arg("antisymmetric"), nb::arg("constants"), nb::arg("alpha"), nb::arg("beta").none(),
           nb::arg("origin").none(), nb::arg("origin_note"), nb::arg("core_charge").none());
  nb::class_<app::Configuration>(module, "Configuration", "A request that was read and checked.")
      .def_prop_ro(
          "origin",
          [](const app::Configuration& configuration) { return configuration.request.origin; })
      .def("hold_determinants", &hold_determinants, nb::arg("alpha"), nb::arg("beta"),
           "Gives a space of the kind list its determinants; they are copied.")
      .def("hold_operators", &hold_operators, nb::arg("operators"),
           "Gives one-electron operators over the orbitals of the problem; they are copied.")
      .def("hold_strings", &hold_strings, nb::arg("alpha"), nb::arg("beta"),
           "Gives a space of the kind product its strings; they are copied.");
  module.def("configuration_of_text", &configuration_of_text, nb::arg("text"), nb::arg("origin"),
             nb::arg("keywords"), nb::arg("integrals").none() = nb::none(),
             "A request given as YAML, or with a problem in memory.");
  module.def("configuration_of_file", &configuration_of_file, nb::arg("path"), nb::arg("keywords"),
             "A request given as a file.");
  module.def("run", &run, nb::arg("configuration"), nb::arg("callback").none() = nb::none(),
             nb::arg("start").none() = nb::none(), "Solves, verifies and describes.");
}

}  // namespace cisolve::python
