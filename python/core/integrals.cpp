#include "python/core/integrals.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>

#include "python/core/arrays.hpp"

namespace cisolve::python {

namespace nb = nanobind;

namespace {

std::vector<double> values_if_any(const std::optional<Numbers>& numbers) {
  return numbers ? values_of(*numbers) : std::vector<double>{};
}

SharedIntegrals make_integrals(int orbitals, int alpha, int beta, const Numbers& one_body,
                               const Numbers& two_body, double core,
                               std::vector<base::Index> irreps,
                               const std::optional<Numbers>& beta_one_body,
                               const std::optional<Numbers>& beta_two_body,
                               const std::optional<Numbers>& mixed_two_body,
                               std::string point_group) {
  return {std::make_shared<const job::GivenIntegrals>(
      job::GivenIntegrals{.orbitals = orbitals,
                          .alpha = alpha,
                          .beta = beta,
                          .core_energy = core,
                          .one_body = values_of(one_body),
                          .two_body = values_of(two_body),
                          .irreps = std::move(irreps),
                          .point_group = std::move(point_group),
                          .beta_one_body = values_if_any(beta_one_body),
                          .beta_two_body = values_if_any(beta_two_body),
                          .mixed_two_body = values_if_any(mixed_two_body)})};
}

}  // namespace

void bind_integrals(nb::module_& module) {
  nb::class_<SharedIntegrals>(
      module, "Integrals",
      "Integrals over real orbitals, (pq|rs) in chemists' order, and electrons.")
      .def_prop_ro("orbitals", [](const SharedIntegrals& given) { return given.values->orbitals; })
      .def_prop_ro("electrons", [](const SharedIntegrals& given) {
        return shape_of(given.values->alpha, given.values->beta);
      });
  module.def("integrals", &make_integrals, nb::arg("orbitals"), nb::arg("alpha"), nb::arg("beta"),
             nb::arg("one_body"), nb::arg("two_body"), nb::arg("core") = 0.0,
             nb::arg("irreps") = std::vector<base::Index>{}, nb::arg("beta_one_body") = nb::none(),
             nb::arg("beta_two_body") = nb::none(), nb::arg("mixed_two_body") = nb::none(),
             nb::arg("point_group") = "");
}

}  // namespace cisolve::python
