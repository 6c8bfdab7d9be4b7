#pragma once

#include <optional>
#include <vector>

#include "base/cuda/side_stream.hpp"
#include "ci/hamiltonian/parity/halves_maker.hpp"

namespace cisolve::ci::cuda {

/// Patches in a device's memory.
struct PatchesView {
  const HalfPatch* all;
  int count;
  Index tiles;
};

class PatchesOnDevice {
 public:
  PatchesOnDevice(const HalfPatches& patches, const base::Backend& device);

  PatchesView view() const { return {all_.data(), static_cast<int>(all_.size()), tiles_}; }

 private:
  base::Array<HalfPatch> all_;
  Index tiles_;
};

struct RoundOnDevice {
  RoundOnDevice(const HalfShares::Round& round, const base::Backend& device)
      : own(round.own, device), of_others(round.of_others, device) {}

  PatchesOnDevice own;
  PatchesOnDevice of_others;
};

/// As parity_transform_on_host(), on a device.
class HalvesOnDevice final : public HalvesMaker {
 public:
  /// `flip` is that of `halves`, on the device.
  HalvesOnDevice(const Halves& halves, const SpinFlipView& flip, const FlipShares& shares,
                 const base::VectorExchange* vectors, const base::Backend& device);

  void fold(double factor, const double* image, const double* received,
            double* half) const override;
  void fold_diagonal(const double* image, double* half) const override;

 private:
  HalvesView view() const { return {flip_, first_.data(), is_even_}; }
  void put_round(RoundOf round, bool adds, const double* from, double* whole) const override;

  base::Backend device_;
  SpinFlipView flip_;
  bool is_even_;
  base::Array<Index> first_;
  base::Array<Index> places_;  // of strings in an image
  std::vector<RoundOnDevice> rounds_;
  std::vector<RoundOnDevice> rounds_in_image_;
  PatchesOnDevice folds_;
  base::Array<HalfShares::Exchange> exchanges_;
  std::optional<base::cuda::SideStream> meanwhile_;  // overlaps with communication
};

/// Packs, sends and receives swapped elements of images between devices.
class FlipsToDevices {
 public:
  /// The arguments must outlive it.
  FlipsToDevices(const FlipShares& shares, const base::VectorExchange& vectors);

  /// Requires the image's rows of the phase.
  void tell(const FlipShares::Turn& turn, const double* image, double* room) const;
  /// All phases, as ParityOperator::fetch_swapped().
  const double* bring(const double* image, double* room) const;
  Index bytes() const { return sent_.bytes(); }

 private:
  const FlipShares& shares_;
  const base::VectorExchange& vectors_;
  base::Array<FlipShares::Sent> sent_;
};

}  // namespace cisolve::ci::cuda
