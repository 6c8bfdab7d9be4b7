#include "python/core/saved.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <string>
#include <utility>

#include "io/results/saved_results.hpp"

namespace cisolve::python {

namespace nb = nanobind;

namespace {

// An array (rows, columns) that owns the numbers.
template <class Number>
nb::object array_of(std::vector<Number> numbers, const io::SavedTable& table) {
  auto kept = std::make_unique<std::vector<Number>>(std::move(numbers));
  Number* data = kept->data();
  const nb::capsule owner(kept.release(),
                          [](void* p) noexcept { delete static_cast<std::vector<Number>*>(p); });
  const auto rows = static_cast<std::size_t>(table.rows);
  const auto columns = static_cast<std::size_t>(table.columns);
  return nb::cast(nb::ndarray<nb::numpy, Number>(data, {rows, columns}, owner));
}

nb::typed<nb::dict, nb::str, nb::object> take_tables(io::SavedResults& results) {
  nb::typed<nb::dict, nb::str, nb::object> tables;
  for (io::SavedTable& table : results.tables)
    tables[table.name.c_str()] = table.reals.empty() ? array_of(std::move(table.wholes), table)
                                                     : array_of(std::move(table.reals), table);
  results.tables.clear();
  return tables;
}

io::SavedResults read_results(const std::string& path) {
  const nb::gil_scoped_release others_may_run;
  return io::read_saved_results(path);
}

}  // namespace

void bind_saved(nb::module_& module) {
  nb::class_<io::SavedResults>(module, "SavedResults", "The contents of results.h5.")
      .def_ro("method", &io::SavedResults::method)
      .def_ro("completeness", &io::SavedResults::completeness)
      .def_ro("dimension", &io::SavedResults::dimension)
      .def_ro("iterations", &io::SavedResults::iterations)
      .def_ro("products", &io::SavedResults::products)
      .def_ro("verified", &io::SavedResults::verified)
      .def_ro("orthogonality", &io::SavedResults::orthogonality)
      .def_ro("words", &io::SavedResults::words)
      .def("take_tables", &take_tables,
           "Arrays (rows, columns) by the names of data sets; can be taken once.");
  module.def("read_results", &read_results, nb::arg("path"), "Reads a file of results.");
}

}  // namespace cisolve::python
