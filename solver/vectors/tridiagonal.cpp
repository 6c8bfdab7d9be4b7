#include "solver/vectors/tridiagonal.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "base/pack.hpp"
#include "base/random.hpp"

namespace cisolve::solver {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// Partial sums in vector registers, in an order independent of alignment.
constexpr int kSums = base::kPackLanes;
using Sums = base::Pack::Lanes;

void put(const Sums& sums, double* to) { std::memcpy(to, &sums, sizeof sums); }

double total(const Sums& s) {
  return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}

double dot(const double* x, const double* y, int count) {
  Sums sums = {};
  int i = 0;
  for (; i + kSums <= count; i += kSums) sums += base::Pack::at(x + i) * base::Pack::at(y + i);
  double rest = 0;
  for (; i < count; ++i) rest += x[i] * y[i];
  return total(sums) + rest;
}

/// y = y + factor x
void add(double factor, const double* x, double* y, int count) {
  int i = 0;
  for (; i + kSums <= count; i += kSums)
    put(base::Pack::at(y + i) + factor * base::Pack::at(x + i), y + i);
  for (; i < count; ++i) y[i] += factor * x[i];
}

/// a = a - wj v - vj w for part of a column, p = p + uj a; returns u . a
double update_and_multiply(double* a, const double* v, const double* w, double vj, double wj,
                           const double* u, double uj, double* p, int count) {
  Sums sums = {};
  int i = 0;
  for (; i + kSums <= count; i += kSums) {
    const Sums fresh =
        base::Pack::at(a + i) - wj * base::Pack::at(v + i) - vj * base::Pack::at(w + i);
    put(fresh, a + i);
    put(base::Pack::at(p + i) + uj * fresh, p + i);
    sums += fresh * base::Pack::at(u + i);
  }
  double rest = 0;
  for (; i < count; ++i) {
    a[i] = a[i] - wj * v[i] - vj * w[i];
    p[i] += uj * a[i];
    rest += a[i] * u[i];
  }
  return total(sums) + rest;
}

double norm(std::span<const double> x) {
  return std::sqrt(dot(x.data(), x.data(), static_cast<int>(x.size())));
}

}  // namespace

TridiagonalForm::TridiagonalForm(const SmallMatrix& a)
    : rows_(a.rows()),
      columns_(a.values().begin(), a.values().end()),
      factors_(a.rows()),
      diagonal_(a.rows()),
      off_diagonal_(a.rows()) {
  reduce();
  for (int i = 0; i < rows_; ++i)
    size_ = std::max(size_, std::abs(diagonal_[i]) + std::abs(off_diagonal_[i]) +
                                (i > 0 ? std::abs(off_diagonal_[i - 1]) : 0));
}

/// Householder reflection 1 - factor v v^T that maps the part of column k below the diagonal to its
/// first element.
double TridiagonalForm::reflect(int k) {
  double* v = column(k) + k + 1;
  const double length = norm({v, static_cast<std::size_t>(rows_ - k - 1)});
  if (length == 0) return 0;
  const double sign = v[0] < 0 ? -1 : 1;
  off_diagonal_[k] = -sign * length;
  v[0] += sign * length;
  return 1 / (length * std::abs(v[0]));
}

// Per reflection A = A - v w^T - w v^T, with p = factor A v and w = p - factor/2 (p . v) v.
// Updating a column and multiplying it by the next v are fused.
void TridiagonalForm::reduce() {
  std::vector<double> v(rows_), w(rows_), p(rows_);
  for (int k = 0; k < rows_; ++k) {
    double* mine = column(k);
    if (k > 0) {
      const double vk = v[k];
      const double wk = w[k];
      for (int r = k; r < rows_; ++r) mine[r] = mine[r] - wk * v[r] - vk * w[r];
    }
    diagonal_[k] = mine[k];
    if (k + 1 == rows_) return;
    const double factor = factors_[k] = reflect(k);
    const double* u = mine;
    std::fill(p.begin() + k, p.end(), 0.0);
    for (int j = k + 1; j < rows_; ++j) {
      double* a = column(j);
      a[j] -= 2 * v[j] * w[j];
      p[j] += a[j] * u[j];
      const int below = j + 1;
      p[j] += update_and_multiply(a + below, v.data() + below, w.data() + below, v[j], w[j],
                                  u + below, u[j], p.data() + below, rows_ - below);
    }
    const int first = k + 1;
    const int count = rows_ - first;
    std::copy(u + first, u + rows_, v.begin() + first);
    const double correction = 0.5 * factor * (factor * dot(p.data() + first, u + first, count));
    for (int r = first; r < rows_; ++r) w[r] = factor * p[r] - correction * v[r];
  }
}

