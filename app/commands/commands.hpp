#pragma once

#include <iosfwd>

#include "app/commands/invocation.hpp"
#include "app/json/json.hpp"
#include "app/report/exit_code.hpp"

// One function a command. Each writes its result to `out` for people and returns it as a record
// for programs. What goes wrong is thrown.
namespace cisolve::app {

struct Outcome {
  ExitCode code = ExitCode::success;
  Json record;
};

Outcome solve(const Invocation& call, std::ostream& out);
Outcome resume(const Invocation& call, std::ostream& out);
Outcome check(const Invocation& call, std::ostream& out);
Outcome sweep(const Invocation& call, std::ostream& out);
Outcome plot(const Invocation& call, std::ostream& out);
Outcome init(const Invocation& call, std::ostream& out);
Outcome devices(const Invocation& call, std::ostream& out);
Outcome print_schema(const Invocation& call, std::ostream& out);
Outcome print_manual(const Invocation& call, std::ostream& out);
Outcome print_completion(const Invocation& call, std::ostream& out);

Outcome matrix_info(const Invocation& call, std::ostream& out);
Outcome matrix_generate(const Invocation& call, std::ostream& out);
Outcome matrix_convert(const Invocation& call, std::ostream& out);
Outcome matrix_product(const Invocation& call, std::ostream& out);
Outcome matrix_multiply(const Invocation& call, std::ostream& out);
Outcome matrix_apply(const Invocation& call, std::ostream& out);
Outcome matrix_components(const Invocation& call, std::ostream& out);

}  // namespace cisolve::app
