#pragma once

#include <cstdint>
#include <optional>

#include "base/types.hpp"

namespace cisolve::solver {

using base::Index;

enum class Method { automatic, davidson, lanczos, dense };

enum class PreconditionerKind {
  automatic,  // the model space if its elements need no products, else the diagonal
  none,
  diagonal,     // (D - theta)^-1
  model_space,  // the same, with the exact block of the model space in place of its diagonal
};

enum class Correction {
  davidson,  // t = M^-1 r
  olsen,     // t = M^-1 r - epsilon M^-1 x, orthogonal to x
};

enum class StartKind { automatic, model_space, random };

enum class SearchEffort {
  automatic,  // limited to a fraction of the solution's products: search_product_budget()
  none,
  full,  // runs until decided, or for as many steps as rows, at least a thousand
};

/// Storage of a search space.
enum class BasisStorage {
  full,    // the backend's memory holds it
  staged,  // on the host, in panels copied to the device; in single precision if there is one
           // state, except its own vector beside a single state in single precision
};

struct Target;  // wanted.hpp

struct Options {
  Method method = Method::automatic;
  int states = 1;
  const Target* follow =
      nullptr;  // not null: solve for the states of largest weight in it instead of the lowest
  std::optional<double> near = {};  // set: solve for the states nearest to this energy
  double tolerance = 1e-8;          // bound of each residual's norm
  double scale = 0;                 // magnitude of the terms of elements, if these may cancel
  int max_iterations = 10000;       // block products, or single products of Lanczos
  std::uint64_t seed = 1;

  PreconditionerKind preconditioner = PreconditionerKind::automatic;
  Correction correction = Correction::davidson;
  StartKind start = StartKind::automatic;
  int model_size = -1;  // rows of the model space; -1: as many as pay

  int block_width = 0;   // vectors per product; 0: as many as states, at most 4
  int guards = 0;        // additional states to iterate on
  int max_subspace = 0;  // vectors of the search space; 0: by states and memory
  int per_state = 0;     // bounded memory: vectors of the search space per state, 2 to 4
  std::optional<BasisStorage> basis_storage = {};  // storage of the search space; none: by memory

  SearchEffort search = SearchEffort::automatic;  // search for missed states after convergence
  Index dense_limit = 500;                        // automatic: up to this many rows, dense
  bool fills_above = false;  // whether to fill Result::above, for a later search

  bool are_lowest() const { return follow == nullptr && !near; }
};

}  // namespace cisolve::solver
