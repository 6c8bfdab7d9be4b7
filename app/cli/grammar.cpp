#include "app/cli/grammar.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "app/cli/help.hpp"
#include "app/config/schema.hpp"
#include "app/config/version.hpp"
#include "base/error.hpp"
#include "job/plan/gpu_models.hpp"

namespace cisolve::app {
namespace {

OptionHelp help_of(const CLI::Option& option) {
  const bool named = !option.get_lnames().empty();
  return {.name = named ? "--" + option.get_lnames().front() : option.get_name(true),
          .value = named && option.get_items_expected_max() > 0 ? option.get_type_name() : "",
          .text = option.get_description()};
}

CommandHelp help_of(const CLI::App& command, const std::string& name) {
  CommandHelp help{.name = name,
                   .purpose = command.get_description(),
                   .examples = command.get_footer(),
                   .arguments = {},
                   .options = {},
                   .global_options = {},
                   .commands = {}};
  for (const CLI::Option* option : command.get_options())
    (option->get_lnames().empty()          ? help.arguments
     : option->get_group() == "Everywhere" ? help.global_options
                                           : help.options)
        .push_back(help_of(*option));
  for (const CLI::App* inner : command.get_subcommands({}))
    help.commands.push_back(
        help_of(*inner, name.empty() ? inner->get_name() : name + " " + inner->get_name()));
  return help;
}

}  // namespace

std::string option_of(const Key& key) {
  std::string name = "--" + last_of(key.path);
  std::ranges::replace(name, '_', '-');
  return name;
}

Grammar::Grammar() : app_(help::kProgram, "ci-solve") {
  app_.set_version_flag("--version", std::string("ci-solve ") + kVersion);
  app_.footer(help::kExamples);
  app_.add_option("CONFIG", call_.input,
                  "configuration of the job, or a problem file: FCIDUMP, TREXIO or a matrix")
      ->type_name("");
  add_global_options(app_);
  add_check();
  add_sweep();
  add_plot();
  add_resume();
  add_init();
  add_devices();
  add_documents();
  add_matrix();
}

const CLI::App& Grammar::deepest() const {
  const CLI::App* at = &app_;
  for (auto next = at->get_subcommands(); !next.empty(); next = at->get_subcommands())
    at = next.front();
  return *at;
}

CLI::App* Grammar::add_command(CLI::App& parent, const std::string& name, const char* purpose,
                               const char* examples) {
  CLI::App* command = parent.add_subcommand(name, purpose);
  command->footer(examples);
  add_global_options(*command);
  const std::string path = &parent == &app_ ? name : parent.get_name() + " " + name;
  command->callback([this, path] { call_.command = path; });
  return command;
}

void Grammar::add_global_options(CLI::App& command) {
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
      ->allow_extra_args(false)  // what comes next may be the configuration
      ->group("Everywhere");
  command.add_option("--json", call_.json, "write the record to PATH; -: standard output")
      ->type_name("PATH")
      ->check(CLI::Validator(
          [](const std::string& path) {
            return path.empty() ? std::string("an empty path; expected a file to write, or -")
                                : std::string();
          },
          ""))
      ->group("Everywhere");
  command.add_flag("--force", call_.force, "replace existing files")->group("Everywhere");
  command
      .add_flag_callback(
          "--quiet", [this] { call_.verbosity = Verbosity::quiet; },
          "log errors only, and print no iterations")
      ->group("Everywhere");
  command
      .add_flag_callback(
          "--verbose", [this] { call_.verbosity = Verbosity::verbose; }, "log every step")
      ->group("Everywhere");
}

void Grammar::add_keys(CLI::App* command, const std::string& prefix) {
  for (const Key& key : schema()) {
    if (key.is_later() || !key.path.starts_with(prefix)) continue;
    const std::string name = option_of(key);
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

void Grammar::add_storage_and_backend(CLI::App* command, bool one_format) {
  for (const char* path :
       {"storage.boundary", "storage.policy", "storage.slice_height", "storage.block_size",
        "product.vectors", "product.seed", "threads", "memory", "device_memory"})
    add_keys(command, path);
  if (!one_format) return;
  add_keys(command, "storage.format");
  add_keys(command, "backend");
}

void Grammar::add_check() {
  CLI::App* check = add_command(
      app_, "check", "report the plans, memory and time of a job without running it", help::kCheck);
  check->add_option("CONFIG", call_.input, "configuration of the job, or a problem file")
      ->type_name("")
      ->required();
  check->add_flag("--diagnose", call_.diagnose,
                  "check a sample of rows against their columns and the Slater-Condon rules");
  add_planned_ranks(*check);
}

void Grammar::add_planned_ranks(CLI::App& check) {
  PlannedRanks& planned = call_.planned;
  check.add_option("--ranks", planned.count, "plan for N ranks, each with the memory of this one")
      ->type_name("N")
      ->check(CLI::Range(Index{2}, Index{1} << 20));
  check.add_option("--ranks-on-node", planned.on_node, "ranks per node (8)")
      ->type_name("N")
      ->check(CLI::Range(Index{1}, Index{1} << 20));
  check
      .add_option("--card", planned.card,
                  "GPU of each rank: " + job::gpu_model_names() + " (as on this machine)")
      ->type_name("NAME");
  const CLI::Validator positive(
      [](const std::string& text) {
        double value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool is_whole = error == std::errc() && end == text.data() + text.size();
        return is_whole && std::isfinite(value) && value > 0
                   ? std::string()
                   : base::concat("'", text, "' is not a positive number");
      },
      "POSITIVE");
  const auto add_rate = [&](const char* name, std::optional<double>& rate, const char* text) {
    check.add_option(name, rate, text)->type_name("VALUE")->check(positive);
  };
  add_rate("--link", planned.link, "bandwidth of a rank within its node in GB/s (built in)");
  add_rate("--network", planned.network, "bandwidth of a rank to other nodes in GB/s (built in)");
  add_rate("--latency", planned.latency,
           "latency of a collective operation in microseconds (built in)");
}

void Grammar::add_sweep() {
  add_command(app_, "sweep", "run a job at every combination of several values", help::kSweep)
      ->add_option("CONFIG", call_.input, "configuration of the job and its sweep")
      ->type_name("")
      ->required();
}

void Grammar::add_plot() {
  CLI::App* plot = add_command(app_, "plot", "draw the results of a job or a sweep", help::kPlot);
  plot->add_option("PATH", call_.inputs,
                   "an output.directory, run.json or sweep.json; or a configuration or matrix "
                   "file, to draw its pattern, too")
      ->type_name("")
      ->required();
  plot->add_option("--output", call_.output,
                   "folder for report.html and plots/ (that of the record)")
      ->type_name("DIR");
}

void Grammar::add_resume() {
  add_command(app_, "resume", "resume an interrupted job or sweep", help::kResume)
      ->add_option("DIR", call_.input, "its output.directory")
      ->type_name("")
      ->required();
}

void Grammar::add_init() {
  CLI::App* init =
      add_command(app_, "init", "write a commented configuration for a problem", help::kInit);
  init->add_option("PROBLEM", call_.input,
                   "an FCIDUMP, TREXIO or matrix file, or lattice or generate")
      ->type_name("")
      ->required();
  init->add_option("--output", call_.output, "the configuration to write (PROBLEM.yaml)")
      ->type_name("FILE");
}

void Grammar::add_devices() {
  add_command(app_, "devices", "list the backends, and why one is missing", help::kDevices)
      ->add_flag("--calibrate", call_.calibrate,
                 "measure the rates of each backend within seconds and save them for planning");
}

void Grammar::add_documents() {
  const auto add_output = [this](CLI::App* command) {
    command->add_option("--output", call_.output, "the file to write (standard output)")
        ->type_name("FILE");
  };
  CLI::App* schema =
      add_command(app_, "schema", "print the keys of a configuration, for editors", help::kSchema);
  schema->add_flag("--markdown", call_.markdown, "as a Markdown page");
  add_output(schema);
  add_output(add_command(app_, "manual", "print the manual page", help::kManual));
  CLI::App* completion =
      add_command(app_, "completion", "print the completion script of a shell", help::kCompletion);
  completion->add_option("SHELL", call_.input, "bash or zsh")->type_name("")->required();
  add_output(completion);
}

void Grammar::add_matrix() {
  CLI::App* matrix = app_.add_subcommand("matrix", "describe, make, convert and multiply matrices");
  matrix->require_subcommand(1);
  matrix->footer(help::kMatrix);
  const char* input = "a matrix file, or a configuration (.yaml, .json) whose problem is used";

  CLI::App* info = add_command(*matrix, "info", "statistics of a matrix", help::kInfo);
  add_keys(info, "problem.reference_columns");
  info->add_option("FILE", call_.input, input)->type_name("")->required();

  CLI::App* generate = add_command(
      *matrix, "generate", "generate a matrix with the structure of a CI matrix", help::kGenerate);
  generate->add_option("FILE", call_.output, "the file to write")->type_name("")->required();
  add_keys(generate, "problem.generate.");

  CLI::App* convert =
      add_command(*matrix, "convert", "write a matrix to another file", help::kConvert);
  add_keys(convert, "problem.reference_columns");
  convert->add_option("IN", call_.input, input)->type_name("")->required();
  convert->add_option("OUT", call_.output, "the file to write")->type_name("")->required();

  CLI::App* product =
      add_command(*matrix, "product", "time and verify y = A x in every format, or write C = A B",
                  help::kProduct);
  product->add_option("FILE", call_.input, input)->type_name("")->required();
  product->add_option("OTHER", call_.second, "the matrix B of C = A B")->type_name("");
  product->add_option("-o,--output", call_.output, "the file of C")->type_name("FILE");
  add_keys(product, "storage.format");
  add_keys(product, "backend");
  product->add_option("--formats", call_.formats, "formats, separated by commas (all)")
      ->delimiter(',');
  product->add_option("--backends", call_.backends, "backends, separated by commas (auto)")
      ->delimiter(',');
  add_keys(product, "product.repeat");
  add_storage_and_backend(product, false);

  CLI::App* apply = add_command(*matrix, "apply", "compute and print y = A x", help::kApply);
  apply->add_option("FILE", call_.input, input)->type_name("")->required();
  apply->add_option("--x", call_.x_file, "file with x, one number per line (random)")
      ->type_name("FILE");
  apply->add_option("--output", call_.output, "the file of y (standard output)")->type_name("FILE");
  add_storage_and_backend(apply, true);

  CLI::App* components =
      add_command(*matrix, "components", "print every array of a format, for a small matrix",
                  help::kComponents);
  components->add_option("FILE", call_.input, input)->type_name("")->required();
  add_storage_and_backend(components, true);
}

CommandHelp Grammar::help() const { return help_of(app_, ""); }

CommandHelp program_help() { return Grammar().help(); }

}  // namespace cisolve::app
