#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cisolve::job {

/// The words by which users name the values of an enum, in the order of the values:
///   template <>
///   struct Words<VerificationEffort> {
///     static constexpr std::array<std::string_view, 3> all = {"auto", "whole", "sample"};
///   };
/// Reading, writing, lists and reports all take the words from here.
template <class Enum>
struct Words;

template <class Enum>
concept HasWords = requires {
  Words<Enum>::all.size();
};

/// Whether `value` is an enumerator. Compilers print an enumerator as Enum::name and any other
/// value as a cast, (Enum)3.
template <auto value>
constexpr bool has_name() {
  const std::string_view text = __PRETTY_FUNCTION__;
  const std::size_t name = text.rfind("::");
  const std::size_t number = text.rfind(')');
  return name != std::string_view::npos && name > number;
}

/// Words<Enum>::all; fails to compile unless there is one word for each enumerator.
template <HasWords Enum>
constexpr const auto& all_words() {
  constexpr std::size_t count = Words<Enum>::all.size();
  static_assert(has_name<static_cast<Enum>(count - 1)>(), "a word without a value");
  static_assert(!has_name<static_cast<Enum>(count)>(), "a value without a word");
  return Words<Enum>::all;
}

template <HasWords Enum>
constexpr std::string_view word_of(Enum value) {
  return all_words<Enum>()[static_cast<std::size_t>(value)];
}

/// The value that a word names; none if there is no such value.
template <HasWords Enum>
constexpr std::optional<Enum> choice_named(std::string_view word) {
  for (std::size_t i = 0; i < all_words<Enum>().size(); ++i)
    if (all_words<Enum>()[i] == word) return static_cast<Enum>(i);
  return std::nullopt;
}

template <HasWords Enum>
std::vector<std::string> words_of() {
  return {all_words<Enum>().begin(), all_words<Enum>().end()};
}

}  // namespace cisolve::job
