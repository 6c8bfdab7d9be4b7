#pragma once

#include <optional>

#include "base/backend.hpp"
#include "base/ranks/communicator.hpp"
#include "job/plan/exchange.hpp"
#include "job/request/pace.hpp"
#include "sparse/stored/rates.hpp"

namespace cisolve::job {

using base::Index;

/// Bytes that are left for a job on the host and on its device, if it has one, and how fast these
/// are.
struct Resources {
  Index host = 0;
  std::optional<Index> device = std::nullopt;
  std::optional<sparse::DeviceRates> rates = std::nullopt;
  int threads = 1;  // of the host
  Pace host_pace = {};
  Pace device_pace = {};
  Network network = {};  // of the ranks that share the work

  static Resources of(const base::Backend& backend, const Paces& paces);
  /// Resources that all ranks plan with, which have backends of one kind: the least memory of any,
  /// and all else of the first.
  Resources agreed(const base::Communicator& ranks) const;
  /// The resources of each of those ranks.
  Resources among(const Network& ranks) const;

  const Pace& pace(bool on_device) const { return on_device ? device_pace : host_pace; }
};

}  // namespace cisolve::job
