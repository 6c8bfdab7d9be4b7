#include <filesystem>
#include <ostream>

#include "app/commands/commands.hpp"
#include "app/commands/common.hpp"
#include "app/commands/problem_file.hpp"
#include "app/config/template.hpp"
#include "app/report/shell_word.hpp"
#include "app/runs/folder.hpp"

namespace cisolve::app {
namespace {

namespace fs = std::filesystem;

GeneratedConfiguration generated_configuration(const Invocation& call) {
  if (call.input == "lattice")
    return configuration_for_determinants(
        configuration_for_source(job::ProblemSource::lattice, nullptr, call));
  if (call.input == "generate")
    return {configuration_for_source(job::ProblemSource::generate, nullptr, call),
            "A matrix with the structure of a CI matrix."};
  return configuration_for_file(call);
}

// Makes a path relative to the configuration, which may be in another folder.
void point_to(const fs::path& output, std::string& file) {
  if (file.empty()) return;
  const fs::path seen =
      fs::absolute(file).lexically_relative(fs::absolute(output).lexically_normal().parent_path());
  file = seen.empty() ? fs::absolute(file).string() : seen.string();
}

std::string comment(const std::string& text) {
  std::string result = "#";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins = i == 0 || text[i - 1] == '\n';
    if (begins && i > 0) result += '#';
    if (begins && text[i] != '\n') result += ' ';
    result += text[i];
  }
  return result + "\n";
}

}  // namespace

CommandOutcome init(const Invocation& call, std::ostream& out) {
  const std::string stem = fs::path(call.input).stem().string();
  const std::string output = call.output.empty() ? stem + ".yaml" : call.output;
  GeneratedConfiguration generated = generated_configuration(call);
  require_writable(output, call.force);
  Configuration& configuration = generated.configuration;
  if (configuration.request.source == job::ProblemSource::generate) {
    if (!configuration.given.contains("problem.generate.symmetric"))
      configuration.request.generate.symmetric = true;  // only symmetric matrices have states
    if (!configuration.given.contains("storage.format"))
      configuration.request.storage.format = "hybrid";
  }
  if (!configuration.given.contains("output.directory"))
    configuration.output.directory = "out/" + stem;
  for (std::string* file : {&configuration.request.fcidump, &configuration.request.trexio,
                            &configuration.request.matrix})
    point_to(output, *file);
  const auto point_list_to = [&](auto& list) {
    std::string file = list.file();
    point_to(output, file);
    list = std::move(file);
  };
  point_list_to(configuration.request.operators);
  point_list_to(configuration.request.space.determinants);
  point_list_to(configuration.request.space.alpha);
  point_list_to(configuration.request.space.beta);
  write_text_file(output,
                  comment(generated.about + "\n\n  ci-solve check " + shell_word(output) +
                          "\n  ci-solve " + shell_word(output)) +
                      commented_configuration(configuration, shown_keys(configuration)),
                  call.force);
  out << generated.about << "\nwrote " << output << "; next: ci-solve " << shell_word(output)
      << '\n';
  return {ExitCode::success, record({{"file", output}})};
}

}  // namespace cisolve::app
