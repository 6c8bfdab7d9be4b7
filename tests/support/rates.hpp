#pragma once

#include <algorithm>
#include <string>

#include "base/text.hpp"
#include "sparse/stored/formats.hpp"

namespace cisolve::test {

/// More memory than any request.
inline constexpr sparse::Index kMuch = sparse::Index{1} << 50;

/// Rates of an H200.
inline constexpr sparse::DeviceRates kH200{.bytes = 4.28e12,
                                           .multiply_adds = 1.6e13,
                                           .cache_bytes = sparse::Index{60} << 20,
                                           .multiprocessors = 132};

/// Format with the shortest predicted product there, with "-coded" if its values are coded. Tiles
/// of codes are not considered: they are for molecules.
inline std::string quickest_format(const sparse::RowProfile& profile) {
  const auto ranked = sparse::rank_formats(profile, kH200);
  const sparse::RatedFormat best = *std::ranges::find_if(ranked, [](const auto& rated) {
    return rated.format->name != "tiled" || rated.values == sparse::ValueEncoding::plain;
  });
  return base::concat(best.format->name,
                      best.values == sparse::ValueEncoding::coded ? "-coded" : "");
}

}  // namespace cisolve::test
