#pragma once

#include <functional>
#include <memory>

#include "base/backend.hpp"
#include "base/ranks/communicator.hpp"
#include "base/ranks/device_links.hpp"

namespace cisolve::dist {

/// As links_between(), by NCCL; null on all ranks where two have the same device, where there is no
/// NCCL, or where it cannot begin.
std::unique_ptr<base::DeviceLinks> nccl_links(const base::Communicator& ranks,
                                              const base::Backend& backend,
                                              const std::function<void()>& listen);

}  // namespace cisolve::dist
