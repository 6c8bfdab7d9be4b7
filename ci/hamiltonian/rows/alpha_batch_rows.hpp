#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "ci/fock/strings/distances.hpp"
#include "ci/hamiltonian/rows/determinants_by_beta.hpp"
#include "ci/hamiltonian/rows/hamiltonian.hpp"

namespace cisolve::ci {

/// Finds the elements of many rows of one alpha string at once, for spaces with DeterminantsByBeta;
/// one object per thread. Alpha excitations are found in the group of the beta string.
/// Opposite-spin doubles are found for all rows together: the single excitations of their beta
/// strings are marked, and the lists of the alpha string's singles are looked up among these marks.
class AlphaBatchRows {
 public:
  static constexpr Index kMostTogether = 256;  // rows, so that their data stay in cache
  /// Strings scanned in the time of one binary search.
  static constexpr std::size_t kSearch = 8;

  explicit AlphaBatchRows(const HamiltonianRows& h)
      : h_(h),
        space_(h.space_),
        groups_(*h.groups_),
        workspace_(groups_.take_workspace()),
        distances_(space_.orbitals()) {}
  ~AlphaBatchRows() {
    if (!is_walking_) groups_.return_workspace(std::move(workspace_));
  }
  AlphaBatchRows(const AlphaBatchRows&) = delete;
  AlphaBatchRows& operator=(const AlphaBatchRows&) = delete;

  /// Passes the elements of the rows at these places of an alpha string's list to the sink; i
  /// numbers the places. Diagonal and same-spin elements: sink.same_spin(i, column, value), row by
  /// row, columns ascending. Opposite-spin doubles: sink.opposite_spin(i, column, value) between
  /// sink.begin(a) and sink.end(), a being the alpha string of the columns; columns ascend for each
  /// i.
  template <class Sink>
  void walk(Index alpha, std::span<const StringNumber> places, Sink& sink) {
    is_walking_ = true;
    alpha_ = alpha;
    list_ = space_.betas_of(alpha);
    connections_ = h_.alpha_->of(alpha);
    places_ = places;
    mark_strings();
    for (std::size_t i = 0; i < places.size(); ++i)
      walk_group(static_cast<Column>(i), list_[places[i]], sink);
    unmark_strings();
    walk_classes(sink);
    is_walking_ = false;
  }

 private:
  static constexpr std::uint16_t kConnected = 4;  // differing orbitals of a double excitation

  void mark_strings() {
    for (std::size_t k = 0; k < connections_.size(); ++k)
      workspace_->connection_of[connections_[k].target] = static_cast<Column>(k);
    for (std::size_t p = 0; p < list_.size(); ++p)
      workspace_->place_of[list_[p]] = static_cast<StringNumber>(p);
    workspace_->words.clear();
  }
  void unmark_strings() {
    for (const Connection& to : connections_) workspace_->connection_of[to.target] = -1;
    for (const StringNumber beta : list_) workspace_->place_of[beta] = -1;
  }

  /// Elements with the same beta string or the same alpha string.
  template <class Sink>
  void walk_group(Column i, Index beta, Sink& sink) {
    const auto group = groups_.of(beta);
    if (group.size() <= kSearch * connections_.size()) {
      for (const DeterminantsByBeta::Member& member : group)
        if (const Column k = workspace_->connection_of[member.alpha]; k >= 0)
          add_alone(i, beta, connections_[k], member.place, sink);
      return;
    }
    for (const Connection& to : connections_) {
      const auto found =
          std::ranges::lower_bound(group, to.target, {}, &DeterminantsByBeta::Member::alpha);
      if (found != group.end() && found->alpha == to.target)
        add_alone(i, beta, to, found->place, sink);
    }
  }

  template <class Sink>
  void add_alone(Column i, Index beta, const Connection& to, Index place, Sink& sink) {
    const Index column = space_.first_row(to.target) + place;
    if (to.is_double()) return sink.same_spin(i, column, to.value);
    if (!to.is_single()) return walk_list(i, beta, sink);
    const double value = h_.alpha_single(to, beta);
    if (h_.keeps(value)) sink.same_spin(i, column, value);
  }

