#include "ci/fock/models/terms.hpp"

#include <charconv>
#include <cmath>
#include <sstream>
#include <utility>

#include "base/error.hpp"
#include "ci/fock/integrals/integrals.hpp"

namespace cisolve::ci {
namespace {

constexpr std::pair<TermKind, std::string_view> kTerms[] = {
    {TermKind::hop, "t"},       {TermKind::repel, "V"},     {TermKind::repel_on_site, "U"},
    {TermKind::energy, "e"},    {TermKind::couple, "J"},    {TermKind::couple_x, "Jx"},
    {TermKind::couple_y, "Jy"}, {TermKind::couple_z, "Jz"}, {TermKind::couple_xy, "Jxy"},
    {TermKind::field, "h"},     {TermKind::field_x, "hx"}};

template <class Number>
Number parsed(const std::string& word, const char* what) {
  Number number{};
  const char* const end = word.data() + word.size();
  const auto [stopped, error] = std::from_chars(word.data(), end, number);
  if (error != std::errc() || stopped != end)
    base::fail(base::ErrorKind::bad_input, "'", word.substr(0, 40), "' is not a ", what);
  return number;
}

int parsed_site(const std::string& word) {
  const int site = parsed<int>(word, "number of a site; expected one from 1");
  if (site < 1 || site > kMostOrbitals)
    base::fail(base::ErrorKind::bad_input, "site ", site, " does not exist", "; expected 1 to ",
               kMostOrbitals);
  return site - 1;
}

}  // namespace

std::string_view name_of(TermKind kind) {
  for (const auto& [known, name] : kTerms)
    if (known == kind) return name;
  return "?";
}

std::optional<TermKind> term_named(std::string_view name) {
  for (const auto& [kind, known] : kTerms)
    if (known == name) return kind;
  return std::nullopt;
}

std::string_view known_terms() { return "t, V, U, e, J, Jx, Jy, Jz, Jxy, h or hx"; }

bool is_of_one_site(TermKind kind) {
  return kind == TermKind::repel_on_site || kind == TermKind::energy || kind == TermKind::field ||
         kind == TermKind::field_x;
}

std::vector<Term> on_bonds(const LatticeShape& shape, int shell, TermKind kind, double strength) {
  std::vector<Term> terms;
  for (const auto& [a, b] : bonds(shape, shell)) terms.push_back({kind, a, b, strength});
  return terms;
}

std::vector<Term> on_sites(int sites, TermKind kind, double strength) {
  std::vector<Term> terms;
  for (int site = 0; site < sites; ++site) terms.push_back({kind, site, site, strength});
  return terms;
}

void append(std::vector<Term>& terms, const std::vector<Term>& others) {
  terms.insert(terms.end(), others.begin(), others.end());
}

Term parse_term(std::string_view text) {
  constexpr std::size_t kWords = 4;
  std::vector<std::string> words;
  std::istringstream stream{std::string(text)};
  for (std::string word; words.size() <= kWords && stream >> word;) words.push_back(word);
  if (words.size() != kWords)
    base::fail(
        base::ErrorKind::bad_input,
        words.size() > kWords ? "the term has more than four words" : "the term has too few words",
        "; expected two sites, a strength and one of ", known_terms(), ", such as '1 2 0.5 J'");
  const auto kind = term_named(words[3]);
  if (!kind)
    base::fail(base::ErrorKind::bad_input, "'", words[3].substr(0, 40),
               "' is not a kind of term; expected ", known_terms());
  const Term term{*kind, parsed_site(words[0]), parsed_site(words[1]),
                  parsed<double>(words[2], "strength; expected a number")};
  if (!std::isfinite(term.strength))
    base::fail(base::ErrorKind::bad_input, "the strength is ", words[2],
               "; expected a finite number");
  const bool one_site = is_of_one_site(*kind);
  if (one_site != (term.first == term.second))
    base::fail(base::ErrorKind::bad_input, "the term ", words[3],
               one_site ? " has two sites" : " has one site", "; expected ",
               one_site ? "its site twice" : "two different sites");
  return term;
}

}  // namespace cisolve::ci
