#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/types.hpp"
#include "sparse/stored/rates.hpp"

namespace cisolve::job {

using base::Index;

/// Specification of a GPU, to plan for one that this machine lacks.
struct GpuModel {
  std::string_view name;
  Index bytes;  // available to programs
  sparse::DeviceRates rates;
};

std::optional<GpuModel> gpu_model_named(const std::string& name);
/// "h100, h200"
std::string gpu_model_names();

}  // namespace cisolve::job