void TridiagonalForm::multiply_by_q_transposed(std::span<double> x) const {
  for (int k = 0; k + 1 < rows_; ++k) {
    const double* v = column(k) + k + 1;
    const int count = rows_ - k - 1;
    add(-factors_[k] * dot(v, x.data() + k + 1, count), v, x.data() + k + 1, count);
  }
}

void TridiagonalForm::multiply_by_q(std::span<double> x) const {
  for (int k = rows_ - 2; k >= 0; --k) {
    const double* v = column(k) + k + 1;
    const int count = rows_ - k - 1;
    add(-factors_[k] * dot(v, x.data() + k + 1, count), v, x.data() + k + 1, count);
  }
}

/// Sturm count, by the signs of the pivots of T - value.
int TridiagonalForm::count_below(double value) const {
  const double least = std::max(kEpsilon * size_, std::numeric_limits<double>::min());
  int count = 0;
  double pivot = 1;
  for (int i = 0; i < rows_; ++i) {
    const double off = i > 0 ? off_diagonal_[i - 1] : 0;
    pivot = diagonal_[i] - value - off * (off / pivot);
    if (std::abs(pivot) < least * kEpsilon) pivot = -least * kEpsilon;
    count += pivot < 0 ? 1 : 0;
  }
  return count;
}

// Gaussian elimination with row exchanges, which fill a second superdiagonal.
void TridiagonalForm::solve(double shift, std::span<double> x) const {
  const int n = rows_;
  const double least = std::max(kEpsilon * size_, std::numeric_limits<double>::min());
  std::vector<double> pivots(n), next(off_diagonal_), after(n);
  for (int i = 0; i < n; ++i) pivots[i] = diagonal_[i] - shift;
  for (int i = 0; i + 1 < n; ++i) {
    const double below = off_diagonal_[i];
    if (std::abs(pivots[i]) < std::abs(below)) {
      const double factor = pivots[i] / below;
      pivots[i] = below;
      const double upper = std::exchange(next[i], pivots[i + 1]);
      pivots[i + 1] = upper - factor * next[i];
      if (i + 2 < n) {
        after[i] = next[i + 1];
        next[i + 1] *= -factor;
      }
      x[i] = std::exchange(x[i + 1], x[i] - factor * x[i + 1]);
      continue;
    }
    if (std::abs(pivots[i]) < least) pivots[i] = least;
    const double factor = below / pivots[i];
    pivots[i + 1] -= factor * next[i];
    x[i + 1] -= factor * x[i];
  }
  if (std::abs(pivots[n - 1]) < least) pivots[n - 1] = least;
  for (int i = n - 1; i >= 0; --i) {
    if (i + 1 < n) x[i] -= next[i] * x[i + 1];
    if (i + 2 < n) x[i] -= after[i] * x[i + 2];
    x[i] /= pivots[i];
  }
}

/// Bisects for eigenvalue `index`, which is at least `low`.
double TridiagonalForm::value_of(int index, double low) const {
  double high = size_ * (1 + 4 * kEpsilon);
  while (high - low > 2 * kEpsilon * std::max(std::abs(low), std::abs(high))) {
    const double middle = low + 0.5 * (high - low);
    if (middle <= low || middle >= high) break;
    (count_below(middle) > index ? high : low) = middle;
  }
  return low + 0.5 * (high - low);
}

double TridiagonalForm::residual(double value, std::span<const double> x) const {
  double sum = 0;
  for (int i = 0; i < rows_; ++i) {
    double r = (diagonal_[i] - value) * x[i];
    if (i > 0) r += off_diagonal_[i - 1] * x[i - 1];
    if (i + 1 < rows_) r += off_diagonal_[i] * x[i + 1];
    sum += r * r;
  }
  return std::sqrt(sum);
}

