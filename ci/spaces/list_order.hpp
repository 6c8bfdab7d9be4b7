#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/array.hpp"
#include "ci/spaces/list_part.hpp"

namespace cisolve::ci {

/// A list of determinants by the numbers of their strings, those of one alpha string together: what
/// is to be known to find repeats in it, or the lists of beta strings. The work is proportional to
/// the list, and little of it is to compare strings.
class ListOrder {
 public:
  struct Entry {
    StringNumber beta;
    Index place;  // in the list
    friend bool operator==(const Entry&, const Entry&) = default;
    friend auto operator<=>(const Entry&, const Entry&) = default;
  };

  ListOrder(std::span<const Determinant> list, const base::Backend& host);
  /// Of a list that is these parts, one after the other.
  ListOrder(std::vector<ListPart> parts, const base::Backend& host);

  // Ascending.
  const std::vector<String>& alphas() const { return alphas_; }
  const std::vector<String>& betas() const { return betas_; }
  Index size() const { return entries_.size(); }
  /// The determinants with an alpha string, ascending by beta, then by place.
  std::span<const Entry> of(Index alpha) const {
    return entries_.span().subspan(begins_[alpha], begins_[alpha + 1] - begins_[alpha]);
  }
  /// The first place with a determinant that stands at an earlier one too, and that; from 0.
  std::optional<std::pair<Index, Index>> first_repeat() const;
  /// The list, as it came.
  std::vector<Determinant> determinants() const;

 private:
  void deal(const std::vector<ListPart>& parts, const base::Backend& host);

  std::vector<String> alphas_;
  std::vector<String> betas_;
  std::vector<Index> begins_;
  base::Array<Entry> entries_;
  std::optional<base::Reservation> held_;  // of the strings
};

}  // namespace cisolve::ci
