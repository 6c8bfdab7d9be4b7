#pragma once

#include "sparse/tiled/tiled.hpp"

// Loading of a warp's units, with plain elements or with coded values.
namespace cisolve::sparse::cuda {

class PlainUnits {
 public:
  struct Unit {
    double2 values[2];
    uint2 codes;  // packed as loaded: unpacking at once would wait for the load
  };
  static constexpr bool kCoded = false;
  static constexpr int under_way(int width) { return width == 1 ? 4 : 3; }

  __device__ PlainUnits(const TiledView& a, Index first, const double* /*magnitudes*/)
      : units_(a.units + first) {}

  __device__ void load(Unit& unit, int number, int lane) const {
    const TileUnit& source = units_[number];
    unit.values[0] = __ldcs(reinterpret_cast<const double2*>(source.values[0][lane]));
    unit.values[1] = __ldcs(reinterpret_cast<const double2*>(source.values[1][lane]));
    unit.codes = __ldcs(reinterpret_cast<const uint2*>(source.codes[lane]));
  }

  __device__ void unpack(const Unit& unit, unsigned (&words)[kUnitWidth],
                         double (&values)[kUnitWidth]) const {
    const unsigned codes[] = {unit.codes.x & 0xffffU, unit.codes.x >> 16U, unit.codes.y & 0xffffU,
                              unit.codes.y >> 16U};
    const double plain[] = {unit.values[0].x, unit.values[0].y, unit.values[1].x, unit.values[1].y};
#pragma unroll
    for (int k = 0; k < kUnitWidth; ++k) {
      words[k] = codes[k];
      values[k] = plain[k];
    }
  }

 private:
  const TileUnit* units_;
};

/// With AllNear, every magnitude is in shared memory; otherwise rare ones are in device memory.
template <bool kAllNear>
class CodedUnits {
 public:
  using Unit = uint4;
  static constexpr bool kCoded = true;
  static constexpr int under_way(int width) { return width == 1 ? 6 : 4; }

  __device__ CodedUnits(const TiledView& a, Index first, const double* magnitudes)
      : units_(a.coded_units + first),
        near_(magnitudes),
        all_(a.magnitudes),
        near_count_(static_cast<unsigned>(a.near_magnitudes)) {}

  __device__ void load(Unit& unit, int number, int lane) const {
    unit = __ldcs(reinterpret_cast<const uint4*>(units_[number].elements[lane]));
  }

  __device__ void unpack(const Unit& unit, unsigned (&words)[kUnitWidth],
                         double (&values)[kUnitWidth]) const {
    const unsigned elements[] = {unit.x, unit.y, unit.z, unit.w};
#pragma unroll
    for (int k = 0; k < kUnitWidth; ++k) {
      words[k] = elements[k] & 0xffffU;
      values[k] = signed_as(elements[k], magnitude(elements[k] >> 16U & (kValueSign - 1U)));
    }
  }

 private:
  __device__ double magnitude(unsigned number) const {
    if constexpr (kAllNear) return near_[number];
    return number < near_count_ ? near_[number] : __ldg(all_ + number);
  }

  /// The sign of a coded element is its highest bit.
  static __device__ double signed_as(unsigned element, double magnitude) {
    const unsigned sign = element & 0x80000000U;
    return __hiloint2double(__double2hiint(magnitude) ^ static_cast<int>(sign),
                            __double2loint(magnitude));
  }

  const CodedUnit* units_;
  const double* near_;
  const double* all_;
  unsigned near_count_;
};

}  // namespace cisolve::sparse::cuda
