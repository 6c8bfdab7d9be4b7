#pragma once

#include <future>
#include <memory>
#include <string>

#include "job/request/request.hpp"

namespace cisolve::job {

/// Whether a job reads a file in a process of its own (io/files/worker.hpp). Such a process is a
/// fork, and a thread that is starting a device meanwhile would leave its locks behind in it.
bool reads_by_forks(const Request& request, bool resumed);

/// The backend of a job. A device takes a quarter of a second to start, and loading its libraries,
/// which several states need, another tenth; both go on beside what the host does in the meantime,
/// unless the job reads by forks: then each waits until it is needed. Where it may be that the host
/// is done before, it waits until somebody says that it is not, unless this process has had that
/// device.
class AsyncBackend {
 public:
  AsyncBackend(const Request& request, bool resumed);

  /// What the host may use until the backend is there.
  const base::Backend& host() const { return host_; }
  /// A device will be needed: it starts now, if it has not begun to.
  void begin();
  /// Whether it has not begun to, though there may be one.
  bool may_stay_on_host() const { return may_start_.has_value(); }
  /// Throws as get() will, where that is known by now: before work is spent.
  void refuse_what_is_known_to_fail();
  /// Waits for the backend; throws as open_backend() does. It shares the budget of host(). Each
  /// call gives one with device memory of its own, for the same device.
  base::Backend get();
  /// The same device with a budget of its own; not before get() gave one.
  base::Backend on_device(Index bytes) const;
  /// What is free on it now.
  Index free_device_bytes() const { return base::cuda::free_bytes(*device_); }
  /// Why a device that is there was not taken; empty where none was refused.
  const std::string& refusal() const { return refusal_; }

 private:
  const Request& request_;
  base::Backend host_;
  std::launch start_;
  std::optional<int> may_start_;  // the number of a device that nobody has asked for so far
  std::future<std::shared_ptr<base::cuda::Context>> started_;  // none where the host is the backend
  std::shared_ptr<base::cuda::Context> device_;
  std::future<void> libraries_;
  std::string refusal_;

  void wait_for_device();
};

}  // namespace cisolve::job
