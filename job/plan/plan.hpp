#pragma once

#include <optional>
#include <string>

#include "job/plan/product_method.hpp"

namespace cisolve::job {

/// Products that a solution is assumed to take, to weigh their cost against that of the setup.
inline constexpr double kAssumedProducts = 40;

/// Memory, traffic and time of one of many ranks.
struct RankPortion {
  int ranks = 1;
  Index matrix = 0;    // bytes of its elements, or of tables that each rank has whole
  Index vectors = 0;   // this rank's rows of the solver's vectors
  Index gathered = 0;  // gathered or fetched vectors and their buffers
  Index parity_bytes =
      0;              // part of it that even or odd vectors need: an image and a staging buffer
  Index results = 0;  // results in host memory of the first rank, at the end
  Traffic traffic = {};
  std::optional<double> computed_seconds = std::nullopt;  // time of a product without communication
  double communication_seconds = 0;                       // time of a product's communication

  /// Parallel efficiency: the fraction of a product's time that is spent computing.
  std::optional<double> efficiency() const;
};

/// A product method on one backend, with its memory, its predicted time and the reason for its rank
/// among the plans.
struct Plan : ProductForm {
  bool on_device = false;
  MemoryNeed demand = {};  // bytes; a lower bound if rows are not counted
  Index limit = 0;         // available bytes
  // Predicted: for the product of a block of vectors, and for the setup.
  std::optional<double> product_seconds = std::nullopt;
  std::optional<double> setup_seconds = std::nullopt;
  bool uses_parity_basis = false;    // see ProductCost
  SearchSpaceEstimate solving = {};  // set if memory limits the search space
  /// One rank's part, if several ranks run the product.
  std::optional<RankPortion> portion = std::nullopt;
  std::string reason;

  /// Seconds of the setup and of all products of a solution; none if they are not known.
  std::optional<double> whole_seconds() const;
  /// Whether it might be faster, memory aside; true if too little is known of either.
  bool may_be_sooner_in_more_memory(const Plan& other) const;
  bool fits() const { return demand.within(limit); }
  ElementPath elements() const { return method->elements; }
  /// "tiled on the device"
  std::string text() const;
};

/// The plan of a form on the device or on the host, with the cost that its method predicts for one
/// of the ranks that share the work.
Plan plan_of(const PlanInput& input, ProductForm form, bool on_device, std::string reason = {});

/// Whether one plan is predicted to be faster than another; false if that is not known.
bool is_sooner(const Plan& plan, const Plan& other);

/// "a product in about 2 ms, made in about 1.3 s"
std::string times_of(const Plan& plan);

/// The reasons why ranks cannot execute a plan: the bytes that each rank lacks, and those that the
/// first one lacks of its `host` bytes; empty if they can.
std::string missing_memory_text(const Plan& plan, const MatrixEstimate& counts, Index host);

}  // namespace cisolve::job
