#pragma once

#include <algorithm>
#include <optional>

#include "base/cuda/context.hpp"
#include "ci/properties/cuda/space_on_device.cuh"
#include "ci/properties/cuda/spin_kernels.cuh"

namespace cisolve::ci::cuda {

/// y = S^2 x on a device.
class SpinSquaredOnDevice {
 public:
  /// The arrays of the view must outlive it.
  SpinSquaredOnDevice(const Space& space, const SpaceView& view, const Backend& device)
      : device_(device),
        view_(view),
        rows_(space.dimension()),
        alphas_(Array<String>::copy_of(space.strings(Spin::alpha), device, "the alpha strings")),
        betas_(Array<String>::copy_of(space.strings(Spin::beta), device, "the beta strings")),
        ms_(0.5 * (space.electrons(Spin::alpha) - space.electrons(Spin::beta))) {
    const SingleExcitations of_alphas(space, Spin::alpha);
    moves_.emplace(of_alphas, device);
    const auto exchanges = [&](const SingleExcitations& of_betas) {
      return SpinExchangeTable::of(space, of_betas, kStringsInPart);
    };
    const std::optional<SpinExchangeTable> found =
        are_alike(space) ? exchanges(of_alphas) : exchanges(SingleExcitations(space, Spin::beta));
    if (found) exchanges_.emplace(found->to(device));
  }

  void operator()(const double* x, double* y) const {
    const StringsView strings{alphas_.data(), betas_.data()};
    cudaStream_t stream = device_.device().stream();
    if (exchanges_) {
      multiply_in_strides(strings, x, y, stream);
    } else {
      const auto blocks = static_cast<unsigned>((rows_ + kWarps - 1) / kWarps);
      square_spin<<<blocks, kThreads, 0, stream>>>(view_, strings, moves_->view(), ms_, rows_, x,
                                                   y);
      base::cuda::check_launch("square_spin");
    }
  }

 private:
  void multiply_in_strides(const StringsView& strings, const double* x, double* y,
                           cudaStream_t stream) const {
    const SpinExchangeView exchanges = exchanges_->view();
    const Index bytes = std::min(exchanges.strings_in_part, view_.betas) * Index{sizeof(double)};
    base::cuda::check(
        cudaFuncSetAttribute(square_spin_in_strides, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(bytes)),
        "cudaFuncSetAttribute");
    square_spin_in_strides<<<static_cast<unsigned>(view_.alphas * exchanges.parts), kThreadsOfPart,
                             static_cast<std::size_t>(bytes), stream>>>(
        view_, strings, moves_->view(), exchanges, ms_, x, y);
    base::cuda::check_launch("square_spin_in_strides");
  }

  Backend device_;
  SpaceView view_;
  Index rows_;
  Array<String> alphas_;
  Array<String> betas_;
  std::optional<ExcitationsOnDevice> moves_;
  std::optional<SpinExchangeTable> exchanges_;
  double ms_;
};

}  // namespace cisolve::ci::cuda
