#pragma once

#include "base/host_device.hpp"
#include "ci/hamiltonian/row_tables.hpp"

// The walk of a group of threads along one row of the Hamiltonian. What HamiltonianRows does with
// one thread and a memory of its own, a group does here with none: the same sums in the same order,
// so the elements have the same bits. A group is a warp, or one thread alone on the host.
namespace cisolve::ci {

/// The group of one thread.
struct Alone {
  static constexpr int size = 1;
  static constexpr int lane() { return 0; }
  /// A set of the lanes for which `value` is true.
  static constexpr unsigned ballot(bool value) { return value ? 1U : 0U; }
  static constexpr int count(unsigned lanes) { return static_cast<int>(lanes); }
  static constexpr int lowest(unsigned /*lanes*/) { return 0; }
  /// How many of the lanes stand before this one.
  static constexpr int before(unsigned /*lanes*/) { return 0; }
  /// What the lane `from` has.
  static constexpr Connection shared(const Connection& value, int /*from*/) { return value; }
};

/// Looks up what the tables hold for one determinant.
class RowLookUp {
 public:
  CISOLVE_HOST_DEVICE RowLookUp(const RowTablesView& tables, Index stored_row) : t_(tables) {
    const Index row = t_.canonical == nullptr ? stored_row : Index{t_.canonical[stored_row]};
    Index low = 0;
    for (Index high = t_.alphas; high - low > 1;) {
      const Index middle = (low + high) / 2;
      (t_.first_row[middle] <= row ? low : high) = middle;
    }
    alpha_ = low;
    beta_ = t_.members[t_.list_offsets[t_.list_of[low]] + row - t_.first_row[low]];
  }

  CISOLVE_HOST_DEVICE Index alpha() const { return alpha_; }
  CISOLVE_HOST_DEVICE Index beta() const { return beta_; }

  /// Where a beta string stands in a list; -1 where it does not.
  CISOLVE_HOST_DEVICE Column position(Index list, Index beta) const {
    if (t_.positions != nullptr) return t_.positions[list * t_.betas + beta];
    const Index begin = t_.list_offsets[list];
    const Index end = t_.list_offsets[list + 1];
    Index first = begin;
    for (Index last = end; first < last;) {
      const Index middle = (first + last) / 2;
      if (t_.members[middle] < beta)
        first = middle + 1;
      else
        last = middle;
    }
    return first < end && t_.members[first] == beta ? static_cast<Column>(first - begin) : -1;
  }

  CISOLVE_HOST_DEVICE double diagonal() const {
    double value = t_.core_energy + t_.alpha_energy[alpha_] + t_.beta_energy[beta_];
    const std::uint8_t* p = occupied(0, alpha_);
    const std::uint8_t* q = occupied(1, beta_);
    for (int i = 0; i < t_.electrons[0]; ++i) {
      const double* row = t_.coulomb + Index{p[i]} * t_.orbitals;
      for (int j = 0; j < t_.electrons[1]; ++j) value += row[q[j]];
    }
    return value;
  }

  /// A single's element: its own part and (pq|kk) over the electrons of the other spin.
  CISOLVE_HOST_DEVICE double alpha_single(const Connection& single) const {
    return with_others(single, t_.on_alpha, 1, beta_);
  }
  CISOLVE_HOST_DEVICE double beta_single(const Connection& single) const {
    return with_others(single, t_.on_beta, 0, alpha_);
  }

  CISOLVE_HOST_DEVICE bool keeps(double value) const {
    return value > t_.threshold || value < -t_.threshold;
  }

 private:
  CISOLVE_HOST_DEVICE const std::uint8_t* occupied(int spin, Index string) const {
    return t_.occupied[spin] + string * t_.electrons[spin];
  }

  CISOLVE_HOST_DEVICE double with_others(const Connection& single, const double* table, int other,
                                         Index string) const {
    const double* row = table + single.pair().pair() * t_.orbitals;
    const std::uint8_t* k = occupied(other, string);
    double value = single.value;
    for (int i = 0; i < t_.electrons[other]; ++i) value += row[k[i]];
    return single.pair().sign() * value;
  }

  const RowTablesView t_;
  Index alpha_;
  Index beta_;
};

/// Gives the elements of a row to the sink, columns ascending in canonical order: each lane calls
/// sink.take(is_kept, column, value) with its candidate, those of lower lanes first.
template <class Group, class Sink>
class RowWalker {
 public:
  CISOLVE_HOST_DEVICE RowWalker(const RowTablesView& tables, Index stored_row, Sink& sink)
      : t_(tables), here_(tables, stored_row), sink_(sink) {}

  CISOLVE_HOST_DEVICE void walk() {
    const Index end = t_.alpha.offsets[here_.alpha() + 1];
    for (Index first = t_.alpha.offsets[here_.alpha()]; first < end; first += Group::size)
      walk_group(first + Group::lane(), end);
  }

