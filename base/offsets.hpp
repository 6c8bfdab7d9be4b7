#pragma once

#include <span>
#include <string_view>

#include "base/array.hpp"

namespace cisolve::base {

/// offsets[i] = sum of the first i lengths; has one element more than `lengths`.
Array<Index> offsets_from(std::span<const Column> lengths, const Backend& host,
                          std::string_view what);

}  // namespace cisolve::base
