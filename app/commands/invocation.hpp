#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/config/load.hpp"
#include "solver/vectors/problem.hpp"

namespace cisolve::app {

enum class Verbosity { quiet, normal, verbose };

/// Ranks for which a job is planned, and the machine that they would run on.
struct PlannedRanks {
  base::Index count = 0;  // 0: none are
  base::Index on_node = 8;
  std::string card = {};  // GPU of each rank; empty: as on this machine
  // Empty: as built in. In GB/s of a rank, either way, and in microseconds.
  std::optional<double> link = {};
  std::optional<double> network = {};
  std::optional<double> latency = {};
};

/// The parsed command line; its values are not validated yet.
struct Invocation {
  std::string command = "solve";    // "check", "matrix info", ...
  std::string input;                // the configuration or the matrix
  std::string second;               // the other matrix of matrix product
  std::vector<std::string> inputs;  // folders given to plot
  std::string output;               // file that the command writes
  std::vector<Override> overrides;
  std::string json;  // a path, "-" for standard output, or empty
  bool force = false;
  Verbosity verbosity = Verbosity::normal;
  const base::Communicator* ranks = &solver::kOneProcess;  // the processes started together
  int ranks_on_node = 1;
  int place_on_node = 0;  // among these

  std::vector<std::string> formats;   // formats given to matrix product
  std::vector<std::string> backends;  // backends given to matrix product
  std::string x_file;                 // vectors given to matrix apply
  bool markdown = false;              // option of schema
  bool diagnose = false;              // option of check
  PlannedRanks planned = {};          // option of check
  bool calibrate = false;             // option of devices
};

}  // namespace cisolve::app
