#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/types.hpp"
#include "sparse/stored/rates.hpp"

namespace cisolve::job {

using base::Index;

/// Specification of a GPU, to plan for one that this machine lacks.
struct Card {
  std::string_view name;
  Index bytes;  // that programs may have
  sparse::DeviceRates rates;
};

std::optional<Card> card_named(const std::string& name);
/// "h100, h200"
std::string card_names();

}  // namespace cisolve::job
