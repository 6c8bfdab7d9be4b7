#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "base/error.hpp"
#include "ci/selected/extrapolation.hpp"

namespace cisolve::ci {
namespace {

using ::testing::HasSubstr;

std::vector<ExtrapolationPoint> points_of(double energy, double slope, double curvature,
                                          const std::vector<double>& perturbations) {
  std::vector<ExtrapolationPoint> points;
  for (const double x : perturbations)
    points.push_back({energy + slope * x + curvature * x * x, x});
  return points;
}

TEST(Extrapolation, FindsALine) {
  for (const std::size_t count : {2, 3, 4, 7}) {
    std::vector<double> x;
    for (std::size_t i = 0; i < count; ++i) x.push_back(-0.02 / std::pow(2.0, i));
    const Extrapolation found = extrapolate(points_of(-109.25, -1.1, 0, x));
    EXPECT_NEAR(found.energy, -109.25, 1e-12);
    EXPECT_NEAR(found.linear->slope, -1.1, 1e-9);
    EXPECT_EQ(found.quadratic.has_value(), count > 2);
    if (count > 2) {
      EXPECT_NEAR(found.error, 0, 1e-11);
      EXPECT_EQ(found.distrust, "");
    } else {
      EXPECT_NEAR(found.error, 0.1 * 0.01, 1e-11);
      EXPECT_THAT(found.distrust, HasSubstr("2 points"));
    }
  }
}

TEST(Extrapolation, FindsAParabolaInAnyOrderOfPoints) {
  std::vector<ExtrapolationPoint> points =
      points_of(-75.5, -1.05, 2.5, {-0.03, -0.02, -0.012, -0.006, -0.003});
  std::ranges::rotate(points, points.begin() + 2);
  const Extrapolation found = extrapolate(points);
  EXPECT_NEAR(found.energy, -75.5, 1e-12);
  EXPECT_NEAR(found.quadratic->slope, -1.05, 1e-9);
  EXPECT_NEAR(found.quadratic->curvature, 2.5, 1e-7);
  EXPECT_NEAR(found.error, std::abs(found.linear->energy + 75.5), 1e-12);
  EXPECT_TRUE(found.is_trusted());
}

/// Against the normal equations.
TEST(Extrapolation, IsTheWeightedLeastSquaresFit) {
  std::mt19937 random(1);
  std::normal_distribution<double> noise;
  for (int round = 0; round < 20; ++round) {
    std::vector<ExtrapolationPoint> points =
        points_of(-1.25, -1.2, 3, {-0.05, -0.03, -0.02, -0.01, -0.004});
    for (ExtrapolationPoint& point : points) point.variational += 1e-4 * noise(random);
    const Extrapolation found = extrapolate(points);
    for (const int degree : {1, 2}) {
      Eigen::MatrixXd powers(5, degree + 1);
      Eigen::VectorXd y(5);
      for (int i = 0; i < 5; ++i) {
        const double weight = 1 / std::abs(points[i].perturbation);
        for (int k = 0; k <= degree; ++k)
          powers(i, k) = weight * std::pow(points[i].perturbation, k);
        y[i] = weight * points[i].variational;
      }
      const Eigen::VectorXd expected = powers.colPivHouseholderQr().solve(y);
      const double rest = (powers * expected - y).squaredNorm() / (5 - degree - 1);
      const Eigen::MatrixXd covariance = rest * (powers.transpose() * powers).inverse();
      const ExtrapolationFit& fit = degree == 1 ? *found.linear : *found.quadratic;
      EXPECT_NEAR(fit.energy, expected[0], 1e-11);
      EXPECT_NEAR(fit.slope, expected[1], 1e-8);
      EXPECT_NEAR(fit.error, std::sqrt(covariance(0, 0)), 1e-7 * fit.error);
      if (degree == 2) {
        EXPECT_NEAR(fit.curvature, expected[2], 1e-6);
      }
    }
  }
}

/// Non-parabolic curves: the true energy is within two errors.
TEST(Extrapolation, HasAnErrorThatCoversSmoothCurves) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> uniform(-1, 1);
  int covered = 0;
  constexpr int kCurves = 400;
  for (int curve = 0; curve < kCurves; ++curve) {
    const double slope = -1 + 0.2 * uniform(random);
    const double curvature = 4 * uniform(random);
    const double cubic = 20 * uniform(random);
    std::vector<ExtrapolationPoint> points =
        points_of(-10, slope, curvature, {-0.04, -0.025, -0.015, -0.008, -0.004});
    for (ExtrapolationPoint& point : points)
      point.variational += cubic * std::pow(point.perturbation, 3);
    const Extrapolation found = extrapolate(points);
    covered += std::abs(found.energy + 10) <= 2 * found.error ? 1 : 0;
  }
  EXPECT_GE(covered, kCurves * 95 / 100);
}

TEST(Extrapolation, OfAFullSpaceIsItsEnergy) {
  std::vector<ExtrapolationPoint> points = points_of(-3, -1.4, 9, {-0.1, -0.01, 0});
  const Extrapolation found = extrapolate(points);
  EXPECT_EQ(found.energy, -3);
  EXPECT_EQ(found.error, 0);
  EXPECT_TRUE(found.is_trusted());
}

TEST(Extrapolation, OfOnePointIsItsTotalEnergy) {
  const Extrapolation found = extrapolate(points_of(-3, -1, 0, {-0.1}));
  EXPECT_DOUBLE_EQ(found.energy, -2.9 - 0.1);
  EXPECT_DOUBLE_EQ(found.error, 0.1);
  EXPECT_FALSE(found.linear);
  EXPECT_THAT(found.distrust, HasSubstr("1 point;"));
}

TEST(Extrapolation, ReportsWhyItIsUnreliable) {
  const auto distrust = [](const std::vector<ExtrapolationPoint>& points) {
    const Extrapolation found = extrapolate(points);
    EXPECT_TRUE(std::isfinite(found.energy));
    EXPECT_TRUE(std::isfinite(found.error));
    return found.distrust;
  };
  EXPECT_THAT(distrust(points_of(-3, -1, 0, {-0.04, -0.02, 0.01})), HasSubstr("positive"));
  EXPECT_THAT(distrust(points_of(-3, -1, 0, {-0.04, -0.035, -0.03})),
              HasSubstr("only from 0.04 to 0.03 Hartree"));
  EXPECT_THAT(distrust(points_of(-3, -3, 0, {-0.04, -0.02, -0.01})), HasSubstr("slope"));
  EXPECT_THAT(distrust(points_of(-3, 1, 0, {-0.04, -0.02, -0.01})), HasSubstr("slope"));
  EXPECT_THAT(distrust(points_of(-3, -1, 0, {-0.02, -0.02, -0.02})),
              HasSubstr("same perturbation"));
  std::vector<ExtrapolationPoint> erratic = points_of(-3, -1, 0, {-0.04, -0.02, -0.01, -0.005});
  erratic[1].variational += 0.01;
  EXPECT_THAT(distrust(erratic), ::testing::AnyOf(HasSubstr("error"), HasSubstr("slope")));
  std::vector<ExtrapolationPoint> rising = points_of(-3, -1, 0, {-0.04, -0.02, -0.01});
  rising[0].variational = -3.01;
  EXPECT_NE(distrust(rising), "");
}

TEST(Extrapolation, RefusesValuesThatAreNotNumbers) {
  EXPECT_THROW(extrapolate({}), base::Error);
  const std::vector<ExtrapolationPoint> none = {{std::nan(""), -0.1}};
  EXPECT_THROW(extrapolate(none), base::Error);
  const std::vector<ExtrapolationPoint> infinite = {{-1, -INFINITY}};
  EXPECT_THROW(extrapolate(infinite), base::Error);
}

}  // namespace
}  // namespace cisolve::ci
