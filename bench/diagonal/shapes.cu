#include "bench/diagonal/rivals.hpp"
#include "sparse/diagonal/cuda/pair_product.cuh"

namespace cisolve::bench {
namespace {

using sparse::DiagonalPair;
using sparse::DiagonalTerm;
using sparse::PairGroups;

template <class Shape>
Measured shaped(const sparse::ProductPairs& pairs, const sparse::Diagonal& a,
                const sparse::Diagonal& b, sparse::Diagonal& c, const sparse::Diagonal& expected) {
  const base::Backend& device = a.values.backend();
  const PairGroups groups = PairGroups::of(pairs, Shape::kOutputs, device.host());
  const auto outputs = base::Array<DiagonalTerm>::copy_of(pairs.outputs, device, "outputs");
  const auto offsets = base::Array<Index>::copy_of(groups.offsets, device, "offsets");
  const auto list = base::Array<DiagonalPair>::copy_of(groups.pairs, device, "pairs");
  const auto steps = base::Array<Index>::copy_of(groups.steps, device, "steps");
  const sparse::cuda::PairProduct product{pairs.rows,      pairs.inner,        pairs.columns,
                                          outputs.size(),  offsets.size() - 1, outputs.data(),
                                          offsets.data(),  list.data(),        steps.data(),
                                          a.values.data(), b.values.data(),    0,
                                          c.values.data()};
  Measured measured{.name = base::concat("rows ", Shape::kRows, ", diagonals ", Shape::kOutputs,
                                         ", warps ", Shape::kWarps)};
  measured.value_seconds = best_seconds(device, 5, [&] {
    sparse::cuda::launch_pair_product<Shape>(product, device.device().stream());
  });
  measured.error = error_of(c, expected);
  return measured;
}

}  // namespace

std::vector<Measured> shaped_products(const sparse::DiagonalProductPlan& plan,
                                      const sparse::Diagonal& a, const sparse::Diagonal& b,
                                      sparse::Diagonal& c, const sparse::Diagonal& expected) {
  using sparse::cuda::PairShape;
  const sparse::ProductPairs& pairs = plan.pairs();
  return {shaped<PairShape<4, 8, 16>>(pairs, a, b, c, expected),
          shaped<PairShape<4, 8, 8>>(pairs, a, b, c, expected),
          shaped<PairShape<4, 8, 4>>(pairs, a, b, c, expected),
          shaped<PairShape<2, 16, 16>>(pairs, a, b, c, expected),
          shaped<PairShape<2, 8, 16>>(pairs, a, b, c, expected),
          shaped<PairShape<2, 16, 8>>(pairs, a, b, c, expected),
          shaped<PairShape<8, 4, 16>>(pairs, a, b, c, expected),
          shaped<PairShape<4, 4, 16>>(pairs, a, b, c, expected),
          shaped<PairShape<6, 6, 16>>(pairs, a, b, c, expected)};
}

}  // namespace cisolve::bench
