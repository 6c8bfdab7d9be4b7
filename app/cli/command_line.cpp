#include "app/cli/command_line.hpp"

#include <algorithm>
#include <filesystem>

#include "app/cli/grammar.hpp"
#include "app/config/suggest.hpp"
#include "base/error.hpp"
#include "io/files/plain_path.hpp"

namespace cisolve::app {
namespace {

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

// Suggests the option or command that an unknown word was probably meant to be.
std::string suggest(const CLI::App& command, const std::vector<std::string>& arguments) {
  const auto options = option_names(command);
  for (const std::string& word : arguments) {
    const std::string name = word.substr(0, word.find('='));
    if (!name.starts_with("--") || std::ranges::find(options, name) != options.end()) continue;
    return base::concat("unknown option '", name, "'", did_you_mean(name, options));
  }
  const auto commands = command_names(command);
  for (const std::string& word : arguments) {
    if (std::ranges::find(commands, word) != commands.end()) continue;
    const std::string hint = did_you_mean(word, commands);
    if (!hint.empty()) return base::concat("unknown command '", word, "'", hint);
  }
  return {};
}

[[noreturn]] void refuse(const Grammar& grammar, const CLI::ParseError& error,
                         const std::vector<std::string>& arguments) {
  const CLI::App& command = grammar.deepest();
  std::string message = suggest(command, arguments);
  if (message.empty()) message = error.what();
  std::string name = command.get_name();
  if (command.get_parent() != nullptr && command.get_parent()->get_parent() != nullptr)
    name = command.get_parent()->get_name() + " " + name;
  base::fail(base::ErrorKind::usage, message, "; 'ci-solve ",
             command.get_parent() == nullptr ? "" : name + " ",
             "--help' lists the options and commands");
}

// A word that is neither a file nor a command is more likely a mistyped command.
void require_job(const Grammar& grammar, const CLI::App& app, const Invocation& call) {
  if (call.command != "solve") return;
  if (call.input.empty())
    base::fail(base::ErrorKind::usage, "no job is given; expected 'ci-solve CONFIG', such as ",
               "'ci-solve configs/quickstart.yaml', or a command: ",
               alternatives(command_names(grammar.deepest())));
  std::error_code error;
  const std::string hint = did_you_mean(call.input, command_names(app));
  if (!hint.empty() && !std::filesystem::exists(call.input, error))
    base::fail(base::ErrorKind::usage, "unknown command '", call.input, "'", hint);
}

// Checks the paths of the command line; paths in a configuration are checked when it is read.
void require_plain_paths(const Invocation& call) {
  const auto require = [](const std::string& path, const char* name) {
    if (!path.empty() && path != "-") io::require_plain_path(path, name);
  };
  require(call.input, "the input file");
  require(call.second, "the second input file");
  for (const std::string& path : call.inputs) require(path, "an input path");
  require(call.output, "the output path");
  require(call.json, "--json");
  require(call.x_file, "--x");
  const bool is_about_files = !call.input.empty() || !call.output.empty() || !call.json.empty();
  std::error_code gone;
  if (is_about_files)
    require(std::filesystem::current_path(gone).native(), "the working directory");
}

/// Drops a leading `solve`, which other programs have as a command, unless a file has this name.
void drop_solve(std::vector<std::string>& arguments) {
  std::error_code error;
  const bool is_said = arguments.size() > 1 && arguments.front() == "solve";
  if (is_said && !std::filesystem::exists("solve", error)) arguments.erase(arguments.begin());
}

}  // namespace

std::optional<Invocation> parse_command_line(std::vector<std::string> arguments,
                                             std::ostream& out) {
  drop_solve(arguments);
  Grammar grammar;
  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    grammar.app().parse(reversed);
  } catch (const CLI::Success& request) {
    grammar.app().exit(request, out, out);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    refuse(grammar, error, arguments);
  }
  Invocation call = grammar.take();
  require_job(grammar, grammar.app(), call);
  require_plain_paths(call);
  return call;
}

}  // namespace cisolve::app
