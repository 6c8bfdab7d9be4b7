#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/config/energy_unit.hpp"
#include "app/config/sweep.hpp"
#include "job/request/request.hpp"

namespace cisolve::app {

using base::Index;

/// Speeds from which the times of plans are predicted: those measured on this machine, if any, or
/// the built-in ones.
enum class Rates { automatic, built_in };

/// Natural orbitals over which integrals are written: of one state, or of the mean of all states.
enum class NaturalOf { none, average, state };
struct NaturalRule {
  NaturalOf of = NaturalOf::none;
  Index number = 0;  // of the state, from 1
};

}  // namespace cisolve::app

template <>
struct cisolve::job::Words<cisolve::app::Rates> {
  static constexpr std::array<std::string_view, 2> all = {"auto", "built-in"};
};

template <>
struct cisolve::job::Words<cisolve::app::NaturalOf> {
  static constexpr std::array<std::string_view, 3> all = {"none", "average", "state"};
};

namespace cisolve::app {

/// One job, complete and checked: its request and its output.
struct Configuration {
  job::Request request;

  /// Place of each key that was given a value other than auto or the like: "job.yaml:7: ".
  std::map<std::string, std::string> given;

  Rates rates = Rates::automatic;

  struct Output {
    std::string directory = "out";
    double checkpoint = 600;      // seconds; negative: none
    std::optional<bool> vectors;  // none: written up to a size (kept_vectors.hpp)
    bool history = false;         // whether the history is written as a table
    bool trexio = false;
    bool molden = false;
    std::vector<std::string> cube = {};  // names that cube_contents() knows
    double cube_spacing = 0.2;           // bohr
    double cube_margin = 5;              // bohr
    NaturalRule natural_fcidump = {};
    EnergyUnit units = EnergyUnit::ev;  // unit of excitation energies in tables
  } output;

  struct Sweep {
    Index repeat = 20;
    std::vector<SweepAxis> axes;  // in the order of the file; the last one varies fastest
  } sweep;
};

}  // namespace cisolve::app
