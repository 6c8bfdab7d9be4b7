#include "io/molecules/fcidump_lines.hpp"

namespace cisolve::io {
namespace {

using base::concat;

bool is_whole_number(std::string_view word) {
  return !word.empty() && word.find_first_not_of("+-0123456789") == std::string_view::npos;
}

FcidumpKind kind_of(const FcidumpLine& line) {
  const auto [i, j, k, l] = line.index;
  if (i > 0 && j > 0 && k > 0 && l > 0) return FcidumpKind::two_electron;
  if (i > 0 && j > 0 && k == 0 && l == 0) return FcidumpKind::one_electron;
  if (i > 0 && j == 0 && k == 0 && l == 0) return FcidumpKind::orbital_energy;
  if (i == 0 && j == 0 && k == 0 && l == 0) return FcidumpKind::core;
  throw TextProblem{
      line.where, concat("the indices ", i, " ", j, " ", k, " ", l, " do not denote an integral; ",
                         "expected i j k l, i j 0 0, i 0 0 0 or 0 0 0 0")};
}

}  // namespace

ValueColumn find_value_column(std::string_view body) {
  LineScanner lines(body.data(), body.data() + body.size(), '!');
  if (!lines.next()) return ValueColumn::first;
  std::string_view words[5];
  for (std::string_view& word : words) word = lines.word();
  const bool last = is_whole_number(words[0]) && !is_whole_number(words[4]);
  return last ? ValueColumn::last : ValueColumn::first;
}

bool FcidumpLines::next(FcidumpLine& line) {
  if (!lines_.next()) return false;
  line.where = lines_.line();
  if (value_column_ == ValueColumn::first) {
    read_value(line);
    read_indices(line);
  } else {
    read_indices(line);
    read_value(line);
  }
  if (lines_.is_next('!'))
    lines_.skip_line();
  else
    lines_.finish("only a value and four indices");
  line.kind = kind_of(line);
  return true;
}

void FcidumpLines::read_value(FcidumpLine& line) {
  if (lines_.is_next('('))
    throw TextProblem{lines_.at(),
                      "complex integrals are not supported, since Hamiltonians are real and "
                      "symmetric here; rotate "
                      "the orbitals to real ones"};
  const char* begin = lines_.at();
  line.value = lines_.real("the value of an integral");
  line.value_text = {begin, lines_.at()};
}

void FcidumpLines::read_indices(FcidumpLine& line) {
  for (int& index : line.index) {
    const Index number = lines_.integer("an orbital index");
    if (number < 0 || number > most_)
      throw TextProblem{line.where, concat("orbital index ", number, "; expected 0 to ", most_)};
    index = static_cast<int>(number);
  }
}

}  // namespace cisolve::io
