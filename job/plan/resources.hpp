#pragma once

#include <optional>

#include "base/backend.hpp"
#include "base/ranks/communicator.hpp"
#include "job/plan/traffic.hpp"
#include "job/request/machine_factors.hpp"
#include "sparse/stored/rates.hpp"

namespace cisolve::job {

using base::Index;

/// Free bytes on the host and on the device, if there is one, and their speeds.
struct Resources {
  Index host = 0;
  std::optional<Index> device = std::nullopt;
  std::optional<sparse::DeviceRates> rates = std::nullopt;
  int threads = 1;  // threads of the host
  MachineFactors host_machine = {};
  MachineFactors device_machine = {};
  Network network = {};  // network between the ranks

  static Resources of(const base::Backend& backend, const MachineFactorsByName& machine_factors);
  /// Resources that all ranks plan with: the minimum of the free memory over ranks, all else from
  /// the first. Collective; the backends are of one kind.
  Resources agreed(const base::Communicator& ranks) const;
  /// Equal resources for each rank of a network.
  Resources among(const Network& ranks) const;

  const MachineFactors& factors(bool on_device) const {
    return on_device ? device_machine : host_machine;
  }
};

}  // namespace cisolve::job
