#include <algorithm>
#include <sstream>

#include "app/commands/command_help.hpp"
#include "app/config/version.hpp"

namespace cisolve::app {
namespace {

// Escapes the characters that roff would interpret.
std::string for_roff(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else if ((c == '.' || c == '\'') && (result.empty() || result.back() == '\n'))
      result += std::string("\\&") + c;
    else
      result += c;
  }
  return result;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return 'a' <= c && c <= 'z' ? static_cast<char>(c - 32) : c;
  });
  return text;
}

void write_options(std::ostream& out, const std::vector<OptionHelp>& options) {
  for (const OptionHelp& option : options) {
    out << ".TP\n.B " << for_roff(option.name);
    if (!option.value.empty()) out << " \\fI" << for_roff(option.value) << "\\fR";
    out << '\n' << for_roff(option.text) << '\n';
  }
}

void write_synopsis(std::ostream& out, const CommandHelp& command) {
  out << ".B ci\\-solve";
  if (!command.name.empty()) out << ' ' << for_roff(command.name);
  for (const OptionHelp& argument : command.arguments)
    out << " \\fI" << for_roff(argument.name) << "\\fR";
  out << " [\\fIoptions\\fR]\n";
}

void write_examples(std::ostream& out, const std::string& examples) {
  if (!examples.empty()) out << ".PP\n.nf\n" << for_roff(examples) << "\n.fi\n";
}

void write_command(std::ostream& out, const CommandHelp& command) {
  if (command.commands.empty()) {
    out << ".SS \"" << for_roff(command.name) << "\"\n";
    write_synopsis(out, command);
    out << ".PP\n" << for_roff(command.purpose) << '\n';
    write_options(out, command.arguments);
    write_options(out, command.options);
    write_examples(out, command.examples);
  }
  for (const CommandHelp& inner : command.commands) write_command(out, inner);
}

}  // namespace

std::string manual_page(const CommandHelp& program) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out << ".TH " << upper("ci\\-solve") << " 1 \"\" \"ci\\-solve " << kVersion << "\"\n"
      << ".SH NAME\nci\\-solve \\- the lowest eigenstates of configuration\\-interaction "
      << "matrices, verified\n.SH SYNOPSIS\n";
  write_synopsis(out, program);
  out << ".br\n.B ci\\-solve \\fIcommand\\fR [\\fIoptions\\fR]\n"
      << ".SH DESCRIPTION\n"
      << for_roff(program.purpose) << '\n';
  write_options(out, program.arguments);
  out << ".SH OPTIONS\nEvery command takes these.\n";
  write_options(out, program.global_options);
  write_options(out, program.options);
  out << ".SH COMMANDS\n";
  for (const CommandHelp& command : program.commands) write_command(out, command);
  out << ".SH EXAMPLES\n";
  write_examples(out, program.examples);
  return out.str();
}

}  // namespace cisolve::app
