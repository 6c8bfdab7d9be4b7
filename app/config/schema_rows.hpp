#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/config/schema.hpp"
#include "base/error.hpp"
#include "ci/fock/integrals/integrals.hpp"
#include "ci/fock/integrals/point_group.hpp"
#include "sparse/formats/csb.hpp"
#include "sparse/stored/matrix.hpp"

// Helpers for the rows of the schema's table; included by its sources alone.
namespace cisolve::app {

std::vector<Key> problem_keys();
std::vector<Key> space_keys();

namespace schema_rows {

using namespace conditions;

using Kind = ValueType::Kind;
using C = Configuration;
using sparse::kAutomatic;

inline constexpr double kUnbounded = std::numeric_limits<double>::infinity();

inline ValueType whole(double low, double high) { return {Kind::whole, low, high}; }
inline ValueType real(double low, double high) { return {Kind::real, low, high}; }
inline ValueType choice(std::vector<std::string> choices) {
  return {Kind::choice, 0, 0, std::move(choices)};
}
inline ValueType of(Kind kind) { return {kind}; }

template <job::HasWords Enum>
ValueType choice() {
  return choice(job::words_of<Enum>());
}
/// A choice with a further keyword for "not set".
template <job::HasWords Enum>
ValueType choice_or(std::string word) {
  std::vector<std::string> words = job::words_of<Enum>();
  words.insert(words.begin(), std::move(word));
  return choice(std::move(words));
}

inline ValueType path() { return of(Kind::path); }
inline ValueType text() { return of(Kind::text); }
inline ValueType orbitals() { return {Kind::orbitals, 0, ci::kMostOrbitals}; }
inline ValueType irrep() { return {Kind::irrep, 1, 8, ci::all_irrep_names()}; }
inline ValueType names_or_none() { return {Kind::names, 0, 0, {"none"}}; }
inline ValueType any_number() { return of(Kind::real); }
inline ValueType count() { return whole(0, kUnbounded); }

inline ValueType format_choice() {
  std::vector<std::string> names = sparse::format_names();
  names.insert(names.begin(), "auto");
  return choice(std::move(names));
}

inline ValueType shape_choice() {
  std::vector<std::string> names = job::words_of<ci::LatticeType>();
  names.push_back("graph");  // the word for no lattice type
  return choice(std::move(names));
}

inline ValueType parity() { return choice_or<ci::LatticeParity>("any"); }

inline ValueType partition_rule() {
  ValueType type{Kind::rule, 0, base::kLargestDimension};
  type.word = job::word_of(job::PartitionBy::automatic);
  for (const std::string& word : job::words_of<job::PartitionBy>())
    if (word != type.word)
      type.choices.push_back(
          word + (takes_number(*job::choice_named<job::PartitionBy>(word)) ? ": n" : ""));
  return type;
}

inline ValueType natural_rule() { return {Kind::rule, 1, 1000, {"none", "average", "state: n"}}; }

inline ValueType backend_choice() {
  std::vector<std::string> names{base::BackendChoice().text()};
  for (const auto kind :
       {base::BackendKind::reference, base::BackendKind::openmp, base::BackendKind::cuda})
    names.emplace_back(base::name_of(kind));
  names.push_back(names.back() + ":N");
  return choice(std::move(names));
}

// Conversions between values of the schema and members of the configuration.
inline void assign(job::OrbitalSet& member, const Value& value) {
  member = {};
  if (const Index* count = std::get_if<Index>(&value)) member.count = *count;
  if (const auto* numbers = std::get_if<std::vector<Index>>(&value)) member.numbers = *numbers;
}

inline void assign(job::IrrepChoice& member, const Value& value) {
  member = {};
  if (const Index* number = std::get_if<Index>(&value)) member.number = *number;
  if (const auto* name = std::get_if<std::string>(&value)) member.name = *name;
}

inline void assign(job::PropertyChoice& member, const Value& value) {
  member = {};
  member.none = std::holds_alternative<std::string>(value);
  if (const auto* names = std::get_if<std::vector<std::string>>(&value)) member.names = *names;
}

inline void assign(job::TermLines& member, const Value& value) {
  member = {};
  if (const auto* file = std::get_if<std::string>(&value)) member.file = *file;
  if (const auto* lines = std::get_if<std::vector<std::string>>(&value)) member.lines = *lines;
}

template <class Values>
void assign(job::FileOrValues<Values>& member, const Value& value) {
  member = {};
  if (const auto* file = std::get_if<std::string>(&value)) member = *file;
}

inline void assign(job::PartitionRule& member, const Value& value) {
  member = {};
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return;
  const std::size_t colon = std::min(text->find(':'), text->size());
  member.by = *job::choice_named<job::PartitionBy>(text->substr(0, colon));
  if (takes_number(member.by)) member.number = std::stoll(text->substr(colon + 1));
}

inline void assign(NaturalRule& member, const Value& value) {
  const auto& text = std::get<std::string>(value);
  const std::size_t colon = std::min(text.find(':'), text.size());
  member = {.of = *job::choice_named<NaturalOf>(text.substr(0, colon))};
  if (member.of == NaturalOf::state) member.number = std::stoll(text.substr(colon + 1));
}

inline void assign(base::BackendChoice& member, const Value& value) {
  member = *base::BackendChoice::named(std::get<std::string>(value));
}

template <class Given>
void assign(std::optional<Given>& member, const Value& value) {
  member.reset();
  if constexpr (job::HasWords<Given>)
    member = job::choice_named<Given>(std::get<std::string>(value));
  else if (const Given* given = std::get_if<Given>(&value))
    member = *given;
}

template <class Member>
void assign(Member& member, const Value& value) {
  if (std::holds_alternative<Automatic>(value)) {
    if constexpr (std::is_arithmetic_v<Member>)
      member = static_cast<Member>(kAutomatic);
    else
      member = Member();
  } else if constexpr (job::HasWords<Member>) {
    member = *job::choice_named<Member>(std::get<std::string>(value));
  } else if constexpr (std::is_integral_v<Member> && !std::is_same_v<Member, bool>) {
    member = static_cast<Member>(std::get<Index>(value));
  } else {
    member = std::get<Member>(value);
  }
}

inline Value as_value(const job::OrbitalSet& member, const ValueType& /*type*/) {
  if (!member.numbers.empty()) return member.numbers;
  return member.count ? Value(*member.count) : Value(Automatic{});
}

inline Value as_value(const job::IrrepChoice& member, const ValueType& /*type*/) {
  if (!member.name.empty()) return member.name;
  return member.number ? Value(*member.number) : Value(Automatic{});
}

inline Value as_value(const job::PropertyChoice& member, const ValueType& type) {
  if (member.none) return type.choices.front();
  return member.names.empty() ? Value(Automatic{}) : Value(member.names);
}

inline Value as_value(const job::TermLines& member, const ValueType& /*type*/) {
  if (!member.file.empty()) return member.file;
  return member.lines.empty() ? Value(Automatic{}) : Value(member.lines);
}

// Values in memory have no text: such a configuration is not written.
template <class Values>
Value as_value(const job::FileOrValues<Values>& member, const ValueType& /*type*/) {
  return member.file().empty() ? Value(Automatic{}) : Value(member.file());
}

inline Value as_value(const job::PartitionRule& member, const ValueType& /*type*/) {
  if (member.by == job::PartitionBy::automatic) return Automatic{};
  const std::string word(job::word_of(member.by));
  return takes_number(member.by) ? base::concat(word, ": ", member.number) : word;
}

inline Value as_value(const NaturalRule& member, const ValueType& /*type*/) {
  const std::string word(job::word_of(member.of));
  return member.of == NaturalOf::state ? base::concat(word, ": ", member.number) : word;
}

inline Value as_value(const base::BackendChoice& member, const ValueType& /*type*/) {
  return member.text();
}

// The choice that names no value of the enum.
template <job::HasWords Enum>
const std::string& word_of_none(const ValueType& type) {
  const auto is_none = [](const std::string& word) { return !job::choice_named<Enum>(word); };
  return *std::ranges::find_if(type.choices, is_none);
}

template <class Given>
Value as_value(const std::optional<Given>& member, const ValueType& type) {
  if constexpr (job::HasWords<Given>)
    return member ? std::string(job::word_of(*member)) : word_of_none<Given>(type);
  else
    return member ? Value(*member) : Value(Automatic{});
}

template <class Member>
Value as_value(const Member& member, const ValueType& type) {
  const bool has_word = !type.word.empty();  // beside its numbers, texts or lists
  if constexpr (job::HasWords<Member>)
    return std::string(job::word_of(member));
  else if constexpr (std::is_arithmetic_v<Member> && !std::is_same_v<Member, bool>) {
    if (has_word && member == static_cast<Member>(kAutomatic)) return Automatic{};
    if constexpr (std::is_same_v<Member, double>) return member;
    return static_cast<Index>(member);
  } else {
    if constexpr (!std::is_same_v<Member, bool>)
      if (has_word && member.empty()) return Automatic{};
    return member;
  }
}

// A key of this version, with the member of the configuration that it sets.
template <class Slot>
Key key(std::string path, ValueType type, Slot slot, std::string help) {
  return {.path = std::move(path),
          .type = type,
          .help = std::move(help),
          .set = [slot](C& c, const Value& value) { assign(slot(c), value); },
          .get = [slot, type](C c) { return as_value(slot(c), type); }};
}

}  // namespace schema_rows
}  // namespace cisolve::app
