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
  std::vector<std::string> inputs;  // of plot
  std::string output;               // of the commands that write a file
  std::vector<Override> overrides;
  std::string json;  // a path, "-" for standard output, or empty
  bool force = false;
  Verbosity verbosity = Verbosity::normal;
  const base::Communicator* ranks = &solver::kOneProcess;  // that were started together
  int ranks_on_node = 1;
  int place_on_node = 0;  // among these

  std::vector<std::string> formats;   // of matrix product
  std::vector<std::string> backends;  // likewise
  std::string x_file;                 // of matrix apply
  bool markdown = false;              // of schema
  bool diagnose = false;              // of check
  PlannedRanks planned = {};          // likewise
  bool calibrate = false;             // of devices
};

}  // namespace cisolve::app
