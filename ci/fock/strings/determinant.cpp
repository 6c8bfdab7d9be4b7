#include "ci/fock/strings/determinant.hpp"

#include <vector>

#include "base/error.hpp"

namespace cisolve::ci {
namespace {

std::vector<std::string_view> tokens_of(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  std::vector<std::string_view> tokens;
  for (std::size_t begin = text.find_first_not_of(blanks); begin != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(blanks, begin), text.size());
    tokens.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(blanks, end);
  }
  return tokens;
}

void require_length(std::string_view token, int orbitals) {
  if (std::ssize(token) > orbitals)
    base::fail(base::ErrorKind::bad_input, "'", token.substr(0, 300), "' names ", token.size(),
               " orbitals; expected at most ", orbitals);
}

using Words = std::array<std::uint64_t, String::kWords>;

void put(Words& words, int p, bool is_there) {
  words[p / 64] |= std::uint64_t{is_there} << (p % 64);
}

}  // namespace

Determinant parse_occupations(std::string_view token, int orbitals) {
  require_length(token, orbitals);
  Words alpha{};
  Words beta{};
  for (int p = 0; p < std::ssize(token); ++p) {
    const char c = token[p];
    if (c != '0' && c != 'u' && c != 'd' && c != '2')
      base::fail(base::ErrorKind::bad_input, "'", c, "' at orbital ", p + 1, " of '", token,
                 "'; expected 2, u, d or 0");
    put(alpha, p, c == '2' || c == 'u');
    put(beta, p, c == '2' || c == 'd');
  }
  return {String::of_words(alpha), String::of_words(beta)};
}

Determinant aufbau(int alpha_electrons, int beta_electrons) {
  return {String::below(alpha_electrons), String::below(beta_electrons)};
}

String parse_string(std::string_view bits, int orbitals) {
  require_length(bits, orbitals);
  Words words{};
  for (int p = 0; p < std::ssize(bits); ++p) {
    const char c = bits[bits.size() - 1 - p];
    if (c != '0' && c != '1')
      base::fail(base::ErrorKind::bad_input, "'", c, "' at orbital ", p + 1, " of the bits '", bits,
                 "'; expected 0 or 1");
    put(words, p, c == '1');
  }
  return String::of_words(words);
}

Determinant parse_determinant(std::string_view text, int orbitals) {
  const std::vector<std::string_view> tokens = tokens_of(text);
  if (tokens.size() == 1) return parse_occupations(tokens[0], orbitals);
  if (tokens.size() == 2)
    return {parse_string(tokens[0], orbitals), parse_string(tokens[1], orbitals)};
  base::fail(base::ErrorKind::bad_input, tokens.size(),
             " words were given for a determinant; expected one of the characters 2ud0, or two of "
             "bits, alpha "
             "and beta");
}

std::string to_text(const Determinant& determinant, int orbitals) {
  std::string text(orbitals, '0');
  for (int p = 0; p < orbitals; ++p) {
    const bool up = determinant.alpha.has(p);
    const bool down = determinant.beta.has(p);
    if (up || down) text[p] = up && down ? '2' : up ? 'u' : 'd';
  }
  return text;
}

}  // namespace cisolve::ci
