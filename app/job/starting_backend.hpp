#pragma once

#include <future>
#include <memory>

#include "app/config/configuration.hpp"

namespace cisolve::app {

/// The backend of a job. A device takes a quarter of a second to start, and loading its libraries
/// another tenth; both go on beside what the host does in the meantime.
class StartingBackend {
 public:
  explicit StartingBackend(const Configuration& configuration);

  /// What the host may use until the backend is there.
  const base::Backend& host() const { return host_; }
  /// Waits for the backend; throws as open_backend() does. Its host may use what is left to host().
  base::Backend get();

 private:
  const Configuration& configuration_;
  base::Backend host_;
  std::future<std::shared_ptr<base::cuda::Context>> device_;  // none where the host is the backend
  std::future<void> libraries_;
};

}  // namespace cisolve::app
