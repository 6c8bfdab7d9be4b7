#pragma once

#include "ci/hamiltonian/rows/row_look_up.hpp"
#include "sparse/rows/device_rows.hpp"

// Elements of one row of the Hamiltonian by a group of threads without memory of its own. Sums run
// in the order of HamiltonianRows, so that elements have the same bits.
namespace cisolve::ci {

/// Passes the elements of a row to the sink in ascending canonical columns: all lanes call
/// sink.take(is_kept, column, value) together, ordered by lane.
///
/// Each lane counts the candidates of one connection of the alpha string: one for a double, a list
/// for a single, the connections of the beta string for the string itself. The candidates are then
/// distributed evenly over the lanes (prefix sum and search).
template <class Group, class Sink>
class GroupRowBuilder {
 public:
  CISOLVE_HOST_DEVICE GroupRowBuilder(const RowTablesView& tables, Index stored_row, Sink& sink)
      : t_(tables), here_(tables, stored_row), sink_(sink) {}

  CISOLVE_HOST_DEVICE void walk() {
    const Index end = t_.alpha.offsets[here_.alpha() + 1];
    for (Index first = t_.alpha.offsets[here_.alpha()]; first < end; first += Group::size) {
      const Index mine = first + Group::lane();
      walk_group(mine < end ? candidates_of(t_.alpha.all[mine]) : Candidates{});
    }
  }

 private:
  /// The candidates of one connection.
  struct Candidates {
    Column code = Connection::kDouble;
    Column target = 0;  // used if lists of beta strings differ
    Column first = 0;   // column of the list's first beta string; for a double its own column
    Index entry = 0;    // first one in class_singles, in the beta connections, or in the list
    bool by_list = false;
    int count = 0;
    double value = 0;  // value of a double, or of the single with the same beta string
  };
  struct Candidate {
    bool is_kept = false;
    Index column = 0;
    double value = 0;
  };

  CISOLVE_HOST_DEVICE Candidates candidates_of(const Connection& to) const {
    Candidates found;
    found.code = to.code;
    found.target = to.target;
    found.first = static_cast<Column>(t_.first_row[to.target]);
    if (to.is_double()) {
      const Column position = here_.position(t_.list_of[to.target], here_.beta());
      found.count = position < 0 ? 0 : 1;
      found.first += position;
      found.value = to.value;
    } else if (to.is_single()) {
      find_products(to, found);
    } else {
      found.entry = t_.beta.offsets[here_.beta()];
      found.count = static_cast<int>(t_.beta.offsets[here_.beta() + 1] - found.entry);
    }
    return found;
  }

  /// The shorter is looked up in the longer: the singles, or the list.
  CISOLVE_HOST_DEVICE void find_products(const Connection& to, Candidates& found) const {
    found.value = here_.alpha_single(to);
    const Index class_singles = short_list(to.pair());
    found.entry = t_.class_single_offsets[class_singles];
    found.count = static_cast<int>(t_.class_single_offsets[class_singles + 1] - found.entry);
    if (t_.has_all_betas) return;
    const Index list = t_.list_of[to.target];
    const Index members = t_.list_offsets[list];
    const auto size = static_cast<int>(t_.list_offsets[list + 1] - members);
    if (size >= found.count) return;
    found.by_list = true;
    found.entry = members;
    found.count = size;
  }

  CISOLVE_HOST_DEVICE Index short_list(SignedPair pair) const {
    return t_.class_of[pair.pair()] * t_.betas + here_.beta();
  }

  CISOLVE_HOST_DEVICE void walk_group(const Candidates& mine) {
    const int through = Group::sum_through(mine.count);
    const int all = Group::broadcast(through, Group::size - 1);
    for (int begin = 0; begin < all; begin += Group::size) {
      const int k = begin + Group::lane();
      const int from = Group::owner(through, k);
      const Candidates group{.code = Group::broadcast(mine.code, from),
                             .target = t_.has_all_betas ? 0 : Group::broadcast(mine.target, from),
                             .first = Group::broadcast(mine.first, from),
                             .entry = Group::broadcast(mine.entry, from),
                             .by_list = !t_.has_all_betas && Group::broadcast(mine.by_list, from),
                             .count = 0,
                             .value = Group::broadcast(mine.value, from)};
      const int before = Group::broadcast(through - mine.count, from);
      const Candidate found = k < all ? candidate(group, k - before) : Candidate{};
      sink_.take(found.is_kept, found.column, found.value);
    }
  }