 private:
  /// Doubles need one look-up each, so every lane has its own; what stands between two runs of
  /// doubles takes the whole group.
  CISOLVE_HOST_DEVICE void walk_group(Index mine, Index end) {
    const bool is_there = mine < end;
    const Connection to = is_there ? t_.alpha.all[mine] : Connection{0, Connection::kDouble, 0};
    const Column position =
        is_there && to.is_double() ? here_.position(t_.list_of[to.target], here_.beta()) : -1;
    const Index column = position < 0 ? 0 : t_.first_row[to.target] + position;
    int done = 0;
    for (unsigned others = Group::ballot(!to.is_double()); others != 0; others &= others - 1) {
      const int at = Group::lowest(others);
      const bool is_mine = Group::lane() >= done && Group::lane() < at;
      if (at > done) sink_.take(position >= 0 && is_mine, column, to.value);
      const Connection other = Group::shared(to, at);
      if (other.is_single())
        walk_single(other);
      else
        walk_betas();
      done = at + 1;
    }
    if (done < Group::size) sink_.take(position >= 0 && Group::lane() >= done, column, to.value);
  }

  /// The beta string itself and its singles in the list of an alpha single. The shorter of the two
  /// is looked up in the longer: the string's singles, or the list.
  CISOLVE_HOST_DEVICE void walk_single(const Connection& to) {
    const Index first = t_.first_row[to.target];
    const Index list = t_.list_of[to.target];
    const double* row = t_.mixed + to.pair().pair() * t_.beta_pairs;
    const Index members = t_.list_offsets[list];
    const Index size = t_.list_offsets[list + 1] - members;
    const Index shorts = t_.short_offsets[here_.beta()];
    const Index short_size = t_.short_offsets[here_.beta() + 1] - shorts;
    const bool by_list = size < short_size;
    const Index candidates = by_list ? size : short_size;
    for (Index begin = 0; begin < candidates; begin += Group::size) {
      const Index i = begin + Group::lane();
      Index entry = -1;
      Column position = -1;
      if (i < candidates) {
        entry = by_list ? short_of(t_.members[members + i]) : shorts + i;
        if (entry >= 0)
          position =
              by_list ? static_cast<Column>(i) : here_.position(list, t_.shorts[entry].target);
      }
      double value = 0;
      bool is_kept = false;
      if (position >= 0) {
        const SignedPair pair = t_.shorts[entry].pair;
        const bool is_own = pair.code == Connection::kSelf;
        const double found = is_own ? 0 : row[pair.pair()];
        value = is_own ? here_.alpha_single(to) : to.pair().sign() * pair.sign() * found;
        is_kept = is_own ? here_.keeps(value) : found != 0;
      }
      sink_.take(is_kept, first + position, value);
    }
  }

  /// Where a string stands among the singles of the row's beta string; -1 where it does not.
  CISOLVE_HOST_DEVICE Index short_of(Column target) const {
    Index first = t_.short_offsets[here_.beta()];
    const Index end = t_.short_offsets[here_.beta() + 1];
    for (Index last = end; first < last;) {
      const Index middle = (first + last) / 2;
      if (t_.shorts[middle].target < target)
        first = middle + 1;
      else
        last = middle;
    }
    return first < end && t_.shorts[first].target == target ? first : -1;
  }

  /// All connections of the beta string beside the same alpha string.
  CISOLVE_HOST_DEVICE void walk_betas() {
    const Index first = t_.first_row[here_.alpha()];
    const Index list = t_.list_of[here_.alpha()];
    const Index end = t_.beta.offsets[here_.beta() + 1];
    for (Index begin = t_.beta.offsets[here_.beta()]; begin < end; begin += Group::size) {
      const Index mine = begin + Group::lane();
      double value = 0;
      bool is_kept = false;
      Column position = -1;
      if (mine < end) {
        const Connection to = t_.beta.all[mine];
        position = here_.position(list, to.target);
        if (position >= 0) {
          value = to.is_double()   ? to.value
                  : to.is_single() ? here_.beta_single(to)
                                   : here_.diagonal();
          is_kept = !to.is_single() || here_.keeps(value);
        }
      }
      sink_.take(is_kept, first + position, value);
    }
  }

  const RowTablesView t_;
  RowLookUp here_;
  Sink& sink_;
};

/// Counts the elements of a row whose stored columns lie below an end.
template <class Group>
class ShortCount {
 public:
  CISOLVE_HOST_DEVICE ShortCount(const RowTablesView& tables, Index end)
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

/// Writes the elements of a row in stored order: those of the reference first, either region
/// ascending. `reference_length` says how many those are.
template <class Group>
class RowWriter {
 public:
  CISOLVE_HOST_DEVICE RowWriter(const RowTablesView& tables, const sparse::RowPlace& place,
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
  sparse::RowPlace place_;
  Index next_reference_ = 0;
  Index next_;
};

}  // namespace cisolve::ci
