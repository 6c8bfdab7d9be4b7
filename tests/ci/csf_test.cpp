#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "base/error.hpp"
#include "base/multivector.hpp"
#include "ci/fock/counting/counting.hpp"
#include "ci/fock/models/lattice.hpp"
#include "ci/fock/spaces/spin_completion.hpp"
#include "ci/hamiltonian/csf/csf_groups.hpp"
#include "ci/hamiltonian/csf/csf_operator.hpp"
#include "ci/oracle/oracle_operator.hpp"
#include "ci/properties/spin_squared.hpp"
#include "tests/ci/hosts.hpp"
#include "tests/support/ci_systems.hpp"
#include "tests/support/vectors.hpp"

// CSFs of one spin against S^2 and the whole spectrum.
namespace cisolve::ci {
namespace {

using test::kSerial;

Eigen::MatrixXd as_matrix(const base::LinearOperator& a) {
  const auto rows = static_cast<int>(a.rows());
  base::MultiVector x(kSerial, rows, rows);
  base::MultiVector y(kSerial, rows, rows);
  for (int j = 0; j < rows; ++j)
    for (int i = 0; i < rows; ++i) x(i, j) = i == j ? 1 : 0;
  a.apply(x.block(), y.block());
  Eigen::MatrixXd matrix(rows, rows);
  for (int j = 0; j < rows; ++j)
    for (int i = 0; i < rows; ++i) matrix(i, j) = y(i, j);
  return matrix;
}

/// Stores the matrix so that each element is computed once.
class DenseOperator final : public base::LinearOperator {
 public:
  explicit DenseOperator(const base::LinearOperator& a) : matrix_(as_matrix(a)) {}
  const Eigen::MatrixXd& matrix() const { return matrix_; }
  Index rows() const override { return matrix_.rows(); }
  void apply(base::ConstBlock x, base::Block y) const override {
    for (int j = 0; j < x.columns; ++j)
      Eigen::Map<Eigen::VectorXd>(y.column(j), rows()) =
          matrix_ * Eigen::Map<const Eigen::VectorXd>(x.column(j), rows());
  }

