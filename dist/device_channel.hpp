#pragma once

#include <functional>
#include <memory>

#include "base/backend.hpp"
#include "base/ranks/communicator.hpp"
#include "base/ranks/device_channel.hpp"

namespace cisolve::dist {

/// Direct channel between the ranks' devices, each of which gives its own: by NCCL or, if two ranks
/// share a device or NCCL is unavailable, by a GPU-aware MPI; null on all ranks without either.
/// Collective; `ranks` must outlive it. `listen` is called repeatedly while waiting, and throws if
/// another rank has failed.
std::unique_ptr<base::DeviceChannel> make_device_channel(const base::Communicator& ranks,
                                                         const base::Backend& backend,
                                                         const std::function<void()>& listen);

}  // namespace cisolve::dist
