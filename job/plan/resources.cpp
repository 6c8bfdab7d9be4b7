#include "job/plan/resources.hpp"

#include "base/device.hpp"

#include <span>
#include <type_traits>

namespace cisolve::job {

Resources Resources::of(const base::Backend& backend, const MachineFactorsByName& machine_factors) {
  Resources resources{backend.host().memory().left()};
  const auto machine_factors_of = [&](const std::string& name) {
    const auto known = machine_factors.find(name);
    return known == machine_factors.end() ? MachineFactors{} : known->second;
  };
  resources.threads = backend.host().threads();
  resources.host_machine = machine_factors_of(kHostName);
  if (backend.is_host()) return resources;
  const base::cuda::DeviceInfo device = base::cuda::describe(backend.device());
  resources.device = backend.memory().left();
  resources.rates = sparse::DeviceRates::of(device);
  resources.device_machine = machine_factors_of(device.name);
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
