#include "job/ranking/async_backend.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>

#include "base/error.hpp"
#include "base/libraries.hpp"
#include "base/openmp/threads.hpp"
#include "io/files/mapped_file.hpp"

namespace cisolve::job {
namespace {

// The device that may be used; none: the host alone.
std::optional<int> device_of(const Request& request) {
  if (!base::cuda::is_built()) return std::nullopt;
  if (!request.backend.may_have_device()) return std::nullopt;
  return request.backend.device.value_or(request.device);
}

base::Backend open_host(const Request& request) {
  if (!device_of(request)) return open_backend(request);
  return open_backend(request, base::name_of(base::BackendKind::openmp));
}

// Null if there is no device and none is required.
std::shared_ptr<base::cuda::Context> start_device(int number, bool required) {
  std::string reason;
  if (!required && base::cuda::device_count(reason) == 0) return nullptr;
  return base::cuda::make_context(number);
}

}  // namespace

bool reads_by_forks(const Request& request, bool resumed) {
  if (resumed || request.source == ProblemSource::trexio) return true;
  if (request.source == ProblemSource::matrix && !request.matrix.ends_with(".mtx")) return true;
  if (!request.operators.file().empty()) return true;
  const Request::Space& space = request.space;
  const std::array files{space.determinants.file(), space.alpha.file(),    space.beta.file(),
                         request.solver.start_from, request.solver.follow, request.analysis.dyson};
  return std::ranges::any_of(files, io::is_hdf5);
}

AsyncBackend::AsyncBackend(const Request& request, bool resumed)
    : request_(request),
      host_(open_host(request)),
      start_(reads_by_forks(request, resumed) ? std::launch::deferred : std::launch::async) {
  may_start_ = device_of(request);
  if (!may_start_) return;
  if (!may_do_without_device(request) || base::Backend::has_used_device(*may_start_)) begin();
}

void AsyncBackend::begin() {
  if (!may_start_) return;
  base::can_start_background_threads(base::kBackgroundTeams * host_.threads());
  started_ = std::async(start_, start_device, *may_start_, !request_.backend.is_automatic());
  may_start_.reset();
}

void AsyncBackend::refuse_what_is_known_to_fail() {
  if (!started_.valid() || request_.backend.is_automatic()) return;
  if (started_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) wait_for_device();
}

base::Backend AsyncBackend::get() {
  begin();
  if (started_.valid()) wait_for_device();
  return device_ == nullptr ? host_ : on_device(request_.device_memory.value_or(0));
}

void AsyncBackend::wait_for_device() {
  try {
    device_ = started_.get();
  } catch (const base::DeviceMemoryError& error) {
    refusal_ = base::concat("the device has too little free memory to start: ", error.what());
    if (!request_.backend.is_automatic())
      throw base::DeviceMemoryError(
          refusal_ + "; end other programs that use it, or set backend: auto to use the host");
  } catch (const base::Error& error) {
    if (!request_.backend.is_automatic()) throw;
    refusal_ = error.what();
  }
  // One state does not need these, and loading them would delay the next steps.
  if (device_ == nullptr || request_.solver.states <= 1) return;
  libraries_ = std::async(start_, [device = device_] { base::cuda::load_libraries(*device); });
}

base::Backend AsyncBackend::on_device(Index bytes) const {
  return base::Backend::cuda(device_, host_, bytes);
}

}  // namespace cisolve::job
