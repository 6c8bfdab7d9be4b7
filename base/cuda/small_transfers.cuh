#pragma once

#include <algorithm>
#include <mutex>
#include <span>

#include "base/backend.hpp"
#include "base/cuda/context.hpp"

// Small transfers between host and device without a copy command, which would take longer than
// most kernels on short vectors.
namespace cisolve::base::cuda {

/// Array passed as a kernel argument.
template <class T, int kMost>
struct KernelArray {
  explicit KernelArray(std::span<const T> of) { std::ranges::copy(of, values); }
  __device__ const T& operator[](int i) const { return values[i]; }

  T values[kMost] = {};
};

/// Results of kernels for the host, written directly to pinned host memory; if that is not
/// available, or in use by another thread, to the backend's scratch memory.
class PinnedResults {
 public:
  /// `scratch_count`: elements of scratch(), for kernels only.
  PinnedResults(const Backend& backend, Index count, Index scratch_count)
      : backend_(backend), lock_(pinned_buffer().mutex(), std::try_to_lock) {
    const bool fits = count * Index{sizeof(double)} <= Context::kResultsBytes;
    if (lock_ && fits)
      numbers_ = reinterpret_cast<double*>(pinned_buffer().of(Context::kResultsBytes));
    is_pinned_ = numbers_ != nullptr;
    const Index there = (is_pinned_ ? 0 : count) + scratch_count;
    scratch_ =
        there == 0 ? nullptr : static_cast<double*>(backend.scratch(there * Index{sizeof(double)}));
    if (is_pinned_) return;
    numbers_ = scratch_;
    scratch_ += count;
  }

  double* numbers() const { return numbers_; }
  double* scratch() const { return scratch_; }

  /// Synchronises and copies the first results to `values`.
  void take(std::span<double> values) const {
    const Context& context = backend_.device();
    if (!is_pinned_)
      return copy_to_host(context, values.data(), numbers_,
                          std::ssize(values) * Index{sizeof(double)});
    synchronize(context);
    std::copy_n(numbers_, values.size(), values.begin());
  }

 private:
  PinnedBuffer& pinned_buffer() const {
    backend_.device().make_current();
    return backend_.device().results_buffer();
  }

  const Backend& backend_;
  std::unique_lock<std::mutex> lock_;
  double* numbers_ = nullptr;
  double* scratch_ = nullptr;
  bool is_pinned_ = false;
};

}  // namespace cisolve::base::cuda
