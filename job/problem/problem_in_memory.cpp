#include "job/problem/problem_in_memory.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <span>
#include <string_view>

#include "base/error.hpp"

namespace cisolve::job {
namespace {

using base::ErrorKind;
using base::fail;
using ci::Spin;

constexpr const char* kName = "the given integrals";
constexpr double kSame = 1e-10;  // tolerated difference of equal values, relative above 1

/// How (pq|rs) are packed.
enum class Packing { all, pairs, triangle };

void require_same(double value, double same, std::string_view name,
                  std::initializer_list<int> indices) {
  if (std::abs(value - same) <= kSame * std::max(1.0, std::abs(value))) return;  // false for NaN
  std::string text;
  for (const int index : indices) text += base::concat(text.empty() ? "" : " ", index + 1);
  text = base::concat(name, "(", text, ")");
  if (!std::isfinite(value) || !std::isfinite(same))
    fail(ErrorKind::bad_input, kName, ": ", text, " is not a finite number");
  fail(ErrorKind::bad_input, kName, ": ", text, " is ", value, ", but ", same,
       " with its indices exchanged; expected the symmetry of integrals over real orbitals");
}

/// (pq|rs) of electrons of the same spin or of opposite spins.
class TwoBody {
 public:
  TwoBody(std::span<const double> values, int orbitals, bool of_one_spin, std::string_view name)
      : values_(values), n_(orbitals), pairs_(n_ * (n_ + 1) / 2), of_one_spin_(of_one_spin) {
    const Index length = std::ssize(values);
    if (length == n_ * n_ * n_ * n_)
      packing_ = Packing::all;
    else if (length == pairs_ * pairs_)
      packing_ = Packing::pairs;
    else if (of_one_spin && length == pairs_ * (pairs_ + 1) / 2)
      packing_ = Packing::triangle;
    else
      fail(ErrorKind::bad_input, kName, ": ", name, " has ", length, " values; expected ",
           n_ * n_ * n_ * n_, " (all four indices)", of_one_spin ? ", " : " or ", pairs_ * pairs_,
           " (pairs by pairs)",
           of_one_spin ? base::concat(" or ", pairs_ * (pairs_ + 1) / 2, " (their lower triangle)")
                       : "",
           " for ", n_, " orbitals");
  }

  double value(int p, int q, int r, int s) const {
    const double value = at(p, q, r, s);
    require_same(value, value, "", {p, q, r, s});
    if (of_one_spin_ && packing_ != Packing::triangle)
      require_same(value, at(r, s, p, q), "", {p, q, r, s});
    if (packing_ != Packing::all) return value;
    for (const double same : {at(q, p, r, s), at(p, q, s, r), at(q, p, s, r)})
      require_same(value, same, "", {p, q, r, s});
    if (of_one_spin_)
      for (const double same : {at(s, r, p, q), at(r, s, q, p), at(s, r, q, p)})
        require_same(value, same, "", {p, q, r, s});
    return value;
  }

 private:
  double at(Index p, Index q, Index r, Index s) const {
    const Index left = ci::pair_index(p, q);
    const Index right = ci::pair_index(r, s);
    switch (packing_) {
      case Packing::all: return values_[((p * n_ + q) * n_ + r) * n_ + s];
      case Packing::pairs: return values_[left * pairs_ + right];
      case Packing::triangle: return values_[ci::pair_index(left, right)];
    }
    return 0;
  }

