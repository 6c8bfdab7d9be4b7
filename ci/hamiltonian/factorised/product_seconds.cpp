#include "ci/hamiltonian/factorised/product_seconds.hpp"

#include <algorithm>

namespace cisolve::ci {
namespace {

// Measured on two threads of a host at 2.5 to 3 GHz: seconds of one thread.
constexpr double kHostMultiplication = 2.2e-11;
constexpr double kHostFactorMove = 8e-10;
constexpr double kHostStrip = 3.4e-11;  // seconds per element of a strip
constexpr double kOfHalf = 0.55;        // time for an even or odd vector, relative to any other

// Measured on an H200.
constexpr double kDeviceFactorsOnce = 1.5e-4;
constexpr double kTiledMultiplication = 8.3e-14;
constexpr double kDeviceMultiplication = 1.6e-14;
constexpr double kDeviceFactorMove = 3.7e-12;
constexpr double kDeviceChunk = 2.8e-9;
constexpr double kLongList = 40'000;  // strings; the cache does not hold the sums of longer lists
constexpr double kBeyondCache = 1.2;

}  // namespace

double factorised_seconds_on_host(const FactorisedCost& work, int threads) {
  const double whole = kHostMultiplication * work.multiplications + kHostFactorMove * work.moves +
                       kHostStrip * work.strips;
  return (work.has_parity ? kOfHalf : 1) * whole / threads;
}

double factorised_seconds_on_device(const FactorisedCost& work, const sparse::DeviceRates& device) {
  // Even and odd vectors: no sigma_beta, and about 3/4 of sigma_mixed.
  const double alone = (work.has_parity ? 0.5 : 1) * work.tiles;
  const double both = work.has_parity ? 0.75 : 1;
  const double beyond = static_cast<double>(work.longest) > kLongList ? kBeyondCache : 1;
  const double mixed = beyond * both *
                       (kDeviceMultiplication * work.multiplications +
                        kDeviceFactorMove * work.moves + kDeviceChunk * work.chunks);
  return kDeviceFactorsOnce +
         std::max(device.relative_to_h200() * (kTiledMultiplication * alone + mixed),
                  (alone + both * work.multiplications) / device.multiply_adds);
}

}  // namespace cisolve::ci
