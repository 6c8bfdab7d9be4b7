#include "app/cli/command_line.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "app/cli/help.hpp"
#include "app/config/schema.hpp"
#include "app/config/suggest.hpp"
#include "app/config/version.hpp"
#include "base/error.hpp"

namespace cisolve::app {
namespace {

// "problem.generate.reference_share" as "--reference-share".
std::string option_name(const Key& key) {
  std::string name = "--" + key.path.substr(key.path.rfind('.') + 1);
  std::ranges::replace(name, '_', '-');
  return name;
}

/// The grammar of the command line, and the invocation that it fills.
class Grammar {
 public:
  Grammar() : app_(help::kProgram, "ci-solve") {
    app_.set_version_flag("--version", std::string("ci-solve ") + kVersion);
    app_.footer(help::kExamples);
    app_.add_option("CONFIG", call_.input, "the file that describes the job")->type_name("");
    add_everywhere(app_);
    add_check();
    add_sweep();
    add_resume();
    add_devices();
    add_matrix();
  }

  CLI::App& app() { return app_; }
  Invocation take() { return std::move(call_); }

  /// The command that was reached before the parser gave up.
  const CLI::App& deepest() const {
    const CLI::App* at = &app_;
    for (auto next = at->get_subcommands(); !next.empty(); next = at->get_subcommands())
      at = next.front();
    return *at;
  }

 private:
  CLI::App* add_command(CLI::App& parent, const std::string& name, const char* purpose,
                        const char* examples) {
    CLI::App* command = parent.add_subcommand(name, purpose);
    command->footer(examples);
    add_everywhere(*command);
    const std::string path = &parent == &app_ ? name : parent.get_name() + " " + name;
    command->callback([this, path] { call_.command = path; });
    return command;
  }

  void add_everywhere(CLI::App& command) {
    const auto add_set = [this](const std::string& text) {
      call_.overrides.push_back(parse_override(text));
    };
    command
        .add_option_function<std::vector<std::string>>(
            "--set",
            [add_set](const std::vector<std::string>& all) { std::ranges::for_each(all, add_set); },
            "override a key of the configuration; may be repeated")
        ->type_name("KEY=VALUE")
        ->expected(1)
        ->take_all()
        ->group("Everywhere");
    command.add_option("--json", call_.json, "write the record there; - is standard output")
        ->type_name("PATH")
        ->group("Everywhere");
    command.add_flag("--force", call_.force, "replace files that are there")->group("Everywhere");
    command
        .add_flag_callback(
            "--quiet", [this] { call_.verbosity = Verbosity::quiet; },
            "log errors only, and no iterations")
        ->group("Everywhere");
    command
        .add_flag_callback(
            "--verbose", [this] { call_.verbosity = Verbosity::verbose; }, "log every step")
        ->group("Everywhere");
  }

  // The keys of a section as options of their own, with the same checks and the same help.
  void add_keys(CLI::App* command, const std::string& prefix) {
    for (const Key& key : schema()) {
      if (key.is_later() || !key.path.starts_with(prefix)) continue;
      const std::string name = option_name(key);
      const auto take = [this, name, path = key.path](const std::string& value) {
        call_.overrides.push_back({name, path, value});
      };
      const std::string text =
          base::concat(key.help, "; ", expectation(key.type), " (", key.fallback(), ")");
      if (key.type.kind == ValueType::Kind::truth)
        command->add_flag_callback(
            name, [take] { take("true"); }, key.help);
      else
        command->add_option_function<std::string>(name, take, text)->type_name("VALUE");
    }
  }

  void add_storage_and_backend(CLI::App* command, bool one_format) {
    for (const char* path :
         {"storage.boundary", "storage.policy", "storage.slice_height", "storage.block_size",
          "product.vectors", "product.seed", "threads", "memory", "device_memory"})
      add_keys(command, path);
    if (!one_format) return;
    add_keys(command, "storage.format");
    add_keys(command, "backend");
  }

