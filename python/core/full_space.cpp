#include "python/core/full_space.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>

#include "base/error.hpp"
#include "ci/fock/spaces/spaces.hpp"
#include "ci/properties/density.hpp"
#include "ci/properties/single_excitations.hpp"
#include "ci/properties/spin_squared.hpp"
#include "python/core/arrays.hpp"

namespace cisolve::python {

namespace nb = nanobind;

namespace {

constexpr Index kOneThread = 4096;  // determinants; below that threads do not pay

ci::Space space_of(int orbitals, int alpha, int beta) {
  const ci::Sector sector{.orbitals = orbitals, .alpha_electrons = alpha, .beta_electrons = beta};
  ci::Space space = ci::full_ci(sector, base::Backend::openmp(1));
  if (space.dimension() <= kOneThread) return space;
  return ci::full_ci(sector, base::Backend::openmp());
}

void require_size(const FullSpace& self, const Numbers& x) {
  if (static_cast<Index>(x.size()) != self.space().dimension())
    base::fail(base::ErrorKind::usage, "the vector has ", x.size(), " numbers; expected ",
               self.alphas(), " x ", self.betas(), ", one for each determinant");
}

NewArray one_particle(const FullSpace& self, const Numbers& bra, const Numbers& ket) {
  require_size(self, bra);
  require_size(self, ket);
  const int n = self.space().orbitals();
  NewArray density = make_array({2, extent(n), extent(n)});
  const nb::gil_scoped_release others_may_run;
  const auto found = ci::transition_density(self.space(), bra.data(), ket.data());
  double* next = density.data();
  for (const ci::Spin spin : {ci::Spin::alpha, ci::Spin::beta})
    for (int p = 0; p < n; ++p)
      for (int q = 0; q < n; ++q) *next++ = found(spin, p, q);
  return density;
}

nb::typed<nb::tuple, NewArray, NewArray, NewArray> two_particle(const FullSpace& self,
                                                                const Numbers& bra,
                                                                const std::optional<Numbers>& ket) {
  require_size(self, bra);
  if (ket) require_size(self, *ket);
  const int n = self.space().orbitals();
  const std::size_t m = extent(n);
  NewArray same_alpha = make_array({m, m, m, m});
  NewArray mixed = make_array({m, m, m, m});
  NewArray same_beta = make_array({m, m, m, m});
  {
    const nb::gil_scoped_release others_may_run;
    const auto found = ket ? ci::TwoParticleDensity(self.space(), bra.data(), ket->data())
                           : ci::TwoParticleDensity(self.space(), bra.data());
    Index place = 0;
    for (int p = 0; p < n; ++p)
      for (int q = 0; q < n; ++q)
        for (int r = 0; r < n; ++r)
          for (int s = 0; s < n; ++s, ++place) {
            same_alpha.data()[place] = found.same(ci::Spin::alpha, p, q, r, s);
            same_beta.data()[place] = found.same(ci::Spin::beta, p, q, r, s);
            mixed.data()[place] = found.mixed(p, q, r, s);
          }
  }
  return nb::make_tuple(same_alpha, mixed, same_beta);
}

NewArray spin_squared(const FullSpace& self, const Numbers& x) {
  require_size(self, x);
  NewArray image = make_array({extent(self.alphas()), extent(self.betas())});
  const nb::gil_scoped_release others_may_run;
  const Index rows = self.space().dimension();
  ci::SpinSquared(self.space()).apply({x.data(), rows, 1, rows}, {image.data(), rows, 1, rows});
  return image;
}

NewArray all_excitations(const FullSpace& self, const Numbers& x, const std::string& spin) {
  require_size(self, x);
  if (spin != "alpha" && spin != "beta")
    base::fail(base::ErrorKind::usage, "the spin is '", spin, "'; expected alpha or beta");
  const std::size_t n = extent(self.space().orbitals());
  NewArray all = make_array({n, n, extent(self.alphas()), extent(self.betas())});
  const nb::gil_scoped_release others_may_run;
  self.apply_excitations(spin == "alpha" ? ci::Spin::alpha : ci::Spin::beta, x.data(), all.data());
  return all;
}

}  // namespace

FullSpace::FullSpace(int orbitals, int alpha, int beta) : space_(space_of(orbitals, alpha, beta)) {}

void FullSpace::apply_excitations(ci::Spin spin, const double* x, double* y) const {
  const Index n = space_.orbitals();
  const Index dimension = space_.dimension();
  const bool of_alpha = spin == ci::Spin::alpha;
  // Adds element `string` of one spin to `target`, for every string of the other spin.
  const Index others = of_alpha ? betas() : alphas();
  const Index step = of_alpha ? 1 : betas();
  const Index stride = of_alpha ? betas() : 1;
  std::fill_n(y, n * n * dimension, 0.0);
  const auto add = [&](Index string, Index target, int p, int q, double sign) {
    const double* from = x + string * stride;
    double* to = y + (p * n + q) * dimension + target * stride;
    for (Index i = 0; i < others; ++i) to[i * step] += sign * from[i * step];
  };
  const ci::SingleExcitations moves(space_, spin);
  for (Index string = 0; string < std::ssize(space_.strings(spin)); ++string) {
    for (const int p : space_.occupied(spin, string)) add(string, string, p, p, 1);
    for (const ci::SingleExcitation& move : moves.of(string))
      add(string, move.target, move.to, move.from, move.sign());
  }
}

void bind_full_space(nb::module_& module) {
  nb::class_<FullSpace>(
      module, "FullSpace",
      "All determinants of some electrons in some orbitals: densities and spins of vectors.\n\n"
      "Vectors are arrays (alpha strings, beta strings), row by row.")
      .def(nb::init<int, int, int>(), nb::arg("orbitals"), nb::arg("alpha"), nb::arg("beta"))
      .def_prop_ro("shape",
                   [](const FullSpace& self) { return shape_of(self.alphas(), self.betas()); })
      .def("rdm1", &one_particle, nb::arg("bra"), nb::arg("ket"),
           "<bra|a+_p a_q|ket> as an array (2, p, q): of alpha electrons, then of beta ones.")
      .def(
          "rdm2", &two_particle, nb::arg("bra"), nb::arg("ket").none() = nb::none(),
          "<bra|a+_p a+_r a_s a_q|ket> as arrays (p, q, r, s): alpha alpha, alpha beta, beta beta; "
          "without `ket` of one state.")
      .def("apply_s2", &spin_squared, nb::arg("x"), "S^2 x.")
      .def("moved", &all_excitations, nb::arg("x"), nb::arg("spin"),
           "a+_p a_q x of 'alpha' or 'beta' electrons, as an array (p, q, alphas, betas).");
}

}  // namespace cisolve::python
