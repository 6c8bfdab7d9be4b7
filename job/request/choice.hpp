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
/// Each word stands there alone: what is read, written, listed and reported comes from it.
template <class Enum>
struct Words;

template <class Enum>
concept HasWords = requires {
  Words<Enum>::all.size();
};

template <HasWords Enum>
constexpr std::string_view word_of(Enum value) {
  return Words<Enum>::all[static_cast<std::size_t>(value)];
}

/// The value of that word; none where no value has it.
template <HasWords Enum>
constexpr std::optional<Enum> choice_named(std::string_view word) {
  for (std::size_t i = 0; i < Words<Enum>::all.size(); ++i)
    if (Words<Enum>::all[i] == word) return static_cast<Enum>(i);
  return std::nullopt;
}

template <HasWords Enum>
std::vector<std::string> words_of() {
  return {Words<Enum>::all.begin(), Words<Enum>::all.end()};
}

}  // namespace cisolve::job
