#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <utility>

#include "app/commands/command_help.hpp"
#include "app/commands/invocation.hpp"
#include "app/config/schema.hpp"

namespace cisolve::app {

/// The option of a command that is a key: "--reference-share" of
/// "problem.generate.reference_share".
std::string option_of(const Key& key);

/// The grammar of the command line, and the invocation that it fills.
class Grammar {
 public:
  Grammar();
  Grammar(const Grammar&) = delete;
  Grammar& operator=(const Grammar&) = delete;

  CLI::App& app() { return app_; }
  Invocation take() { return std::move(call_); }

  /// The command that was reached before the parser gave up.
  const CLI::App& deepest() const;

  CommandHelp help() const;

 private:
  CLI::App* add_command(CLI::App& parent, const std::string& name, const char* purpose,
                        const char* examples);
  void add_global_options(CLI::App& command);
  /// The keys of a section as options of their own, with the same checks and the same help.
  void add_keys(CLI::App* command, const std::string& prefix);
  void add_storage_and_backend(CLI::App* command, bool one_format);
  void add_check();
  void add_planned_ranks(CLI::App& check);
  void add_sweep();
  void add_plot();
  void add_resume();
  void add_init();
  void add_devices();
  void add_documents();
  void add_matrix();

  Invocation call_;
  CLI::App app_;
};

}  // namespace cisolve::app
