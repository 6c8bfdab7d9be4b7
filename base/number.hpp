#pragma once

#include <string>
#include <string_view>

#include "base/types.hpp"

namespace cisolve::base {

/// Shortest decimal text that converts back to the same bits.
std::string shortest(double value);

/// "31,141,367"
std::string grouped(Index value);

/// "1 orbital", "2 orbitals"
std::string counted(Index count, std::string_view noun);

/// Four significant digits, such as "12.34" or "1.234e-16".
std::string brief(double value);

/// Twelve significant digits at most: 0.1 + 0.2 is "0.3".
std::string rounded(double value);

/// "-1.5000" and "1.5e-08", with this number of decimals.
std::string fixed(double value, int decimals);
std::string scientific(double value, int decimals);

/// "12.3 %" of 0.123.
std::string percent(double share);

/// "356.57 MiB": two decimals, as in the paper's tables.
std::string mebibytes(Index bytes);

/// "12.3 ms"
std::string human_seconds(double seconds);

}  // namespace cisolve::base
