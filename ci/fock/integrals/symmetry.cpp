#include "ci/fock/integrals/symmetry.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text.hpp"
#include "ci/fock/integrals/point_group.hpp"

namespace cisolve::ci {
namespace {

class BrokenSearch {
 public:
  BrokenSearch(const Integrals& integrals, std::span<const int> labels)
      : integrals_(integrals), labels_(labels), orbitals_(integrals.orbitals()) {}

  void one_electron(Spin spin) {
    for (int p = 0; p < orbitals_; ++p)
      for (int q = 0; q < p; ++q)
        if (labels_[p] != labels_[q]) meet(integrals_.one(spin, p, q), {p, q, -1, -1});
  }

  /// All pairs of pairs, for equal spins those with (pq) >= (rs).
  void two_electron(Spin left, Spin right) {
    for (int p = 0; p < orbitals_; ++p)
      for (int q = 0; q <= p; ++q) {
        const int last = left == right ? p : orbitals_ - 1;
        for (int r = 0; r <= last; ++r)
          for (int s = 0; s <= r; ++s)
            if ((labels_[p] ^ labels_[q] ^ labels_[r] ^ labels_[s]) != 0)
              meet(integrals_.two(left, p, q, right, r, s), {p, q, r, s});
      }
  }

  const BrokenIntegral& worst() const { return worst_; }

 private:
  void meet(double value, std::array<int, 4> orbitals) {
    if (std::abs(value) > worst_.size) worst_ = {std::abs(value), orbitals};
  }