  /// Elements with the same alpha string. Connections are looked up in a long list; strings of a
  /// short list that differ by at most two orbitals are looked up among the connections.
  template <class Sink>
  void walk_list(Column i, Index beta, Sink& sink) {
    const auto connections = h_.beta_->of(beta);
    if (list_.size() * kSearch > connections.size()) {
      for (const Connection& to : connections)
        if (const StringNumber place = workspace_->place_of[to.target]; place >= 0)
          add_beta(i, beta, to, place, sink);
      return;
    }
    if (workspace_->words.empty()) {
      workspace_->words.resize(list_.size() * words_of_orbitals(space_.orbitals()));
      StringDistances::write(space_.strings(Spin::beta), list_, workspace_->words);
    }
    const auto differing = distances_.from(space_.strings(Spin::beta)[beta], workspace_->words);
    for (std::size_t place = 0; place < list_.size(); ++place) {
      if (differing[place] > kConnected) continue;
      const auto found =
          std::ranges::lower_bound(connections, list_[place], {}, &Connection::target);
      if (found != connections.end() && found->target == list_[place])
        add_beta(i, beta, *found, static_cast<Index>(place), sink);
    }
  }

  template <class Sink>
  void add_beta(Column i, Index beta, const Connection& to, Index place, Sink& sink) {
    const Index column = space_.first_row(alpha_) + place;
    if (to.is_double()) return sink.same_spin(i, column, to.value);
    if (!to.is_single()) return sink.same_spin(i, column, h_.diagonal_(alpha_, beta));
    const double value = h_.beta_single(to, alpha_);
    if (h_.keeps(value)) sink.same_spin(i, column, value);
  }

  /// Alpha single excitations, class by class (integrals with the same beta pairs).
  template <class Sink>
  void walk_classes(Sink& sink) {
    const auto class_of = [&](const Connection* to) { return groups_.class_of(to->pair().pair()); };
    workspace_->singles.clear();
    for (const Connection& to : connections_)
      if (to.is_single()) workspace_->singles.push_back(&to);
    std::ranges::stable_sort(workspace_->singles, {}, class_of);
    for (auto first = workspace_->singles.cbegin(); first != workspace_->singles.cend();) {
      const Column number = class_of(*first);
      mark_moves(number);
      for (; first != workspace_->singles.cend() && class_of(*first) == number; ++first) {
        sink.begin((*first)->target);
        walk_both(**first, sink);
        sink.end();
      }
      for (const StringNumber beta : workspace_->targets) workspace_->first_move_to[beta] = -1;
    }
  }

  void mark_moves(Column class_of_alpha) {
    workspace_->moves.clear();
    workspace_->targets.clear();
    are_sorted_ = false;
    for (std::size_t i = 0; i < places_.size(); ++i)
      for (const Single& single : groups_.moves(list_[places_[i]], class_of_alpha)) {
        Column& first = workspace_->first_move_to[single.target];
        if (first < 0) workspace_->targets.push_back(single.target);
        const auto before = std::exchange(first, static_cast<Column>(workspace_->moves.size()));
        workspace_->moves.push_back({static_cast<Column>(i), single.pair, before});
      }
  }

  /// The strings of a list that are marked targets; iterates over the smaller set.
  template <class Sink>
  void walk_both(const Connection& to, Sink& sink) {
    const Index list = space_.list_of(to.target);
    const auto members = space_.list(list);
    if (members.size() <= kSearch * workspace_->targets.size()) {
      for (std::size_t place = 0; place < members.size(); ++place)
        add_both(to, members[place], static_cast<StringNumber>(place), sink);
      return;
    }
    if (!std::exchange(are_sorted_, true)) std::ranges::sort(workspace_->targets);
    for (const StringNumber beta : workspace_->targets)
      if (const StringNumber place = space_.position(list, beta); place >= 0)
        add_both(to, beta, place, sink);
  }

  template <class Sink>
  void add_both(const Connection& to, Index beta, StringNumber place, Sink& sink) const {
    const double* row = h_.mixed_.row(to.pair().pair());
    const Index column = space_.first_row(to.target) + place;
    for (Column k = workspace_->first_move_to[beta]; k >= 0; k = workspace_->moves[k].next) {
      const DeterminantsByBeta::Move& move = workspace_->moves[k];
      const double value = row[move.pair.pair()];
      if (value != 0)
        sink.opposite_spin(move.row, column, to.pair().sign() * move.pair.sign() * value);
    }
  }

  const HamiltonianRows& h_;
  const Space& space_;
  const DeterminantsByBeta& groups_;
  std::unique_ptr<DeterminantsByBeta::Workspace> workspace_;
  bool is_walking_ = false;  // stays true after an exception: the workspace is not clean then
  Index alpha_ = 0;
  std::span<const StringNumber> list_;
  std::span<const Connection> connections_;
  std::span<const StringNumber> places_;
  StringDistances distances_;
  bool are_sorted_ = false;  // targets
};

}  // namespace cisolve::ci
