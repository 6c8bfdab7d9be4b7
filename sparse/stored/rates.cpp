#include "sparse/stored/rates.hpp"

#include <algorithm>

namespace cisolve::sparse {

// A large copy moves so much of what the memory's clock promises; where a driver does not tell, the
// rates of a small device.
DeviceRates DeviceRates::of(const base::cuda::DeviceInfo& device) {
  constexpr double kOfClock = 0.87;
  DeviceRates rates;
  if (device.memory_bytes > 0) rates.bytes = kOfClock * device.memory_bytes;
  if (device.multiply_adds > 0) rates.multiply_adds = device.multiply_adds;
  rates.cache_bytes = device.cache_bytes;
  rates.shared_bytes = device.shared_bytes;
  return rates;
}

double product_seconds(const ProductCost& cost, const RowProfile& profile,
                       const DeviceRates& device) {
  constexpr double kLaunch = 4e-6;
  const auto rows = static_cast<double>(profile.rows);
  const auto vectors = static_cast<double>(profile.vectors);
  const double elements = profile.nonzeros();
  const double positions = cost.pads ? elements / profile.fill : elements;
  const double x_bytes = sizeof(double) * vectors * static_cast<double>(profile.columns);
  const double held = static_cast<double>(device.cache_bytes) / std::max(x_bytes, 1.0);
  const double far = 1 - std::min(held, 1.0);
  const double lines = elements * std::max(1.0, vectors / 4);
  const double bytes =
      rows * (cost.row + 2 * sizeof(double) * vectors) + positions * cost.position +
      lines * (profile.*cost.lines * cost.near_line + profile.window_lines * far * cost.far_line) +
      elements * profile.tile_parts * vectors * cost.tile_part;
  return kLaunch + std::max(bytes / device.bytes, positions * vectors / device.multiply_adds);
}

}  // namespace cisolve::sparse
