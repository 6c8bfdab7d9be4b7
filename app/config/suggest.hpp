#pragma once

#include <span>
#include <string>
#include <string_view>

namespace cisolve::app {

/// Damerau-Levenshtein distance (optimal string alignment): insertions, deletions, substitutions
/// and swaps of neighbours.
int edit_distance(std::string_view a, std::string_view b);

/// The candidate that `word` was probably meant to be; empty when none is close.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

/// "; did you mean 'x'?", or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

/// "a, b or c"
std::string alternatives(std::span<const std::string> words);

}  // namespace cisolve::app
