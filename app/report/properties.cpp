#include "app/report/properties.hpp"

#include <cmath>
#include <ostream>

#include "app/report/excitations.hpp"
#include "app/report/table.hpp"
#include "base/number.hpp"
#include "ci/fock/integrals/one_electron_operator.hpp"

namespace cisolve::app {
namespace {

using ci::OneElectronOperator;
using job::Components;
using job::StateProperties;

constexpr int kDecimals = 6;

double length_of(const Components& vector) {
  double sum = 0;
  for (const double value : vector) sum += value * value;
  return std::sqrt(sum);
}

// No minus before a zero.
std::string number_text(double value, int decimals = kDecimals) {
  const double half = 0.5 * std::pow(10.0, -decimals);
  return base::fixed(std::abs(value) < half ? 0 : value, decimals);
}

std::string strength_text(const std::optional<double>& strength) {
  return strength ? number_text(*strength) : "-";
}

std::string origin_text(const OneElectronOperator& one) {
  if (!one.origin) return {};
  std::string text;
  for (const double value : *one.origin) text += (text.empty() ? "" : ", ") + number_text(value);
  return base::concat("origin (", text, ") bohr", one.origin_note.empty() ? "" : ", the ",
                      one.origin_note);
}

/// The index of an operator of the table, or none.
std::optional<std::size_t> index_of(const StateProperties& properties, std::string_view name) {
  for (std::size_t k = 0; k < properties.operators.size(); ++k)
    if (properties.operators[k].name == name) return k;
  return std::nullopt;
}

std::string charge_text(double charge) {
  return base::concat(charge > 0 ? "+" : "", base::shortest(charge));
}

void write_dipoles(std::ostream& out, const StateProperties& properties, std::size_t dipole) {
  out << "Dipole moments (debye)\n";
  Table table({"state", "x", "y", "z", "total"});
  for (std::size_t j = 0; j < properties.states.size(); ++j) {
    const Components& moment = properties.states[j][dipole];
    std::vector<std::string> cells{std::to_string(j + 1)};
    for (const double value : moment) cells.push_back(number_text(kDebye * value));
    cells.push_back(number_text(kDebye * length_of(moment)));
    table.add(cells);
  }
  table.write(out);
  if (properties.charge && std::abs(*properties.charge) > 1e-6)
    out << "of an ion of charge " << charge_text(*properties.charge)
        << ", whose dipole moment depends on the origin\n";
  if (const std::string origin = origin_text(properties.operators[dipole]); !origin.empty())
    out << origin << '\n';
  out << '\n';
}

/// Expectation values of another operator; those of an antisymmetric one vanish.
void write_expectations(std::ostream& out, const StateProperties& properties, std::size_t k) {
  const OneElectronOperator& one = properties.operators[k];
  out << "Expectation values of " << one.name << " (" << one.unit << ")\n";
  std::vector<std::string> heads{"state"};
  heads.insert(heads.end(), one.components.begin(), one.components.end());
  Table table(heads);
  for (std::size_t j = 0; j < properties.states.size(); ++j) {
    std::vector<std::string> cells{std::to_string(j + 1)};
    for (const double value : properties.states[j][k]) cells.push_back(number_text(value));
    table.add(cells);
  }
  table.write(out);
  if (const std::string origin = origin_text(one); !origin.empty()) out << origin << '\n';
  out << '\n';
}

std::vector<std::string> excitation_cells(double energy, EnergyUnit unit,
                                          const std::optional<double>& length,
                                          const std::optional<double>& velocity) {
  return {number_text(hartree_in(unit) * energy, decimals_in(unit)),
          excitation_text(energy, EnergyUnit::nanometre), strength_text(length),
          strength_text(velocity)};
}

/// `chosen`: wavelengths have a column of their own, beside energies in eV.
void write_transitions(std::ostream& out, const StateProperties& properties, EnergyUnit chosen) {
  const EnergyUnit unit = chosen == EnergyUnit::nanometre ? EnergyUnit::ev : chosen;
  out << "Transitions from state 1\n";
  const std::vector<std::string> heads{symbol_of(unit), "nm", "f (length)", "f (velocity)"};
  const auto table_of = [&](const char* first) {
    std::vector<std::string> all{first};
    all.insert(all.end(), heads.begin(), heads.end());
    return Table(all);
  };
  const auto row_of = [](std::string first, std::vector<std::string> cells) {
    cells.insert(cells.begin(), std::move(first));
    return cells;
  };
  Table table = table_of("to");
  for (const job::Transition& one : properties.transitions)
    table.add(
        row_of(std::to_string(one.to + 1),
               excitation_cells(one.energy, unit, one.length_strength, one.velocity_strength)));
  table.write(out);
  if (!properties.levels.empty()) {
    const std::size_t initial = properties.levels.front().states;
    out << "\nSums over states of one energy";
    if (initial > 1) out << ", averaged over states 1 to " << initial;
    out << '\n';
    Table levels = table_of("states");
    for (const job::EnergyLevel& level : properties.levels) {
      // The first level itself, or one that the table above has.
      if (level.first == 0 || (initial == 1 && level.states == 1)) continue;
      const std::string first = std::to_string(level.first + 1);
      levels.add(row_of(
          level.states == 1 ? first : base::concat(first, "-", level.first + level.states),
          excitation_cells(level.energy, unit, level.length_strength, level.velocity_strength)));
    }
    levels.write(out);
  }
  out << '\n';
}

Json numbers(const Components& values) { return Json::array({values.begin(), values.end()}); }
Json texts_of(const std::vector<std::string>& values) {
  return Json::array({values.begin(), values.end()});
}
Json optional_number(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json named_values(const OneElectronOperator& one, const Components& values) {
  return Json::object({{"name", one.name},
                       {"components", texts_of(one.components)},
                       {"values", numbers(values)},
                       {"unit", one.unit}});
}

Json operator_json(const OneElectronOperator& one) {
  Json origin;
  if (one.origin) origin = numbers(Components(one.origin->begin(), one.origin->end()));
  return Json::object({{"name", one.name},
                       {"components", texts_of(one.components)},
                       {"unit", one.unit},
                       {"symmetry", one.antisymmetric ? "antisymmetric" : "symmetric"},
                       {"origin", std::move(origin)},
                       {"origin_note", one.origin_note.empty() ? Json() : Json(one.origin_note)}});
}

Json transition_json(const StateProperties& properties, const job::Transition& one) {
  const auto dipole = index_of(properties, ci::kDipole);
  std::vector<Json> moments;
  for (std::size_t k = 0; k < one.moments.size(); ++k)
    moments.push_back(named_values(properties.operators[k], one.moments[k]));
  return Json::object({{"from", 1},
                       {"to", static_cast<base::Index>(one.to) + 1},
                       {"energy", one.energy},
                       {"dipole", dipole ? numbers(one.moments[*dipole]) : Json()},
                       {"oscillator_strength", optional_number(one.length_strength)},
                       {"oscillator_strength_velocity", optional_number(one.velocity_strength)},
                       {"moments", Json::array(std::move(moments))}});
}

Json level_json(const job::EnergyLevel& level) {
  std::vector<Json> states;
  for (std::size_t k = 0; k < level.states; ++k)
    states.emplace_back(static_cast<base::Index>(level.first + k) + 1);
  return Json::object({{"states", Json::array(std::move(states))},
                       {"energy", level.energy},
                       {"oscillator_strength", optional_number(level.length_strength)},
                       {"oscillator_strength_velocity", optional_number(level.velocity_strength)}});
}

void write_populations(std::ostream& out, const StateProperties& properties) {
  if (properties.populations.empty()) return;
  out << "Populations of atoms (charges; spins: alpha less beta electrons)\n";
  Table table({"state", "atom", "Mulliken charge", "spin", "Loewdin charge", "spin"});
  for (std::size_t j = 0; j < properties.populations.size(); ++j) {
    const job::Populations& found = properties.populations[j];
    for (std::size_t atom = 0; atom < properties.atoms.size(); ++atom)
      table.add({atom == 0 ? std::to_string(j + 1) : std::string(),
                 base::concat(atom + 1, " ", properties.atoms[atom]),
                 number_text(found.mulliken.charges[atom]), number_text(found.mulliken.spins[atom]),
                 number_text(found.loewdin.charges[atom]), number_text(found.loewdin.spins[atom])});
  }
  table.write(out);
  out << '\n';
}

Json atoms_json(const job::AtomPopulations& atoms) {
  return Json::object({{"charges", numbers(atoms.charges)}, {"spins", numbers(atoms.spins)}});
}

}  // namespace

void write_properties(std::ostream& out, const StateProperties& properties, EnergyUnit unit) {
  const auto dipole = index_of(properties, ci::kDipole);
  if (!properties.states.empty()) {
    if (dipole) write_dipoles(out, properties, *dipole);
    for (std::size_t k = 0; k < properties.operators.size(); ++k)
      if (k != dipole && !properties.operators[k].antisymmetric)
        write_expectations(out, properties, k);
  }
  write_populations(out, properties);
  if (!properties.transitions.empty() && (dipole || index_of(properties, ci::kVelocity)))
    write_transitions(out, properties, unit);
  if (!properties.note.empty()) out << "properties left out: " << properties.note << "\n\n";
}

std::vector<Json::Member> property_members(const StateProperties& properties, std::size_t j) {
  if (properties.states.empty()) return {};
  const auto dipole = index_of(properties, ci::kDipole);
  std::vector<Json> values;
  for (std::size_t k = 0; k < properties.operators.size(); ++k)
    if (!properties.operators[k].antisymmetric)
      values.push_back(named_values(properties.operators[k], properties.states[j][k]));
  std::vector<Json::Member> members{
      {"dipole", dipole ? numbers(properties.states[j][*dipole]) : Json()},
      {"properties", Json::array(std::move(values))}};
  if (!properties.populations.empty())
    members.emplace_back(
        "populations", Json::object({{"mulliken", atoms_json(properties.populations[j].mulliken)},
                                     {"loewdin", atoms_json(properties.populations[j].loewdin)}}));
  return members;
}

std::vector<Json::Member> property_record(const StateProperties& properties) {
  std::vector<Json> operators;
  for (const OneElectronOperator& one : properties.operators)
    operators.push_back(operator_json(one));
  std::vector<Json> transitions;
  for (const job::Transition& one : properties.transitions)
    transitions.push_back(transition_json(properties, one));
  std::vector<Json> levels;
  for (const job::EnergyLevel& level : properties.levels) levels.push_back(level_json(level));
  std::vector<Json> atoms(properties.atoms.begin(), properties.atoms.end());
  return {{"operators", Json::array(std::move(operators))},
          {"atoms", Json::array(std::move(atoms))},
          {"charge", optional_number(properties.charge)},
          {"transitions", Json::array(std::move(transitions))},
          {"levels", Json::array(std::move(levels))},
          {"properties_note", properties.note.empty() ? Json() : Json(properties.note)}};
}

}  // namespace cisolve::app
