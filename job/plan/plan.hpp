#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/ranks/communicator.hpp"
#include "job/plan/demand.hpp"
#include "job/plan/shares.hpp"
#include "job/request/request.hpp"
#include "sparse/rows/row_source.hpp"
#include "sparse/stored/rates.hpp"

namespace cisolve::job {

/// Bytes that are left for a job, on the host and on its device, if it has one, and how quick that
/// is.
struct Resources {
  Index host = 0;
  std::optional<Index> device = std::nullopt;
  std::optional<sparse::DeviceRates> rates = std::nullopt;
  int threads = 1;  // of the host
  Pace host_pace = {};
  Pace device_pace = {};
  Network network = {};  // of the ranks that share the work

  static Resources of(const base::Backend& backend, const Paces& paces);
  /// The same on all ranks, which have backends of one kind: the least memory of any, and else what
  /// the first has.
  Resources agreed(const base::Communicator& ranks) const;
  /// Of each of those ranks.
  Resources among(const Network& ranks) const;
};

inline constexpr const char* kNotStored = "none";   // the format of what is not stored
inline constexpr const char* kFactors = "factors";  // and of string matrices

/// Whether string matrices are multiplied in place of elements.
inline bool factorises(const sparse::FormatOptions& storage) { return storage.format == kFactors; }
/// Whether no element of a matrix that is stored so is: not at all, or as string matrices.
inline bool computes(const sparse::FormatOptions& storage) {
  return storage.format == kNotStored || factorises(storage);
}
/// Whether it computes those of some rows, the others being stored so.
inline bool mixes(const sparse::FormatOptions& storage) { return storage.share.has_value(); }
/// Whether it computes any.
inline bool computes_any(const sparse::FormatOptions& storage) {
  return computes(storage) || mixes(storage);
}
/// The path of elements that are stored in this way.
ElementPath elements_of(const sparse::FormatOptions& storage);

/// One way to have the matrix of a job: what of it is stored, as what and where, what that takes
/// and why it stands where it does among the others.
struct Plan {
  ElementPath elements = ElementPath::precomputed;
  sparse::FormatOptions storage;
  bool on_device = false;
  Demand demand = {};  // bytes, at least where the matrix is not counted
  Index limit = 0;     // bytes that there are
  // As predicted: of a product of a block of vectors, and of what is made before it.
  std::optional<double> product_seconds = std::nullopt;
  std::optional<double> making_seconds = std::nullopt;
  Solving solving = {};                           // where little room is left for a search space
  std::optional<RankShare> share = std::nullopt;  // where ranks have shares: what one of them has
  std::string reason;

  /// Of all products that a solution may take and what is made before them; none where nothing is
  /// known of that.
  std::optional<double> whole_seconds() const;
  /// Were there room for all of either; also where nothing is known of one.
  bool may_be_sooner_with_room_than(const Plan& other) const;
  bool computes() const { return job::computes(storage); }
  bool mixes() const { return job::mixes(storage); }
  bool fits() const { return demand.within(limit); }
  /// "tiled on the device"
  std::string text() const;
};

/// That a product of the request's solution has at once.
int vectors_at_once(const Request& request);

/// Every way that a request leaves open, the best one first. What it names is never replaced. Where
/// a profile of the rows and the rates of the device are known, the quickest product comes first.
/// Of ranks that share the work, what each of them holds and does.
std::vector<Plan> rank_plans(const Request& request, const Counts& counts,
                             const Resources& resources);

/// Whether a choice depends on what rows and their strings tell wherever they go, so that it may be
/// asked before the backend is known.
bool learns_anywhere(const Request& request);

/// What rows tell of their products, where a request leaves a choice that depends on it.
std::optional<sparse::RowProfile> profile_for(const Request& request, const sparse::RowSource& rows,
                                              const base::Backend& backend);

/// The storage of the first plan for this backend that may fit.
sparse::FormatOptions chosen_storage(const Request& request, const sparse::RowSource& rows,
                                     const base::Backend& backend);

/// Every one that a plan may have, the first one as long as nothing is known of the rows.
std::vector<sparse::FormatOptions> possible_storages(const Request& request, bool on_device);

/// Puts what the formats really take in place of what they take at least. `lengths` are those of
/// the rows.
void count_plans(std::vector<Plan>& plans, const sparse::RowSource& rows,
                 std::span<const sparse::Column> lengths, const base::Backend& backend);

/// The first plan that may fit; where none does, the first.
std::size_t first_fitting(const std::vector<Plan>& plans);

}  // namespace cisolve::job
