#include "job/methods/methods.hpp"

#include <algorithm>
#include <array>

namespace cisolve::job {

std::span<const ProductMethod* const> product_methods() {
  static constexpr std::array table{&kPrecomputed, &kCoded, &kMixed, &kOnTheFly, &kFactorised};
  return table;
}

const ProductMethod& method_of(ElementPath elements) {
  const auto table = product_methods();
  return **std::ranges::find(table, elements, [](const auto* method) { return method->elements; });
}

}  // namespace cisolve::job
