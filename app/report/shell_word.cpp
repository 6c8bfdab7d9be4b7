#include "app/report/shell_word.hpp"

#include <algorithm>

namespace cisolve::app {
namespace {

constexpr std::string_view kPlain =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:,+%@=";

bool is_plain(char c) {
  const bool is_ascii = static_cast<unsigned char>(c) < 0x80;
  return !is_ascii || kPlain.find(c) != std::string_view::npos;
}

}  // namespace

std::string shell_word(std::string_view text) {
  if (text.starts_with('-')) return shell_word("./" + std::string(text));
  // zsh looks up what begins with '='.
  if (!text.empty() && text.front() != '=' && std::ranges::all_of(text, is_plain))
    return std::string(text);
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? "'\\''" : std::string(1, c);
  return word + "'";
}

}  // namespace cisolve::app
