#include "ci/fock/integrals/point_group.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"

namespace cisolve::ci {
namespace {

struct Group {
  std::string_view name;
  std::vector<std::string> cotton;  // irreps in PySCF's (Cotton's) order
  std::vector<int> molpro;          // Molpro's numbers of these irreps
};

const std::array<Group, 8>& groups() {
  static const std::array<Group, 8> all{{
      {"D2h", {"Ag", "B1g", "B2g", "B3g", "Au", "B1u", "B2u", "B3u"}, {1, 4, 6, 7, 8, 5, 3, 2}},
      {"C2h", {"Ag", "Bg", "Au", "Bu"}, {1, 4, 2, 3}},
      {"C2v", {"A1", "A2", "B1", "B2"}, {1, 4, 2, 3}},
      {"D2", {"A", "B1", "B2", "B3"}, {1, 4, 3, 2}},
      {"Cs", {"A'", "A\""}, {1, 2}},
      {"Ci", {"Ag", "Au"}, {1, 2}},
      {"C2", {"A", "B"}, {1, 2}},
      {"C1", {"A"}, {1}},
  }};
  return all;
}

bool same_name(std::string_view a, std::string_view b) {
  const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(a, b, {}, small, small);
}

const Group* find(std::string_view name) {
  const auto found = std::ranges::find_if(
      groups(), [name](const Group& group) { return same_name(group.name, name); });
  return found == groups().end() ? nullptr : &*found;
}

const Group& known(std::string_view name) {
  const Group* group = find(name);
  if (group == nullptr) base::fail(base::ErrorKind::internal, "no point group ", name);
  return *group;
}

}  // namespace

std::string_view name_of(IrrepNumbering numbering) {
  return numbering == IrrepNumbering::molpro ? "Molpro's numbering, from 1"
                                             : "PySCF's numbering, from 0";
}

std::string abelian_group(std::string_view name) {
  constexpr std::array<std::array<std::string_view, 2>, 5> larger{
      {{"Dooh", "D2h"}, {"Dinfh", "D2h"}, {"SO3", "D2h"}, {"Coov", "C2v"}, {"Cinfv", "C2v"}}};
  for (const auto& [group, within] : larger)
    if (same_name(group, name)) return std::string(within);
  const Group* group = find(name);
  return group == nullptr ? std::string() : std::string(group->name);
}

std::vector<std::string> irrep_names(std::string_view group, IrrepNumbering numbering) {
  const auto& [name, cotton, molpro] = known(group);
  if (numbering == IrrepNumbering::pyscf) return cotton;
  std::vector<std::string> names(cotton.size());
  for (std::size_t i = 0; i < cotton.size(); ++i) names[molpro[i] - 1] = cotton[i];
  return names;
}

std::vector<int> molpro_labels(std::string_view group) {
  std::vector<int> labels = known(group).molpro;
  for (int& label : labels) --label;
  return labels;
}

const std::vector<std::string>& all_irrep_names() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names;
    for (const Group& group : groups())
      for (const std::string& name : group.cotton)
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    return names;
  }();
  return all;
}

std::string usual_irrep_name(std::string_view name) {
  if (same_name(name, "A''")) return "A\"";
  for (const std::string& known_name : all_irrep_names())
    if (same_name(known_name, name)) return known_name;
  return {};
}

}  // namespace cisolve::ci