  void add_check() {
    add_command(app_, "check", "say what a job would hold and where, without doing it",
                help::kCheck)
        ->add_option("CONFIG", call_.input, "the file that describes the job")
        ->type_name("")
        ->required();
  }

  void add_sweep() {
    add_command(app_, "sweep", "run a job at every combination of several values", help::kSweep)
        ->add_option("CONFIG", call_.input, "the file that describes the job, with its sweep")
        ->type_name("")
        ->required();
  }

  void add_resume() {
    add_command(app_, "resume", "go on with a job that was interrupted", help::kResume)
        ->add_option("DIR", call_.input, "the output.directory of the job")
        ->type_name("")
        ->required();
  }

  void add_devices() {
    add_command(app_, "devices", "list the backends, and why one is missing", help::kDevices);
  }

  void add_matrix() {
    CLI::App* matrix =
        app_.add_subcommand("matrix", "describe, make, convert and multiply matrices");
    matrix->require_subcommand(1);
    matrix->footer(help::kMatrix);
    const char* input = "a matrix file, or a configuration (.yaml) whose problem is meant";

    CLI::App* info = add_command(*matrix, "info", "statistics of a matrix", help::kInfo);
    add_keys(info, "problem.reference_columns");
    info->add_option("FILE", call_.input, input)->type_name("")->required();

    CLI::App* generate =
        add_command(*matrix, "generate", "make a paper-like matrix", help::kGenerate);
    generate->add_option("FILE", call_.output, "the file to write")->type_name("")->required();
    add_keys(generate, "problem.generate.");

    CLI::App* convert =
        add_command(*matrix, "convert", "write a matrix to another file", help::kConvert);
    add_keys(convert, "problem.reference_columns");
    convert->add_option("IN", call_.input, input)->type_name("")->required();
    convert->add_option("OUT", call_.output, "the file to write")->type_name("")->required();

    CLI::App* product =
        add_command(*matrix, "product", "time and verify y = A x in every format", help::kProduct);
    product->add_option("FILE", call_.input, input)->type_name("")->required();
    product->add_option("--formats", call_.formats, "which, separated by commas (all)")
        ->delimiter(',');
    product->add_option("--backends", call_.backends, "which, separated by commas (auto)")
        ->delimiter(',');
    add_keys(product, "product.repeat");
    add_storage_and_backend(product, false);

    CLI::App* apply = add_command(*matrix, "apply", "compute and print y = A x", help::kApply);
    apply->add_option("FILE", call_.input, input)->type_name("")->required();
    apply->add_option("--x", call_.x_file, "the file of x, a number a line (random)")
        ->type_name("FILE");
    apply->add_option("--output", call_.output, "the file of y (standard output)")
        ->type_name("FILE");
    add_storage_and_backend(apply, true);

    CLI::App* components =
        add_command(*matrix, "components", "print every array of a format, for a small matrix",
                    help::kComponents);
    components->add_option("FILE", call_.input, input)->type_name("")->required();
    add_storage_and_backend(components, true);
  }

  Invocation call_;
  CLI::App app_;
};

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

// What a word that the grammar does not know was probably meant to be.
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
  base::fail(base::Fault::usage, message, "; 'ci-solve ",
             command.get_parent() == nullptr ? "" : name + " ", "--help' shows what is there");
}

// A word that is neither a file nor a command is more likely a mistyped command.
void require_job(const Grammar& grammar, const CLI::App& app, const Invocation& call) {
  if (call.command != "solve") return;
  if (call.input.empty())
    base::fail(base::Fault::usage, "no job was named; expected 'ci-solve CONFIG', such as ",
               "'ci-solve configs/quickstart.yaml', or a command: ",
               alternatives(command_names(grammar.deepest())));
  std::error_code error;
  const std::string hint = did_you_mean(call.input, command_names(app));
  if (!hint.empty() && !std::filesystem::exists(call.input, error))
    base::fail(base::Fault::usage, "unknown command '", call.input, "'", hint);
}

}  // namespace

std::optional<Invocation> parse_command_line(std::vector<std::string> arguments,
                                             std::ostream& out) {
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
  return call;
}

}  // namespace cisolve::app
