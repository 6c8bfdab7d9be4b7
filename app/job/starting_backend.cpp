#include "app/job/starting_backend.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/libraries.hpp"

namespace cisolve::app {
namespace {

// None where the backend is the host's by name; 0 of auto.
std::optional<int> device_of(const Configuration& configuration) {
  if (!base::cuda::is_built()) return std::nullopt;
  return configuration.backend == "auto" ? 0 : base::device_number(configuration.backend);
}

bool is_hdf5(const std::string& path) {
  constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
  std::array<char, signature.size()> begin{};
  std::ifstream(path, std::ios::binary).read(begin.data(), begin.size());
  return std::string_view(begin.data(), begin.size()) == signature;
}

base::Backend open_host(const Configuration& configuration) {
  if (!device_of(configuration)) return open_backend(configuration);
  return open_backend(configuration, "openmp");
}

// Null where there is none and none must be.
std::shared_ptr<base::cuda::Context> start_device(int number, bool required) {
  std::string reason;
  if (!required && base::cuda::device_count(reason) == 0) return nullptr;
  return base::cuda::make_context(number);
}

}  // namespace

bool reads_by_forks(const Configuration& configuration, bool resumed) {
  if (resumed || configuration.source == ProblemSource::trexio) return true;
  if (configuration.source == ProblemSource::matrix && !configuration.matrix.ends_with(".mtx"))
    return true;
  const Configuration::Space& space = configuration.space;
  const std::array lists{space.determinants, space.alpha, space.beta};
  return std::ranges::any_of(lists, is_hdf5);
}

StartingBackend::StartingBackend(const Configuration& configuration, bool resumed)
    : configuration_(configuration),
      host_(open_host(configuration)),
      start_(reads_by_forks(configuration, resumed) ? std::launch::deferred : std::launch::async) {
  if (const auto device = device_of(configuration))
    started_ = std::async(start_, start_device, *device, configuration.backend != "auto");
}

base::Backend StartingBackend::get() {
  if (started_.valid()) wait_for_device();
  return device_ == nullptr ? host_ : on_device(std::max<Index>(0, configuration_.device_memory));
}

void StartingBackend::wait_for_device() {
  try {
    device_ = started_.get();
  } catch (const base::DeviceMemoryError& error) {
    refusal_ = base::concat("the device has no room to begin in: ", error.what());
    if (configuration_.backend != "auto")
      throw base::DeviceMemoryError(
          refusal_ + "; end what else uses it, or 'backend: auto' would take the host");
  } catch (const base::Error& error) {
    if (configuration_.backend != "auto") throw;
    refusal_ = error.what();
  }
  if (device_ == nullptr) return;
  libraries_ = std::async(start_, [device = device_] { base::cuda::load_libraries(*device); });
}

base::Backend StartingBackend::on_device(Index bytes) const {
  return base::Backend::cuda(device_, host_, bytes);
}

}  // namespace cisolve::app
