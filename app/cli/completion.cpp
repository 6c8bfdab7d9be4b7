#include <sstream>

#include "app/commands/command_help.hpp"
#include "app/config/schema.hpp"
#include "base/error.hpp"

namespace cisolve::app {
namespace {

std::string names(const std::vector<OptionHelp>& options) {
  std::string text;
  for (const OptionHelp& option : options) text += (text.empty() ? "" : " ") + option.name;
  return text;
}

std::string keys() {
  std::string text;
  for (const Key& key : schema())
    if (!key.is_later()) text += (text.empty() ? "" : " ") + key.path + "=";
  return text;
}

std::string children(const CommandHelp& command) {
  std::string text;
  for (const CommandHelp& inner : command.commands)
    text += (text.empty() ? "" : " ") + inner.name.substr(inner.name.rfind(' ') + 1);
  return text;
}

// `case` branches that set the commands and the options to offer after the words of a command.
void write_branches(std::ostream& out, const CommandHelp& command) {
  for (const CommandHelp& inner : command.commands) write_branches(out, inner);
  if (command.name.empty()) return;
  out << "    \"" << command.name << "\") commands=\"" << children(command) << "\"; options=\""
      << names(command.options) << "\" ;;\n";
}

// The words before the cursor that name a command, and what may follow them.
void write_choice(std::ostream& out, const CommandHelp& program) {
  out << "  case \"$command\" in\n";
  write_branches(out, program);
  out << "    *) commands=\"" << children(program) << "\"; options=\"" << names(program.options)
      << "\" ;;\n  esac\n"
      << "  options=\"$options " << names(program.everywhere) << "\"\n";
}

std::string bash(const CommandHelp& program) {
  std::ostringstream out;
  out << "# bash completion of ci-solve; made by `ci-solve completion bash`\n"
      << "_ci_solve() {\n"
      << "  local word=${COMP_WORDS[COMP_CWORD]} before=\"\" command=\"\" commands options i\n"
      << "  ((COMP_CWORD > 0)) && before=${COMP_WORDS[COMP_CWORD-1]}\n"
      << "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      << "    case ${COMP_WORDS[i]} in -*) break ;; esac\n"
      << "    command=\"${command:+$command }${COMP_WORDS[i]}\"\n"
      << "    [[ ${COMP_WORDS[i]} == matrix ]] || break\n"
      << "  done\n";
  write_choice(out, program);
  out << "  if [[ $before == --set ]]; then\n"
      << "    mapfile -t COMPREPLY < <(compgen -W \"" << keys() << "\" -- \"$word\")\n"
      << "    compopt -o nospace 2>/dev/null\n"
      << "  elif [[ $word == -* ]]; then\n"
      << "    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
      << "  else\n"
      << "    mapfile -t COMPREPLY < <(compgen -W \"$commands\" -- \"$word\"; compgen -f -- "
         "\"$word\")\n"
      << "  fi\n}\n"
      << "complete -o filenames -F _ci_solve ci-solve\n";
  return out.str();
}

std::string zsh(const CommandHelp& program) {
  std::ostringstream out;
  out << "#compdef ci-solve\n# zsh completion of ci-solve; made by `ci-solve completion zsh`\n"
      << "_ci_solve() {\n"
      << "  local command=\"\" commands options word\n"
      << "  for word in ${words[2,CURRENT-1]}; do\n"
      << "    [[ $word == -* ]] && break\n"
      << "    command=\"${command:+$command }$word\"\n"
      << "    [[ $word == matrix ]] || break\n"
      << "  done\n";
  write_choice(out, program);
  out << "  if [[ ${words[CURRENT-1]} == --set ]]; then\n"
      << "    compadd -S '' -- " << keys() << "\n"
      << "  elif [[ ${words[CURRENT]} == -* ]]; then\n"
      << "    compadd -- ${=options}\n"
      << "  else\n"
      << "    compadd -- ${=commands}\n    _files\n"
      << "  fi\n}\n"
      << "if [[ ${funcstack[1]} == _ci_solve ]]; then _ci_solve \"$@\"; else compdef _ci_solve "
         "ci-solve; fi\n";
  return out.str();
}

}  // namespace

std::string completion_script(const CommandHelp& program, const std::string& shell) {
  if (shell == "bash") return bash(program);
  if (shell == "zsh") return zsh(program);
  base::fail(base::Fault::usage, "no completion for the shell '", shell, "'; expected bash or zsh");
}

}  // namespace cisolve::app
