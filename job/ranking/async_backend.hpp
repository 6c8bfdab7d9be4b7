#pragma once

#include <future>
#include <memory>
#include <string>

#include "base/device.hpp"
#include "job/request/request.hpp"

namespace cisolve::job {

/// Whether a job reads a file in a process of its own (io/files/worker.hpp). That process is a
/// fork; a thread that starts a device at that time would leave its locks held there.
bool reads_by_forks(const Request& request, bool resumed);

/// The backend of a job. A device takes 0.25 s to start, and 0.1 s to load its libraries, which
/// several states need; both run concurrently with the host's work, unless the job reads by forks:
/// then they start when needed. If the host may finish earlier, the device starts at begin(),
/// unless this process has used it before.
class AsyncBackend {
 public:
  AsyncBackend(const Request& request, bool resumed);

  /// The host backend, usable before the device is there.
  const base::Backend& host() const { return host_; }
  /// Starts the device unless it is starting already.
  void begin();
  /// Whether no device is starting though there may be one.
  bool may_stay_on_host() const { return may_start_.has_value(); }
  /// Throws as get() would if that is already known: before work is spent.
  void refuse_what_is_known_to_fail();
  /// Waits for the backend; throws as open_backend() does. It shares the budget of host(). Each
  /// call returns one with its own budget of device memory, for the same device.
  base::Backend get();
  /// This device with a budget of `bytes`; only after get().
  base::Backend on_device(Index bytes) const;
  /// Free bytes on it now.
  Index free_device_bytes() const { return base::cuda::free_bytes(*device_); }
  /// Why an existing device was not used; empty if none was refused.
  const std::string& refusal() const { return refusal_; }

 private:
  const Request& request_;
  base::Backend host_;
  std::launch start_;
  std::optional<int> may_start_;  // number of a device not yet requested
  std::future<std::shared_ptr<base::cuda::Context>> started_;  // none if the backend is the host
  std::shared_ptr<base::cuda::Context> device_;
  std::future<void> libraries_;
  std::string refusal_;

  void wait_for_device();
};

}  // namespace cisolve::job
