#include "ci/fock/integrals/symmetry.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/support/ci_systems.hpp"

// Symmetry is on only if no integral of any spin breaks it.
namespace cisolve::ci {
namespace {

const std::vector<int> kIrreps = {0, 1, 2, 3, 0};

Integrals symmetric_integrals(bool spin_dependent) {
  return test::random_integrals(5, spin_dependent, 31, kIrreps);
}

/// The size of the only integral that breaks the symmetry, after `change` has set it to 0.25.
template <class Change>
double broken_after(bool spin_dependent, Change&& change) {
  Integrals integrals = symmetric_integrals(spin_dependent);
  EXPECT_EQ(largest_broken_integral(integrals, kIrreps).size, 0);
  change(integrals);
  return largest_broken_integral(integrals, kIrreps).size;
}

TEST(Symmetry, IsBrokenByOneIntegralOfAnyBlock) {
  for (const Spin spin : {Spin::alpha, Spin::beta}) {
    EXPECT_EQ(broken_after(true, [&](Integrals& i) { i.set_one(spin, 4, 3, 0.25); }), 0.25);
    EXPECT_EQ(broken_after(true, [&](Integrals& i) { i.set_two(spin, 1, 0, spin, 0, 0, 0.25); }),
              0.25);
  }
  EXPECT_EQ(broken_after(false, [](Integrals& i) { i.set_one(Spin::alpha, 1, 0, 0.25); }), 0.25);
  for (const auto& [p, q, r, s] :
       {std::array{1, 0, 4, 4}, {4, 4, 1, 0}, {0, 0, 4, 3}, {2, 1, 2, 2}})
    for (const bool spin_dependent : {false, true})
      EXPECT_EQ(broken_after(
                    spin_dependent,
                    [&](Integrals& i) { i.set_two(Spin::alpha, p, q, Spin::beta, r, s, -0.25); }),
                0.25)
          << p << q << r << s;
}

TEST(Symmetry, OfLinearMoleculesFallsBackOnTheLastDigit) {
  const Integrals integrals = symmetric_integrals(false);
  const std::vector<Index> labels = {1, 12, 23, 4, 31};
  const SymmetryReading reading = read_orbital_symmetry(labels, integrals, {});
  EXPECT_EQ(reading.convention, "linear molecule");
  EXPECT_EQ(reading.labels, kIrreps);
  EXPECT_EQ(reading.warning, "");
}

TEST(Symmetry, HasEightIrrepsAtMost) {
  const Integrals free(5, false, base::Backend::openmp());  // breaks no symmetry
  for (const auto& labels : {std::vector<Index>{1, 2, 3, 4, 9}, {0, 2, 3, 4, 8}}) {
    const SymmetryReading reading = read_orbital_symmetry(labels, free, {});
    EXPECT_EQ(reading.labels, std::vector<int>(5, 0));
    EXPECT_NE(reading.warning.find("follow no known convention"), std::string::npos)
        << reading.warning;
  }
  EXPECT_EQ(read_orbital_symmetry(std::vector<Index>{1, 2, 3, 4, 8}, free, {}).labels,
            (std::vector<int>{0, 1, 2, 3, 7}));
  EXPECT_EQ(read_orbital_symmetry(std::vector<Index>{0, 2, 3, 4, 7}, free, {}).labels,
            (std::vector<int>{0, 5, 6, 7, 1}));  // Ag, B2g, B3g, Au, B3u as Molpro numbers them
}

/// Characters of a group's irreps, in the order of `operations`.
struct Characters {
  const char* name;
  std::vector<int> signs;
};

/// Cotton's character tables; axes as in PySCF, whose B1 of C2v is that of x.
const std::map<std::string, std::vector<Characters>>& character_tables() {
  static const std::map<std::string, std::vector<Characters>> tables{
      {"D2h",  // C2z, C2y, i
       {{"Ag", {1, 1, 1}},
        {"B1g", {1, -1, 1}},
        {"B2g", {-1, 1, 1}},
        {"B3g", {-1, -1, 1}},
        {"Au", {1, 1, -1}},
        {"B1u", {1, -1, -1}},
        {"B2u", {-1, 1, -1}},
        {"B3u", {-1, -1, -1}}}},
      {"C2h", {{"Ag", {1, 1}}, {"Bg", {-1, 1}}, {"Au", {1, -1}}, {"Bu", {-1, -1}}}},  // C2, i
      {"C2v", {{"A1", {1, 1}}, {"A2", {1, -1}}, {"B1", {-1, 1}}, {"B2", {-1, -1}}}},  // C2, xz
      {"D2", {{"A", {1, 1}}, {"B1", {1, -1}}, {"B2", {-1, 1}}, {"B3", {-1, -1}}}},    // C2z, C2y
      {"Cs", {{"A'", {1}}, {"A\"", {-1}}}},
      {"Ci", {{"Ag", {1}}, {"Au", {-1}}}},
      {"C2", {{"A", {1}}, {"B", {-1}}}},
      {"C1", {{"A", {}}}}};
  return tables;
}

/// In both numberings labels multiply as characters do, and the totally symmetric one is 0.
TEST(PointGroup, LabelsMultiplyAsTheCharactersOfTheirNames) {
  for (const auto& [group, table] : character_tables()) {
    std::map<std::string, std::vector<int>> signs;
    for (const auto& [name, of_name] : table) signs[name] = of_name;
    for (const auto numbering : {IrrepNumbering::molpro, IrrepNumbering::pyscf}) {
      const std::vector<std::string> names = irrep_names(group, numbering);
      ASSERT_EQ(names.size(), table.size()) << group;
      EXPECT_EQ(names[0], table[0].name) << group;
      for (std::size_t a = 0; a < names.size(); ++a)
        for (std::size_t b = 0; b < names.size(); ++b)
          for (std::size_t k = 0; k < signs[names[0]].size(); ++k)
            EXPECT_EQ(signs.at(names[a ^ b])[k], signs.at(names[a])[k] * signs.at(names[b])[k])
                << group << ' ' << names[a] << ' ' << names[b];
    }
    const std::vector<int> molpro = molpro_labels(group);
    const auto of_molpro = irrep_names(group, IrrepNumbering::molpro);
    const auto of_pyscf = irrep_names(group, IrrepNumbering::pyscf);
    for (std::size_t label = 0; label < molpro.size(); ++label)
      EXPECT_EQ(of_molpro[molpro[label]], of_pyscf[label]) << group;
  }
}

TEST(PointGroup, NamesAreAcceptedInEverySpelling) {
  EXPECT_EQ(usual_irrep_name("b1U"), "B1u");
  EXPECT_EQ(usual_irrep_name("a''"), "A\"");
  EXPECT_EQ(usual_irrep_name("a\""), "A\"");
  EXPECT_EQ(usual_irrep_name("E1"), "");
  EXPECT_EQ(abelian_group("DOOH"), "D2h");
  EXPECT_EQ(abelian_group("so3"), "D2h");
  EXPECT_EQ(abelian_group("cinfv"), "C2v");
  EXPECT_EQ(abelian_group("d2H"), "D2h");
  EXPECT_EQ(abelian_group("C3v"), "");
}

/// A forbidden integral of the size of rounding does not exclude a numbering.
TEST(Symmetry, AnIntegralOfRoundingDecidesNoNumbering) {
  const std::vector<Index> labels = {1, 2, 5, 6};  // labels that fit both numberings
  const auto with = [&](double forbidden_by_molpro) {
    Integrals integrals(4, false, base::Backend::openmp());
    integrals.set_two(Spin::alpha, 1, 0, Spin::alpha, 3, 2, 0.2);
    integrals.set_one(Spin::alpha, 1, 0, forbidden_by_molpro);
    return read_orbital_symmetry(labels, integrals);
  };
  EXPECT_EQ(with(0).irreps.numbering, name_of(IrrepNumbering::molpro));
  EXPECT_TRUE(with(0).irreps.assumed);
  EXPECT_EQ(with(1e-7).convention, "none");  // an integral that both numberings forbid
  const std::vector<Index> four = {1, 2, 3, 4};
  Integrals integrals(4, false, base::Backend::openmp());
  EXPECT_TRUE(read_orbital_symmetry(four, integrals).irreps.assumed);
  integrals.set_two(Spin::alpha, 1, 0, Spin::alpha, 3, 2, 5e-7);  // forbidden by PySCF's alone
  EXPECT_TRUE(read_orbital_symmetry(four, integrals).irreps.assumed);
  integrals.set_two(Spin::alpha, 1, 0, Spin::alpha, 3, 2, 5e-6);
  EXPECT_FALSE(read_orbital_symmetry(four, integrals).irreps.assumed);
}

TEST(Symmetry, OfMixedSpinsSwitchesTheLabelsOff) {
  Integrals integrals = symmetric_integrals(true);
  const std::vector<Index> labels = {1, 2, 3, 4, 1};
  EXPECT_EQ(read_orbital_symmetry(labels, integrals, {}).convention, "1-based");
  integrals.set_two(Spin::alpha, 1, 0, Spin::beta, 4, 4, 0.25);
  const SymmetryReading off = read_orbital_symmetry(labels, integrals, {});
  EXPECT_EQ(off.convention, "none");
  EXPECT_NE(off.warning.find("integral 2 1 5 5"), std::string::npos) << off.warning;
}

}  // namespace
}  // namespace cisolve::ci
