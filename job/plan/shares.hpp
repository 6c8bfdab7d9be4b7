#pragma once

#include <optional>
#include <string>

#include "job/plan/demand.hpp"
#include "job/plan/exchange.hpp"

// What one of many ranks has of a plan.
namespace cisolve::job {

struct Plan;
struct Resources;

struct RankShare {
  int ranks = 1;
  Index matrix = 0;   // bytes of its elements, or of tables that each rank has whole
  Index vectors = 0;  // of its rows of what the solver holds
  Index whole = 0;    // of vectors that a product gathers or fetches, and what goes with them
  Index beside = 0;   // of that, what halves of vectors take alone: an image, and what is staged
  Index results = 0;  // in the host's memory of the first rank, in the end
  Traffic traffic = {};
  std::optional<double> computed_seconds = std::nullopt;  // of a product, but for
  double told_seconds = 0;                                // what ranks tell each other

  /// Of so many ranks, in terms of what one would compute alone.
  std::optional<double> efficiency() const;
};

/// Makes of a plan for one process that of each of many ranks, which have even shares. Those that
/// are more than one find the states together.
void share_out(const Request& request, const Counts& counts, const Resources& resources,
               Plan& plan);

/// The same of a plan by which `part` of the elements is stored and the others are computed, whose
/// product is that of the one and of the other, and tells what computing takes.
void share_mixed(const RankShare& stored, const RankShare& computed, double part, Plan& plan);

/// All reasons why a plan of ranks cannot be, with the bytes that are missing: on each, and on the
/// first, whose host has so many; empty where it can.
std::string what_is_missing(const Plan& plan, const Counts& counts, Index host);

}  // namespace cisolve::job