  const Integrals& integrals_;
  std::span<const int> labels_;
  int orbitals_;
  BrokenIntegral worst_;
};

/// symmetry % 10 - offset; nullopt if one is not in 0 to irreps - 1.
std::optional<std::vector<int>> labels_less(std::span<const Index> symmetries, int offset,
                                            int irreps) {
  std::vector<int> labels;
  for (const Index symmetry : symmetries) {
    const Index label = symmetry % 10 - offset;
    if (label < 0 || label >= irreps) return std::nullopt;
    labels.push_back(static_cast<int>(label));
  }
  return labels;
}

std::string describe(const BrokenIntegral& broken) {
  const auto& [p, q, r, s] = broken.orbitals;
  const std::string one = base::concat(p + 1, " ", q + 1);
  const std::string two = r < 0 ? " 0 0" : base::concat(" ", r + 1, " ", s + 1);
  return base::concat("integral ", one, two, " is ", broken.size, " and should be 0");
}

/// The orbital symmetries under one numbering.
struct Numbered {
  IrrepNumbering numbering = IrrepNumbering::molpro;
  std::optional<std::vector<int>> labels = {};  // nullopt: a number is out of range
  BrokenIntegral broken = {};
  bool fits() const { return labels && broken.size <= kSymmetryTolerance; }
  /// Whether rounding of the integrals cannot explain the misfit.
  bool is_excluded() const { return !labels || broken.size > kDecisiveIntegral; }
};

void look_at_integrals(const Integrals& integrals, Numbered& reading) {
  if (reading.labels) reading.broken = largest_broken_integral(integrals, *reading.labels);
}

std::string why_not(const Numbered& reading) {
  if (!reading.labels)
    return reading.numbering == IrrepNumbering::molpro ? "its numbers are 1 to 8"
                                                       : "its numbers are 0 to 7";
  return describe(reading.broken);
}

/// Ag, B1g, B2g and B3g of D2h in Molpro's numbering, which multiply like A1, A2, B1 and B2.
constexpr std::array kEvenLabels{0, 3, 5, 6};

bool are_even(std::span<const int> labels) {
  return std::ranges::all_of(labels,
                             [](int label) { return std::ranges::count(kEvenLabels, label) > 0; });
}

/// Replaces each label l by by_label[l].
void relabel(SymmetryReading& reading, const std::vector<int>& by_label) {
  for (int& label : reading.labels) label = by_label[label];
  reading.relabelled.assign(8, 0);
  std::ranges::copy(by_label, reading.relabelled.begin());
}

/// Names the irreps if the group is known: claimed, or D2h, which alone has more than four. A
/// claimed group with too few irreps for the labels is ignored.
void name_irreps(SymmetryReading& reading, IrrepNumbering numbering, const std::string& claimed) {
  const int largest = std::ranges::max(reading.labels);
  const bool is_molpro = numbering == IrrepNumbering::molpro;
  const bool tells_no_group = is_molpro && are_even(reading.labels);
  std::string group = claimed;
  if (group.empty() && largest > 3 && !tells_no_group) group = "D2h";
  if (group.empty()) return;
  if (tells_no_group && largest > 3 && group == "C2v")
    relabel(reading, {0, 0, 0, 3, 0, 1, 2, 0});
  else if (largest >= std::ssize(irrep_names(group, numbering)))
    return;
  else if (!is_molpro)
    relabel(reading, molpro_labels(group));
  reading.irreps.group = group;
  reading.irreps.names = irrep_names(group, IrrepNumbering::molpro);
}

/// PySCF writes 1 for each orbital without symmetry.
bool are_default(std::span<const Index> symmetries, const SymmetryClaims& claims,
                 const std::string& group) {
  return claims.numbering == IrrepNumbering::pyscf && group.empty() &&
         std::ranges::all_of(symmetries, [](Index symmetry) { return symmetry == 1; });
}

/// The labels in both numberings, Molpro's first. Clears a claimed group that has too few irreps
/// for either.
std::array<Numbered, 2> both_numbered(std::span<const Index> symmetries, std::string& group) {
  const auto with = [&](int irreps) {
    return std::array{Numbered{IrrepNumbering::molpro, labels_less(symmetries, 1, irreps)},
                      Numbered{IrrepNumbering::pyscf, labels_less(symmetries, 0, irreps)}};
  };
  constexpr int most = 8;
  if (group.empty() || group == "D2h") return with(most);
  auto both = with(static_cast<int>(irrep_names(group, IrrepNumbering::molpro).size()));
  if (both[0].labels || both[1].labels) return both;
  both = with(most);
  if (group == "C2v" && both[0].labels && are_even(*both[0].labels))
    both[1].labels.reset();  // PySCF's own numbers of C2v are 0 to 3
  else
    group.clear();
  return both;
}

std::string_view key_value(IrrepNumbering numbering) {
  return numbering == IrrepNumbering::molpro ? "molpro" : "pyscf";
}

std::string refused_claim(const Numbered& claimed, const Numbered& other) {
  return base::concat("the orbital symmetries are not in ", name_of(claimed.numbering),
                      ", which problem.orbital_symmetries sets: ", why_not(claimed),
                      "; set problem.orbital_symmetries to ", key_value(other.numbering),
                      ", which they fit, or to auto");
}

std::string why_off(const std::array<const Numbered*, 2>& tried,
                    std::span<const Index> symmetries) {
  for (const Numbered* reading : tried)
    if (reading->labels)
      return base::concat("symmetry is off: the integrals break the orbital symmetries (",
                          describe(reading->broken), ")");
  const auto [least, most] = std::ranges::minmax(symmetries);
  return base::concat("symmetry is off: orbital symmetries from ", least, " to ", most,
                      " follow no known convention; expected 1 to 8 or 0 to 7");
}

}  // namespace

BrokenIntegral largest_broken_integral(const Integrals& integrals, std::span<const int> labels) {
  BrokenSearch search(integrals, labels);
  search.one_electron(Spin::alpha);
  search.two_electron(Spin::alpha, Spin::alpha);
  if (integrals.spin_dependent()) {
    search.one_electron(Spin::beta);
    search.two_electron(Spin::beta, Spin::beta);
    search.two_electron(Spin::alpha, Spin::beta);
  }
  return search.worst();
}

bool has_symmetry(std::span<const int> labels) {
  return std::ranges::any_of(labels, [](int label) { return label != 0; });
}

std::vector<int> generated_labels(std::span<const int> labels) {
  std::array<bool, 8> reached{true};
  for (const int label : labels)
    for (int other = 0; other < 8; ++other)
      if (reached[other]) reached[other ^ label] = true;
  std::vector<int> all;
  for (int label = 0; label < 8; ++label)
    if (reached[label]) all.push_back(label);
  return all;
}

std::string irrep_text(const IrrepNames& irreps, int label) {
  const bool named = label < std::ssize(irreps.names);
  return base::concat(label + 1, named ? " " : "", named ? irreps.names[label] : "");
}

std::string irreps_text(const IrrepNames& irreps, std::span<const int> labels) {
  std::string text;
  for (const int label : generated_labels(labels))
    text += (text.empty() ? "" : ", ") + irrep_text(irreps, label);
  return text;
}

SymmetryReading read_orbital_symmetry(std::span<const Index> symmetries, const Integrals& integrals,
                                      const SymmetryClaims& claims) {
  SymmetryReading reading{std::vector<int>(integrals.orbitals(), 0), "none", {}, {}};
  std::string group = abelian_group(claims.group);
  if (std::ranges::all_of(symmetries, [](Index symmetry) { return symmetry == 0; }) ||
      are_default(symmetries, claims, group))
    return reading;
  const auto [least, most] = std::ranges::minmax(symmetries);
  if (least < 0) {
    reading.warning = base::concat("symmetry is off: the orbital symmetry ", least,
                                   " belongs to no Abelian point group of real orbitals");
    return reading;
  }
  std::array<Numbered, 2> both = both_numbered(symmetries, group);
  for (Numbered& one : both)
    if (claims.numbering.value_or(one.numbering) == one.numbering)
      look_at_integrals(integrals, one);
  const bool is_second = claims.numbering ? *claims.numbering == IrrepNumbering::pyscf
                                          : !both[0].fits() && both[1].fits();
  const Numbered& taken = both[is_second ? 1 : 0];
  Numbered& other = both[is_second ? 0 : 1];
  if (!taken.fits()) {
    if (claims.numbering) look_at_integrals(integrals, other);
    if (claims.numbering && other.fits())
      reading.refusal = refused_claim(taken, other);
    else
      reading.warning = why_off({&taken, &other}, symmetries);
    return reading;
  }
  reading.labels = *taken.labels;
  reading.convention = most >= 10 ? "linear molecule" : is_second ? "0-based" : "1-based";
  if (!has_symmetry(reading.labels)) return reading;
  reading.irreps.numbering = name_of(taken.numbering);
  reading.irreps.assumed = !claims.numbering && !other.is_excluded();
  reading.irreps.neglected = taken.broken.size;
  name_irreps(reading, taken.numbering, group);
  return reading;
}

}  // namespace cisolve::ci
