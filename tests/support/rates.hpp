#pragma once

#include <algorithm>
#include <string>

#include "base/text.hpp"
#include "sparse/stored/formats.hpp"

namespace cisolve::test {

/// Memory for all that may be asked for.
inline constexpr sparse::Index kMuch = sparse::Index{1} << 50;

/// As an H200 tells them.
inline constexpr sparse::DeviceRates kH200{.bytes = 4.28e12,
                                           .multiply_adds = 1.6e13,
                                           .cache_bytes = sparse::Index{60} << 20,
                                           .multiprocessors = 132};

/// The format whose product is predicted to be the quickest there; "-coded" where its values are.
/// Tiles of codes are beside the question: they are for molecules.
inline std::string quickest_format(const sparse::RowProfile& profile) {
  const auto ranked = sparse::rank_formats(profile, kH200);
  const sparse::RatedFormat best = *std::ranges::find_if(ranked, [](const auto& rated) {
    return rated.format->name != "tiled" || rated.values == sparse::Values::plain;
  });
  return base::concat(best.format->name, best.values == sparse::Values::coded ? "-coded" : "");
}

}  // namespace cisolve::test
