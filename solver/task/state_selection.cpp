#include "solver/task/state_selection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.hpp"
#include "solver/vectors/orthogonalise.hpp"

namespace cisolve::solver {
namespace {

constexpr double kAlike = 1e-8;  // weights within this count as equal

base::MultiVector taken(const Target& target, const Vectors& vectors) {
  base::MultiVector all = vectors.make(target.vectors.columns(), "the states to follow");
  vectors.from(target.vectors, target.layout, all);
  return all;
}

}  // namespace

std::unique_ptr<const StateSelection> StateSelection::of(const Options& options, Vectors& vectors) {
  if (options.are_lowest()) return nullptr;
  if (options.near)
    return std::unique_ptr<const StateSelection>(new StateSelection(*options.near, vectors));
  return std::unique_ptr<const StateSelection>(new StateSelection(*options.follow, vectors));
}

StateSelection::StateSelection(double energy, const Vectors& vectors)
    : energy_(energy), target_(vectors.backend(), 0, 0) {}

StateSelection::StateSelection(const Target& target, Vectors& vectors)
    : target_(taken(target, vectors)),
      count_(orthogonalise(vectors, columns_of(target_, 0, 0), target_)) {
  if (count_ == 0)
    base::fail(base::ErrorKind::bad_input,
               "all vectors to follow are zero; expected at least one non-zero vector");
}

std::vector<double> StateSelection::weights(const SmallMatrix& overlaps) {
  std::vector<double> weights(overlaps.columns(), 0);
  for (int j = 0; j < overlaps.columns(); ++j)
    for (int i = 0; i < overlaps.rows(); ++i) weights[j] += overlaps(i, j) * overlaps(i, j);
  return weights;
}

std::vector<int> StateSelection::order(std::span<const double> values,
                                       std::span<const double> weights, int wanted) {
  const auto by_value = [&](int j) { return values[j]; };
  std::vector<int> numbers(values.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  std::ranges::sort(numbers, {}, by_value);
  std::ranges::stable_sort(numbers, std::greater(),
                           [&](int j) { return std::round(weights[j] / kAlike); });
  const auto others = numbers.begin() + std::min<Index>(wanted, std::ssize(numbers));
  std::ranges::sort(numbers.begin(), others, {}, by_value);
  const auto distance = [&](int j) {
    double least = std::numeric_limits<double>::infinity();
    for (auto one = numbers.begin(); one != others; ++one)
      least = std::min(least, std::abs(values[j] - values[*one]));
    return least;
  };
  std::ranges::sort(others, numbers.end(), {}, distance);
  return numbers;
}

std::vector<int> StateSelection::nearest(std::span<const double> values,
                                         std::span<const double> distances, int wanted) {
  std::vector<int> numbers(values.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  std::ranges::stable_sort(numbers, {}, [&](int j) { return distances[j]; });
  const auto others = numbers.begin() + std::min<Index>(wanted, std::ssize(numbers));
  std::ranges::sort(numbers.begin(), others, {}, [&](int j) { return values[j]; });
  return numbers;
}

std::vector<int> StateSelection::nearest_to(double energy, std::span<const double> values,
                                            int count) {
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::abs(value - energy));
  std::vector<int> numbers = nearest(values, distances, count);
  numbers.resize(count);
  return numbers;
}

}  // namespace cisolve::solver
