#include <gtest/gtest.h>

#include <bit>
#include <set>

#include "base/multivector.hpp"
#include "ci/properties/density.hpp"
#include "ci/properties/spin_squared.hpp"
#include "ci/properties/state_sums.hpp"
#include "ci/properties/weights.hpp"
#include "tests/ci/hosts.hpp"
#include "tests/support/backend.hpp"
#include "tests/support/hamiltonians.hpp"
#include "tests/support/vectors.hpp"

// Sums over states on a device equal those of the host.
namespace cisolve::ci {
namespace {

using test::kHost;
constexpr double kRounding = 1e-13;

class DeviceStates : public test::BackendTest {
 protected:
  /// Calls check(space, states on the host, their copies on the device, sums on the device).
  template <class Check>
  static void for_each_space(Check check) {
    const base::Backend device = test::backend_under_test();
    const auto run = [&](const std::string& name, const Space& space) {
      SCOPED_TRACE(name);
      const base::MultiVector x = test::random_states(space.dimension(), 3, 3);
      const base::MultiVector on_device = x.to(device);
      check(space, x, on_device, *state_sums(space, device));
    };
    for (const test::NamedHamiltonian& h : test::hamiltonians()) run(h.name, *h.space);
    run("no electrons", full_ci({3, 0, 0}, kHost));
    run("one electron", full_ci({4, 0, 1}, kHost));
    run("more beta than alpha", full_ci({7, 2, 4}, kHost));
    run("few beta beside each alpha", test::excited({14, 4, 4}, 2));
    run("one determinant", test::excited({9, 5, 4}, 0));
    run("more lines of a residue than a tile has", full_ci({20, 2, 2}, kHost));
    run("lines in parts", full_ci({13, 2, 6}, kHost));
    run("some of both strings", some_of_both());
    run("an irrep in lists", full_ci({10, 4, 4, {0, 1, 2, 3, 0, 1, 2, 3, 0, 1}, 2}, kHost));
  }

  static Space some_of_both() {
    const Space full = full_ci({11, 5, 4}, kHost);
    std::array<std::vector<String>, 2> kept;
    for (const Spin spin : {Spin::alpha, Spin::beta})
      for (std::size_t i = 0; i < full.strings(spin).size(); i += 3)
        kept[static_cast<std::size_t>(spin)].push_back(full.strings(spin)[i]);
    return product_space({11, 5, 4}, kept[0], kept[1], kHost);
  }

  static void expect_same(const OneParticleDensity& found, const OneParticleDensity& expected,
                          int orbitals) {
    for (const Spin spin : {Spin::alpha, Spin::beta})
      for (int p = 0; p < orbitals; ++p)
        for (int q = 0; q < orbitals; ++q)
          ASSERT_NEAR(found(spin, p, q), expected(spin, p, q), 9 * kRounding) << p << ' ' << q;
  }
};

TEST_F(DeviceStates, OneParticleDensitiesAreTheHosts) {
  for_each_space(
      [](const Space& space, const auto& x, const auto& on_device, const StateSums& sums) {
        const double* bra = on_device.block().column(0);
        const double* ket = on_device.block().column(2);
        expect_same(one_particle_density(sums, bra),
                    one_particle_density(space, x.block().column(0)), space.orbitals());
        expect_same(transition_density(sums, bra, ket),
                    transition_density(space, x.block().column(0), x.block().column(2)),
                    space.orbitals());
      });
}

TEST_F(DeviceStates, TwoParticleDensitiesAreTheHosts) {
  for_each_space(
      [](const Space& space, const auto& x, const auto& on_device, const StateSums& sums) {
        if (space.orbitals() > 80) return;             // n^4 elements would take most of the time
        const int n = std::min(space.orbitals(), 14);  // a corner of the large ones
        const int first = space.orbitals() - n;
        for (int j = 0; j < (space.orbitals() > 20 ? 1 : 2); ++j) {
          const TwoParticleDensity found(sums, on_device.block().column(j));
          const TwoParticleDensity again(sums, on_device.block().column(j));
          const TwoParticleDensity expected(space, x.block().column(j));
          for (int p = first; p < first + n; ++p)
            for (int q = first; q < first + n; ++q)
              for (int r = first; r < first + n; ++r)
                for (int s = first; s < first + n; ++s) {
                  ASSERT_NEAR(found.mixed(p, q, r, s), expected.mixed(p, q, r, s), 9 * kRounding)
                      << p << ' ' << q << ' ' << r << ' ' << s;
                  ASSERT_NEAR(found.spin_free(p, q, r, s), expected.spin_free(p, q, r, s),
                              36 * kRounding);
                  ASSERT_EQ(found.spin_free(p, q, r, s), again.spin_free(p, q, r, s));
                }
        }
      });
}

/// Vectors of elements +-1, as many as the largest power of two allows, and zeros: all sums are
/// exact in any order.
base::MultiVector whole_numbers(Index rows) {
  base::MultiVector x(base::Backend::reference(), rows, 1);
  const auto ones = static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(rows)));
  for (Index i = 0; i < rows; ++i) x(i, 0) = 0;
  for (Index i = 0; i < ones; ++i) x(rows - 1 - i, 0) = i * 7919 % 5 < 2 ? -1 : 1;
  return x;
}

