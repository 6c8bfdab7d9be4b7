#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/array.hpp"
#include "ci/fock/spaces/list_chunk.hpp"

namespace cisolve::ci {

/// Index of a list of determinants: its strings, numbered, and the determinants grouped by alpha
/// string, as needed to detect duplicates and to build beta lists. Cost is linear in the list; few
/// strings are compared.
class DeterminantIndex {
 public:
  struct Entry {
    StringNumber beta;
    Index place;  // position in the list
    friend bool operator==(const Entry&, const Entry&) = default;
    friend auto operator<=>(const Entry&, const Entry&) = default;
  };

  DeterminantIndex(std::span<const Determinant> list, const base::Backend& host);
  /// Indexes the concatenation of `parts`.
  DeterminantIndex(std::vector<ListChunk> parts, const base::Backend& host);

  // Distinct strings, ascending.
  const std::vector<String>& alphas() const { return alphas_; }
  const std::vector<String>& betas() const { return betas_; }
  Index size() const { return entries_.size(); }
  /// The determinants of alpha string `alpha`, ascending by beta, then by position.
  std::span<const Entry> of(Index alpha) const {
    return entries_.span().subspan(begins_[alpha], begins_[alpha + 1] - begins_[alpha]);
  }
  /// The first position (from 0) whose determinant occurs earlier, and that earlier position.
  std::optional<std::pair<Index, Index>> first_repeat() const;
  /// The list in its original order.
  std::vector<Determinant> determinants() const;

 private:
  void deal(const std::vector<ListChunk>& parts, const base::Backend& host);

  std::vector<String> alphas_;
  std::vector<String> betas_;
  std::vector<Index> begins_;
  base::Array<Entry> entries_;
  std::optional<base::Reservation> held_;  // memory of the strings
};

}  // namespace cisolve::ci
