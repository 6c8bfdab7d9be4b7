#include "python/core/three_particles.hpp"

#include <nanobind/stl/string.h>

#include "base/error.hpp"
#include "ci/fock/spaces/spaces.hpp"
#include "ci/properties/three_particle_density.hpp"
#include "python/core/arrays.hpp"

namespace cisolve::python {

namespace nb = nanobind;

namespace {

using base::Index;

/// Full CI, and where sums over its determinants are taken.
struct Place {
  base::Backend backend;
  ci::Space space;

  static Place of(int orbitals, int alpha, int beta, const std::string& name, int threads,
                  Index memory) {
    constexpr Index kFew = 4096;  // determinants; below that neither threads nor a device pay
    const ci::Sector sector{.orbitals = orbitals, .alpha_electrons = alpha, .beta_electrons = beta};
    const base::Backend::Limits limits{.host_bytes = memory};
    const base::Backend one = base::Backend::openmp(1, limits);
    ci::Space space = ci::full_ci(sector, one);
    if (name == "auto" && threads == 0 && space.dimension() <= kFew) return {one, std::move(space)};
    const base::Backend backend = base::Backend::by_name(name, threads, limits);
    return {backend, ci::full_ci(sector, backend.host())};
  }

  void require_size(const Numbers& x) const {
    if (static_cast<Index>(x.size()) != space.dimension())
      base::fail(base::ErrorKind::usage, "the vector has ", x.size(), " numbers; expected ",
                 space.dimension(), ", one for each determinant");
  }

  /// On the host instead of a device that was not asked for by name and lacks memory.
  template <class Compute>
  void compute(const std::string& name, const Compute& work) const {
    try {
      work(backend);
    } catch (const base::DeviceMemoryError&) {
      if (name != "auto") throw;
      work(space.host());
    }
  }
};

std::span<double> values_of(const NewArray& array) { return {array.data(), array.size()}; }

nb::typed<nb::tuple, NewArray, NewArray, NewArray> three_particle_density(
    int orbitals, int alpha, int beta, const Numbers& x, const std::string& backend, int threads,
    Index memory) {
  const Place place = Place::of(orbitals, alpha, beta, backend, threads, memory);
  place.require_size(x);
  const std::size_t n = extent(orbitals);
  const Index bytes =
      Index{sizeof(double)} * orbitals * orbitals * orbitals * orbitals * orbitals * orbitals;
  const base::Reservation held(place.space.host().host_memory(), bytes,
                               "the three-particle density");
  const NewArray one = make_array({n, n});
  const NewArray two = make_array({n, n, n, n});
  const NewArray three = make_array({n, n, n, n, n, n});
  {
    const nb::gil_scoped_release others_may_run;
    place.compute(backend, [&](const base::Backend& where) {
      ci::three_particle_density(place.space, x.data(), where,
                                 {values_of(one), values_of(two), values_of(three)});
    });
  }
  return nb::make_tuple(one, two, three);
}

nb::typed<nb::tuple, NewArray, NewArray> four_particle_contractions(int orbitals, int alpha,
                                                                    int beta, const Numbers& x,
                                                                    const Numbers& two_body,
                                                                    const std::string& backend,
                                                                    int threads, Index memory) {
  const Place place = Place::of(orbitals, alpha, beta, backend, threads, memory);
  place.require_size(x);
  const std::size_t n = extent(orbitals);
  if (two_body.size() != n * n * n * n)
    base::fail(base::ErrorKind::usage, "there are ", two_body.size(), " integrals (pq|rs) of ",
               orbitals, " orbitals; expected ", n * n * n * n, ", all of them");
  const Index bytes =
      Index{2 * sizeof(double)} * orbitals * orbitals * orbitals * orbitals * orbitals * orbitals;
  const base::Reservation held(place.space.host().host_memory(), bytes,
                               "contractions of the four-particle density");
  const NewArray ca = make_array({n, n, n, n, n, n});
  const NewArray ac = make_array({n, n, n, n, n, n});
  {
    const nb::gil_scoped_release others_may_run;
    place.compute(backend, [&](const base::Backend& where) {
      ci::contract_four_particle_density(
          place.space, x.data(), where,
          {{two_body.data(), two_body.size()}, values_of(ca), values_of(ac)});
    });
  }
  return nb::make_tuple(ca, ac);
}

}  // namespace

void bind_three_particles(nb::module_& module) {
  module.def("three_particle_density", &three_particle_density, nb::arg("orbitals"),
             nb::arg("alpha"), nb::arg("beta"), nb::arg("ci"), nb::arg("backend") = "auto",
             nb::arg("threads") = 0, nb::arg("memory") = 0,
             "<E_pq>, <E_pq E_rs> and <E_pq E_rs E_tu> of a state of full CI, with E_pq summed "
             "over spins.");
  module.def("four_particle_contractions", &four_particle_contractions, nb::arg("orbitals"),
             nb::arg("alpha"), nb::arg("beta"), nb::arg("ci"), nb::arg("two_body"),
             nb::arg("backend") = "auto", nb::arg("threads") = 0, nb::arg("memory") = 0,
             "sum_def (ce|df) <E_pq E_rs E_ae E_df> and sum_def (ae|df) <E_pq E_rs E_ec E_df> as "
             "arrays (p, q, r, s, a, c).");
}

}  // namespace cisolve::python
