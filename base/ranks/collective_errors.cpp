#include "base/ranks/collective_errors.hpp"

#include <new>
#include <string>

namespace cisolve::base {
namespace {

class CollectiveFailure final : public Error, public CollectiveError {
 public:
  using Error::Error;
};

class CollectiveDeviceMemoryError final : public DeviceMemoryError, public CollectiveError {
 public:
  using DeviceMemoryError::DeviceMemoryError;
};

/// Description of an error for other ranks.
struct Reason {
  ErrorKind fault = ErrorKind::internal;
  bool is_device_memory = false;
  std::string message = {};
};

Reason reason_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const DeviceMemoryError& e) {
    return {e.kind(), true, e.what()};
  } catch (const Error& e) {
    return {e.kind(), false, e.what()};
  } catch (const std::bad_alloc&) {
    return {ErrorKind::resources, false, "the system refused memory"};
  } catch (const std::exception& e) {
    return {ErrorKind::internal, false, e.what()};
  } catch (...) {
    return {ErrorKind::internal, false, "an error of an unknown type"};
  }
}

/// Broadcasts the reason of `root`.
Reason broadcast(const Communicator& ranks, Reason reason, int root) {
  double head[] = {static_cast<double>(reason.fault), reason.is_device_memory ? 1.0 : 0.0,
                   static_cast<double>(reason.message.size())};
  ranks.broadcast(std::span<double>(head), root);
  reason.fault = static_cast<ErrorKind>(head[0]);
  reason.is_device_memory = head[1] > 0;
  reason.message.resize(static_cast<std::size_t>(head[2]));
  ranks.broadcast(std::as_writable_bytes(std::span(reason.message)), root);
  return reason;
}

}  // namespace

void run_collectively(const Communicator& ranks, const std::function<void()>& work) {
  if (ranks.size() == 1) return work();
  std::exception_ptr error;
  try {
    work();
  } catch (...) {
    error = std::current_exception();
  }
  const double mine = error ? ranks.rank() : ranks.size();
  const auto failed = static_cast<int>(ranks.minimum(mine));
  if (failed == ranks.size()) return;
  const Reason reason = broadcast(ranks, error ? reason_of(error) : Reason{}, failed);
  const std::string message = concat("rank ", failed, ": ", reason.message);
  if (reason.is_device_memory) throw CollectiveDeviceMemoryError(message);
  throw CollectiveFailure(reason.fault, message);
}

void abort_for(const Communicator& ranks, const std::exception_ptr& error) noexcept {
  if (ranks.size() == 1) return;
  const Reason reason = reason_of(error);
  ranks.abort(reason.fault, reason.message);
}

}  // namespace cisolve::base