 private:
  Eigen::MatrixXd matrix_;
};

struct SpaceInSector {
  std::string name;
  Sector sector;
  Space space;
};

std::vector<SpaceInSector> spaces_in_sectors() {
  const std::vector<int> irreps = {0, 1, 0, 2, 3};
  const auto whole = [](std::string name, const Sector& sector) {
    return SpaceInSector{std::move(name), sector, full_ci(sector, kSerial)};
  };
  const std::vector<Determinant> closed = {aufbau(2, 2)};
  const RasLimits limits{{0, 1}, {4, 5}, 1, 1};
  std::vector<SpaceInSector> all;
  all.push_back(whole("closed shells", {5, 2, 2}));
  all.push_back(whole("six open shells", {6, 3, 3}));
  all.push_back(whole("Ms = 1", {5, 3, 1}));
  all.push_back(whole("Ms = -1/2", {5, 2, 3}));
  all.push_back(whole("no electrons", {3, 0, 0}));
  all.push_back(whole("one irrep", {5, 3, 2, irreps, 1}));
  all.push_back({"CISD", {6, 2, 2}, excited_space({6, 2, 2}, closed, levels_up_to(2), kSerial)});
  all.push_back({"RAS", {6, 3, 2}, restricted_active_space({6, 3, 2}, limits, kSerial)});
  return all;
}

std::vector<int> twice_spins(const Sector& sector) {
  std::vector<int> spins;
  const int most = std::min(sector.alpha_electrons + sector.beta_electrons,
                            2 * sector.orbitals - sector.alpha_electrons - sector.beta_electrons);
  for (int s = std::abs(sector.alpha_electrons - sector.beta_electrons); s <= most; s += 2)
    spins.push_back(s);
  return spins;
}

/// A basis for each spin of the space.
std::vector<std::unique_ptr<CsfBasis>> bases(const Sector& sector, const Space& space) {
  std::vector<std::unique_ptr<CsfBasis>> all;
  for (const int twice : twice_spins(sector)) try {
      all.push_back(std::make_unique<CsfBasis>(space, twice));
    } catch (const base::Error&) {
      EXPECT_GT(twice, 2) << "only the highest spins may be missing";
    }
  return all;
}

TEST(CsfBasis, DividesASpaceIntoItsSpins) {
  for (const auto& [name, sector, space] : spaces_in_sectors()) {
    SCOPED_TRACE(name);
    const SpinSquared s2(space);
    Index functions = 0;
    for (const auto& basis : bases(sector, space)) {
      const int twice = basis->twice_spin();
      functions += basis->functions();
      const base::MultiVector x = test::random_vectors(basis->functions(), 2, 1);
      base::MultiVector determinants(kSerial, space.dimension(), 2);
      base::MultiVector s2_times(kSerial, space.dimension(), 2);
      base::MultiVector back(kSerial, basis->functions(), 2);
      basis->expand(x.block(), determinants.block());
      s2.apply(determinants.block(), s2_times.block());
      basis->contract(determinants.block(), back.block());
      for (int j = 0; j < 2; ++j) {
        for (Index i = 0; i < x.rows(); ++i) ASSERT_NEAR(back(i, j), x(i, j), 1e-13);
        for (Index i = 0; i < space.dimension(); ++i)
          ASSERT_NEAR(s2_times(i, j), 0.25 * twice * (twice + 2) * determinants(i, j), 1e-12);
      }
    }
    EXPECT_EQ(functions, space.dimension());
  }
}

TEST(CsfBasis, HasAsManyFunctionsAsAreCounted) {
  for (const int twice : {0, 2, 4, 6}) {
    const Sector sector{7, 3, 3};
    EXPECT_EQ(count_full_ci_csfs(sector, twice),
              BigCount(CsfBasis(full_ci(sector, kSerial), twice).functions()));
  }
  const std::vector<Determinant> reference = {aufbau(3, 3)};
  const auto levels = levels_up_to(3);
  const Sector sector{8, 3, 3};
  const Space space = excited_space(sector, reference, levels, kSerial);
  for (const int twice : {0, 2, 4, 6})
    EXPECT_EQ(count_excited_csfs(sector, reference[0], levels, twice),
              BigCount(CsfBasis(space, twice).functions()));
}

/// Both transforms from the device tables, element by element, equal those of the basis.
TEST(CsfGroups, AgreeWithTheBasis) {
  for (const auto& [name, sector, space] : spaces_in_sectors())
    for (const auto& basis : bases(sector, space)) {
      SCOPED_TRACE(name + ", 2S = " + std::to_string(basis->twice_spin()));
      const CsfGroups all(*basis);
      const auto functions = test::random_vectors(basis->functions(), 1, 3);
      const auto determinants = test::random_vectors(basis->determinants(), 1, 4);
      base::MultiVector expanded(kSerial, basis->determinants(), 1);
      base::MultiVector contracted(kSerial, basis->functions(), 1);
      basis->expand(functions.block(), expanded.block());
      basis->contract(determinants.block(), contracted.block());
      Index covered = 0;
      Index shortest = INT64_MAX;
      for (const CsfGroup& group : all.groups) {
        ASSERT_LT(group.patterns * group.functions, shortest) << "the longest sums come first";
        shortest = std::max<Index>(1, group.patterns * group.functions);
        const double* by_pattern = all.by_pattern.data() + group.first_coefficient;
        const double* by_function = all.by_function.data() + group.first_coefficient;
        for (Index c = 0; c < group.configurations; ++c) {
          const CsfPlace& place = all.places[group.first_place + c];
          for (Index i = 0; i < group.patterns; ++i, ++covered) {
            double sum = 0;
            for (Index f = 0; f < group.functions; ++f)
              sum = std::fma(by_function[f * group.patterns + i],
                             functions(place.first_function + f, 0), sum);
            ASSERT_EQ(sum, expanded(basis->rows()[place.first_row + i], 0));
          }
          for (Index f = 0; f < group.functions; ++f) {
            double sum = 0;
            for (Index i = 0; i < group.patterns; ++i)
              sum = std::fma(by_pattern[i * group.functions + f],
                             determinants(basis->rows()[place.first_row + i], 0), sum);
            ASSERT_EQ(sum, contracted(place.first_function + f, 0));
          }
        }
      }
      EXPECT_EQ(covered, basis->determinants());
    }
}

/// The union of the spectra of all spins is the whole spectrum; each diagonal is that of its
/// matrix.
TEST(CsfOperator, HasOnlyTheStatesOfItsSpin) {
  for (const auto& [name, sector, space] : spaces_in_sectors()) {
    SCOPED_TRACE(name);
    const Integrals integrals = test::random_integrals(space.orbitals(), false, 3, sector.irreps);
    const DenseOperator direct(OracleOperator(space, integrals));
    std::vector<double> found;
    for (const auto& basis : bases(sector, space)) {
      const auto diagonal = basis->diagonal(space, integrals);
      const auto change = csf_transform(*basis, kSerial);
      const CsfOperator one_spin(direct, *change, diagonal);
      const Eigen::MatrixXd h = as_matrix(one_spin);
      ASSERT_LT((h - h.transpose()).cwiseAbs().maxCoeff(), 1e-12);
      base::MultiVector d(kSerial, basis->functions(), 1);
      ASSERT_TRUE(one_spin.diagonal(d.block()));
      for (Index i = 0; i < d.rows(); ++i) ASSERT_NEAR(d(i, 0), h(i, i), 1e-12);
      const Eigen::VectorXd values =
          Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(h, Eigen::EigenvaluesOnly).eigenvalues();
      found.insert(found.end(), values.begin(), values.end());
    }
    const Eigen::VectorXd all =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(direct.matrix(), Eigen::EigenvaluesOnly)
            .eigenvalues();
    std::ranges::sort(found);
    ASSERT_EQ(std::ssize(found), all.size());
    for (Index i = 0; i < all.size(); ++i) ASSERT_NEAR(found[i], all[i], 1e-11);
  }
}

TEST(CsfOperator, WorksAcrossWordBorders) {
  const Sector sector{130, 1, 1};
  std::vector<Determinant> few;
  for (const int p : {0, 62, 63, 64, 127, 128})
    for (const int q : {0, 62, 63, 64, 127, 128})
      few.push_back({String().with(p), String().with(q)});
  const Space space = list_space(sector, few, kSerial);
  EXPECT_EQ(CsfBasis(space, 0).functions(), 21);
  EXPECT_EQ(CsfBasis(space, 2).functions(), 15);
}

struct OpenReference {
  Sector sector;
  const char* text;
};

/// Singles and doubles of an open shell lack couplings of five or more open shells. Completion
/// gives exactly the configurations at these levels with all their functions.
TEST(SpinFunctions, AreCountedWithoutOverflow) {
  EXPECT_EQ(SpinFunctions::count_patterns(0, 0), 1);
  EXPECT_EQ(SpinFunctions::count_patterns(6, 2), 15);
  EXPECT_EQ(SpinFunctions::count_patterns(60, 30), 118264581564861424);
  for (const int open : {80, 100, 200, 256})
    EXPECT_EQ(SpinFunctions::count_patterns(open, open / 2), INT64_MAX) << open;
}

TEST(SpinCompletion, ClosesTheExcitationsOfAnOpenShell) {
  for (const auto& [sector, text] :
       {OpenReference{{7, 3, 2}, "22u0000"}, {{7, 2, 2}, "2ud0000"}, {{7, 4, 2}, "22uu000"}}) {
    SCOPED_TRACE(text);
    const std::vector<Determinant> reference = {parse_determinant(text, sector.orbitals)};
    const auto levels = levels_up_to(2);
    const Space space = excited_space(sector, reference, levels, kSerial);
    const std::vector<Determinant> missing = missing_couplings(space);
    ASSERT_FALSE(missing.empty());
    const Space whole = completed(space, missing);
    EXPECT_EQ(whole.dimension(), space.dimension() + std::ssize(missing));
    EXPECT_EQ(whole.references(), space.references());
    for (Index row = 0; row < space.dimension(); ++row)
      ASSERT_TRUE(whole.row_of(space.determinant(row)));
    for (Index row = 1; row < whole.dimension(); ++row)
      ASSERT_LT(whole.determinant(row - 1), whole.determinant(row)) << "canonical order";
    EXPECT_TRUE(missing_couplings(whole).empty());
    for (const int twice : twice_spins(sector))
      EXPECT_EQ(BigCount(CsfBasis(whole, twice).functions()),
                count_excited_csfs(sector, reference[0], levels, twice));
  }
}

TEST(SpinCompletion, AddsNothingToAClosedSpace) {
  for (const auto& [name, sector, space] : spaces_in_sectors())
    EXPECT_TRUE(missing_couplings(space).empty()) << name;
}

TEST(SpinCompletion, CompletesAnyListAndSeveralReferences) {
  const Sector sector{5, 2, 2};
  const std::vector<Determinant> few = {parse_determinant("22000", 5),
                                        parse_determinant("0dudu", 5)};
  const Space list = list_space(sector, few, kSerial);
  const std::vector<Determinant> missing = missing_couplings(list);
  EXPECT_EQ(missing.size(), 5U);  // four open shells have six couplings
  EXPECT_EQ(CsfBasis(completed(list, missing), 0).functions(), 3);
  const std::vector<Determinant> references = {parse_determinant("2ud00", 5),
                                               parse_determinant("22000", 5)};
  const Space both = excited_space(sector, references, levels_up_to(1), kSerial);
  const Space whole = completed(both, missing_couplings(both));
  EXPECT_GT(whole.dimension(), both.dimension());
  EXPECT_GT(CsfBasis(whole, 2).functions(), 0);
  EXPECT_EQ(whole.references(), references);
}

TEST(SpinCompletion, IsRefusedBeforeItFillsTheMemory) {
  const auto little = base::Backend::reference({.host_bytes = Index{1} << 20});
  const Determinant wide{String::below(30), String::below(60) - String::below(30)};
  const Space space = list_space({60, 30, 30}, std::vector{wide}, little);
  try {
    missing_couplings(space);
    FAIL() << "1.2e17 determinants were found";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::resources) << error.what();
  }
}

std::string refusal_of_spin(const Space& space, int twice_spin) {
  try {
    const CsfBasis basis(space, twice_spin);
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::bad_input);
    return error.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return {};
}

TEST(CsfBasis, RefusesSpacesThatAreNotClosedAndSpinsThatCannotBe) {
  const Sector sector{4, 2, 2};
  const auto list = [&](const std::vector<const char*>& texts) {
    std::vector<Determinant> determinants;
    for (const char* text : texts) determinants.push_back(parse_determinant(text, 4));
    return list_space(sector, determinants, kSerial);
  };
  EXPECT_NE(refusal_of_spin(list({"2200", "2ud0"}), 0).find("it holds 2ud0 but"),
            std::string::npos);
  EXPECT_NE(refusal_of_spin(list({"2200", "2du0"}), 0).find("it holds 2du0 but"),
            std::string::npos);
  EXPECT_NE(refusal_of_spin(list({"2200", "2du0", "2ud0", "uudd"}), 0).find("it holds uudd but"),
            std::string::npos);
  EXPECT_EQ(CsfBasis(list({"2200", "2du0", "2ud0"}), 0).functions(), 2);
  EXPECT_NE(refusal_of_spin(list({"2200"}), 2).find("no state of the space has the spin 1"),
            std::string::npos);
  EXPECT_NE(refusal_of_spin(full_ci(sector, kSerial), 1).find("expected 0 or more"),
            std::string::npos);
  EXPECT_NE(refusal_of_spin(full_ci({4, 3, 1}, kSerial), 0).find("expected 1 or more"),
            std::string::npos);
  EXPECT_NE(refusal_of_spin(full_ci({4, 1, 3}, kSerial), 0).find("expected 1 or more"),
            std::string::npos);
  EXPECT_NE(refusal_of_spin(full_ci({4, 1, 3}, kSerial), -2).find("expected 1 or more"),
            std::string::npos);
  EXPECT_NE(refusal_of_spin(full_ci(sector, kSerial), 6).find("up to 2"), std::string::npos);
}

}  // namespace
}  // namespace cisolve::ci
