#include "ci/hamiltonian/csf/csf_transform.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "base/error.hpp"
#include "base/multivector.hpp"
#include "ci/fock/spaces/spaces.hpp"
#include "ci/fock/spaces/spin_completion.hpp"
#include "ci/hamiltonian/csf/csf_operator.hpp"
#include "ci/oracle/oracle_operator.hpp"
#include "tests/ci/hosts.hpp"
#include "tests/support/backend.hpp"
#include "tests/support/ci_systems.hpp"
#include "tests/support/vectors.hpp"

// Transforms between CSFs and determinants on all backends.
namespace cisolve::ci {
namespace {

using test::kSerial;
constexpr double kUntouched = 7;
constexpr int kGuards = 1;  // guard columns on either side

struct SpaceOfSpin {
  std::string name;
  Space space;
  int twice_spin;
};

/// All spin patterns of orbitals that are all open.
Space all_open(int orbitals, int alphas, const base::Backend& host) {
  std::vector<Determinant> list;
  const Index count = SpinFunctions::count_patterns(orbitals, alphas);
  std::uint64_t pattern = SpinFunctions::lowest_pattern(alphas);
  for (Index i = 0; i < count; ++i) {
    Determinant determinant;
    for (int p = 0; p < orbitals; ++p) {
      String& string = (pattern >> p & 1) != 0 ? determinant.alpha : determinant.beta;
      string = string.with(p);
    }
    list.push_back(determinant);
    if (i + 1 < count) pattern = SpinFunctions::next_pattern(pattern);
  }
  return list_space({orbitals, alphas, orbitals - alphas}, list, host);
}

std::vector<SpaceOfSpin> spaces_of_spin(const base::Backend& host) {
  const std::vector<Determinant> closed = {aufbau(2, 2)};
  const std::vector<Determinant> open = {parse_determinant("22u0000", 7)};
  const RasLimits limits{{0, 1}, {4, 5}, 1, 1};
  const Space excited = excited_space({7, 3, 2}, open, levels_up_to(2), host);
  std::vector<SpaceOfSpin> all;
  all.push_back({"no electrons", full_ci({3, 0, 0}, host), 0});
  all.push_back({"six open shells", full_ci({6, 3, 3}, host), 0});
  all.push_back({"six open shells, triplets", full_ci({6, 3, 3}, host), 2});
  all.push_back({"no functions of few shells", full_ci({6, 3, 3}, host), 4});
  all.push_back({"Ms = -1/2", full_ci({6, 2, 3}, host), 1});
  all.push_back({"an odd number", full_ci({7, 4, 3}, host), 3});
  all.push_back({"one irrep", full_ci({5, 3, 2, {{0, 1, 0, 2, 3}}, 1}, host), 1});
  all.push_back({"CISD", excited_space({6, 2, 2}, closed, levels_up_to(2), host), 2});
  all.push_back({"RAS", restricted_active_space({6, 3, 2}, limits, host), 1});
  all.push_back({"a list that was completed", completed(excited, missing_couplings(excited)), 1});
  // More patterns (and for triplets more functions) than threads in a block.
  all.push_back({"twelve shells at once", all_open(12, 6, host), 0});
  all.push_back({"twelve shells at once, triplets", all_open(12, 6, host), 2});
  all.push_back({"eleven shells at once", all_open(11, 5, host), 1});
  return all;
}

/// A block with guard columns that must stay unchanged.
class GuardedBlock {
 public:
  GuardedBlock(const base::Backend& backend, Index rows, int columns)
      : vectors_(make(rows, columns).to(backend)) {}

  base::Block block() { return vectors_.block(kGuards, vectors_.columns() - 2 * kGuards); }

  /// Compares bit by bit with the expected block.
  void expect(const base::MultiVector& expected) const {
    const base::MultiVector on_host = vectors_.to(kSerial);
    const int last = on_host.columns() - 1;
    for (Index i = 0; i < on_host.rows(); ++i) {
      ASSERT_EQ(on_host(i, 0), kUntouched) << "row " << i;
      ASSERT_EQ(on_host(i, last), kUntouched) << "row " << i;
      for (int j = 0; j < expected.columns(); ++j)
        ASSERT_EQ(on_host(i, j + kGuards), expected(i, j)) << "row " << i << ", vector " << j;
    }
  }

 private:
  static base::MultiVector make(Index rows, int columns) {
    base::MultiVector filled(kSerial, rows, columns + 2 * kGuards);
    for (int j = 0; j < filled.columns(); ++j)
      for (Index i = 0; i < rows; ++i) filled(i, j) = kUntouched;
    return filled;
  }

