#include "app/cli/program.hpp"

#include <spdlog/spdlog.h>

#include <iostream>
#include <map>
#include <new>
#include <optional>

#include "app/cli/command_line.hpp"
#include "app/cli/log.hpp"
#include "app/cli/printable.hpp"
#include "app/cli/ranks.hpp"
#include "app/cli/streams.hpp"
#include "app/commands/commands.hpp"
#include "app/commands/common.hpp"
#include "app/runs/folder.hpp"
#include "app/runs/interruption.hpp"
#include "base/ranks/collective_errors.hpp"
#include "io/hdf5/exit_cleanup.hpp"

namespace cisolve::app {
namespace {

CommandOutcome run_command(const Invocation& call, std::ostream& out) {
  static const std::map<std::string, CommandOutcome (*)(const Invocation&, std::ostream&)> commands{
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

// Reports errors in the input before the complaint that the record file exists.
void require_place_of_record(const Invocation& call) {
  try {
    require_writable(call.json, call.force);
  } catch (const base::Error&) {
    require_possible_input(call);
    throw;
  }
}

void require_one_process(const Invocation& call) {
  if (call.ranks->size() > 1 && call.command != "solve" && call.command != "resume")
    base::fail(base::ErrorKind::usage, "'", call.command, "' runs in one process, but ",
               call.ranks->size(), " were started; run it without mpirun");
}

// With "--json -" only the record goes to standard output, so that a program can parse it.
ExitCode run(const Invocation& call, std::ostream& out) {
  const bool is_first = call.ranks->rank() == 0;
  set_up_log(is_first ? call.verbosity : Verbosity::quiet);
  const bool record_only = is_standard_output(call.json);
  base::run_collectively(*call.ranks, [&] {
    require_one_process(call);
    if (is_first && !call.json.empty() && !record_only) require_place_of_record(call);
  });
  std::ostream nowhere(nullptr);
  const CommandOutcome outcome = run_command(call, record_only ? nowhere : out);
  base::run_collectively(*call.ranks, [&] {
    if (!is_first) return;
    out.flush();  // the record may be passed on to the same terminal
    if (record_only)
      out << outcome.record.document();
    else if (!call.json.empty())
      write_text_file(call.json, outcome.record.document(), call.force);
  });
  return outcome.code;
}

ExitCode run_on(const Ranks& ranks, int argc, const char* const* argv) {
  PrintableStream shown(std::cout);
  std::ostream nowhere(nullptr);
  std::ostream& out = ranks.all().rank() == 0 ? shown : nowhere;
  return base::abort_peers_on_error(ranks.all(), [&] {
    std::optional<Invocation> call;
    base::run_collectively(ranks.all(), [&] {
      call = parse_command_line({argv + 1, argv + argc}, out);
    });
    ExitCode code = ExitCode::success;
    if (call) {
      call->ranks = &ranks.all();
      call->ranks_on_node = ranks.on_node();
      call->place_on_node = ranks.place_on_node();
      code = run(*call, out);
    }
    out.flush();
    finish_output();
    return code;
  });
}

ExitCode report(ExitCode code, const char* message) {
  spdlog::error("{}", message);
  return code;
}

ExitCode run_guarded(Ranks& ranks, int argc, const char* const* argv) {
  try {
    return run_on(ranks, argc, argv);
  } catch (const base::Error& error) {
    const ExitCode code = exit_code(error.kind());
    if (ranks.reports(error)) report(code, ranks.named(error.what()).c_str());
    if (!Ranks::is_collective(error)) ranks.abandon_peers();
    return code;
  } catch (const std::bad_alloc&) {
    report(
        ExitCode::resources,
        ranks.named("out of memory outside the budget; lower 'memory' or choose a smaller problem")
            .c_str());
    ranks.abandon_peers();
    return ExitCode::resources;
  } catch (const std::exception& error) {
    report(ExitCode::internal, ranks.named(error.what()).c_str());
    ranks.abandon_peers();
    return ExitCode::internal;
  }
}

ExitCode run_as_launched(int argc, const char* const* argv) {
  std::optional<Ranks> ranks;
  try {
    ranks.emplace();
  } catch (const base::Error& error) {
    const ExitCode code = exit_code(error.kind());
    return launch().rank == 0 ? report(code, error.what()) : code;
  }
  return run_guarded(*ranks, argc, argv);
}

}  // namespace

int run_program(int argc, const char* const* argv) {
  prepare_streams();
  io::hdf5::skip_cleanup_at_exit();
  set_up_log(Verbosity::normal);
  end_clean_at_signals();
  const ExitByLibrary watched;
  return static_cast<int>(run_as_launched(argc, argv));
}

}  // namespace cisolve::app
