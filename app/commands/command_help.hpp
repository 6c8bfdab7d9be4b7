#pragma once

#include <string>
#include <vector>

namespace cisolve::app {

struct OptionHelp {
  std::string name;   // "--json", or "CONFIG" if positional
  std::string value;  // "PATH"; empty if it takes none
  std::string text;
};

/// Help of a command; the manual page and the shell completions are generated from it.
struct CommandHelp {
  std::string name;  // "", "check", "matrix info"
  std::string purpose;
  std::string examples;
  std::vector<OptionHelp> arguments;
  std::vector<OptionHelp> options;
  std::vector<OptionHelp> global_options;  // options that every command takes
  std::vector<CommandHelp> commands;
};

/// The help of the whole program.
CommandHelp program_help();

/// The manual page ci-solve(1).
std::string manual_page(const CommandHelp& program);

/// Script for `source` that completes commands, options, keys and files. The shell is bash or zsh;
/// any other throws ErrorKind::usage.
std::string completion_script(const CommandHelp& program, const std::string& shell);

}  // namespace cisolve::app
