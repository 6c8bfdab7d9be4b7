#include "app/commands/common.hpp"

#include <filesystem>
#include <iterator>

#include "app/config/version.hpp"
#include "app/report/progress_bar.hpp"
#include "io/output_file.hpp"

namespace cisolve::app {

Configuration matrix_job(const Invocation& call) {
  const std::string extension = std::filesystem::path(call.input).extension().string();
  if (extension == ".yaml" || extension == ".yml")
    return load_configuration(call.input, call.overrides);
  std::vector<Override> overrides{{call.input, "problem.matrix", call.input}};
  overrides.insert(overrides.end(), call.overrides.begin(), call.overrides.end());
  return make_configuration(ProblemSource::matrix, overrides);
}

bool wants_bars(const Invocation& call) {
  return call.verbosity != Verbosity::quiet && has_terminal();
}

Json record(std::vector<Json::Member> members) {
  std::vector<Json::Member> all{{"schema", 1}, {"program", "ci-solve"}, {"version", kVersion}};
  std::move(members.begin(), members.end(), std::back_inserter(all));
  return Json::object(std::move(all));
}

void require_writable(const std::string& path, bool force) { io::OutputFile probe(path, force); }

}  // namespace cisolve::app
