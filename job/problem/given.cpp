#include "job/problem/given.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "base/error.hpp"

namespace cisolve::job {
namespace {

using base::fail;
using base::Fault;
using ci::Spin;

constexpr const char* kName = "the given integrals";
constexpr double kSame = 1e-10;  // how far apart, relative above 1, what should be the same may be

/// How (pq|rs) are packed.
enum class Packing { all, pairs, triangle };

Packing packing_of(const GivenIntegrals& given) {
  const auto n = static_cast<Index>(given.orbitals);
  const Index pairs = n * (n + 1) / 2;
  const Index length = std::ssize(given.two_body);
  if (length == n * n * n * n) return Packing::all;
  if (length == pairs * pairs) return Packing::pairs;
  if (length == pairs * (pairs + 1) / 2) return Packing::triangle;
  fail(Fault::bad_input, kName, ": two_body has ", length, " values; expected ", n * n * n * n,
       " (all four indices), ", pairs * pairs, " (pairs by pairs) or ", pairs * (pairs + 1) / 2,
       " (their lower triangle) for ", n, " orbitals");
}

class Reader {
 public:
  explicit Reader(const GivenIntegrals& given)
      : given_(given), packing_(packing_of(given)), n_(given.orbitals), pairs_(n_ * (n_ + 1) / 2) {}

  void read(ci::Integrals& integrals) const {
    for (int p = 0; p < n_; ++p)
      for (int q = 0; q <= p; ++q) {
        integrals.set_one(Spin::alpha, p, q, one(p, q));
        for (int r = 0; r <= p; ++r)
          for (int s = 0; s <= r; ++s)
            if (ci::pair_index(r, s) <= ci::pair_index(p, q))
              integrals.set_two(Spin::alpha, p, q, Spin::alpha, r, s, two(p, q, r, s));
      }
  }

 private:
  double one(int p, int q) const {
    const double value = given_.one_body[p * n_ + q];
    require(value, given_.one_body[q * n_ + p], "h", {p, q});
    return value;
  }

  double two(int p, int q, int r, int s) const {
    const double value = at(p, q, r, s);
    if (packing_ == Packing::triangle) require(value, value, "", {p, q, r, s});
    if (packing_ != Packing::triangle) require(value, at(r, s, p, q), "", {p, q, r, s});
    if (packing_ == Packing::all)
      for (const double same : {at(q, p, r, s), at(p, q, s, r), at(q, p, s, r), at(s, r, p, q),
                                at(r, s, q, p), at(s, r, q, p)})
        require(value, same, "", {p, q, r, s});
    return value;
  }

  double at(Index p, Index q, Index r, Index s) const {
    const Index left = ci::pair_index(p, q);
    const Index right = ci::pair_index(r, s);
    switch (packing_) {
      case Packing::all: return given_.two_body[((p * n_ + q) * n_ + r) * n_ + s];
      case Packing::pairs: return given_.two_body[left * pairs_ + right];
      case Packing::triangle: return given_.two_body[ci::pair_index(left, right)];
    }
    return 0;
  }

  static void require(double value, double same, const char* name,
                      std::initializer_list<int> indices) {
    if (std::abs(value - same) <= kSame * std::max(1.0, std::abs(value))) return;  // false for NaN
    std::string text;
    for (const int index : indices) text += base::concat(text.empty() ? "" : " ", index + 1);
    text = base::concat(name, "(", text, ")");
    if (!std::isfinite(value) || !std::isfinite(same))
      fail(Fault::bad_input, kName, ": ", text, " is not a finite number");
    fail(Fault::bad_input, kName, ": ", text, " is ", value, " and, with its indices exchanged, ",
         same, "; expected the symmetry of integrals over real orbitals");
  }

  const GivenIntegrals& given_;
  Packing packing_;
  Index n_;
  Index pairs_;
};

void require_sizes(const GivenIntegrals& given) {
  const auto n = static_cast<Index>(given.orbitals);
  if (n < 1 || n > ci::kMostOrbitals)
    fail(Fault::bad_input, kName, ": ", n, " orbitals; expected 1 to ", ci::kMostOrbitals);
  if (std::ssize(given.one_body) != n * n)
    fail(Fault::bad_input, kName, ": one_body has ", given.one_body.size(), " values; expected ",
         n * n, " for ", n, " orbitals");
  if (!given.irreps.empty() && std::ssize(given.irreps) != n)
    fail(Fault::bad_input, kName, ": ", given.irreps.size(), " irreps for ", n, " orbitals");
  if (!std::isfinite(given.core_energy))
    fail(Fault::bad_input, kName, ": the core energy is not a finite number");
  for (const int electrons : {given.alpha, given.beta})
    if (electrons < 0 || electrons > n)
      fail(Fault::bad_input, kName, ": ", electrons, " electrons of one spin in ", n, " orbitals");
}

}  // namespace

void require_given(const Request& request) {
  const bool is_there = request.source == ProblemSource::rows ? request.rows != nullptr
                                                              : request.integrals != nullptr;
  if (!is_there)
    fail(Fault::usage, request.origin, ": the source of the problem is ",
         request.source == ProblemSource::rows ? "rows" : "integrals",
         ", but there are none; expected a pointer to them");
}

io::MolecularProblem problem_of(const GivenIntegrals& given, const base::Backend& host) {
  require_sizes(given);
  io::MolecularProblem problem{.integrals = ci::Integrals(given.orbitals, false, host),
                               .alpha = given.alpha,
                               .beta = given.beta,
                               .irrep = std::nullopt,
                               .dialect = "in memory",
                               .warnings = {}};
  problem.integrals.set_core_energy(given.core_energy);
  Reader(given).read(problem.integrals);
  if (given.irreps.empty()) return problem;
  ci::SymmetryReading reading = ci::read_orbital_symmetry(given.irreps, problem.integrals);
  problem.integrals.set_irreps(std::move(reading.labels));
  problem.irreps = std::move(reading.irreps);
  if (!reading.warning.empty()) problem.warnings.push_back(std::move(reading.warning));
  return problem;
}

}  // namespace cisolve::job
