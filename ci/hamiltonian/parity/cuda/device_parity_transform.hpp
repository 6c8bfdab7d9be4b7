#pragma once

#include <optional>
#include <vector>

#include "base/cuda/side_stream.hpp"
#include "ci/hamiltonian/parity/parity_transform.hpp"

namespace cisolve::ci::cuda {

/// Patches in a device's memory.
struct PatchesView {
  const ParityPatch* all;
  int count;
  Index tiles;
};

class PatchesOnDevice {
 public:
  PatchesOnDevice(const ParityPatches& patches, const base::Backend& device);

  PatchesView view() const { return {all_.data(), static_cast<int>(all_.size()), tiles_}; }

 private:
  base::Array<ParityPatch> all_;
  Index tiles_;
};

struct RoundOnDevice {
  RoundOnDevice(const DistributedParityBasis::Round& round, const base::Backend& device)
      : own(round.own, device), of_others(round.of_others, device) {}

  PatchesOnDevice own;
  PatchesOnDevice of_others;
};

/// The transform of parity_transform_on_host() on a device.
class ParityTransformOnDevice final : public ParityTransform {
 public:
  /// `swap`: halves.alpha_beta_swap() in the device's memory.
  ParityTransformOnDevice(const ParityBasis& parity_basis, const AlphaBetaSwapView& swap,
                          const SwapPartition& partition, const base::VectorExchange* vectors,
                          const base::Backend& device);

  void contract(double factor, const double* image, const double* received,
                double* half) const override;
  void contract_diagonal(const double* image, double* half) const override;

 private:
  ParityBasisView view() const { return {swap_, first_.data(), is_even_}; }
  void expand_round(RoundOf round, bool adds, const double* from, double* whole) const override;

  base::Backend device_;
  AlphaBetaSwapView swap_;
  bool is_even_;
  base::Array<Index> first_;
  base::Array<Index> places_;  // first row of each string in an image
  std::vector<RoundOnDevice> rounds_;
  std::vector<RoundOnDevice> rounds_in_image_;
  PatchesOnDevice contractions_;
  base::Array<DistributedParityBasis::SwapElement> swap_elements_;
  std::optional<base::cuda::SideStream> meanwhile_;  // overlaps with communication
};

/// Packs, sends and receives swapped elements of images between devices.
class ImageExchangeOnDevice {
 public:
  /// The arguments must outlive it.
  ImageExchangeOnDevice(const SwapPartition& partition, const base::VectorExchange& vectors);

  /// Requires the image's rows of the phase.
  void send_phase(const SwapPartition::Phase& phase, const double* image, double* workspace) const;
  /// All phases, as ParityOperator::fetch_swapped().
  const double* fetch_all(const double* image, double* workspace) const;
  Index bytes() const { return sent_.bytes(); }

 private:
  const SwapPartition& partition_;
  const base::VectorExchange& vectors_;
  base::Array<SwapPartition::SentElements> sent_;
};

}  // namespace cisolve::ci::cuda
