#include "app/commands/common.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "app/commands/problem_file.hpp"
#include "app/config/machine_rates.hpp"
#include "app/config/schema.hpp"
#include "app/report/progress_bar.hpp"
#include "app/report/shell_word.hpp"

namespace cisolve::app {

namespace {

// A job without a configuration writes its results to the folder that `init` would choose.
Configuration job_of_problem(const Invocation& call, std::ostream& out) {
  GeneratedConfiguration generated = configuration_for_file(call);
  Configuration& configuration = generated.configuration;
  if (!configuration.given.contains("output.directory"))
    configuration.output.directory =
        (std::filesystem::path("out") / std::filesystem::path(call.input).stem()).string();
  out << generated.about
      << "\nNo configuration was given; these values and the defaults apply. All keys: ci-solve "
      << "init " << shell_word(call.input) << '\n';
  const std::vector<std::string> shown = shown_keys(configuration);
  for (const Key& key : schema()) {
    const Value value = key.get(configuration);
    if (value != key.get(Configuration{}) || std::ranges::find(shown, key.path) != shown.end())
      out << "  " << key.path << ": " << written(key.type, value) << '\n';
  }
  out << '\n';
  return std::move(configuration);
}

}  // namespace

Configuration matrix_job(const Invocation& call) {
  if (is_named_as_configuration(call.input)) return load_configuration(call.input, call.overrides);
  if (holds_integrals(call.input)) return configuration_for_file(call).configuration;
  return configuration_for_source(job::ProblemSource::matrix, "problem.matrix", call);
}

Configuration job_of(const Invocation& call, std::ostream& out) {
  if (is_problem_file(call.input)) return with_machine_rates(job_of_problem(call, out));
  return with_machine_rates(load_configuration(call.input, call.overrides));
}

Configuration with_machine_rates(Configuration configuration) {
  if (configuration.rates == Rates::automatic)
    configuration.request.machine_factors = machine_rates();
  return configuration;
}

void require_possible_input(const Invocation& call) {
  std::ostream nowhere(nullptr);
  const auto require_possible = [](const Configuration& configuration) {
    job::require_possible_problem(configuration.request, host_of(configuration));
  };
  if (call.command == "sweep")
    static_cast<void>(load_configuration(call.input, call.overrides));
  else if (call.command == "solve" || call.command == "check")
    require_possible(job_of(call, nowhere));
  else if (call.command.starts_with("matrix ") && !call.input.empty())
    require_possible(matrix_job(call));
}

void warn_of_unused_keys(const std::vector<UnusedKey>& keys, const std::string& origin) {
  for (const UnusedKey& unused : keys)
    spdlog::warn("{}: {} has no effect; it is used only {}", origin, unused.key, unused.when);
}

bool wants_bars(const Invocation& call) {
  return call.verbosity != Verbosity::quiet && has_terminal();
}

}  // namespace cisolve::app
