#include "python/core/arrays.hpp"

#include <memory>

namespace cisolve::python {

namespace nb = nanobind;

std::vector<double> values_of(const Numbers& numbers) {
  return {numbers.data(), numbers.data() + numbers.size()};
}

View view_of(const double* data, std::initializer_list<std::size_t> shape, nb::handle owner) {
  return {data, shape, owner};
}

View view_of(base::ConstBlock block, nb::handle owner) {
  return {block.data,
          {static_cast<std::size_t>(block.rows), static_cast<std::size_t>(block.columns)},
          owner,
          {1, block.stride}};
}

Fresh make_array(std::initializer_list<std::size_t> shape, bool by_columns) {
  std::size_t size = 1;
  for (const std::size_t extent : shape) size *= extent;
  auto values = std::make_unique_for_overwrite<double[]>(size);
  double* data = values.get();
  const nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<double*>(p); });
  static_cast<void>(values.release());
  if (!by_columns) return {data, shape, owner};
  std::vector<std::int64_t> strides;
  std::int64_t step = 1;
  for (const std::size_t extent : shape) {
    strides.push_back(step);
    step *= static_cast<std::int64_t>(extent);
  }
  return {data, shape.size(), shape.begin(), owner, strides.data()};
}

}  // namespace cisolve::python
