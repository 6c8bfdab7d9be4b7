#pragma once

#include <future>
#include <memory>
#include <string>

#include "app/config/configuration.hpp"

namespace cisolve::app {

/// The backend of a job. A device takes a quarter of a second to start, and loading its libraries
/// another tenth; both go on beside what the host does in the meantime.
class StartingBackend {
 public:
  explicit StartingBackend(const Configuration& configuration);

  /// What the host may use until the backend is there.
  const base::Backend& host() const { return host_; }
  /// Waits for the backend; throws as open_backend() does. It shares the budget of host().
  base::Backend get();
  /// Why a device that is there was not taken; empty where none was refused.
  const std::string& refusal() const { return refusal_; }

 private:
  base::Backend on_device(std::shared_ptr<base::cuda::Context> device);

  const Configuration& configuration_;
  base::Backend host_;
  std::future<std::shared_ptr<base::cuda::Context>> device_;  // none where the host is the backend
  std::future<void> libraries_;
  std::string refusal_;
};

}  // namespace cisolve::app
