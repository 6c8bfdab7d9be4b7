#include "sparse/stored/rates.hpp"

#include <algorithm>
#include <limits>

#include "sparse/tiled/tiled.hpp"

namespace cisolve::sparse {
namespace {

constexpr double kLaunch = 4e-6;
constexpr double kResult = 2 * sizeof(double);  // bytes of a row and vector: x and y
constexpr double kLongRow = 48;                 // elements, as those of molecules have

// Measured with two threads of a host that computes at 2.5 to 3 GHz: seconds of one thread.
constexpr double kHostStored = 0.7e-9;
constexpr double kHostStoredRow = 7.5e-9;
constexpr double kHostByte = 1.05e-9;  // that is looked up among a lattice's values
constexpr double kHostTiles = 9.6e-9;
constexpr double kHostStoring = 8e-9;
constexpr double kHostStoringTiles = 250e-9;
constexpr double kHostCached = 64e6;  // bytes that are read again more quickly
constexpr int kMemoryThreads = 8;     // as many keep the memory busy

// Measured on an H200.
constexpr double kDeviceStoring = 2e-11;
constexpr double kDeviceStoringTiles = 1.2e-10;
constexpr double kDeviceStoringCodes = 8e-11;
constexpr double kDeviceStoringOnce = 0.01;
constexpr double kDeviceCodesOnce = 0.1;

/// Bytes of x that the memory has to give again, since the second-level cache does not hold x.
double far_bytes(const RowProfile& profile, const DeviceRates& device) {
  constexpr double kOfCache = 0.6;  // that x has, beside the matrix
  constexpr double kLine = 85;
  const double x = sizeof(double) * static_cast<double>(profile.columns * profile.vectors);
  const double held = kOfCache * static_cast<double>(device.cache_bytes);
  const double far = std::max(0.0, 1 - held / std::max(x, 1.0));
  return profile.nonzeros() * profile.scatter * profile.scatter * far * kLine *
         std::max(1.0, profile.vectors / 4.0);
}

/// Where x comes from that cache, line by line.
double near_bytes(const RowProfile& profile, double line) {
  return profile.nonzeros() * profile.scatter * line * std::max(1.0, profile.vectors / 4.0);
}

double seconds(double bytes, double multiply_adds, const DeviceRates& device) {
  return kLaunch + std::max(bytes / device.bytes, multiply_adds / device.multiply_adds);
}

// A thread walks along a row, and waits for the longest one of its slice.
double slices_seconds(const RowProfile& profile, const DeviceRates& device, double element) {
  constexpr double kRow = 8;
  constexpr double kLine = 30;
  constexpr double kStep = 0.24e-6;        // seconds
  constexpr double kLongestStep = 0.4e-6;  // where nothing else is left to do
  const double further = 0.28 * (profile.vectors - 1);
  const double vectors = profile.vectors;
  const double elements = profile.nonzeros();
  const double streamed = static_cast<double>(profile.rows) * (kRow + kResult * vectors) +
                          elements / profile.fill * element;
  // Rows of molecules share lines of several vectors from one element to the next.
  const bool is_shared = profile.mean >= kLongRow && profile.vectors > 1;
  const double gathered = is_shared ? 4.2 * vectors * elements / profile.fill
                                    : 6.5 * vectors * elements / (profile.fill * profile.fill);
  const double bytes = std::max({streamed, gathered, near_bytes(profile, kLine)});
  return std::max(
      seconds(bytes + far_bytes(profile, device), elements / profile.fill * vectors, device),
      std::max(kStep * profile.mean / profile.fill,
               (1 + further) * kLongestStep * profile.longest));
}

}  // namespace

// A large copy moves so much of what the memory's clock promises; where a driver does not tell, the
// rates of a small device.
DeviceRates DeviceRates::of(const base::cuda::DeviceInfo& device) {
  constexpr double kOfClock = 0.87;
  DeviceRates rates;
  if (device.memory_bytes > 0) rates.bytes = kOfClock * device.memory_bytes;
  if (device.multiply_adds > 0) rates.multiply_adds = device.multiply_adds;
  rates.cache_bytes = device.cache_bytes;
  rates.multiprocessors = std::max(device.multiprocessors, 1);
  return rates;
}

// Rows are added up from shared memory, where an element of several vectors costs more than to
// read it.
double csr_seconds(const RowProfile& profile, const DeviceRates& device) {
  constexpr double kRow = 80;
  const double position = profile.mean >= kLongRow ? 17.5 : 13.5;
  constexpr double kVector = 8.5;
  constexpr double kLine = 40;
  const double vectors = profile.vectors;
  const double elements = profile.nonzeros();
  const double streamed = static_cast<double>(profile.rows) * (kRow + kResult * vectors) +
                          elements * std::max(position, kVector * vectors);
  return seconds(std::max(streamed, near_bytes(profile, kLine)) + far_bytes(profile, device),
                 elements * vectors, device);
}

double sliced_seconds(const RowProfile& profile, const DeviceRates& device) {
  return slices_seconds(profile, device, sizeof(double) + sizeof(Column));
}

double coded_sliced_seconds(const RowProfile& profile, const DeviceRates& device) {
  if (!profile.has_codes()) return std::numeric_limits<double>::infinity();
  return slices_seconds(profile, device, 1 + sizeof(Column));
}

// Each multiprocessor reads the columns that it needs, and rows are cut into parts. Of very uneven
// rows blocks of equal work cannot be made.
double tiled_seconds(const RowProfile& profile, const DeviceRates& device) {
  constexpr double kPosition = 10.2;
  constexpr double kColumn = 4.5;  // a vector and multiprocessor
  constexpr double kPart = 16;     // a vector more than one
  const MatrixShape shape{profile.rows, profile.columns, 0, false};
  const bool has_tiles = may_have_tiles(shape, static_cast<Index>(profile.nonzeros()));
  if (!has_tiles) return std::numeric_limits<double>::infinity();
  const double vectors = profile.vectors;
  const double elements = profile.nonzeros();
  const double bytes =
      static_cast<double>(profile.rows) * kResult * vectors +
      elements * (kPosition + kPart * (vectors - 1) * profile.tile_parts) +
      kColumn * vectors * static_cast<double>(profile.columns) * device.multiprocessors;
  const double unevenness = std::max(1.0, profile.deviation / std::max(profile.mean, 1.0));
  return seconds(bytes * unevenness, elements * vectors, device);
}

// The values in one stream, and x by way of the caches. Diagonals that no window met would be
// stored too, so that most positions must hold an element.
double diagonal_seconds(const RowProfile& profile, const DeviceRates& device) {
  constexpr double kVector = 2.9;  // of x, that an element needs
  constexpr double kRow = 1.5 * kResult;
  constexpr double kHalf = 0.7;  // each value is read twice, once from a cache
  if (!profile.has_diagonals()) return std::numeric_limits<double>::infinity();
  const double vectors = profile.vectors;
  const double positions = profile.nonzeros() / profile.diagonal_fill;
  const double streamed = positions * sizeof(double) * (profile.symmetric ? kHalf : 1) +
                          static_cast<double>(profile.rows) * kRow * vectors;
  return seconds(std::max(streamed, positions * kVector * vectors), positions * vectors, device);
}

double coded_tiled_seconds(const RowProfile& profile, const DeviceRates& device) {
  constexpr double kRead = 0.95;     // fewer bytes of an element
  constexpr double kLookUp = 0.107;  // and less room for tiles, for each further vector
  return (kRead + kLookUp * (profile.vectors - 1)) * tiled_seconds(profile, device);
}

double streamed_seconds_on_host(const RowProfile& profile, double looked_up, int threads) {
  const double elements = profile.nonzeros();
  const bool is_cached = (sizeof(double) + sizeof(Column)) * elements < kHostCached;
  const double cached = !is_cached ? 1.0 : profile.vectors == 1 ? 0.6 : 0.85;
  const double further = 1 + (0.13 + profile.scatter) * (profile.vectors - 1);
  const double stored = kHostStored * elements + kHostStoredRow * static_cast<double>(profile.rows);
  return (cached * further * stored + kHostByte * looked_up * elements) /
         std::min(threads, kMemoryThreads);
}

double tiled_seconds_on_host(const RowProfile& profile, int threads) {
  if (!has_tiles_on_host(profile)) return streamed_seconds_on_host(profile, 0, threads);
  return kHostTiles * profile.nonzeros() / std::min(threads, kMemoryThreads);
}

bool has_tiles_on_host(const RowProfile& profile) {
  return may_have_tiles({profile.rows, profile.columns, 0, false},
                        static_cast<Index>(profile.nonzeros()));
}

double storing_seconds_on_host(const RowProfile& profile, bool in_tiles, int threads) {
  return (kHostStoring + (in_tiles ? kHostStoringTiles : 0)) * profile.nonzeros() / threads;
}

double storing_seconds_on_device(const RowProfile& profile, bool in_tiles, bool coded) {
  const double element =
      (in_tiles ? kDeviceStoringTiles : kDeviceStoring) + (coded ? kDeviceStoringCodes : 0);
  return kDeviceStoringOnce + (coded ? kDeviceCodesOnce : 0) + element * profile.nonzeros();
}

}  // namespace cisolve::sparse
