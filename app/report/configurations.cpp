#include "app/report/configurations.hpp"

#include <algorithm>
#include <ostream>

#include "app/report/table.hpp"
#include "base/number.hpp"
#include "base/text.hpp"

namespace cisolve::app {
namespace {

constexpr std::size_t kConfigurationsShown = 3;  // a line
constexpr double kLeastShown = 0.005;            // weight, unless it is the first one

constexpr const char* kReferenceItself = "reference";

std::string shown_text(const std::vector<job::LeadingConfiguration>& configurations) {
  std::string text;
  std::size_t shown = 0;
  for (const job::LeadingConfiguration& one : configurations) {
    if (shown == kConfigurationsShown || (shown > 0 && one.weight < kLeastShown)) break;
    text += (shown++ > 0 ? "; " : "") +
            (one.excitation.empty() ? std::string(kReferenceItself) : one.excitation) + " " +
            base::fixed(one.weight, 4);
  }
  return text;
}

/// "HOMO = orbital 5, LUMO = orbital 6": the names around the gap.
std::string key_orbitals(const job::ConfigurationReference& reference) {
  std::vector<std::string> texts;
  for (std::size_t k = 0; k < reference.names.size(); ++k) {
    const std::string& name = reference.names[k];
    const bool is_key = name == "HOMO" || name == "LUMO" || name == "HOMO(a)" ||
                        name == "LUMO(a)" || name.starts_with("SOMO");
    if (is_key) texts.push_back(base::concat(name, " = orbital ", reference.orbitals[k]));
  }
  return base::joined(texts);
}

}  // namespace

void write_configurations(std::ostream& out, const job::StateAnalysis& analysis) {
  const auto& from = analysis.configurations_from;
  if (!from) return;
  const std::string keys = key_orbitals(*from);
  out << "configurations relative to the reference " << from->determinant
      << ", the leading determinant of state 1" << (keys.empty() ? "" : "; ") << keys << '\n';
  Table table({"state", "configurations and their weights"});
  for (std::size_t j = 0; j < analysis.states.size(); ++j)
    table.add({std::to_string(j + 1), shown_text(analysis.states[j].configurations)});
  table.write(out);
}

Json::Member configurations_member(const job::StateDescription& state) {
  std::vector<Json> items;
  for (const job::LeadingConfiguration& one : state.configurations)
    items.push_back(Json::object(
        {{"excitation", one.excitation.empty() ? std::string(kReferenceItself) : one.excitation},
         {"from", Json::array({one.from.begin(), one.from.end()})},
         {"to", Json::array({one.to.begin(), one.to.end()})},
         {"weight", one.weight}}));
  return {"configurations", Json::array(std::move(items))};
}

Json configuration_reference_record(const job::StateAnalysis& analysis) {
  const auto& from = analysis.configurations_from;
  if (!from) return {};
  return Json::object({{"determinant", from->determinant},
                       {"orbitals", Json::array({from->orbitals.begin(), from->orbitals.end()})},
                       {"names", Json::array({from->names.begin(), from->names.end()})},
                       {"energies", Json::array({from->energies.begin(), from->energies.end()})}});
}

}  // namespace cisolve::app
