#include <ostream>

#include "app/commands/command_help.hpp"
#include "app/commands/commands.hpp"
#include "app/commands/common.hpp"
#include "app/config/json_schema.hpp"
#include "app/runs/folder.hpp"

// Commands that print the schema, the manual and the shell completion.
namespace cisolve::app {
namespace {

CommandOutcome write_document(const std::string& text, const Invocation& call, std::ostream& out) {
  if (call.output.empty())
    out << text;
  else
    write_text_file(call.output, text, call.force);
  return {ExitCode::success, record({{"bytes", std::ssize(text)}})};
}

}  // namespace

CommandOutcome print_schema(const Invocation& call, std::ostream& out) {
  return write_document(call.markdown ? configuration_reference() : configuration_json_schema(),
                        call, out);
}

CommandOutcome print_manual(const Invocation& call, std::ostream& out) {
  return write_document(manual_page(program_help()), call, out);
}

CommandOutcome print_completion(const Invocation& call, std::ostream& out) {
  return write_document(completion_script(program_help(), call.input), call, out);
}

}  // namespace cisolve::app
