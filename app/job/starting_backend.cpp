#include "app/job/starting_backend.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/libraries.hpp"

namespace cisolve::app {
namespace {

bool may_be_a_device(const Configuration& configuration) {
  return base::cuda::is_built() &&
         (configuration.backend == "cuda" || configuration.backend == "auto");
}

base::Backend open_host(const Configuration& configuration) {
  if (!may_be_a_device(configuration)) return open_backend(configuration);
  return open_backend(configuration, "openmp");
}

// Null where there is none and none must be.
std::shared_ptr<base::cuda::Context> start_device(bool required) {
  std::string reason;
  if (!required && base::cuda::devices(reason).empty()) return nullptr;
  return base::cuda::make_context(0);
}

}  // namespace

StartingBackend::StartingBackend(const Configuration& configuration)
    : configuration_(configuration), host_(open_host(configuration)) {
  if (may_be_a_device(configuration))
    device_ = std::async(std::launch::async, start_device, configuration.backend == "cuda");
}

base::Backend StartingBackend::get() {
  if (!device_.valid()) return host_;
  std::shared_ptr<base::cuda::Context> device;
  try {
    device = device_.get();
  } catch (const base::Error& error) {
    if (configuration_.backend == "cuda") throw;
    refusal_ = error.what();
  }
  return device == nullptr ? host_ : on_device(std::move(device));
}

base::Backend StartingBackend::on_device(std::shared_ptr<base::cuda::Context> device) {
  libraries_ = std::async(std::launch::async, [device] { base::cuda::load_libraries(*device); });
  return base::Backend::cuda(std::move(device), host_,
                             std::max<Index>(0, configuration_.device_memory));
}

}  // namespace cisolve::app
