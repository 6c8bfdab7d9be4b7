#pragma once

#include <functional>
#include <memory>

#include "base/backend.hpp"
#include "base/ranks/communicator.hpp"
#include "base/ranks/device_channel.hpp"

namespace cisolve::dist {

/// A channel of make_device_channel() by NCCL; null on all ranks if two share a device, or NCCL is
/// missing or fails to start.
std::unique_ptr<base::DeviceChannel> nccl_channel(const base::Communicator& ranks,
                                                  const base::Backend& backend,
                                                  const std::function<void()>& listen);

}  // namespace cisolve::dist
