#pragma once

#include <optional>
#include <string>

#include "job/plan/product_method.hpp"

namespace cisolve::job {

/// Products that a solution is assumed to take, to weigh them against what is made once.
inline constexpr double kAssumedProducts = 40;

/// The part of one of many ranks in a plan.
struct RankShare {
  int ranks = 1;
  Index matrix = 0;   // bytes of its elements, or of tables that each rank has whole
  Index vectors = 0;  // of its rows of what the solver holds
  Index whole = 0;    // of vectors that a product gathers or fetches, and what goes with them
  Index beside = 0;   // of that, what halves of vectors take alone: an image, and what is staged
  Index results = 0;  // in the host's memory of the first rank, in the end
  Traffic traffic = {};
  std::optional<double> computed_seconds = std::nullopt;  // of a product, without communication
  double told_seconds = 0;                                // of its communication

  /// Parallel efficiency: the share of a product's time that is spent computing.
  std::optional<double> efficiency() const;
};

/// One way to have the products of a job: how and where, what that takes, and why it stands where
/// it does among the others.
struct Plan : ProductForm {
  bool on_device = false;
  Demand demand = {};  // bytes, at least where the matrix is not counted
  Index limit = 0;     // bytes that there are
  // As predicted: of a product of a block of vectors, and of what is made before it.
  std::optional<double> product_seconds = std::nullopt;
  std::optional<double> making_seconds = std::nullopt;
  bool halves_vectors = false;                    // as its cost says
  Solving solving = {};                           // where little room is left for a search space
  std::optional<RankShare> share = std::nullopt;  // where ranks share the work: that of one
  std::string reason;

  /// Seconds of all products that a solution may take and of what is made before them; none where
  /// too little is known.
  std::optional<double> whole_seconds() const;
  /// Whether it might be done sooner, memory aside; true if too little is known of either.
  bool may_be_sooner_with_room_than(const Plan& other) const;
  bool fits() const { return demand.within(limit); }
  ElementPath elements() const { return method->elements; }
  /// "tiled on the device"
  std::string text() const;
};

/// A form at one place with its cost, as its row of the table predicts it, for one of the ranks
/// that share the work.
Plan plan_of(const PlanInput& input, ProductForm form, bool on_device, std::string reason = {});

/// Whether a solution is done sooner by one plan than by another, as far as that is known.
bool is_sooner(const Plan& plan, const Plan& other);

/// "a product in about 2 ms, made in about 1.3 s"
std::string times_of(const Plan& plan);

/// Why ranks cannot take a plan, with the bytes that each of them lacks and those that the first
/// one lacks, whose host has so many; empty if they can.
std::string what_is_missing(const Plan& plan, const Counts& counts, Index host);

}  // namespace cisolve::job