TEST_F(DeviceStates, DensitiesOfWholeNumbersAreTheHostsToTheBit) {
  for_each_space(
      [](const Space& space, const auto& x, const auto& on_device, const StateSums& sums) {
        if (space.orbitals() > 24) return;
        const base::MultiVector on_host = whole_numbers(x.rows());
        const base::MultiVector ones = on_host.to(on_device.backend());
        const auto one = one_particle_density(sums, ones.block().column(0));
        const auto expected_one = one_particle_density(space, on_host.block().column(0));
        const TwoParticleDensity two(sums, ones.block().column(0));
        const TwoParticleDensity expected(space, on_host.block().column(0));
        const int n = space.orbitals();
        for (int p = 0; p < n; ++p)
          for (int q = 0; q < n; ++q) {
            for (const Spin spin : {Spin::alpha, Spin::beta})
              ASSERT_EQ(one(spin, p, q), expected_one(spin, p, q)) << p << ' ' << q;
            for (int r = 0; r < n; ++r)
              for (int s = 0; s < n; ++s) {
                ASSERT_EQ(two.mixed(p, q, r, s), expected.mixed(p, q, r, s))
                    << p << ' ' << q << ' ' << r << ' ' << s;
                for (const Spin spin : {Spin::alpha, Spin::beta})
                  ASSERT_EQ(two.same(spin, p, q, r, s), expected.same(spin, p, q, r, s))
                      << p << ' ' << q << ' ' << r << ' ' << s;
              }
          }
      });
}

// More than five million lines of residues: a device takes them in several batches.
TEST_F(DeviceStates, ManyLinesGiveTwoParticleDensitiesThatContractToOne) {
  const base::Backend device = test::backend_under_test();
  const Space space = full_ci({23, 7, 0}, kHost);
  const base::MultiVector x = test::random_states(space.dimension(), 1).to(device);
  const auto sums = state_sums(space, device);
  const auto one = one_particle_density(*sums, x.block().column(0));
  const TwoParticleDensity first(*sums, x.block().column(0));  // kept lines serve the next density
  const TwoParticleDensity two(*sums, x.block().column(0));
  for (int p = 0; p < 23; ++p)
    for (int q = 0; q < 23; ++q) {
      double sum = 0;
      for (int r = 0; r < 23; ++r) sum += two.same(Spin::alpha, p, q, r, r);
      EXPECT_NEAR(sum, 6 * one(Spin::alpha, p, q), 1e-12) << p << ' ' << q;
    }
}

TEST_F(DeviceStates, SpinsAndIrrepsAreTheHosts) {
  for_each_space([](const Space& space, const auto& x, const auto& on_device,
                    const StateSums& sums) {
    std::vector<int> labels;
    for (int p = 0; p < space.orbitals(); ++p) labels.push_back(p * p % 7);
    const SpinSquared s2(space);
    const IrrepLabels irreps(space, labels);
    const auto compare = [&](const base::LinearOperator& host, const base::LinearOperator& device) {
      base::MultiVector expected(kHost, x.rows(), x.columns());
      base::MultiVector found(on_device.backend(), x.rows(), x.columns());
      host.apply(x.block(), expected.block());
      device.apply(on_device.block(), found.block());
      const base::MultiVector on_host = found.to(kHost);
      for (int j = 0; j < x.columns(); ++j)
        for (Index i = 0; i < x.rows(); ++i)
          ASSERT_NEAR(on_host(i, j), expected(i, j), 30 * kRounding) << i;
    };
    compare(s2, *sums.spin_squared());
    compare(irreps, *sums.irrep_labels(labels));
  });
}

// More beta strings than one thread block has sums for.
TEST_F(DeviceStates, SpinsOfManyStringsAreTheHosts) {
  const Space space = full_ci({23, 2, 4}, kHost);
  ASSERT_GT(std::ssize(space.strings(Spin::beta)), 8192);
  const base::MultiVector x = test::random_states(space.dimension(), 1);
  const base::MultiVector on_device = x.to(test::backend_under_test());
  base::MultiVector expected(kHost, x.rows(), 1);
  base::MultiVector found(on_device.backend(), x.rows(), 1);
  SpinSquared(space).apply(x.block(), expected.block());
  state_sums(space, on_device.backend())->spin_squared()->apply(on_device.block(), found.block());
  const base::MultiVector on_host = found.to(kHost);
  for (Index i = 0; i < x.rows(); ++i) ASSERT_NEAR(on_host(i, 0), expected(i, 0), 1e-12) << i;
}

TEST_F(DeviceStates, ALostNumberIsDetected) {
  const base::Backend device = test::backend_under_test();
  const Space space = full_ci({5, 2, 2}, kHost);
  base::MultiVector x = test::random_states(space.dimension(), 1, 3);
  x(7, 0) = std::numeric_limits<double>::quiet_NaN();
  const base::MultiVector on_device = x.to(device);
  const TwoParticleDensity found(*state_sums(space, device), on_device.block().column(0));
  EXPECT_TRUE(std::isnan(found.mixed(0, 0, 0, 0)));
}

}  // namespace
}  // namespace cisolve::ci
