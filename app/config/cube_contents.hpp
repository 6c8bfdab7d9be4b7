#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/types.hpp"

namespace cisolve::app {

/// One of the quantities that cube files may hold, as output.cube names it.
struct CubeContents {
  enum class Kind { density, spin_density, natural, orbital, beta_orbital };
  Kind kind = Kind::density;
  base::Index number = 0;  // of the orbital, from 1

  /// Whether each state has one.
  bool is_of_states() const { return kind < Kind::orbital; }
};

/// density, spin_density, natural_N, orbital_N or beta_orbital_N; none for any other name.
inline std::optional<CubeContents> cube_contents(std::string_view name) {
  using Kind = CubeContents::Kind;
  if (name == "density") return CubeContents{Kind::density};
  if (name == "spin_density") return CubeContents{Kind::spin_density};
  for (const auto& [prefix, kind] : {std::pair<std::string_view, Kind>("natural_", Kind::natural),
                                     {"orbital_", Kind::orbital},
                                     {"beta_orbital_", Kind::beta_orbital}}) {
    if (!name.starts_with(prefix)) continue;
    const std::string_view digits = name.substr(prefix.size());
    if (digits.empty() || digits.size() > 5 || digits.front() == '0' ||
        digits.find_first_not_of("0123456789") != std::string_view::npos)
      return std::nullopt;
    return CubeContents{kind, std::stoll(std::string(digits))};
  }
  return std::nullopt;
}

}  // namespace cisolve::app