  base::MultiVector vectors_;
};

class CsfTransformTest : public test::BackendTest {};

TEST_F(CsfTransformTest, GivesTheBitsOfTheReferenceOnHostAndDevice) {
  const base::Backend backend = test::backend_under_test();
  const std::vector<SpaceOfSpin> on_host = spaces_of_spin(kSerial);
  const std::vector<SpaceOfSpin> all = spaces_of_spin(backend.host());
  for (std::size_t c = 0; c < all.size(); ++c) {
    SCOPED_TRACE(all[c].name);
    const CsfBasis reference(on_host[c].space, on_host[c].twice_spin);
    const CsfBasis basis(all[c].space, all[c].twice_spin);
    const auto change = csf_transform(basis, backend);
    for (const int columns : {1, 2, 3, 4, 7, 8, 11, 16, 19}) {
      SCOPED_TRACE(columns);
      const auto functions = test::random_vectors(basis.functions(), columns, 5);
      const auto determinants = test::random_vectors(basis.determinants(), columns, 9);
      base::MultiVector expanded(kSerial, basis.determinants(), columns);
      base::MultiVector contracted(kSerial, basis.functions(), columns);
      reference.expand(functions.block(), expanded.block());
      reference.contract(determinants.block(), contracted.block());
      GuardedBlock wide(backend, basis.determinants(), columns);
      GuardedBlock narrow(backend, basis.functions(), columns);
      change->expand(functions.to(backend).block(), wide.block());
      change->contract(determinants.to(backend).block(), narrow.block());
      wide.expect(expanded);
      narrow.expect(contracted);
    }
  }
}

std::unique_ptr<base::LinearOperator> direct_on(const base::Backend& backend, const Space& space,
                                                const Integrals& integrals) {
  if (!backend.is_host()) return oracle_operator_on(backend, space, integrals);
  return std::make_unique<OracleOperator>(space, integrals);
}

/// Vectors in one pass and in several, and through the host although the device could.
TEST_F(CsfTransformTest, ProductsAmongFunctionsEqualThoseOfTheReference) {
  const base::Backend backend = test::backend_under_test();
  const Sector sector{6, 3, 2};
  const Space space = full_ci(sector, backend.host());
  const Integrals integrals = test::random_integrals(6, false, 3, {});
  const CsfBasis basis(space, 1);
  const auto diagonal = basis.diagonal(space, integrals);
  const auto expected_change = csf_transform(basis, kSerial);
  const OracleOperator expected_direct(space, integrals);
  const CsfOperator expected(expected_direct, *expected_change, diagonal);
  const auto direct = direct_on(backend, space, integrals);
  for (const bool by_host : {false, true}) {
    SCOPED_TRACE(by_host);
    const auto change =
        by_host ? csf_transform_by_host(basis, backend) : csf_transform(basis, backend);
    const CsfOperator found(*direct, *change, diagonal);
    for (const int columns : {1, 6, 3}) {
      const auto x = test::random_vectors(basis.functions(), columns, 5);
      base::MultiVector y(kSerial, basis.functions(), columns);
      base::MultiVector on_backend(backend, basis.functions(), columns + 1);
      expected.apply(x.block(), y.block());
      found.apply(x.to(backend).block(), on_backend.block(0, columns));
      ASSERT_TRUE(found.diagonal(on_backend.block(columns, 1)));
      const base::MultiVector back = on_backend.to(kSerial);
      for (Index i = 0; i < basis.functions(); ++i) {
        for (int j = 0; j < columns; ++j) ASSERT_NEAR(back(i, j), y(i, j), 1e-12) << i << ' ' << j;
        ASSERT_EQ(back(i, columns), diagonal[i]) << i;
      }
    }
  }
}

/// Device memory is counted and requested before allocation; a host allocates nothing.
TEST_F(CsfTransformTest, TakesTheStatedDeviceMemoryAndNoHostMemory) {
  const base::Backend backend = test::backend_under_test();
  const Space space = full_ci({6, 3, 3}, backend.host());
  const CsfBasis basis(space, 0);
  const Index before = backend.memory().used();
  const auto change = csf_transform(basis, backend);
  const Index taken = backend.memory().used() - before;
  if (backend.is_host()) {
    EXPECT_EQ(taken, 0);
    return;
  }
  const Index vector = Index{sizeof(double)} * space.dimension();
  const Index places = 2 * Index{sizeof(Index)} * basis.configurations().size();
  EXPECT_GT(taken, vector + places);
  EXPECT_LT(taken, vector + places + 8192);
  const auto little = base::Backend::cuda(0, {.device_bytes = taken - 1});
  EXPECT_THROW(csf_transform(basis, little), base::DeviceMemoryError);
  EXPECT_EQ(little.memory().used(), 0);
}

}  // namespace
}  // namespace cisolve::ci
