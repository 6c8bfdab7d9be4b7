#pragma once

#include <optional>
#include <vector>

#include "base/cuda/context.hpp"
#include "ci/fock/spaces/strings_with_fewer_electrons.hpp"
#include "ci/properties/cuda/gram_kernels.cuh"
#include "ci/properties/cuda/space_on_device.cuh"

// Densities of electrons of one spin from strings with a common residue: what is left of them
// without one or two electrons.
namespace cisolve::ci::cuda {

/// Whether the number of the string's electrons below an orbital is odd.
inline bool is_odd_below(const Space& space, Spin spin, Index string, int p) {
  return ((space.strings(spin)[string] & String::below(p)).count() & 1) != 0;
}

/// The line of a string without one or two electrons.
inline GramLine line_of(const Space& space, Spin spin,
                        const StringsWithFewerElectrons::Entry& entry) {
  const auto [first, second] = entry.taken;
  const bool odd = is_odd_below(space, spin, entry.string, first);
  const bool odd_again = second != first && is_odd_below(space, spin, entry.string, second);
  return {entry.string, first, second, odd != odd_again};
}

/// Adds inner products to a one-electron density, in units of 1 / scale; of (p, q) and (q, p) only
/// one.
struct OneSums {
  Index orbitals;
  double scale;
  unsigned long long* sums;

  __device__ void add(const GramLine& row, const GramLine& column, double value) const {
    atomicAdd(sums + row.first * orbitals + column.first,
              static_cast<unsigned long long>(__double2ll_rn(value * scale)));
  }
};

/// Adds the inner products of each line with itself and the preceding lines of its residue, which
/// begin at `begins`: one block for each line, one warp for each inner product.
template <class Sums>
__global__ void __launch_bounds__(kThreads)
    add_residues(const LinesView strings, const GramLine* lines, const Column* begins,
                 const double* x, const Sums sums) {
  const Index number = blockIdx.x;
  const GramLine own = lines[number];
  for (Index k = begins[number] + threadIdx.x / 32; k <= number; k += kWarps) {
    const GramLine other = lines[k];
    const StringPair pair{other.string, own.string, {}, {}, 0, other.odd != own.odd};
    const double value = overlap_of(strings, pair, x, x);
    if (threadIdx.x % 32 == 0 && value != 0) sums.add(own, other, value);
  }
}

/// The lines of the strings of one spin, residue by residue.
class ResidueLines {
 public:
  ResidueLines(const Space& space, Spin spin, int electrons, const Backend& device)
      : space_(space), spin_(spin), device_(device), residues_(space, spin, electrons) {}

  /// `strings` and x may be of either spin whose strings are these.
  template <class Sums>
  void add(const LinesView& strings, const double* x, const Sums& sums) {
    for_each_batch([&](const Batch& batch) {
      const cudaStream_t stream = device_.device().stream();
      add_residues<<<static_cast<unsigned>(batch.lines.size()), kThreads, 0, stream>>>(
          strings, batch.lines.data(), batch.begins.data(), x, sums);
      base::cuda::check_launch("add_residues");
    });
  }

 private:
  struct Batch {
    Array<GramLine> lines;
    Array<Column> begins;
  };
  static constexpr const char* kMemoryLabel = "the strings with electrons taken out";
  static constexpr std::size_t kMostLines = std::size_t{1} << 22;  // unless one residue has more

  /// A single batch is kept for the next call.
  template <class Take>
  void for_each_batch(Take&& take) {
    if (kept_) return take(*kept_);
    std::vector<GramLine> lines;
    std::vector<Column> begins;
    const auto take_lines = [&] {
      Batch batch{copied(lines, device_, kMemoryLabel), copied(begins, device_, kMemoryLabel)};
      take(batch);
      return batch;
    };
    bool is_first = true;
    residues_.for_each_group([&](std::span<const StringsWithFewerElectrons::Entry> group) {
      if (!lines.empty() && lines.size() + group.size() > kMostLines) {
        take_lines();
        is_first = false;
        lines.clear();
        begins.clear();
      }
      begins.insert(begins.end(), group.size(), static_cast<Column>(lines.size()));
      for (const StringsWithFewerElectrons::Entry& entry : group)
        lines.push_back(line_of(space_, spin_, entry));
    });
    if (lines.empty()) return;
    Batch last = take_lines();
    if (is_first) kept_.emplace(std::move(last));
  }

  const Space& space_;
  Spin spin_;
  Backend device_;
  StringsWithFewerElectrons residues_;
  std::optional<Batch> kept_;
};

}  // namespace cisolve::ci::cuda
