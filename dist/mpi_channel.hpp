#pragma once

#include <functional>
#include <memory>

#include "base/backend.hpp"
#include "base/ranks/communicator.hpp"
#include "base/ranks/device_channel.hpp"

namespace cisolve::dist {

/// Whether MPI claims to be CUDA-aware.
bool mpi_takes_device_memory();

/// A channel of make_device_channel() by MPI, after a trial; null on all ranks if it cannot use
/// device memory or transfers wrong data. Ranks may share a device.
std::unique_ptr<base::DeviceChannel> mpi_channel(const base::Communicator& ranks,
                                                 const base::Backend& backend,
                                                 const std::function<void()>& listen);

}  // namespace cisolve::dist
