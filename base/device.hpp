#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"

// Interface to the GPU for host code, thread-safe; kernels aside. Implemented by base/cuda;
// base/nocuda throws BackendNotBuilt.
namespace cisolve::base::cuda {

struct DeviceInfo {
  int number = 0;
  std::string name;
  Index total_bytes = 0;
  Index free_bytes = 0;
  int multiprocessors = 0;
  Index shared_bytes = 0;  // most per block
  Index cache_bytes = 0;   // the second-level cache
  int major = 0;
  int minor = 0;
  double memory_bytes = 0;   // bytes per second, from memory clock and bus width; 0: unknown
  double multiply_adds = 0;  // per second, in double precision; 0: unknown
};

/// A device with its stream and library handles; defined in base/cuda/context.hpp.
class Context;

bool is_built();

/// Number of devices; opens none. If 0, `reason` says why.
int device_count(std::string& reason);
/// Describes all devices; opens each.
std::vector<DeviceInfo> devices(std::string& reason);

/// Opens this device and no other.
std::shared_ptr<Context> make_context(int device);
/// State at the time of opening.
DeviceInfo describe(const Context& context);
/// Bytes free on the device now.
Index free_bytes(const Context& context);

/// Throws DeviceMemoryError with the free bytes if the device refuses; `what` names the use.
void* allocate(const Context& context, Index bytes, std::string_view what);
void release(const Context& context, void* pointer) noexcept;
/// Host-to-host copy, with which large transfers go through pinned pieces; without it the driver
/// copies with one thread.
using HostCopy = std::function<void(void* target, const void* source, Index bytes)>;
void copy_to_device(const Context& context, void* target, const void* source, Index bytes,
                    const HostCopy& on_host = {});
void copy_to_host(const Context& context, void* target, const void* source, Index bytes,
                  const HostCopy& on_host = {});
/// Pins host memory, in the time of one transfer; false if the system does not allow it. Call
/// unpin() before freeing the memory; it waits for all queued work.
bool pin(const Context& context, void* memory, Index bytes);
void unpin(const Context& context, void* memory) noexcept;
/// Queues a copy on the stream; unpinned memory is copied at once.
void queue_copy_to_host(const Context& context, void* target, const void* source, Index bytes);

/// Copy stream: copies from pinned memory that overlap with the device's main stream.
class CopyStream {
 public:
  explicit CopyStream(const Context& context);  // the context must outlive it
  CopyStream(CopyStream&& other) noexcept;
  CopyStream& operator=(CopyStream&& other) noexcept;
  CopyStream(const CopyStream&) = delete;
  CopyStream& operator=(const CopyStream&) = delete;
  ~CopyStream();  // waits for its copies

  /// Later copies wait for all work queued on the main stream so far.
  void wait_for_stream();
  /// Later work on the main stream waits for all copies queued here so far.
  void make_stream_wait();
  void copy_to_device(void* target, const void* source, Index bytes);

 private:
  struct Ends;
  std::unique_ptr<Ends> ends_;
};
/// Times work on the stream without waiting for it.
class StreamTimer {
 public:
  explicit StreamTimer(const Context& context);  // the context must outlive it
  StreamTimer(StreamTimer&& other) noexcept;
  StreamTimer& operator=(StreamTimer&& other) noexcept;
  StreamTimer(const StreamTimer&) = delete;
  StreamTimer& operator=(const StreamTimer&) = delete;
  ~StreamTimer();

  void begin();
  void end();
  /// Total seconds between begin() and end(); waits for the last.
  double seconds();

 private:
  struct Laps;
  std::unique_ptr<Laps> laps_;
};
/// Copies after all work queued on either device, which may be the same.
void copy_between_devices(const Context& from, const Context& to, void* target, const void* source,
                          Index bytes);
void synchronize(const Context& context);

}  // namespace cisolve::base::cuda
