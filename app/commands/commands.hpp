#pragma once

#include <iosfwd>

#include "app/commands/invocation.hpp"
#include "app/json/json.hpp"
#include "app/report/exit_code.hpp"

// One function per command. Each writes its result to `out` and returns it as a JSON record. Errors
// are thrown.
namespace cisolve::app {

struct CommandOutcome {
  ExitCode code = ExitCode::success;
  Json record;
};

CommandOutcome solve(const Invocation& call, std::ostream& out);
CommandOutcome resume(const Invocation& call, std::ostream& out);
CommandOutcome check(const Invocation& call, std::ostream& out);
CommandOutcome sweep(const Invocation& call, std::ostream& out);
CommandOutcome plot(const Invocation& call, std::ostream& out);
CommandOutcome init(const Invocation& call, std::ostream& out);
CommandOutcome devices(const Invocation& call, std::ostream& out);
CommandOutcome print_schema(const Invocation& call, std::ostream& out);
CommandOutcome print_manual(const Invocation& call, std::ostream& out);
CommandOutcome print_completion(const Invocation& call, std::ostream& out);

CommandOutcome matrix_info(const Invocation& call, std::ostream& out);
CommandOutcome matrix_generate(const Invocation& call, std::ostream& out);
CommandOutcome matrix_convert(const Invocation& call, std::ostream& out);
/// `matrix product A`: times y = A x in each storage format; with a second matrix, matrix_multiply.
CommandOutcome matrix_product(const Invocation& call, std::ostream& out);
/// `matrix product A B`: computes C = A B and can write it to a file.
CommandOutcome matrix_multiply(const Invocation& call, std::ostream& out);
/// `matrix apply`: computes y = A x for vectors of a file, and prints or writes y.
CommandOutcome matrix_apply(const Invocation& call, std::ostream& out);
/// `matrix components`: prints the arrays of a storage format.
CommandOutcome matrix_components(const Invocation& call, std::ostream& out);

}  // namespace cisolve::app
