#include "app/job/starting_backend.hpp"

#include <algorithm>

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

// Null where there is none: who asks for it later is told why.
std::shared_ptr<base::cuda::Context> start_device() {
  std::string reason;
  if (base::cuda::devices(reason).empty()) return nullptr;
  return base::cuda::make_context(0);
}

}  // namespace

StartingBackend::StartingBackend(const Configuration& configuration)
    : configuration_(configuration), host_(open_host(configuration)) {
  if (may_be_a_device(configuration)) device_ = std::async(std::launch::async, start_device);
}

base::Backend StartingBackend::get() {
  if (!device_.valid()) return host_;
  const auto started = device_.get();
  if (started == nullptr && configuration_.backend == "auto") return host_;
  Configuration rest = configuration_;
  rest.memory = std::max<Index>(1, host_.memory().left());
  base::Backend backend = open_backend(rest);
  if (!backend.is_host())
    libraries_ =
        std::async(std::launch::async, [backend] { base::cuda::load_libraries(backend.device()); });
  return backend;
}

}  // namespace cisolve::app
