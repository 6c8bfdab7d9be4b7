#include "ci/properties/orbital_entropies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.hpp"
#include "base/small_matrix.hpp"
#include "ci/fock/spaces/singly_occupied.hpp"
#include "ci/fock/spaces/spaces.hpp"
#include "solver/vectors/small_eigen.hpp"
#include "tests/ci/hosts.hpp"
#include "tests/support/vectors.hpp"

// Entropies of orbitals against those of a state that is expanded over the whole Fock space, whose
// other orbitals are traced out with the signs of Jordan and Wigner.
namespace cisolve::ci {
namespace {

using test::kHost;
using test::kSerial;

/// A state over all occupations of 2 n spin orbitals: bit p of an occupation is alpha orbital p,
/// bit n + p beta orbital p; creators stand in the order of the bits.
struct FockState {
  int orbitals;
  std::vector<double> amplitudes;  // 4^n
};

FockState over_fock_space(const Space& space, const double* x) {
  const int n = space.orbitals();
  FockState state{n, std::vector<double>(std::size_t{1} << (2 * n))};
  for (Index row = 0; row < space.dimension(); ++row) {
    const Determinant determinant = space.determinant(row);
    std::size_t occupation = 0;
    for (const int p : determinant.alpha.orbitals()) occupation |= std::size_t{1} << p;
    for (const int p : determinant.beta.orbitals()) occupation |= std::size_t{1} << (n + p);
    state.amplitudes[occupation] = x[row];
  }
  return state;
}

/// Spin orbitals of the kept orbitals as first alpha, first beta, second alpha, ..., then all
/// others.
std::vector<int> kept_first(int n, const std::vector<int>& kept) {
  std::vector<int> order;
  for (const int p : kept) order.insert(order.end(), {p, n + p});
  for (int mode = 0; mode < 2 * n; ++mode)
    if (std::ranges::find(order, mode) == order.end()) order.push_back(mode);
  return order;
}

/// -1 if an odd number of pairs of creators changes its order.
double sign_of_order(std::size_t occupation, const std::vector<int>& order) {
  double sign = 1;
  for (std::size_t a = 0; a < order.size(); ++a)
    for (std::size_t b = a + 1; b < order.size(); ++b)
      if ((occupation >> order[a] & 1) != 0 && (occupation >> order[b] & 1) != 0 &&
          order[a] > order[b])
        sign = -sign;
  return sign;
}

/// The entropy of the orbitals that are kept, from the whole reduced density matrix.
double entropy_by_trace(const FockState& state, const std::vector<int>& kept) {
  const std::vector<int> order = kept_first(state.orbitals, kept);
  const std::size_t inside = 2 * kept.size();
  const std::size_t size = std::size_t{1} << inside;
  std::map<std::size_t, std::vector<double>>
      by_rest;  // amplitudes by occupation of the kept orbitals
  for (std::size_t occupation = 0; occupation < state.amplitudes.size(); ++occupation) {
    std::size_t here = 0;
    std::size_t rest = 0;
    for (std::size_t k = 0; k < order.size(); ++k)
      if ((occupation >> order[k] & 1) != 0) (k < inside ? here : rest) |= std::size_t{1} << k;
    auto& amplitudes = by_rest[rest];
    amplitudes.resize(size);
    amplitudes[here] = sign_of_order(occupation, order) * state.amplitudes[occupation];
  }
  base::SmallMatrix density(static_cast<int>(size), static_cast<int>(size));
  for (const auto& [rest, amplitudes] : by_rest)
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < size; ++j)
        density(static_cast<int>(i), static_cast<int>(j)) += amplitudes[i] * amplitudes[j];
  double entropy = 0;
  for (const double w : solver::symmetric_eigen(density).values)
    if (w > 1e-300) entropy -= w * std::log(w);
  return entropy;
}

struct SpaceOfEntropies {
  const char* name;
  Space space;
};

std::vector<SpaceOfEntropies> spaces_of_entropies() {
  const std::vector<Determinant> closed = {aufbau(2, 2)};
  std::vector<Determinant> picked;
  const Space whole = full_ci({5, 3, 2}, kHost);
  for (Index row = 0; row < whole.dimension(); row += 1 + row % 3)
    picked.push_back(whole.determinant(row));
  std::vector<SpaceOfEntropies> all;
  all.push_back({"full CI", full_ci({5, 2, 2}, kHost)});
  all.push_back({"one orbital", full_ci({1, 1, 0}, kHost)});
  all.push_back({"high spin", full_ci({4, 3, 1}, kHost)});
  all.push_back({"more beta electrons", full_ci({5, 2, 3}, kHost)});
  all.push_back({"no beta electrons", full_ci({4, 2, 0}, kHost)});
  all.push_back({"more than half filled", full_ci({4, 3, 3}, kHost)});
  all.push_back({"one irrep", full_ci({5, 3, 2, {0, 1, 0, 2, 3}, 1}, kHost)});
  all.push_back({"CISD", excited_space({6, 2, 2}, closed, levels_up_to(2), kHost)});
  all.push_back({"list", list_space({5, 3, 2}, picked, kHost)});
  all.push_back({"no site twice", singly_occupied_space({5, 2, 2}, kHost)});
  return all;
}

TEST(OrbitalEntropies, AgreeWithTheStateInFockSpace) {
  for (const auto& [name, space] : spaces_of_entropies()) {
    SCOPED_TRACE(name);
    const auto x = test::random_states(space.dimension(), 1);
    const int n = space.orbitals();
    const FockState state = over_fock_space(space, x.block().column(0));
    const OrbitalEntropies found = orbital_entropies(space, x.block().column(0));
    ASSERT_EQ(std::ssize(found.single), n);
    ASSERT_EQ(std::ssize(found.mutual), n * n);
    for (int i = 0; i < n; ++i) {
      EXPECT_NEAR(found.single[i], entropy_by_trace(state, {i}), 1e-12) << i;
      EXPECT_EQ(found.mutual[i * n + i], 0) << i;
      for (int j = i + 1; j < n; ++j) {
        const double known = entropy_by_trace(state, {i}) + entropy_by_trace(state, {j}) -
                             entropy_by_trace(state, {i, j});
        EXPECT_NEAR(found.mutual[i * n + j], known, 1e-12) << i << ' ' << j;
        EXPECT_EQ(found.mutual[j * n + i], found.mutual[i * n + j]);
      }
    }
  }
}

// One electron pair in two orbitals, (20 - 02) / sqrt 2: each orbital has two occupations, and both
// together are in a pure state.
TEST(OrbitalEntropies, OfASharedPairHaveTheirClosedForm) {
  const Space space = full_ci({2, 1, 1}, kHost);
  std::vector<double> x(4);
  x[*space.row_of(parse_determinant("20", 2))] = std::sqrt(0.5);
  x[*space.row_of(parse_determinant("02", 2))] = -std::sqrt(0.5);
  const OrbitalEntropies found = orbital_entropies(space, x.data());
  EXPECT_NEAR(found.single[0], std::log(2), 1e-14);
  EXPECT_NEAR(found.mutual[1], 2 * std::log(2), 1e-14);
}

TEST(OrbitalEntropies, OfADeterminantAreZero) {
  const Space space = full_ci({5, 3, 2}, kHost);
  std::vector<double> x(space.dimension());
  x[7] = -1;
  const OrbitalEntropies found = orbital_entropies(space, x.data());
  for (const double s : found.single) EXPECT_EQ(s, 0);
  for (const double i : found.mutual) EXPECT_EQ(i, 0);
}

TEST(OrbitalEntropies, AreTheSameBitsOnAnyNumberOfThreads) {
  const auto entropies = [](const base::Backend& host) {
    const Space space = full_ci({6, 3, 3}, host);
    const auto x = test::random_states(space.dimension(), 1);
    return orbital_entropies(space, x.block().column(0));
  };
  const OrbitalEntropies one = entropies(kSerial);
  const OrbitalEntropies many = entropies(base::Backend::by_name("openmp", 3, {0, 0}));
  EXPECT_EQ(one.single, many.single);
  EXPECT_EQ(one.mutual, many.mutual);
}

TEST(OrbitalEntropies, AreRefusedWithoutMemoryForTheirTables) {
  const Space space = full_ci({6, 3, 3}, kSerial);
  const auto x = test::random_states(space.dimension(), 1);
  base::MemoryBudget& budget = space.host().host_memory();
  const base::Reservation others(budget, budget.left() - 300, "what others hold");
  EXPECT_THROW(orbital_entropies(space, x.block().column(0)), base::Error);
}

}  // namespace
}  // namespace cisolve::ci
