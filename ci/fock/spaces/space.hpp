#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/array.hpp"
#include "ci/fock/strings/determinant.hpp"

namespace cisolve::ci {

using base::Column;

/// A set of determinants in canonical order: by alpha string, then by beta string.
///
/// Rows are counted by Index, since a space may exceed a stored matrix's Column range. Each alpha
/// string has a list of beta strings; alpha strings with equal beta sets share one: full CI has one
/// list, CISD three, a selected space up to one per alpha string. Row first_row(a) + i is alpha
/// string a with beta string list(list_of(a))[i]. Builders: spaces.hpp.
class Space {
 public:
  struct Parts {
    int orbitals = 0;
    std::vector<String> alphas;                    // ascending, each with at least one beta
    std::vector<String> betas;                     // ascending
    std::vector<StringNumber> list_of;             // beta list of each alpha string
    std::vector<std::vector<StringNumber>> lists;  // indices of betas, ascending
    std::vector<Determinant> references;           // determinants that generated the space, if any
  };
  Space(Parts parts, const base::Backend& host);

  int orbitals() const { return orbitals_; }
  int electrons(Spin spin) const { return electrons_[index(spin)]; }
  Index dimension() const { return first_row_[first_row_.size() - 1]; }
  const std::vector<Determinant>& references() const { return references_; }
  const base::Backend& host() const { return first_row_.backend(); }

  std::span<const String> strings(Spin spin) const { return strings_[index(spin)].span(); }
  /// The occupied orbitals of a string, ascending.
  std::span<const std::uint8_t> occupied(Spin spin, Index string) const {
    return occupied_[index(spin)].span().subspan(string * electrons(spin), electrons(spin));
  }

  Index first_row(Index alpha) const { return first_row_[alpha]; }
  StringNumber list_of(Index alpha) const { return list_of_[alpha]; }
  Index lists() const { return list_offsets_.size() - 1; }
  std::span<const StringNumber> list(Index list) const {
    return members_.span().subspan(list_offsets_[list],
                                   list_offsets_[list + 1] - list_offsets_[list]);
  }
  std::span<const StringNumber> betas_of(Index alpha) const { return list(list_of(alpha)); }

  /// The position of a beta string in a list, or -1.
  StringNumber position(Index list, Index beta) const {
    return positions_.size() > 0 ? positions_[list * beta_count() + beta] : search(list, beta);
  }

  /// A determinant by the indices of its strings.
  struct Place {
    Index alpha = 0;
    Index beta = 0;
  };
  Place place_of(Index row) const;
  Index alpha_of(Index row) const;
  Determinant determinant(Index row) const;
  std::optional<Index> row_of(const Determinant& determinant) const;

 private:
  friend class RowTables;
  static std::size_t index(Spin spin) { return static_cast<std::size_t>(spin); }
  Index beta_count() const { return strings_[1].size(); }
  StringNumber search(Index list, Index beta) const;
  void fill_occupied(Spin spin);
  void fill_positions();

  int orbitals_;
  std::array<int, 2> electrons_;
  std::vector<Determinant> references_;
  std::array<base::Array<String>, 2> strings_;
  std::array<base::Array<std::uint8_t>, 2> occupied_;
  base::Array<StringNumber> list_of_;
  base::Array<Index> first_row_;         // alphas + 1
  base::Array<Index> list_offsets_;      // lists + 1
  base::Array<StringNumber> members_;    // the members of all lists, one list after the other
  base::Array<StringNumber> positions_;  // lists x betas; empty if that would be too large
};

}  // namespace cisolve::ci
