#include "ci/integrals/point_group.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"

namespace cisolve::ci {
namespace {

struct Group {
  std::string_view name;
  std::vector<std::string> cotton;  // PySCF's order
  std::vector<int> molpro;          // Molpro's numbers of these
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
  if (group == nullptr) base::fail(base::Fault::internal, "no point group ", name);
  return *group;
}

}  // namespace

std::string_view name_of(IrrepNumbering numbering) {
  return numbering == IrrepNumbering::molpro ? "Molpro's numbering, from 1"
                                             : "PySCF's numbering, from 0";
}

bool is_point_group(std::string_view name) { return find(name) != nullptr; }

std::string usual_name(std::string_view group) { return std::string(known(group).name); }

std::vector<std::string> irrep_names(std::string_view group, IrrepNumbering numbering) {
  const auto& [name, cotton, molpro] = known(group);
  if (numbering == IrrepNumbering::pyscf) return cotton;
  std::vector<std::string> names(cotton.size());
  for (std::size_t i = 0; i < cotton.size(); ++i) names[molpro[i] - 1] = cotton[i];
  return names;
}

}  // namespace cisolve::ci
