#include "dist/device_channel.hpp"

#include "dist/cuda/nccl_channel.hpp"
#include "dist/mpi_channel.hpp"

namespace cisolve::dist {

// NCCL first: it needs no device synchronisation around operations.
std::unique_ptr<base::DeviceChannel> make_device_channel(const base::Communicator& ranks,
                                                         const base::Backend& backend,
                                                         const std::function<void()>& listen) {
  if (auto links = nccl_channel(ranks, backend, listen)) return links;
  return mpi_channel(ranks, backend, listen);
}

}  // namespace cisolve::dist