  /// Candidate i of a connection.
  CISOLVE_HOST_DEVICE Candidate candidate(const Candidates& group, int i) const {
    if (group.code == Connection::kDouble) return {true, group.first, group.value};
    if (group.code == Connection::kSelf)
      return beta_connection(group, t_.beta.all[group.entry + i]);
    return group.by_list ? member_of_list(group, i)
                         : product(group, t_.class_singles[group.entry + i]);
  }

  CISOLVE_HOST_DEVICE Candidate product(const Candidates& group, const Single& single) const {
    const Column position = here_.position(list_of(group), single.target);
    return position < 0 ? Candidate{} : product_at(group, position, single.pair);
  }

  CISOLVE_HOST_DEVICE Candidate member_of_list(const Candidates& group, int i) const {
    const Index entry = short_of(SignedPair{group.code}, t_.members[group.entry + i]);
    return entry < 0 ? Candidate{} : product_at(group, i, t_.class_singles[entry].pair);
  }

  CISOLVE_HOST_DEVICE Candidate product_at(const Candidates& group, Index position,
                                           SignedPair with) const {
    const Index column = Index{group.first} + position;
    if (with.code == Connection::kSelf) return {here_.keeps(group.value), column, group.value};
    const SignedPair pair{group.code};
    const double found = t_.mixed[pair.pair() * t_.beta_pairs + with.pair()];
    return {found != 0, column, pair.sign() * with.sign() * found};
  }

  CISOLVE_HOST_DEVICE Candidate beta_connection(const Candidates& group,
                                                const Connection& to) const {
    const Column position = here_.position(list_of(group), to.target);
    if (position < 0) return {};
    const Index column = Index{group.first} + position;
    if (to.is_double()) return {true, column, to.value};
    if (!to.is_single()) return {true, column, here_.diagonal()};
    const double value = here_.beta_single(to);
    return {here_.keeps(value), column, value};
  }

  CISOLVE_HOST_DEVICE Index list_of(const Candidates& group) const {
    return t_.has_all_betas ? 0 : Index{t_.list_of[group.target]};
  }

  /// Position of a string among the class singles of the row's beta string; -1 if absent.
  CISOLVE_HOST_DEVICE Index short_of(SignedPair pair, Column target) const {
    Index first = t_.class_single_offsets[short_list(pair)];
    const Index end = t_.class_single_offsets[short_list(pair) + 1];
    for (Index last = end; first < last;) {
      const Index middle = (first + last) / 2;
      if (t_.class_singles[middle].target < target)
        first = middle + 1;
      else
        last = middle;
    }
    return first < end && t_.class_singles[first].target == target ? first : -1;
  }

  const RowTablesView t_;
  RowLookUp here_;
  Sink& sink_;
};

/// Counts the elements of a row with stored columns below `end`.
template <class Group>
class RowLengthCount {
 public:
  CISOLVE_HOST_DEVICE RowLengthCount(const RowTablesView& tables, Index end)
      : stored_(tables.stored), end_(end) {}

  CISOLVE_HOST_DEVICE void take(bool is_kept, Index column, double /*value*/) {
    const bool counts = is_kept && (stored_ == nullptr ? column : stored_[column]) < end_;
    count_ += Group::count(Group::ballot(counts));
  }
  CISOLVE_HOST_DEVICE Column count() const { return count_; }

 private:
  const Column* stored_;
  Index end_;
  Column count_ = 0;
};

/// Writes the elements of a row in stored order: the `reference_length` columns of the reference
/// region first, each region ascending.
template <class Group>
class RowWriter {
 public:
  CISOLVE_HOST_DEVICE RowWriter(const RowTablesView& tables, const sparse::RowDestination& place,
                                Index reference_length)
      : stored_(tables.stored),
        reference_(tables.reference),
        place_(place),
        next_(stored_ == nullptr ? 0 : reference_length) {}

  CISOLVE_HOST_DEVICE void take(bool is_kept, Index column, double value) {
    if (stored_ == nullptr) {
      append(is_kept, static_cast<Column>(column), value, next_);
      return;
    }
    const Column stored = is_kept ? stored_[column] : 0;
    append(is_kept && stored < reference_, stored, value, next_reference_);
    append(is_kept && stored >= reference_, stored, value, next_);
  }

 private:
  CISOLVE_HOST_DEVICE void append(bool is_kept, Column column, double value, Index& next) const {
    const unsigned kept = Group::ballot(is_kept);
    if (is_kept) place_.write(next + Group::before(kept), column, value);
    next += Group::count(kept);
  }

  const Column* stored_;
  Index reference_;
  sparse::RowDestination place_;
  Index next_reference_ = 0;
  Index next_;
};

}  // namespace cisolve::ci
