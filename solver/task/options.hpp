#pragma once

#include <cstdint>
#include <optional>

#include "base/types.hpp"
#include "solver/vectors/keeping.hpp"

namespace cisolve::solver {

using base::Index;

enum class Method { automatic, davidson, lanczos, dense };

enum class PreconditionerKind {
  automatic,  // the model space where its elements come without products, else the diagonal
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
  automatic,  // a share of the products of the solution: search_allowance()
  none,
  full,  // until it is decided, or has taken a step for each row, and a thousand at least
};

struct Target;  // wanted.hpp

struct Options {
  Method method = Method::automatic;
  int states = 1;
  const Target* follow = nullptr;   // wanted are those of most weight in it, not the lowest
  std::optional<double> near = {};  // or those nearest to this energy
  double tolerance = 1e-8;          // on the norm of each residual
  double scale = 0;                 // of what elements are sums of, where these may cancel
  int max_iterations = 10000;       // of blocks of products, or of products of Lanczos
  std::uint64_t seed = 1;

  PreconditionerKind preconditioner = PreconditionerKind::automatic;
  Correction correction = Correction::davidson;
  StartKind start = StartKind::automatic;
  int model_size = -1;  // rows of the model space; -1: as many as pay

  int block_width = 0;   // vectors per product; 0: as many as states, at most 4
  int guards = 0;        // states carried along beside the wanted ones
  int max_subspace = 0;  // vectors of the search space; 0: what suits the states and the memory
  int per_state = 0;     // bounded memory: so many vectors of the search space a state, 2 to 4
  std::optional<Keeping> keeping = {};  // of the search space; none: as memory has room

  SearchEffort search = SearchEffort::automatic;  // for missed states, after convergence
  Index dense_limit = 500;    // automatic: up to this many rows all states are solved for
  bool leaves_above = false;  // Result::above, for a search that is another's

  bool are_lowest() const { return follow == nullptr && !near; }
};

}  // namespace cisolve::solver
