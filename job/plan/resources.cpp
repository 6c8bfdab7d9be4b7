#include "job/plan/resources.hpp"

#include "base/device.hpp"

#include <span>
#include <type_traits>

namespace cisolve::job {

Resources Resources::of(const base::Backend& backend, const MachineFactorsByName& paces) {
  Resources resources{backend.host().memory().left()};
  const auto pace_of = [&](const std::string& name) {
    const auto known = paces.find(name);
    return known == paces.end() ? MachineFactors{} : known->second;
  };
  resources.threads = backend.host().threads();
  resources.host_pace = pace_of(kHostName);
  if (backend.is_host()) return resources;
  const base::cuda::DeviceInfo device = base::cuda::describe(backend.device());
  resources.device = backend.memory().left();
  resources.rates = sparse::DeviceRates::of(device);
  resources.device_pace = pace_of(device.name);
  return resources;
}

Resources Resources::agreed(const base::Communicator& ranks) const {
  static_assert(std::is_trivially_copyable_v<Resources>);
  Resources all = *this;
  ranks.broadcast(std::as_writable_bytes(std::span(&all, 1)), 0);
  const auto least = [&](Index bytes) {
    return static_cast<Index>(ranks.minimum(static_cast<double>(bytes)));
  };
  all.host = least(host);
  if (all.device) all.device = least(device.value_or(0));
  return all;
}

Resources Resources::among(const Network& ranks) const {
  Resources of_rank = *this;
  of_rank.network = ranks;
  return of_rank;
}

}  // namespace cisolve::job
