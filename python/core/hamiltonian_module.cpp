#include "python/core/hamiltonian_module.hpp"

#include "app/config/configuration.hpp"
#include "app/config/machine_rates.hpp"
#include "base/error.hpp"
#include "python/core/arrays.hpp"
#include "python/core/hamiltonian.hpp"

namespace cisolve::python {

namespace nb = nanobind;

namespace {

// Vectors are the rows of a two-dimensional array, so that each is contiguous.
NewArray matvec(Hamiltonian& self, const Numbers& x) {
  const Index rows = self.rows();
  if (x.ndim() == 0 || x.ndim() > 2 || static_cast<Index>(x.shape(x.ndim() - 1)) != rows)
    base::fail(base::ErrorKind::usage, "the vectors do not have the size of the matrix; expected ",
               rows, " numbers for each");
  const int vectors = x.ndim() == 1 ? 1 : static_cast<int>(x.shape(0));
  NewArray y = x.ndim() == 1 ? make_array({extent(rows)}) : make_array({x.shape(0), extent(rows)});
  if (vectors == 0) return y;
  const nb::gil_scoped_release others_may_run;
  self.apply({x.data(), rows, vectors, rows}, {y.data(), rows, vectors, rows});
  return y;
}

NewArray diagonal_of(Hamiltonian& self) {
  NewArray values = make_array({extent(self.rows())});
  const nb::gil_scoped_release others_may_run;
  const std::vector<double> found = self.diagonal();
  std::copy(found.begin(), found.end(), values.data());
  return values;
}

template <class T>
using Kept = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

template <class T>
Kept<T> kept(base::Array<T>& array) {
  auto* held = new base::Array<T>(std::move(array));
  const nb::capsule owner(held, [](void* p) noexcept { delete static_cast<base::Array<T>*>(p); });
  return Kept<T>(held->data(), {extent(held->size())}, owner);
}

nb::typed<nb::tuple, Kept<double>, Kept<base::Column>, Kept<Index>> elements_of(
    const Hamiltonian& self) {
  sparse::Csr csr = [&] {
    const nb::gil_scoped_release others_may_run;
    return self.elements();
  }();
  return nb::make_tuple(kept(csr.values), kept(csr.columns), kept(csr.offsets));
}

void make(Hamiltonian* self, app::Configuration configuration) {
  if (configuration.rates == app::Rates::automatic)
    configuration.request.machine_factors = app::machine_rates();
  const nb::gil_scoped_release others_may_run;
  base::Backend backend = job::open_backend(configuration.request);
  new (self) Hamiltonian(std::move(configuration.request), std::move(backend));
}

}  // namespace

void bind_hamiltonian(nb::module_& module) {
  nb::class_<Hamiltonian>(module, "Hamiltonian", "The Hamiltonian of a request.")
      .def("__init__", &make, nb::arg("configuration"))
      .def_prop_ro("rows", &Hamiltonian::rows)
      .def("matvec", &matvec, nb::arg("x"), "H x of one vector, or of each row of an array.")
      .def("diagonal", &diagonal_of, "Its diagonal.")
      .def("elements", &elements_of, "All elements: values, columns and offsets of rows.");
}

}  // namespace cisolve::python
