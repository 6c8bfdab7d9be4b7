#include "sparse/stored/rates.hpp"

#include <algorithm>
#include <limits>

#include "sparse/tiled/tiled.hpp"

namespace cisolve::sparse {
namespace {

constexpr double kLaunch = 4e-6;
constexpr double kResult = 2 * sizeof(double);  // bytes per row and vector: x and y
constexpr double kLongRow = 48;                 // elements, typical of molecules

// Seconds of one thread, measured with two threads of a host at 2.5 to 3 GHz.
constexpr double kHostStored = 0.7e-9;
constexpr double kHostStoredRow = 7.5e-9;
constexpr double kHostByte = 1.05e-9;  // look-up of one of a lattice's values
constexpr double kHostTiles = 9.6e-9;
constexpr double kHostStoring = 8e-9;
constexpr double kHostStoringTiles = 250e-9;
constexpr double kHostCached = 64e6;  // bytes that a cache keeps
constexpr int kMemoryThreads = 8;     // threads that saturate the memory

// Measured on an H200.
constexpr double kDeviceStoring = 2e-11;
constexpr double kDeviceStoringTiles = 1.2e-10;
constexpr double kDeviceStoringCodes = 8e-11;
constexpr double kDeviceStoringOnce = 0.01;
constexpr double kDeviceCodesOnce = 0.1;

/// Bytes of x read again from memory, since the L2 cache does not hold all of x.
double x_miss_bytes(const RowProfile& profile, const DeviceRates& device) {
  constexpr double kOfCache = 0.6;  // fraction available to x besides the matrix
  constexpr double kLine = 85;
  const double x = sizeof(double) * static_cast<double>(profile.columns * profile.vectors);
  const double held = kOfCache * static_cast<double>(device.cache_bytes);
  const double far = std::max(0.0, 1 - held / std::max(x, 1.0));
  return profile.nonzeros() * profile.scatter * profile.scatter * far * kLine *
         std::max(1.0, profile.vectors / 4.0);
}

/// Bytes of x read from the L2 cache.
double x_hit_bytes(const RowProfile& profile, double line) {
  return profile.nonzeros() * profile.scatter * line * std::max(1.0, profile.vectors / 4.0);
}

double seconds(double bytes, double multiply_adds, const DeviceRates& device) {
  return kLaunch + std::max(bytes / device.bytes, multiply_adds / device.multiply_adds);
}

// One thread per row; a slice takes as long as its longest row.
double slices_seconds(const RowProfile& profile, const DeviceRates& device, double element) {
  constexpr double kRow = 8;
  constexpr double kLine = 30;
  constexpr double kStep = 0.24e-6;        // seconds
  constexpr double kLongestStep = 0.4e-6;  // latency-bound end of the kernel
  const double further = 0.28 * (profile.vectors - 1);
  const double vectors = profile.vectors;
  const double elements = profile.nonzeros();
  const double streamed = static_cast<double>(profile.rows) * (kRow + kResult * vectors) +
                          elements / profile.fill * element;
  // In molecules, successive elements share the cache lines of several vectors.
  const bool is_shared = profile.mean >= kLongRow && profile.vectors > 1;
  const double gathered = is_shared ? 4.2 * vectors * elements / profile.fill
                                    : 6.5 * vectors * elements / (profile.fill * profile.fill);
  const double bytes = std::max({streamed, gathered, x_hit_bytes(profile, kLine)});
  return std::max(
      seconds(bytes + x_miss_bytes(profile, device), elements / profile.fill * vectors, device),
      std::max(kStep * profile.mean / profile.fill,
               (1 + further) * kLongestStep * profile.longest));
}

}  // namespace

// A large copy reaches this fraction of the nominal bandwidth. If a driver reports none, the
// defaults are a small device's.
DeviceRates DeviceRates::of(const base::cuda::DeviceInfo& device) {
  constexpr double kOfClock = 0.87;
  DeviceRates rates;
  if (device.memory_bytes > 0) rates.bytes = kOfClock * device.memory_bytes;
  if (device.multiply_adds > 0) rates.multiply_adds = device.multiply_adds;
  rates.cache_bytes = device.cache_bytes;
  rates.multiprocessors = std::max(device.multiprocessors, 1);
  return rates;
}

// Rows are summed in shared memory; with several vectors this costs more than reading an element.
double csr_seconds(const RowProfile& profile, const DeviceRates& device) {
  constexpr double kRow = 80;
  const double position = profile.mean >= kLongRow ? 17.5 : 13.5;
  constexpr double kVector = 8.5;
  constexpr double kLine = 40;
  const double vectors = profile.vectors;
  const double elements = profile.nonzeros();
  const double streamed = static_cast<double>(profile.rows) * (kRow + kResult * vectors) +
                          elements * std::max(position, kVector * vectors);
  return seconds(std::max(streamed, x_hit_bytes(profile, kLine)) + x_miss_bytes(profile, device),
                 elements * vectors, device);
}

double sliced_seconds(const RowProfile& profile, const DeviceRates& device) {
  return slices_seconds(profile, device, sizeof(double) + sizeof(Column));
}

double coded_sliced_seconds(const RowProfile& profile, const DeviceRates& device) {
  if (!profile.has_codes()) return std::numeric_limits<double>::infinity();
  return slices_seconds(profile, device, 1 + sizeof(Column));
}

// Every multiprocessor reads the columns it needs, and tiles cut rows into parts. Very uneven rows
// cannot be divided into blocks of equal work.
double tiled_seconds(const RowProfile& profile, const DeviceRates& device) {
  constexpr double kPosition = 10.2;
  constexpr double kColumn = 4.5;  // per vector and multiprocessor
  constexpr double kPart = 16;     // per additional vector
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

// Values are streamed, x is read through the caches. Diagonals outside the sampled windows are
// stored too, so most positions must hold an element.
double diagonal_seconds(const RowProfile& profile, const DeviceRates& device) {
  constexpr double kVector = 2.9;  // bytes of x per element
  constexpr double kRow = 1.5 * kResult;
  constexpr double kHalf = 0.7;  // less than 1: each value is read twice, once from a cache
  if (!profile.has_diagonals()) return std::numeric_limits<double>::infinity();
  const double vectors = profile.vectors;
  const double positions = profile.nonzeros() / profile.diagonal_fill;
  const double streamed = positions * sizeof(double) * (profile.symmetric ? kHalf : 1) +
                          static_cast<double>(profile.rows) * kRow * vectors;
  return seconds(std::max(streamed, positions * kVector * vectors), positions * vectors, device);
}

double coded_tiled_seconds(const RowProfile& profile, const DeviceRates& device) {
  constexpr double kRead = 0.95;     // fewer bytes per element
  constexpr double kLookUp = 0.107;  // less shared memory for tiles, per additional vector
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
