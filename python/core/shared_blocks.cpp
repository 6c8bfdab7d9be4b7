#include "python/core/shared_blocks.hpp"

#include <nanobind/ndarray.h>

#include <memory>
#include <string>
#include <utility>

#include "base/array.hpp"
#include "base/device.hpp"
#include "base/error.hpp"
#include "base/libraries.hpp"
#include "python/core/arrays.hpp"

namespace cisolve::python {

namespace nb = nanobind;

using base::Index;

namespace {

/// A device in DLPack's terms.
struct Device {
  int type = nb::device::cpu::value;
  int number = 0;

  bool operator==(const Device&) const = default;
  std::string name() const {
    if (type == nb::device::cpu::value) return "the host";
    if (type == nb::device::cuda::value) return base::concat("cuda:", number);
    return base::concat("a device of DLPack's kind ", type);
  }
};

Device device_of(const base::Backend& backend) {
  if (backend.is_host()) return {};
  return {nb::device::cuda::value, base::cuda::describe(backend.device()).number};
}

nb::object exported(double* data, base::ConstBlock block, const base::Backend& backend,
                    nb::handle owner) {
  const Device device = device_of(backend);
  const nb::ndarray<nb::array_api, double> view(data, {extent(block.rows), extent(block.columns)},
                                                owner, {1, block.stride}, nb::dtype<double>(),
                                                device.type, device.number);
  return nb::cast(view, nb::rv_policy::reference);
}

// Refuses an answer that differs from the expected array, such as one of the shape (9, 2) on cuda:0
// in double precision.
[[noreturn]] void refuse(const std::string& found, base::Block y, const Device& device) {
  base::fail(base::ErrorKind::usage, "the operator returned ", found,
             "; expected an array of the shape (", y.rows, ", ", y.columns,
             ") in double precision on ", device.name(), ", like its argument");
}

// Passing our stream lets the other library order its work before ours. The first call needs DLPack
// 1.0, which alone exports read-only arrays.
nb::object capsule_of(nb::handle given, const base::Backend& backend) {
  nb::object stream = nb::none();
  if (!backend.is_host()) stream = nb::int_(base::cuda::stream_address(backend.device()));
  const nb::object method = given.attr("__dlpack__");
  try {
    return method(nb::arg("stream") = stream, nb::arg("max_version") = nb::make_tuple(1, 0));
  } catch (const nb::python_error& error) {
    if (!error.matches(PyExc_TypeError)) throw;
  }
  return method(nb::arg("stream") = stream);
}

void require_device(nb::handle given, base::Block y, const Device& expected) {
  if (!nb::hasattr(given, "__dlpack__") || !nb::hasattr(given, "__dlpack_device__"))
    refuse(base::concat("an object of the type ", nb::type_name(given.type()).c_str(),
                        ", which does not support DLPack"),
           y, expected);
  const nb::object place = given.attr("__dlpack_device__")();
  const Device found{nb::cast<int>(place[0]), nb::cast<int>(place[1])};
  if (found != expected) refuse(base::concat("an array on ", found.name()), y, expected);
}

using Image = nb::ndarray<nb::ro>;

void require_numbers(const Image& image, base::Block y, const Device& device) {
  if (image.dtype() != nb::dtype<double>()) refuse("an array of another precision", y, device);
  if (image.ndim() != 2 || image.shape(0) != extent(y.rows) ||
      image.shape(1) != extent(y.columns)) {
    std::string shape;
    for (std::size_t i = 0; i < image.ndim(); ++i)
      shape += base::concat(i > 0 ? ", " : "", image.shape(i));
    refuse(base::concat("an array of the shape (", shape, ")"), y, device);
  }
  if (y.rows > 1 && image.stride(0) != 1)
    refuse("an array whose columns are not contiguous", y, device);
}

}  // namespace

// The view is writable because some libraries reject read-only arrays; the function must not modify
// it.
nb::object shared_view(base::ConstBlock block, const base::Backend& backend) {
  return exported(const_cast<double*>(block.data), block, backend, nb::none());  // NOLINT
}

nb::object shared_vectors(base::MultiVector vectors) {
  auto owned = std::make_unique<base::MultiVector>(std::move(vectors));
  const nb::capsule owner(owned.get(),
                          [](void* p) noexcept { delete static_cast<base::MultiVector*>(p); });
  base::MultiVector& kept = *owned.release();
  kept.backend().synchronize();
  return exported(kept.block().data, kept.block(), kept.backend(), owner);
}

void copy_answer(nb::handle given, base::Block y, const base::Backend& backend) {
  const Device device = device_of(backend);
  require_device(given, y, device);
  const Image image = nb::cast<Image>(capsule_of(given, backend));
  require_numbers(image, y, device);
  const auto* columns = static_cast<const double*>(image.data());
  for (int j = 0; j < y.columns; ++j)
    base::copy_bytes(backend, columns + j * image.stride(1), backend, y.column(j),
                     y.rows * Index{sizeof(double)});
  backend.synchronize();  // the image may be freed after return
}

}  // namespace cisolve::python
