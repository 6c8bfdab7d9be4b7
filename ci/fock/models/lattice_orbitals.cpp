#include "ci/fock/models/lattice_orbitals.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.hpp"
#include "ci/fock/integrals/symmetry.hpp"

namespace cisolve::ci {
namespace {

using std::numbers::pi;

/// A standing wave along one direction.
struct Wave {
  double energy;  // orbital energy for t = 1
  int label;
  std::vector<double> values;
};

/// The waves of one direction and the number of label bits.
struct Waves {
  std::vector<Wave> waves;
  int bits;
};

template <class Value>
Wave normalised(int length, double energy, int label, Value value) {
  Wave wave{energy, label, {}};
  double norm = 0;
  for (int i = 0; i < length; ++i) {
    wave.values.push_back(value(i));
    norm += wave.values.back() * wave.values.back();
  }
  for (double& x : wave.values) x /= std::sqrt(norm);
  return wave;
}

Waves open_waves(int length) {
  Waves all{{}, length > 1 ? 1 : 0};
  for (int k = 1; k <= length; ++k) {
    const double angle = pi * k / (length + 1);
    all.waves.push_back(normalised(length, -2 * std::cos(angle), (k - 1) % 2,
                                   [&](int i) { return std::sin(angle * (i + 1)); }));
  }
  return all;
}

Waves periodic_waves(int length) {
  const bool even = length % 2 == 0;
  Waves all{{}, even ? 2 : 1};
  for (int m = 0; 2 * m <= length; ++m) {
    const double angle = 2 * pi * m / length;
    const int momentum = even ? 2 * (m % 2) : 0;
    all.waves.push_back(normalised(length, -2 * std::cos(angle), momentum,
                                   [&](int i) { return std::cos(angle * i); }));
    if (m > 0 && 2 * m < length)
      all.waves.push_back(normalised(length, -2 * std::cos(angle), momentum + 1,
                                     [&](int i) { return std::sin(angle * i); }));
  }
  return all;
}

/// Calls visit(p, q) for all pairs p >= q.
template <class Visit>
void for_each_pair(int orbitals, Visit visit) {
  for (int p = 0; p < orbitals; ++p)
    for (int q = 0; q <= p; ++q) visit(p, q);
}

/// Basis change of symmetric matrices: C M C^T.
class Rotation {
 public:
  explicit Rotation(const OrbitalBasis& basis)
      : basis_(basis), half_(basis.coefficients.size()), full_(basis.coefficients.size()) {}

  /// `old(i, j)` returns M; `put(p, q, value)` receives the lower triangle of the result.
  template <class Old, class Put>
  void apply(Old old, Put put) {
    const int n = basis_.orbitals;
    const auto& c = basis_.coefficients;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) full_[i * n + j] = old(i, j);
    for (int p = 0; p < n; ++p)
      for (int j = 0; j < n; ++j) {
        double sum = 0;
        for (int i = 0; i < n; ++i) sum += c[p * n + i] * full_[i * n + j];
        half_[p * n + j] = sum;
      }
    for_each_pair(n, [&](int p, int q) {
      double sum = 0;
      for (int j = 0; j < n; ++j) sum += half_[p * n + j] * c[q * n + j];
      put(p, q, sum);
    });
  }

 private:
  const OrbitalBasis& basis_;
  std::vector<double> half_;
  std::vector<double> full_;
};

void rotate_two_electron(const Integrals& old, const OrbitalBasis& basis, Spin left, Spin right,
                         const base::Backend& host, Integrals& result) {
  const int n = basis.orbitals;
  const Index pairs = pair_index(n, 0);
  Rotation rotation(basis);
  base::Array<double> half(host, pairs * pairs, "half-rotated integrals");  // [pq new][kl old]
  for_each_pair(n, [&](int k, int l) {
    rotation.apply([&](int i, int j) { return old.two(left, i, j, right, k, l); },
                   [&](int p, int q, double value) {
                     half[pair_index(p, q) * pairs + pair_index(k, l)] = value;
                   });
  });
  for_each_pair(n, [&](int p, int q) {
    const Index row = pair_index(p, q) * pairs;
    rotation.apply([&](int k, int l) { return half[row + pair_index(k, l)]; },
                   [&](int r, int s, double value) {
                     if (left != right || pair_index(p, q) >= pair_index(r, s))
                       result.set_two(left, p, q, right, r, s, value);
                   });
  });
}

}  // namespace

OrbitalBasis standing_waves(const LatticeShape& shape) {
  require_shape(shape);
  if (shape.net != LatticeType::square)
    base::fail(base::ErrorKind::configuration, "standing waves need a square lattice; ",
               "expected shape: square");
  const Waves along =
      shape.periodic_columns ? periodic_waves(shape.columns) : open_waves(shape.columns);
  const Waves across = shape.periodic_rows ? periodic_waves(shape.rows) : open_waves(shape.rows);
  struct Product {
    const Wave* x;
    const Wave* y;
    double energy() const { return x->energy + y->energy; }
  };
  std::vector<Product> products;
  for (const Wave& y : across.waves)
    for (const Wave& x : along.waves) products.push_back({&x, &y});
  // Degenerate waves differ by rounding; keep their order.
  std::ranges::stable_sort(
      products, [](const Product& a, const Product& b) { return a.energy() < b.energy() - 1e-9; });
  OrbitalBasis basis{shape.sites(), {}, {}};
  for (const auto& [x, y] : products) {
    basis.irreps.push_back((x->label | y->label << along.bits) & 7);
    for (int row = 0; row < shape.rows; ++row)
      for (int column = 0; column < shape.columns; ++column)
        basis.coefficients.push_back(x->values[column] * y->values[row]);
  }
  return basis;
}

Integrals rotated(const Integrals& integrals, const OrbitalBasis& basis,
                  const base::Backend& host) {
  if (basis.orbitals != integrals.orbitals())
    base::fail(base::ErrorKind::internal, basis.orbitals, " new orbitals for ",
               integrals.orbitals());
  Integrals result(basis.orbitals, integrals.spin_dependent(), host);
  result.set_core_energy(integrals.core_energy());
  Rotation rotation(basis);
  const auto rotate_one = [&](Spin spin) {
    rotation.apply([&](int i, int j) { return integrals.one(spin, i, j); },
                   [&](int p, int q, double value) { result.set_one(spin, p, q, value); });
  };
  rotate_one(Spin::alpha);
  rotate_two_electron(integrals, basis, Spin::alpha, Spin::alpha, host, result);
  if (integrals.spin_dependent()) {
    rotate_one(Spin::beta);
    rotate_two_electron(integrals, basis, Spin::beta, Spin::beta, host, result);
    rotate_two_electron(integrals, basis, Spin::alpha, Spin::beta, host, result);
  }
  if (largest_broken_integral(result, basis.irreps).size <= kSymmetryTolerance)
    result.set_irreps(basis.irreps);
  return result;
}

}  // namespace cisolve::ci
