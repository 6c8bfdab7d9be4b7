#include "ci/hamiltonian/csf/csf_transform.hpp"

#include <algorithm>
#include <type_traits>

#include "base/cuda/context.hpp"
#include "ci/hamiltonian/csf/cuda/csf_kernels.cuh"

namespace cisolve::ci::cuda {
namespace {

using base::Array;
using base::Backend;

constexpr int kMostColumns = 16;  // columns per pass over the tables

/// The tables of a basis in device memory.
class CsfsOnDevice {
 public:
  CsfsOnDevice(const CsfBasis& basis, const Backend& device)
      : CsfsOnDevice(basis, CsfGroups(basis), device) {}

  const CsfView& view() const { return view_; }
  Index expansion_blocks() const { return blocks_.first_expansion; }
  Index contraction_blocks() const { return blocks_.first_contraction; }

 private:
  CsfsOnDevice(const CsfBasis& basis, const CsfGroups& here, const Backend& device)
      : groups_(Array<CsfGroup>::copy_of(here.groups, device, kMemoryLabel)),
        first_blocks_(
            Array<CsfFirstBlocks>::copy_of(first_blocks_of(here.groups), device, kMemoryLabel)),
        places_(here.places.to(device)),
        rows_(basis.rows().to(device)),
        by_pattern_(here.by_pattern.to(device)),
        by_function_(here.by_function.to(device)),
        view_{static_cast<int>(std::ssize(here.groups)),
              groups_.data(),
              first_blocks_.data(),
              places_.data(),
              rows_.data(),
              by_pattern_.data(),
              by_function_.data()} {}

  /// Finds the first thread block of each group and counts the thread blocks of each kernel.
  std::vector<CsfFirstBlocks> first_blocks_of(const std::vector<CsfGroup>& groups) {
    std::vector<CsfFirstBlocks> first_blocks;
    for (const CsfGroup& group : groups) {
      const Index at_once = contracted_at_once(group);
      first_blocks.push_back(blocks_);
      blocks_.first_expansion +=
          (group.configurations * group.patterns + kCsfThreads - 1) / kCsfThreads;
      blocks_.first_contraction +=
          (group.configurations + at_once - 1) / at_once * blocks_of_functions(group);
    }
    return first_blocks;
  }

  static constexpr const char* kMemoryLabel = "the configurations by their open shells";
  CsfFirstBlocks blocks_{0, 0};
  Array<CsfGroup> groups_;
  Array<CsfFirstBlocks> first_blocks_;
  Array<CsfPlace> places_;
  Array<Index> rows_;
  Array<double> by_pattern_;
  Array<double> by_function_;
  CsfView view_;
};

class DeviceCsfTransform final : public CsfTransform {
 public:
  DeviceCsfTransform(const CsfBasis& basis, const Backend& device)
      : CsfTransform(basis), device_(device), tables_(basis, device) {}

  const Backend& backend() const override { return device_; }

  void expand(base::ConstBlock functions, base::Block determinants) const override {
    for_each_slice(functions, determinants, [&](auto columns, auto from, auto to) {
      expand_csfs<columns()>
          <<<static_cast<unsigned>(tables_.expansion_blocks()), kCsfThreads, 0, stream()>>>(
              tables_.view(), from, to);
      base::cuda::check_launch("expand_csfs");
    });
  }

  void contract(base::ConstBlock determinants, base::Block functions) const override {
    for_each_slice(determinants, functions, [&](auto columns, auto from, auto to) {
      contract_csfs<columns()>
          <<<static_cast<unsigned>(tables_.contraction_blocks()), kCsfThreads, 0, stream()>>>(
              tables_.view(), from, to);
      base::cuda::check_launch("contract_csfs");
    });
  }

 private:
  cudaStream_t stream() const { return device_.device().stream(); }

  /// Calls launch(width of the kernel, from, to) for up to kMostColumns columns at a time.
  template <class Launch>
  static void for_each_slice(base::ConstBlock from, base::Block to, Launch&& launch) {
    for (int j = 0; j < from.columns; j += kMostColumns) {
      const int columns = std::min(kMostColumns, from.columns - j);
      const base::ConstBlock source = from.slice(j, columns);
      const base::Block target = to.slice(j, columns);
      if (columns == 1)
        launch(std::integral_constant<int, 1>{}, source, target);
      else if (columns == 2)
        launch(std::integral_constant<int, 2>{}, source, target);
      else if (columns <= 4)
        launch(std::integral_constant<int, 4>{}, source, target);
      else if (columns <= 8)
        launch(std::integral_constant<int, 8>{}, source, target);
      else
        launch(std::integral_constant<int, kMostColumns>{}, source, target);
    }
  }

  Backend device_;
  CsfsOnDevice tables_;
};

}  // namespace

std::unique_ptr<CsfTransform> csf_transform(const CsfBasis& basis, const Backend& device) {
  return std::make_unique<DeviceCsfTransform>(basis, device);
}

}  // namespace cisolve::ci::cuda
