#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "job/plan/demand.hpp"
#include "job/plan/resources.hpp"
#include "job/plan/traffic.hpp"
#include "job/request/elements.hpp"

// The columns of the table of product methods (job/methods/methods.hpp). Types that are only
// declared here are defined in job/methods/prepare.hpp and job/products/product.hpp.
namespace cisolve::job {

struct BuildInput;
struct Plan;
struct PreparedProduct;
struct ProductMethod;
struct DistributedProduct;

/// Elements stored as plain values: the default method.
extern const ProductMethod kPrecomputed;

/// Input of a plan: the request, estimates for the matrix, and the resources.
struct PlanInput {
  const Request& request;
  const MatrixEstimate& counts;
  const Resources& resources;

  int vectors() const { return vectors_at_once(request); }
  int ranks() const { return resources.network.ranks; }
};

/// A product method and, if it stores elements, their format.
struct ProductForm {
  const ProductMethod* method = &kPrecomputed;
  sparse::FormatOptions storage = {};

  bool stores() const;    // whether some elements are stored
  bool computes() const;  // whether each product computes some elements, or their replacement
  bool is_coded() const { return storage.values == sparse::ValueEncoding::coded; }
  /// "tiled", "partly hybrid", "computed"
  std::string text() const;
};

/// Predicted cost of products on the device or on the host; members are empty if unknown.
struct ProductCost {
  Index bytes = 0;                             // least memory of elements and tables on each rank
  std::optional<double> product_seconds = {};  // time of a block of vectors on one process alone
  std::optional<double> setup_seconds = {};    // time of the setup on each rank
  /// Whether states are found among vectors that are even or odd under the exchange of spins, which
  /// are half as long.
  bool uses_parity_basis = false;
};

/// One of many ranks, with an even portion of the rows.
struct EvenPortion {
  const PlanInput& input;
  const ProductForm& form;
  bool on_device = false;
  bool by_parity = false;  // whether vectors are even or odd

  double rows() const { return input.counts.rows / input.ranks(); }
  std::vector<double> rows_of_ranks() const { return std::vector<double>(input.ranks(), rows()); }
};

/// Vectors of a product on one of many ranks.
struct RankVectors {
  Traffic traffic = {};       // traffic in a product
  double numbers = 0;         // elements of one vector that a rank holds besides its own rows
  double parity_numbers = 0;  // part of these needed only for even or odd vectors
  double pieces = 1;          // pieces of neighbouring rows that a vector has on all ranks
};

/// A way to multiply with a Hamiltonian: one row of a table.
struct ProductMethod {
  ElementPath elements;   // name of the method in requests
  std::string_view text;  // name in plans, before the format name if it stores elements
  bool stores;            // whether some elements are stored
  bool computes;          // whether each product computes some elements, or their replacement

  /// The method's plans for a request on the device or the host, the best one first; none if the
  /// request or the space rules it out. A method that the request names offers a plan on some
  /// allowed backend or throws: callers do not check for an empty list.
  std::vector<Plan> (*offer)(const PlanInput& input, bool on_device);
  /// Every form that its plans may have for a request, whatever the rows; the first one is used as
  /// long as nothing is known of them.
  std::vector<ProductForm> (*forms)(const Request& request, bool on_device);
  ProductCost (*cost)(const PlanInput& input, const ProductForm& form, bool on_device);
  /// Memory and traffic of one of many ranks.
  RankVectors (*rank_vectors)(const EvenPortion& portion);
  PreparedProduct (*build)(const BuildInput& input);
  DistributedProduct (*build_distributed)(const base::Communicator& ranks, const BuildInput& input);
  /// Reason other than memory that rules it out for such a matrix; empty if there is none. A null
  /// pointer: never any.
  std::string (*obstacle)(const MatrixEstimate& counts) = nullptr;
};

inline bool ProductForm::stores() const { return method->stores; }
inline bool ProductForm::computes() const { return method->computes; }

}  // namespace cisolve::job
