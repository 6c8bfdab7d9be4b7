#include "ci/fock/spaces/spin_functions.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "base/error.hpp"

namespace cisolve::ci {
namespace {

/// Collects all genealogical paths that end at twice_spin: bit k is set if electron k raises the
/// spin, which must not fall below 0.
void collect_paths(int open, int done, int twice_now, int twice_spin, std::uint64_t path,
                   std::vector<std::uint64_t>& paths) {
  const int left = open - done;
  if (twice_now < 0 || std::abs(twice_spin - twice_now) > left) return;
  if (left == 0) {
    paths.push_back(path);
    return;
  }
  collect_paths(open, done + 1, twice_now - 1, twice_spin, path, paths);
  collect_paths(open, done + 1, twice_now + 1, twice_spin, path | std::uint64_t{1} << done, paths);
}

/// Product of Clebsch-Gordan coefficients along the path.
double coefficient(int open, std::uint64_t path, std::uint64_t pattern) {
  double value = 1;
  int s = 0;  // twice the intermediate S and Ms
  int m = 0;
  for (int k = 0; k < open; ++k) {
    const bool rises = (path >> k & 1) != 0;
    const bool alpha = (pattern >> k & 1) != 0;
    s += rises ? 1 : -1;
    m += alpha ? 1 : -1;
    if (std::abs(m) > s) return 0;
    const double along = alpha ? m : -m;
    if (rises)
      value *= std::sqrt((s + along) / (2.0 * s));
    else
      value *= (alpha ? -1 : 1) * std::sqrt((s + 2 - along) / (2.0 * s + 4));
  }
  return value;
}

/// Pairs of an alpha electron above a beta electron: the parity of the reordering.
int passed(std::uint64_t pattern, int open) {
  int sum = 0;
  for (int k = 0; k < open; ++k)
    if ((pattern >> k & 1) == 0) sum += std::popcount(pattern >> k);
  return sum;
}

}  // namespace

Index SpinFunctions::count_patterns(int open, int alphas) {
  Index count = 1;
  for (int k = 1; k <= alphas; ++k) {
    if (count > std::numeric_limits<Index>::max() / open) return std::numeric_limits<Index>::max();
    count = count * (open - alphas + k) / k;
  }
  return count;
}

SpinFunctions::SpinFunctions(int open, int twice_ms, int twice_spin, const base::Backend& host)
    : values_(host, 0, "the spin functions") {
  if (open > kMostOpen)
    base::fail(base::ErrorKind::bad_input, open, " singly occupied orbitals; expected at most ",
               kMostOpen, " for states of a given spin");
  const int alphas = (open + twice_ms) / 2;
  const Index count = count_patterns(open, alphas);
  host.host_memory().require(count * Index{sizeof(std::uint64_t) + sizeof(double)},
                             "the spin functions");
  std::uint64_t pattern = lowest_pattern(alphas);
  for (Index i = 0; i < count; ++i) {
    patterns_.push_back(pattern);
    signs_.push_back(passed(pattern, open) % 2 == 0 ? 1 : -1);
    if (i + 1 < count) pattern = next_pattern(pattern);
  }
  std::vector<std::uint64_t> paths;
  collect_paths(open, 0, 0, twice_spin, 0, paths);
  functions_ = std::ssize(paths);
  values_ = base::Array<double>(host, count * functions_, "the spin functions");
  for (Index i = 0; i < count; ++i)
    for (Index f = 0; f < functions_; ++f)
      values_[i * functions_ + f] = coefficient(open, paths[f], patterns_[i]);
}

}  // namespace cisolve::ci
