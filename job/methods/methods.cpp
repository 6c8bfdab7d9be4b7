#include "job/methods/methods.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"

namespace cisolve::job {

std::span<const ProductMethod* const> product_methods() {
  static constexpr std::array table{&kPrecomputed, &kCoded, &kMixed, &kOnTheFly, &kFactorised};
  return table;
}

const ProductMethod& method_of(ElementPath elements) {
  const auto table = product_methods();
  const auto found =
      std::ranges::find(table, elements, [](const auto* method) { return method->elements; });
  if (found == table.end())
    base::fail(base::ErrorKind::internal, "no product method of the name ", word_of(elements));
  return **found;
}

}  // namespace cisolve::job
