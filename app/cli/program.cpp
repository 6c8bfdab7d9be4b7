#include "app/cli/program.hpp"

#include <spdlog/spdlog.h>

#include <iostream>
#include <map>
#include <new>

#include "app/cli/command_line.hpp"
#include "app/cli/log.hpp"
#include "app/cli/streams.hpp"
#include "app/commands/commands.hpp"
#include "app/commands/common.hpp"
#include "app/runs/folder.hpp"
#include "io/hdf5/process_end.hpp"

namespace cisolve::app {
namespace {

Outcome run_command(const Invocation& call, std::ostream& out) {
  static const std::map<std::string, Outcome (*)(const Invocation&, std::ostream&)> commands{
      {"solve", solve},
      {"resume", resume},
      {"check", check},
      {"sweep", sweep},
      {"plot", plot},
      {"init", init},
      {"devices", devices},
      {"schema", print_schema},
      {"manual", print_manual},
      {"completion", print_completion},
      {"matrix info", matrix_info},
      {"matrix generate", matrix_generate},
      {"matrix convert", matrix_convert},
      {"matrix product", matrix_product},
      {"matrix apply", matrix_apply},
      {"matrix components", matrix_components},
  };
  return commands.at(call.command)(call, out);
}

// What is wrong with the input is said before that a record is in its way.
void require_place_of_record(const Invocation& call) {
  try {
    require_writable(call.json, call.force);
  } catch (const base::Error&) {
    require_possible_input(call);
    throw;
  }
}

// With --json - the record alone goes to standard output, so that a program can read it.
ExitCode run(const Invocation& call) {
  set_up_log(call.verbosity);
  const bool record_only = call.json == "-";
  if (!call.json.empty() && !record_only) require_place_of_record(call);
  std::ostream nowhere(nullptr);
  const Outcome outcome = run_command(call, record_only ? nowhere : std::cout);
  if (record_only)
    std::cout << outcome.record.document();
  else if (!call.json.empty())
    write_text_file(call.json, outcome.record.document(), call.force);
  return outcome.code;
}

ExitCode report(ExitCode code, const char* message) {
  spdlog::error("{}", message);
  return code;
}

ExitCode run_guarded(int argc, const char* const* argv) {
  try {
    const auto call = parse_command_line({argv + 1, argv + argc}, std::cout);
    const ExitCode code = call ? run(*call) : ExitCode::success;
    finish_output();
    return code;
  } catch (const base::Error& error) {
    return report(exit_code(error.fault()), error.what());
  } catch (const std::bad_alloc&) {
    return report(ExitCode::resources,
                  "out of memory beside the budget; lower 'memory' or choose a smaller problem");
  } catch (const std::exception& error) {
    return report(ExitCode::internal, error.what());
  }
}

}  // namespace

int run_program(int argc, const char* const* argv) {
  prepare_streams();
  io::hdf5::leave_process_end_alone();
  set_up_log(Verbosity::normal);
  return static_cast<int>(run_guarded(argc, argv));
}

}  // namespace cisolve::app