/// Inverse iteration from a random vector, orthogonalised to the preceding eigenvectors.
bool TridiagonalForm::find_vector(int index, EigenPairs& pairs) const {
  constexpr int kMostSteps = 8;
  constexpr double kAccuracy = 64 * kEpsilon;
  const auto all = pairs.vectors.values();
  const std::span<double> x = all.subspan(base::Index{index} * rows_, rows_);
  base::RandomStream random(static_cast<std::uint64_t>(index));
  for (double& value : x) value = 2 * random.uniform() - 1;
  for (int step = 0; step < kMostSteps; ++step) {
    solve(pairs.values[index], x);
    for (int pass = 0; pass < 2; ++pass) {
      const double length = norm(x);
      if (!(length > 0 && std::isfinite(length))) return false;
      for (double& value : x) value /= length;
      for (int j = 0; j < index; ++j) {
        const double* other = all.data() + base::Index{j} * rows_;
        add(-dot(other, x.data(), rows_), other, x.data(), rows_);
      }
    }
    const double length = norm(x);
    for (double& value : x) value /= length;
    if (step > 0 && residual(pairs.values[index], x) <= kAccuracy * size_) return true;
  }
  return false;
}

namespace {

/// One implicit QL sweep with Wilkinson's shift (EISPACK's tql2) on rows first to last, applied to
/// `row` as to the rows of the eigenvector matrix. Elements must be of order 1.
void rotate_off(int first, int last, std::span<double> diagonal, std::span<double> off,
                std::span<double> row) {
  double g = (diagonal[first + 1] - diagonal[first]) / (2 * off[first]);
  const double root = std::hypot(g, 1.0);
  g = diagonal[last] - diagonal[first] + off[first] / (g + std::copysign(root, g));
  double sine = 1;
  double cosine = 1;
  double shift = 0;
  for (int i = last - 1; i >= first; --i) {
    const double f = sine * off[i];
    const double b = cosine * off[i];
    const double length = std::sqrt(f * f + g * g);
    off[i + 1] = length;
    if (length == 0) {  // the block splits
      diagonal[i + 1] -= shift;
      off[last] = 0;
      return;
    }
    sine = f / length;
    cosine = g / length;
    g = diagonal[i + 1] - shift;
    const double r = (diagonal[i] - g) * sine + 2 * cosine * b;
    shift = sine * r;
    diagonal[i + 1] = g + shift;
    g = cosine * r - b;
    const double above = row[i];
    row[i] = cosine * above - sine * row[i + 1];
    row[i + 1] = sine * above + cosine * row[i + 1];
  }
  diagonal[first] -= shift;
  off[first] = g;
  off[last] = 0;
}

}  // namespace

std::optional<TridiagonalForm::LastElements> TridiagonalForm::last_elements() const {
  constexpr int kMostSteps = 50;   // steps per eigenvalue; two or three are usual
  constexpr double kLarge = 1e60;  // fourth powers of elements occur
  const auto is_finite = [](double value) { return std::isfinite(value); };
  if (!std::ranges::all_of(diagonal_, is_finite) || !std::ranges::all_of(off_diagonal_, is_finite))
    return std::nullopt;
  if (size_ >= kLarge || (size_ > 0 && size_ < 1 / kLarge)) return std::nullopt;
  std::vector<double> diagonal(diagonal_);
  std::vector<double> off(off_diagonal_);
  const double size = std::max(size_, std::numeric_limits<double>::min());
  for (double& value : diagonal) value /= size;
  for (double& value : off) value /= size;
  std::vector<double> row(rows_, 0.0);
  if (rows_ > 0) row.back() = 1;
  multiply_by_q_transposed(row);
  const auto is_coupled = [&](int i) {
    const double here = std::abs(diagonal[i]) + std::abs(diagonal[i + 1]);
    return std::abs(off[i]) > kEpsilon * here;
  };
  for (int first = 0; first < rows_; ++first)
    for (int step = 0;; ++step) {
      int last = first;
      while (last + 1 < rows_ && is_coupled(last)) ++last;
      if (last == first) break;
      if (step == kMostSteps) return std::nullopt;
      rotate_off(first, last, diagonal, off, row);
    }
  std::vector<int> order(rows_);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int i) { return diagonal[i]; });
  LastElements found;
  for (const int i : order) {
    found.values.push_back(size * diagonal[i]);
    found.last.push_back(row[i]);
  }
  return found;
}

std::optional<EigenPairs> TridiagonalForm::lowest(int count) const {
  EigenPairs pairs{std::vector<double>(count), SmallMatrix(rows_, count)};
  double low = -size_ * (1 + 4 * kEpsilon);
  for (int j = 0; j < count; ++j) {
    pairs.values[j] = low = value_of(j, low);
    if (!find_vector(j, pairs)) return std::nullopt;
  }
  return pairs;
}

}  // namespace cisolve::solver
