#include "app/job/starting_backend.hpp"

#include <algorithm>

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
    started_ = std::async(std::launch::async, start_device, configuration.backend == "cuda");
}

base::Backend StartingBackend::get() {
  if (!started_.valid()) return host_;
  try {
    device_ = started_.get();
  } catch (const base::DeviceMemoryError& error) {
    refusal_ = base::concat("the device has no room to begin in: ", error.what());
    if (configuration_.backend == "cuda")
      throw base::DeviceMemoryError(
          refusal_ + "; end what else uses it, or 'backend: auto' would take the host");
  } catch (const base::Error& error) {
    if (configuration_.backend == "cuda") throw;
    refusal_ = error.what();
  }
  if (device_ == nullptr) return host_;
  libraries_ =
      std::async(std::launch::async, [device = device_] { base::cuda::load_libraries(*device); });
  return on_device(std::max<Index>(0, configuration_.device_memory));
}

base::Backend StartingBackend::on_device(Index bytes) const {
  return base::Backend::cuda(device_, host_, bytes);
}

}  // namespace cisolve::app
