#include "base/device.hpp"

#include "base/error.hpp"
#include "base/fill.hpp"
#include "base/libraries.hpp"

namespace cisolve::base::cuda {

class Context {};

bool is_built() { return false; }

int device_count(std::string& reason) {
  reason = "this build has no cuda backend";
  return 0;
}

std::vector<DeviceInfo> devices(std::string& reason) {
  device_count(reason);
  return {};
}

std::shared_ptr<Context> make_context(int /*device*/) { throw BackendNotBuilt("cuda"); }
DeviceInfo describe(const Context& /*context*/) { throw BackendNotBuilt("cuda"); }
Index free_bytes(const Context& /*context*/) { throw BackendNotBuilt("cuda"); }
void* allocate(const Context& /*context*/, Index /*bytes*/, std::string_view /*what*/) {
  throw BackendNotBuilt("cuda");
}
void release(const Context& /*context*/, void* /*pointer*/) noexcept {}
void copy_to_device(const Context& /*context*/, void* /*target*/, const void* /*source*/,
                    Index /*bytes*/, const HostCopy& /*on_host*/) {
  throw BackendNotBuilt("cuda");
}
void copy_to_host(const Context& /*context*/, void* /*target*/, const void* /*source*/,
                  Index /*bytes*/, const HostCopy& /*on_host*/) {
  throw BackendNotBuilt("cuda");
}
bool pin(const Context& /*context*/, void* /*memory*/, Index /*bytes*/) {
  throw BackendNotBuilt("cuda");
}
void unpin(const Context& /*context*/, void* /*memory*/) noexcept {}
void queue_copy_to_host(const Context& /*context*/, void* /*target*/, const void* /*source*/,
                        Index /*bytes*/) {
  throw BackendNotBuilt("cuda");
}
struct CopyStream::Ends {};
CopyStream::CopyStream(const Context& /*context*/) { throw BackendNotBuilt("cuda"); }
CopyStream::CopyStream(CopyStream&& other) noexcept = default;
CopyStream& CopyStream::operator=(CopyStream&& other) noexcept = default;
CopyStream::~CopyStream() = default;
void CopyStream::wait_for_stream() { throw BackendNotBuilt("cuda"); }
void CopyStream::make_stream_wait() { throw BackendNotBuilt("cuda"); }
void CopyStream::copy_to_device(void* /*target*/, const void* /*source*/, Index /*bytes*/) {
  throw BackendNotBuilt("cuda");
}
struct StreamTimer::Laps {};
StreamTimer::StreamTimer(const Context& /*context*/) { throw BackendNotBuilt("cuda"); }
StreamTimer::StreamTimer(StreamTimer&& other) noexcept = default;
StreamTimer& StreamTimer::operator=(StreamTimer&& other) noexcept = default;
StreamTimer::~StreamTimer() = default;
void StreamTimer::begin() { throw BackendNotBuilt("cuda"); }
void StreamTimer::end() { throw BackendNotBuilt("cuda"); }
double StreamTimer::seconds() { throw BackendNotBuilt("cuda"); }
void copy_between_devices(const Context& /*from*/, const Context& /*to*/, void* /*target*/,
                          const void* /*source*/, Index /*bytes*/) {
  throw BackendNotBuilt("cuda");
}
void load_libraries(Context& /*context*/) { throw BackendNotBuilt("cuda"); }
void fill_bytes(const Context& /*context*/, void* /*target*/, unsigned char /*byte*/,
                Index /*bytes*/) {
  throw BackendNotBuilt("cuda");
}
void synchronize(const Context& /*context*/) { throw BackendNotBuilt("cuda"); }

}  // namespace cisolve::base::cuda
