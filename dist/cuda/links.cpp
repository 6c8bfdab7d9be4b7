#include "dist/links.hpp"

#include "dist/cuda/nccl_links.hpp"
#include "dist/mpi_links.hpp"

namespace cisolve::dist {

// NCCL first: it needs no device synchronisation around operations.
std::unique_ptr<base::DeviceLinks> links_between(const base::Communicator& ranks,
                                                 const base::Backend& backend,
                                                 const std::function<void()>& listen) {
  if (auto links = nccl_links(ranks, backend, listen)) return links;
  return mpi_links(ranks, backend, listen);
}

}  // namespace cisolve::dist
