#include "job/plan/gpu_models.hpp"

#include <algorithm>
#include <array>

namespace cisolve::job {
namespace {

constexpr Index kGiB = Index{1} << 30;
constexpr Index kMiB = Index{1} << 20;

constexpr std::array kGpuModels{GpuModel{"h100",
                                         79 * kGiB,
                                         {.bytes = 2.9e12,
                                          .multiply_adds = 1.6e13,
                                          .cache_bytes = 50 * kMiB,
                                          .multiprocessors = 132}},
                                GpuModel{"h200",
                                         139 * kGiB,
                                         {.bytes = 4.28e12,
                                          .multiply_adds = 1.6e13,
                                          .cache_bytes = 60 * kMiB,
                                          .multiprocessors = 132}}};

}  // namespace

std::optional<GpuModel> gpu_model_named(const std::string& name) {
  const auto* found = std::ranges::find(kGpuModels, name, &GpuModel::name);
  return found == kGpuModels.end() ? std::nullopt : std::optional(*found);
}

std::string gpu_model_names() {
  std::string names;
  for (const GpuModel& card : kGpuModels)
    names += (names.empty() ? "" : ", ") + std::string(card.name);
  return names;
}

}  // namespace cisolve::job
