#include "python/core/arrays.hpp"

#include <memory>

#include "base/budget.hpp"
#include "base/error.hpp"
#include "base/number.hpp"

namespace cisolve::python {

namespace nb = nanobind;

std::vector<double> values_of(const Numbers& numbers) {
  return {numbers.data(), numbers.data() + numbers.size()};
}

ArrayView view_of(const double* data, std::initializer_list<std::size_t> shape, nb::handle owner) {
  return {data, shape, owner};
}

ArrayView view_of(base::ConstBlock block, nb::handle owner) {
  return {block.data,
          {static_cast<std::size_t>(block.rows), static_cast<std::size_t>(block.columns)},
          owner,
          {1, block.stride}};
}

namespace {

// Refuses large arrays here: with overcommitted memory the system would end the process on first
// use.
void require_memory(double bytes) {
  constexpr double small = 1 << 26;
  if (bytes <= small) return;
  const auto left = static_cast<double>(base::available_host_memory());
  if (bytes > left)
    base::fail(base::ErrorKind::resources, "an array needs ", base::brief(bytes / 1e9),
               " GB, but only ", base::brief(left / 1e9), " GB of memory are free");
}

}  // namespace

NewArray make_array(std::initializer_list<std::size_t> shape, bool by_columns) {
  double bytes = sizeof(double);
  for (const std::size_t extent : shape) bytes *= static_cast<double>(extent);
  require_memory(bytes);
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
