#include "sparse/diagonal/pair_kernels.hpp"

#include "sparse/diagonal/cuda/staged_product.cuh"

namespace cisolve::sparse::cuda {
namespace {

using Shape = PairShape<4, 4, 4>;
using base::Array;
using base::Backend;

template <class T>
Array<T> placed(const std::vector<T>& values, const Backend& device) {
  return Array<T>::copy_of(values, device, "the pairs of a product of diagonals");
}

/// Few pairs an output: memory alone counts.
class PlacedGroups final : public DevicePairs {
 public:
  PlacedGroups(const Backend& device, const ProductPairs& all)
      : PlacedGroups(device, all, PairGroups::of(all, Shape::kOutputs, device.host())) {}

  void multiply(const double* a, const double* b, double beta, double* c) const override {
    launch_pair_product<Shape>(
        {all_.rows, all_.inner, all_.columns, outputs_.size(), offsets_.size() - 1, outputs_.data(),
         offsets_.data(), pairs_.data(), steps_.data(), a, b, beta, c},
        outputs_.backend().device().stream());
  }

 private:
  PlacedGroups(const Backend& device, const ProductPairs& all, const PairGroups& groups)
      : all_{all.rows, all.inner, all.columns},
        outputs_(placed(all.outputs, device)),
        offsets_(placed(groups.offsets, device)),
        pairs_(placed(groups.pairs, device)),
        steps_(placed(groups.steps, device)) {}

  struct {
    Index rows;
    Index inner;
    Index columns;
  } all_;
  Array<DiagonalTerm> outputs_;
  Array<Index> offsets_;
  Array<DiagonalPair> pairs_;
  Array<Index> steps_;
};

class PlacedStages final : public DevicePairs {
 public:
  PlacedStages(const Backend& device, const ProductPairs& all)
      : PlacedStages(device, all, StagedPairs::of(all, device.host())) {}

  void multiply(const double* a, const double* b, double beta, double* c) const override {
    launch_staged_product(
        {all_.rows, all_.inner, all_.columns, outputs_.size(), all_.block_outputs,
         first_stages_.size() - 1, outputs_.data(), first_stages_.data(), stages_.data(),
         segments_.data(), first_works_.data(), works_.data(), a, b, beta, c},
        outputs_.backend().device().stream());
  }

 private:
  PlacedStages(const Backend& device, const ProductPairs& all, const StagedPairs& staged)
      : all_{all.rows, all.inner, all.columns, staged.block_outputs},
        outputs_(placed(all.outputs, device)),
        first_stages_(placed(staged.first_stages, device)),
        stages_(placed(staged.stages, device)),
        segments_(placed(staged.segments, device)),
        first_works_(placed(staged.first_works, device)),
        works_(placed(staged.works, device)) {}

  struct {
    Index rows;
    Index inner;
    Index columns;
    Index block_outputs;
  } all_;
  Array<DiagonalTerm> outputs_;
  Array<std::int32_t> first_stages_;
  Array<StagedPairs::Stage> stages_;
  Array<StagedPairs::Segment> segments_;
  Array<std::int32_t> first_works_;
  Array<StagedPairs::Work> works_;
};

}  // namespace

std::unique_ptr<DevicePairs> place_pairs(const Backend& backend, const ProductPairs& all) {
  constexpr Index kFewPairs = 3;  // an output
  if (std::ssize(all.pairs) < kFewPairs * std::ssize(all.outputs))
    return std::make_unique<PlacedGroups>(backend, all);
  return std::make_unique<PlacedStages>(backend, all);
}

}  // namespace cisolve::sparse::cuda
