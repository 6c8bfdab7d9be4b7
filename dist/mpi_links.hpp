#pragma once

#include <functional>
#include <memory>

#include "base/backend.hpp"
#include "base/ranks/communicator.hpp"
#include "base/ranks/device_links.hpp"

namespace cisolve::dist {

/// Whether MPI says of itself that it takes the memory of CUDA's devices for that of the host.
bool mpi_takes_device_memory();

/// As links_between(), by MPI that was tried out; null on all ranks where it takes no memory of
/// devices, or does not bring what was sent. Several ranks may have the same device.
std::unique_ptr<base::DeviceLinks> mpi_links(const base::Communicator& ranks,
                                             const base::Backend& backend,
                                             const std::function<void()>& listen);

}  // namespace cisolve::dist
