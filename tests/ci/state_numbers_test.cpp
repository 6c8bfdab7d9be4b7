#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "ci/properties/size_consistency.hpp"
#include "ci/properties/unpaired_electrons.hpp"

// Numbers that follow from occupations or from weights of references, by hand.
namespace cisolve::ci {
namespace {

TEST(UnpairedElectrons, AreTheOpenShellsOfADeterminant) {
  const std::vector<double> determinant = {2, 2, 1, 1, 0, 0};
  EXPECT_EQ(unpaired_head_gordon(determinant), 2);
  EXPECT_EQ(unpaired_takatsuka(determinant), 2);
}

TEST(UnpairedElectrons, CountDepartureFromEmptyAndFull) {
  const std::vector<double> occupations = {2 + 1e-16, 1.9, 1.25, 0.75, 0.1, -1e-16};
  EXPECT_NEAR(unpaired_head_gordon(occupations), 0.1 + 0.75 + 0.75 + 0.1, 1e-14);
  EXPECT_NEAR(unpaired_takatsuka(occupations), 0.19 + 0.9375 + 0.9375 + 0.19, 1e-14);
}

TEST(SizeCorrections, AreTheirFormulas) {
  const double energy = -76.25;
  const double reference = -76.05;
  const double w = 0.95;
  const auto found = size_corrections(energy, reference, w, 8);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->davidson, 0.05 * -0.2, 1e-15);
  EXPECT_NEAR(found->renormalised, 0.05 / 0.95 * -0.2, 1e-15);
  const double theta = std::acos(std::sqrt(w));  // Pople's formula as it was published
  const double tangent = std::tan(2 * theta);
  const double factor =
      (std::sqrt(64 + 16 * tangent * tangent) - 8) / (2 * (1 / std::cos(2 * theta) - 1)) - 1;
  EXPECT_NEAR(found->pople, factor * -0.2, 1e-13);
}

TEST(SizeCorrections, OfPopleIsNoneForTwoElectronsAndTendsToDavidsonsAndSilversForMany) {
  EXPECT_NEAR(size_corrections(-2, -1, 0.9, 2)->pople, 0, 1e-15);
  EXPECT_NEAR(size_corrections(-2, -1, 0.9, 1'000'000)->pople, -0.1 / 0.8, 1e-6);
}

TEST(SizeCorrections, OfAReferenceAloneAreZero) {
  const auto found = size_corrections(-1, -1, 1 + 1e-15, 10);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->davidson, 0);
  EXPECT_EQ(found->renormalised, 0);
  EXPECT_EQ(found->pople, 0);
}

TEST(SizeCorrections, NeedMoreThanHalfOfTheWeightOnTheReferences) {
  EXPECT_FALSE(size_corrections(-2, -1, 0.5, 10));
  EXPECT_FALSE(size_corrections(-2, -1, std::nan(""), 10));
  EXPECT_TRUE(size_corrections(-2, -1, 0.51, 10));
}

}  // namespace
}  // namespace cisolve::ci
