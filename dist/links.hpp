#pragma once

#include <functional>
#include <memory>

#include "base/backend.hpp"
#include "base/ranks/communicator.hpp"
#include "base/ranks/device_links.hpp"

namespace cisolve::dist {

/// Ways between the devices of the ranks, each of which gives its own: by NCCL, or, where two are
/// the same, or there is none or it cannot begin, by an MPI that takes their memory; null on all of
/// them where there is no such MPI either. All ranks ask for them together; `ranks` must outlive
/// them. `listen` is called for as long as one waits, and throws where another rank has failed.
std::unique_ptr<base::DeviceLinks> links_between(const base::Communicator& ranks,
                                                 const base::Backend& backend,
                                                 const std::function<void()>& listen);

}  // namespace cisolve::dist
