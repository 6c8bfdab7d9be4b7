#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"

// The narrow door to an accelerator: everything that host code asks of it outside a kernel, from
// any thread. base/cuda implements it; base/nocuda throws BackendNotBuilt.
namespace cisolve::base::cuda {

struct DeviceInfo {
  int number = 0;
  std::string name;
  Index total_bytes = 0;
  Index free_bytes = 0;
  int multiprocessors = 0;
  Index shared_bytes = 0;  // that one block may have
  Index cache_bytes = 0;   // the second-level cache
  int major = 0;
  int minor = 0;
  double memory_bytes = 0;   // a second, as the memory's clock and width have it; 0: not told
  double multiply_adds = 0;  // a second, in double precision; 0: not told
};

/// A device with its stream and library handles; defined in base/cuda/context.hpp.
class Context;

bool is_built();

/// How many devices there are, of which none is opened. When there is none, `reason` says why.
int device_count(std::string& reason);
/// All of them described, for which each is opened.
std::vector<DeviceInfo> devices(std::string& reason);

/// Opens this device and no other.
std::shared_ptr<Context> make_context(int device);
/// As it was when it was opened.
DeviceInfo describe(const Context& context);
/// What any program may still allocate there, now.
Index free_bytes(const Context& context);

/// Throws DeviceMemoryError where the device refuses them, with what is free; `what` they are for.
void* allocate(const Context& context, Index bytes, std::string_view what);
void release(const Context& context, void* pointer) noexcept;
/// How the host copies from a place of its own to another, so that large copies go in pieces that
/// the device reads and writes by itself; without it they are the driver's, which has one thread.
using HostCopy = std::function<void(void* target, const void* source, Index bytes)>;
void copy_to_device(const Context& context, void* target, const void* source, Index bytes,
                    const HostCopy& on_host = {});
void copy_to_host(const Context& context, void* target, const void* source, Index bytes,
                  const HostCopy& on_host = {});
/// Has the device read and write memory of the host by itself, as it does in no more time than the
/// way between them takes; false where the system does not allow it. To be undone before the memory
/// is returned, which waits for all that is queued.
bool pin(const Context& context, void* memory, Index bytes);
void unpin(const Context& context, void* memory) noexcept;
/// A copy that is queued, in order with all else; what is not pinned is copied at once.
void queue_copy_to_host(const Context& context, void* target, const void* source, Index bytes);

/// A way to the device beside its stream, so that copies from pinned memory go on while it works.
class Lane {
 public:
  explicit Lane(const Context& context);  // which must outlive it
  Lane(Lane&& other) noexcept;
  Lane& operator=(Lane&& other) noexcept;
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  ~Lane();  // when all its copies are done

  /// Its next copies come after all that is queued on the stream by now.
  void follow();
  /// What is queued on the stream from now on comes after all its copies so far.
  void lead();
  void copy_to_device(void* target, const void* source, Index bytes);

 private:
  struct Ends;
  std::unique_ptr<Ends> ends_;
};
/// Measures what is queued on the stream, without waiting for it.
class StreamWatch {
 public:
  explicit StreamWatch(const Context& context);  // which must outlive it
  StreamWatch(StreamWatch&& other) noexcept;
  StreamWatch& operator=(StreamWatch&& other) noexcept;
  StreamWatch(const StreamWatch&) = delete;
  StreamWatch& operator=(const StreamWatch&) = delete;
  ~StreamWatch();

  void begin();
  void end();
  /// From begin to end, each time; waits for the last.
  double seconds();

 private:
  struct Laps;
  std::unique_ptr<Laps> laps_;
};
/// After all that was queued on either of the two, which may be the same.
void copy_between_devices(const Context& from, const Context& to, void* target, const void* source,
                          Index bytes);
void synchronize(const Context& context);

}  // namespace cisolve::base::cuda
