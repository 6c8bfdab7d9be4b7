#include "sparse/diagonal/pair_kernels.hpp"

#include "sparse/diagonal/cuda/pair_product.cuh"

namespace cisolve::sparse::cuda {
namespace {

using Shape = PairShape<4, 8, 16>;

class PlacedPairs final : public DevicePairs {
 public:
  PlacedPairs(const base::Backend& device, const ProductPairs& all)
      : PlacedPairs(device, all, PairGroups::of(all, Shape::kOutputs, device.host())) {}

  void multiply(const double* a, const double* b, double beta, double* c) const override {
    PairProduct product = product_;
    product.a = a;
    product.b = b;
    product.beta = beta;
    product.c = c;
    launch_pair_product<Shape>(product, outputs_.backend().device().stream());
  }

 private:
  PlacedPairs(const base::Backend& device, const ProductPairs& all, const PairGroups& groups)
      : outputs_(base::Array<DiagonalTerm>::copy_of(all.outputs, device, "outputs of a product")),
        offsets_(base::Array<Index>::copy_of(groups.offsets, device, "groups of a product")),
        pairs_(base::Array<DiagonalPair>::copy_of(groups.pairs, device, "pairs of a product")),
        steps_(base::Array<Index>::copy_of(groups.steps, device, "steps of a product")),
        product_{all.rows,
                 all.inner,
                 all.columns,
                 outputs_.size(),
                 offsets_.size() - 1,
                 outputs_.data(),
                 offsets_.data(),
                 pairs_.data(),
                 steps_.data(),
                 nullptr,
                 nullptr,
                 0,
                 nullptr} {}

  base::Array<DiagonalTerm> outputs_;
  base::Array<Index> offsets_;
  base::Array<DiagonalPair> pairs_;
  base::Array<Index> steps_;
  PairProduct product_;
};

}  // namespace

std::unique_ptr<DevicePairs> place_pairs(const base::Backend& backend, const ProductPairs& all) {
  return std::make_unique<PlacedPairs>(backend, all);
}

}  // namespace cisolve::sparse::cuda
