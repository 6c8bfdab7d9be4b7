#include "base/cuda/context.hpp"
#include "ci/flip/cuda/device_flip.hpp"
#include "ci/flip/cuda/flip_kernels.cuh"

namespace cisolve::ci::cuda {

using base::cuda::check_launch;

FlipOnDevice::FlipOnDevice(const SpinFlip& flip, const base::Backend& device)
    : device_(device),
      flip_(flip.to(device)),
      partial_(device, Index{kMostAtOnce} * kFlipBlocks, "the parities of vectors"),
      norms_(base::Backend::reference(), partial_.size(), "the parities of vectors") {}

std::vector<ParityNorms> FlipOnDevice::norms_of(base::ConstBlock x, int part, int parts) const {
  const Index pieces = flip_.view().pieces;
  const dim3 grid(kFlipBlocks, static_cast<unsigned>(x.columns));
  parity_norms<<<grid, dim3(kFlipTile, kFlipRows), 0, device_.device().stream()>>>(
      flip_.view(), pieces * part / parts, pieces * (part + 1) / parts, x, partial_.data());
  check_launch("parity_norms");
  base::copy_bytes(device_, partial_.data(), norms_.backend(), norms_.data(),
                   x.columns * kFlipBlocks * Index{sizeof(ParityNorms)});
  std::vector<ParityNorms> all(x.columns);
  for (int j = 0; j < x.columns; ++j)
    for (Index i = j * kFlipBlocks; i < (j + 1) * kFlipBlocks; ++i) {
      all[j].even += norms_[i].even;
      all[j].odd += norms_[i].odd;
    }
  return all;
}

void FlipOnDevice::add_flipped_to(double* y, Parity parity, double factor) const {
  const double sign = parity == Parity::even ? 1 : -1;
  add_flipped<<<static_cast<unsigned>(flip_.view().pieces), dim3(kFlipTile, kFlipRows), 0,
                device_.device().stream()>>>(flip_.view(), factor, sign, y);
  check_launch("add_flipped");
}

}  // namespace cisolve::ci::cuda
