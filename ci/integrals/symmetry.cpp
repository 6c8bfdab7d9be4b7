#include "ci/integrals/symmetry.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text.hpp"
#include "ci/integrals/point_group.hpp"

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

  /// All pairs of pairs; where both spins are the same, those with (pq) >= (rs).
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

/// The symmetries less `offset`, their tens dropped; nothing where one leaves 0 to 7.
std::optional<std::vector<int>> labels_less(std::span<const Index> symmetries, int offset) {
  std::vector<int> labels;
  for (const Index symmetry : symmetries) {
    const Index label = symmetry % 10 - offset;
    if (label < 0 || label > 7) return std::nullopt;
    labels.push_back(static_cast<int>(label));
  }
  return labels;
}

/// Labels above 3 belong to D2h: its subgroups have four irreps at most. A group that has fewer
/// than the labels need is not theirs.
IrrepNames names_of(std::span<const int> labels, IrrepNumbering numbering, std::string_view group) {
  const int largest = std::ranges::max(labels);
  if (largest == 0) return {};
  IrrepNames irreps{.numbering = std::string(name_of(numbering)), .group = {}, .names = {}};
  if (group.empty() && largest > 3) group = "D2h";
  if (group.empty()) return irreps;
  std::vector<std::string> names = irrep_names(group, numbering);
  if (largest >= std::ssize(names)) return irreps;
  irreps.group = usual_name(group);
  irreps.names = std::move(names);
  return irreps;
}

std::string describe(const BrokenIntegral& broken) {
  const auto& [p, q, r, s] = broken.orbitals;
  const std::string one = base::concat(p + 1, " ", q + 1);
  const std::string two = r < 0 ? " 0 0" : base::concat(" ", r + 1, " ", s + 1);
  return base::concat("integral ", one, two, " is ", broken.size, " and should be 0");
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
                                      std::string_view group) {
  SymmetryReading off{std::vector<int>(integrals.orbitals(), 0), "none", {}, {}};
  if (std::ranges::all_of(symmetries, [](Index symmetry) { return symmetry == 0; })) return off;
  const auto [least, most] = std::ranges::minmax(symmetries);
  SymmetryReading failed = off;
  if (least < 0) {
    failed.warning = base::concat("symmetry is off: the orbital symmetry ", least,
                                  " belongs to no Abelian point group of real orbitals");
    return failed;
  }
  for (const int offset : {1, 0}) {
    auto labels = labels_less(symmetries, offset);
    if (!labels) continue;
    const BrokenIntegral broken = largest_broken_integral(integrals, *labels);
    const char* convention = most >= 10 ? "linear molecule" : (offset == 1 ? "1-based" : "0-based");
    if (broken.size <= kSymmetryTolerance) {
      const auto numbering = offset == 1 ? IrrepNumbering::molpro : IrrepNumbering::pyscf;
      IrrepNames irreps = names_of(*labels, numbering, group);
      irreps.neglected = broken.size;
      return {std::move(*labels), convention, {}, std::move(irreps)};
    }
    if (failed.warning.empty())
      failed.warning = base::concat("symmetry is off: the integrals break the orbital symmetries (",
                                    describe(broken), ")");
  }
  if (failed.warning.empty())
    failed.warning = base::concat("symmetry is off: orbital symmetries from ", least, " to ", most,
                                  " are of no known convention; expected 1 to 8 or 0 to 7");
  return failed;
}

}  // namespace cisolve::ci