  std::span<const double> values_;
  Index n_;
  Index pairs_;
  bool of_one_spin_;
  Packing packing_ = Packing::all;
};

void read_one_spin(Spin spin, std::span<const double> one, const TwoBody& two,
                   ci::Integrals& integrals) {
  const int n = integrals.orbitals();
  for (int p = 0; p < n; ++p)
    for (int q = 0; q <= p; ++q) {
      const double value = one[Index{p} * n + q];
      require_same(value, one[Index{q} * n + p], "h", {p, q});
      integrals.set_one(spin, p, q, value);
      for (int r = 0; r <= p; ++r)
        for (int s = 0; s <= r; ++s)
          if (ci::pair_index(r, s) <= ci::pair_index(p, q))
            integrals.set_two(spin, p, q, spin, r, s, two.value(p, q, r, s));
    }
}

void read_mixed(const TwoBody& two, ci::Integrals& integrals) {
  const int n = integrals.orbitals();
  for (int p = 0; p < n; ++p)
    for (int q = 0; q <= p; ++q)
      for (int r = 0; r < n; ++r)
        for (int s = 0; s <= r; ++s)
          integrals.set_two(Spin::alpha, p, q, Spin::beta, r, s, two.value(p, q, r, s));
}

void read(const GivenIntegrals& given, ci::Integrals& integrals) {
  const int n = given.orbitals;
  read_one_spin(Spin::alpha, given.one_body, TwoBody(given.two_body, n, true, "two_body"),
                integrals);
  if (!given.are_spin_dependent()) return;
  read_one_spin(Spin::beta, given.beta_one_body,
                TwoBody(given.beta_two_body, n, true, "beta_two_body"), integrals);
  read_mixed(TwoBody(given.mixed_two_body, n, false, "mixed_two_body"), integrals);
}

void require_sizes(const GivenIntegrals& given) {
  const auto n = static_cast<Index>(given.orbitals);
  if (n < 1 || n > ci::kMostOrbitals)
    fail(ErrorKind::bad_input, kName, ": ", n, " orbitals; expected 1 to ", ci::kMostOrbitals);
  if (std::ssize(given.one_body) != n * n)
    fail(ErrorKind::bad_input, kName, ": one_body has ", given.one_body.size(),
         " values; expected ", n * n, " for ", n, " orbitals");
  if (given.are_spin_dependent() && std::ssize(given.beta_one_body) != n * n)
    fail(ErrorKind::bad_input, kName, ": beta_one_body has ", given.beta_one_body.size(),
         " values; expected ", n * n, " for ", n, " orbitals, or none");
  if (!given.irreps.empty() && std::ssize(given.irreps) != n)
    fail(ErrorKind::bad_input, kName, ": ", given.irreps.size(), " irreps for ", n,
         " orbitals; expected one for each");
  if (!given.point_group.empty() && ci::abelian_group(given.point_group).empty())
    fail(ErrorKind::bad_input, kName, ": the point group ", given.point_group.substr(0, 20),
         "; expected D2h or one of its subgroups, or Dooh, Coov or SO3");
  if (!std::isfinite(given.core_energy))
    fail(ErrorKind::bad_input, kName, ": the core energy is not a finite number");
  for (const int electrons : {given.alpha, given.beta})
    if (electrons < 0 || electrons > n)
      fail(ErrorKind::bad_input, kName, ": ", electrons, " electrons of one spin in ", n,
           " orbitals; expected 0 to ", n);
}

}  // namespace

void require_given(const Request& request) {
  const bool is_there = request.source == ProblemSource::rows ? request.rows != nullptr
                                                              : request.integrals != nullptr;
  if (!is_there)
    fail(ErrorKind::usage, request.origin, ": the source of the problem is ",
         request.source == ProblemSource::rows ? "rows" : "integrals",
         ", but none are given; expected a pointer to them");
}

io::MolecularProblem problem_of(const GivenIntegrals& given, const base::Backend& host,
                                std::optional<ci::IrrepNumbering> numbering) {
  require_sizes(given);
  io::MolecularProblem problem{
      .integrals = ci::Integrals(given.orbitals, given.are_spin_dependent(), host),
      .alpha = given.alpha,
      .beta = given.beta,
      .irrep = std::nullopt,
      .dialect = "in memory",
      .warnings = {}};
  problem.integrals.set_core_energy(given.core_energy);
  read(given, problem.integrals);
  if (given.irreps.empty()) return problem;
  ci::SymmetryReading reading = ci::read_orbital_symmetry(
      given.irreps, problem.integrals, {.group = given.point_group, .numbering = numbering});
  if (!reading.refusal.empty()) fail(ErrorKind::configuration, kName, ": ", reading.refusal);
  problem.integrals.set_irreps(std::move(reading.labels));
  problem.irreps = std::move(reading.irreps);
  if (!reading.warning.empty()) problem.warnings.push_back(std::move(reading.warning));
  return problem;
}

}  // namespace cisolve::job
