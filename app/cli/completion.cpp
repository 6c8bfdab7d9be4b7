#include <set>
#include <sstream>

#include "app/cli/grammar.hpp"
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

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// The words that a type accepts: choices, true and false, auto; "name:" if a number follows. Rules
// with a number ("name: n") are more than one word, and words with quotes (A") would need quoting;
// both are left out.
std::vector<std::string> known_words(const ValueType& type) {
  std::vector<std::string> words;
  for (const std::string& choice : type.choices)
    if (const auto numbered = numbered_name(choice))
      words.push_back(*numbered + ":");
    else if (choice.find_first_of(" '\"") == std::string::npos)
      words.push_back(choice);
  if (type.kind == ValueType::Kind::truth) words.insert(words.end(), {"true", "false"});
  if (!type.word.empty()) words.push_back(type.word);
  return words;
}

// Writes a `case` branch for each key: its words (`values`), and whether it takes names of files or
// folders (`names`, the option letter of compgen).
void write_values(std::ostream& out) {
  out << "  case \"$key\" in\n";
  for (const Key& key : schema()) {
    if (key.is_later()) continue;
    const std::string values = joined(known_words(key.type));
    const bool is_folder = key.type.kind == ValueType::Kind::folder;
    const char* names = key.type.names_file() ? "f" : is_folder ? "d" : "";
    if (values.empty() && *names == '\0') continue;
    out << "    " << key.path << ") values=\"" << values << "\"; names=\"" << names << "\" ;;\n";
  }
  out << "  esac\n";
}

// Writes a `case` branch for each option that maps it to its key.
void write_key_of_option(std::ostream& out) {
  out << "  case \"$before\" in\n";
  std::set<std::string> known;
  for (const Key& key : schema()) {
    const bool takes_word =
        key.type.kind != ValueType::Kind::truth && !known_words(key.type).empty();
    if (key.is_later() || !takes_word || !known.insert(option_of(key)).second) continue;
    out << "    " << option_of(key) << ") key=" << key.path << " ;;\n";
  }
  out << "  esac\n";
}

std::string children(const CommandHelp& command) {
  std::string text;
  for (const CommandHelp& inner : command.commands)
    text += (text.empty() ? "" : " ") + inner.name.substr(inner.name.rfind(' ') + 1);
  return text;
}

// Writes `case` branches with the commands and options to offer after a command.
void write_branches(std::ostream& out, const CommandHelp& command) {
  for (const CommandHelp& inner : command.commands) write_branches(out, inner);
  if (command.name.empty()) return;
  out << "    \"" << command.name << "\") commands=\"" << children(command) << "\"; options=\""
      << names(command.options) << "\" ;;\n";
}

// Writes the choice by the command words before the cursor.
void write_choice(std::ostream& out, const CommandHelp& program) {
  out << "  case \"$command\" in\n";
  write_branches(out, program);
  out << "    *) commands=\"" << children(program) << "\"; options=\"" << names(program.options)
      << "\" ;;\n  esac\n"
      << "  options=\"$options " << names(program.global_options) << "\"\n";
}

std::string bash(const CommandHelp& program) {
  std::ostringstream out;
  out << "# bash completion of ci-solve; made by `ci-solve completion bash`\n"
      << "_ci_solve() {\n"
      << "  local word=${COMP_WORDS[COMP_CWORD]} before=\"\" command=\"\" commands options i\n"
      << "  local key=\"\" value=\"\" prefix=\"\" values=\"\" names=\"\"\n"
      << "  ((COMP_CWORD > 0)) && before=${COMP_WORDS[COMP_CWORD-1]}\n"
      << "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      << "    case ${COMP_WORDS[i]} in -*) break ;; esac\n"
      << "    command=\"${command:+$command }${COMP_WORDS[i]}\"\n"
      << "    [[ ${COMP_WORDS[i]} == matrix ]] || break\n"
      << "  done\n";
  write_choice(out, program);
  write_key_of_option(out);
  // Readline takes '=' for a word of its own, unless COMP_WORDBREAKS was changed.
  out << "  if [[ $word == = ]] && ((COMP_CWORD > 1)) && "
         "[[ ${COMP_WORDS[COMP_CWORD-2]} == --set ]]; then\n"
      << "    key=$before\n"
      << "  elif [[ $before == = ]] && ((COMP_CWORD > 2)) && "
         "[[ ${COMP_WORDS[COMP_CWORD-3]} == --set ]]; then\n"
      << "    key=${COMP_WORDS[COMP_CWORD-2]} value=$word\n"
      << "  elif [[ $before == --set && $word == *=* ]]; then\n"
      << "    key=${word%%=*} value=${word#*=} prefix=$key=\n"
      << "  else\n"
      << "    value=$word\n"
      << "  fi\n";
  write_values(out);
  out << "  if [[ -n $key ]]; then\n"
      << "    mapfile -t COMPREPLY < <(compgen -P \"$prefix\" -W \"$values\" -- \"$value\"\n"
      << "      [[ -z $names ]] || compgen -P \"$prefix\" \"-$names\" -- \"$value\")\n"
      << "  elif [[ $before == --set ]]; then\n"
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
      << "  local command=\"\" commands options word key=\"\" values=\"\" names=\"\"\n"
      << "  local before=${words[CURRENT-1]}\n"
      << "  for word in ${words[2,CURRENT-1]}; do\n"
      << "    [[ $word == -* ]] && break\n"
      << "    command=\"${command:+$command }$word\"\n"
      << "    [[ $word == matrix ]] || break\n"
      << "  done\n";
  write_choice(out, program);
  write_key_of_option(out);
  out << "  if [[ $before == --set && ${words[CURRENT]} == *=* ]]; then\n"
      << "    key=${words[CURRENT]%%=*}\n"
      << "    compset -P '*='\n"
      << "  fi\n";
  write_values(out);
  out << "  if [[ -n $key ]]; then\n"
      << "    compadd -- ${=values}\n"
      << "    case $names in f) _files ;; d) _files -/ ;; esac\n"
      << "  elif [[ $before == --set ]]; then\n"
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
  base::fail(base::ErrorKind::usage, "no completion for the shell '", shell,
             "'; expected bash or zsh");
}

}  // namespace cisolve::app
