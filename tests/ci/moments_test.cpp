#include "ci/properties/moments.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "base/error.hpp"
#include "base/multivector.hpp"
#include "base/random.hpp"
#include "ci/fock/spaces/spaces.hpp"
#include "ci/fock/strings/window.hpp"
#include "tests/ci/hosts.hpp"
#include "tests/support/state_oracle.hpp"
#include "tests/support/vectors.hpp"

// Moments of states, against operators that act on all their electrons one by one.
namespace cisolve::ci {
namespace {

using test::kHost;
using ::testing::HasSubstr;

constexpr int kOrbitals = 5;
const Window kWindow{{1}, {0, 2, 4}};  // orbital 3 stays empty
constexpr double kConstants[] = {0.25, -1.5};

/// Random matrices of two components.
OneElectronOperator random_operator(bool antisymmetric, bool spin_dependent) {
  OneElectronOperator one{.name = "random",
                          .components = {"a", "b"},
                          .unit = "1",
                          .antisymmetric = antisymmetric,
                          .constants = {kConstants[0], kConstants[1]},
                          .alpha = {}};
  if (antisymmetric) one.constants = {0, 0};
  std::uint64_t seed = 0;
  for (std::vector<base::SmallMatrix>* matrices : {&one.alpha, &one.beta}) {
    if (matrices == &one.beta && !spin_dependent) continue;
    for (int c = 0; c < 2; ++c) {
      base::SmallMatrix& o = matrices->emplace_back(kOrbitals, kOrbitals);
      for (int p = 0; p < kOrbitals; ++p)
        for (int q = 0; q <= p; ++q) {
          o(p, q) = p == q && antisymmetric ? 0 : base::symmetric_interval(base::mix(19, ++seed));
          o(q, p) = antisymmetric ? -o(p, q) : o(p, q);
        }
    }
  }
  return one;
}

/// The state over all orbitals, those that are frozen occupied.
test::State whole_state(const Space& space, const double* x) {
  test::State state;
  for (Index row = 0; row < space.dimension(); ++row) {
    const WholeDeterminant whole = whole_determinant(kWindow, space.determinant(row));
    state[test::occupations(whole.determinant, kOrbitals)] = whole.sign * x[row];
  }
  return state;
}

/// <bra| sum o_pq a+_p a_q |ket> over all electrons.
double brute_force(const OneElectronOperator& one, std::size_t component, const test::State& bra,
                   const test::State& ket) {
  double sum = 0;
  for (const Spin spin : {Spin::alpha, Spin::beta})
    for (int p = 0; p < kOrbitals; ++p)
      for (int q = 0; q < kOrbitals; ++q) {
        const bool is_alpha = spin == Spin::alpha;
        const int shift = is_alpha ? 0 : kOrbitals;
        const auto& matrices = is_alpha || one.beta.empty() ? one.alpha : one.beta;
        sum += matrices[component](p, q) *
               test::inner(bra, test::created(test::annihilated(ket, shift + q), shift + p));
      }
  return sum;
}

/// Two orthonormal vectors.
base::MultiVector two_states(const Space& space) {
  auto x = test::random_states(space.dimension(), 2);
  const auto product = [&](int i, int j) {
    double sum = 0;
    for (Index row = 0; row < x.rows(); ++row) sum += x(row, i) * x(row, j);
    return sum;
  };
  for (int j = 0; j < 2; ++j) {
    if (j == 1) {
      const double overlap = product(0, 1);
      for (Index row = 0; row < x.rows(); ++row) x(row, 1) -= overlap * x(row, 0);
    }
    const double norm = std::sqrt(product(j, j));
    for (Index row = 0; row < x.rows(); ++row) x(row, j) /= norm;
  }
  return x;
}

TEST(Moments, EqualThoseOfOperatorsThatActOnAllElectrons) {
  const Space space = full_ci({3, 2, 1}, kHost);
  const auto x = two_states(space);
  const double* const columns[] = {x.block().column(0), x.block().column(1)};
  const test::State states[] = {whole_state(space, columns[0]), whole_state(space, columns[1])};
  for (const bool antisymmetric : {false, true})
    for (const bool spin_dependent : {false, true}) {
      const OneElectronOperator whole = random_operator(antisymmetric, spin_dependent);
      const OneElectronOperator active = in_active_orbitals(whole, kWindow.frozen, kWindow.active);
      const auto values = expectation_values(active, one_particle_density(space, columns[0]));
      const auto there =
          transition_moments(active, transition_density(space, columns[0], columns[1]));
      const auto back =
          transition_moments(active, transition_density(space, columns[1], columns[0]));
      for (std::size_t c = 0; c < 2; ++c) {
        EXPECT_NEAR(values[c], whole.constants[c] + brute_force(whole, c, states[0], states[0]),
                    1e-13);
        EXPECT_NEAR(there[c], brute_force(whole, c, states[0], states[1]), 1e-13);
        EXPECT_NEAR(back[c], antisymmetric ? -there[c] : there[c], 1e-13);
        if (antisymmetric) {
          EXPECT_NEAR(values[c], 0, 1e-13);
        }
      }
    }
}

TEST(Moments, FrozenOrbitalsReduceTheCoreChargeByTwo) {
  OneElectronOperator whole = random_operator(false, false);
  whole.core_charge = 8;
  const OneElectronOperator active = in_active_orbitals(whole, kWindow.frozen, kWindow.active);
  EXPECT_EQ(active.core_charge, 6);
  EXPECT_NEAR(active.constants[1], kConstants[1] + 2 * whole.alpha[1](1, 1), 1e-15);
  EXPECT_EQ(active.alpha[0](2, 0), whole.alpha[0](4, 0));
}

TEST(OscillatorStrength, OfAnElectronInAHarmonicOscillatorEqualsThatOfTheSumRule) {
  // <0|x|1> = sqrt(1/2w) and <0|d/dx|1> = sqrt(w/2): f = 1/3 along one axis, in both forms.
  constexpr double w = 0.375;
  const std::vector<double> dipole{-std::sqrt(0.5 / w), 0, 0};
  const std::vector<double> velocity{0, std::sqrt(0.5 * w), 0};
  EXPECT_NEAR(length_strength(w, dipole), 1.0 / 3, 1e-15);
  EXPECT_NEAR(velocity_strength(w, velocity).value(), 1.0 / 3, 1e-15);
  EXPECT_EQ(velocity_strength(0, velocity), std::nullopt);
}

std::string refusal_of(const OneElectronOperators& operators, bool spin_dependent = false) {
  try {
    require_sound(operators, kOrbitals, spin_dependent, "dipole.h5");
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::bad_input);
    return error.what();
  }
  return {};
}

TEST(Operators, ImpossibleOperatorsAreRefusedWithTheirPlace) {
  const auto changed = [](const auto& change) {
    OneElectronOperator one = random_operator(false, false);
    change(one);
    return OneElectronOperators{one};
  };
  EXPECT_EQ(refusal_of(changed([](auto&) {})), "");
  EXPECT_THAT(refusal_of(changed([](auto& one) { one.alpha[1](2, 0) += 1e-6; })),
              HasSubstr("dipole.h5: /random/b: element 3 1 is"));
  EXPECT_THAT(refusal_of(changed([](auto& one) { one.alpha[0](3, 3) = NAN; })),
              HasSubstr("/random/a: element 4 4 is not a finite number"));
  EXPECT_THAT(refusal_of(changed([](auto& one) { one.alpha[0] = base::SmallMatrix(4, 5); })),
              HasSubstr("/random/a: 4 by 5 elements; expected 5 by 5"));
  EXPECT_THAT(refusal_of(changed([](auto& one) { one.constants.pop_back(); })),
              HasSubstr("/random/constants: 1 values; expected one for each of 2 components"));
  EXPECT_THAT(refusal_of(changed([](auto& one) { one.antisymmetric = true; })),
              HasSubstr("an antisymmetric operator has the constant 0.25"));
  EXPECT_THAT(refusal_of(changed([](auto& one) { one.name = "../x"; })),
              HasSubstr("the name '../x'"));
  EXPECT_THAT(refusal_of(changed([](auto& one) {
                one.components = {"a", "a"};
              })),
              HasSubstr("two components a"));
  EXPECT_THAT(refusal_of(changed([](auto& one) { one.name = "dipole"; })),
              HasSubstr("2 components; expected x y z"));
  EXPECT_THAT(refusal_of({random_operator(false, false), random_operator(false, false)}),
              HasSubstr("two operators of this name"));
  EXPECT_THAT(refusal_of({random_operator(false, false)}, true),
              HasSubstr("no matrices over beta orbitals, but the integrals are spin-dependent"));
  EXPECT_THAT(refusal_of({random_operator(false, true)}),
              HasSubstr("matrices over beta orbitals, but the integrals are not spin-dependent"));
}

}  // namespace
}  // namespace cisolve::ci
