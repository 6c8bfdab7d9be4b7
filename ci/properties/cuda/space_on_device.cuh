#pragma once

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "base/array.hpp"
#include "ci/fock/spaces/spin_major_order.hpp"
#include "ci/properties/cuda/state_tables.cuh"

// The tables of a space in a device's memory.
namespace cisolve::ci::cuda {

using base::Array;
using base::Backend;

template <class T>
Array<T> copied(const std::vector<T>& values, const Backend& device, const char* what) {
  return Array<T>::copy_of(values, device, what);
}

/// Whether both spins have the same strings.
inline bool are_alike(const Space& space) {
  return std::ranges::equal(space.strings(Spin::alpha), space.strings(Spin::beta));
}

/// Position of each beta string in each list, list by list; -1: absent.
inline std::vector<StringNumber> places_in_lists(const Space& space) {
  const Index betas = std::ssize(space.strings(Spin::beta));
  std::vector<StringNumber> places(static_cast<std::size_t>(space.lists() * betas), -1);
  for (Index list = 0; list < space.lists(); ++list) {
    StringNumber place = 0;
    for (const StringNumber beta : space.list(list)) places[list * betas + beta] = place++;
  }
  return places;
}

/// A space as kernels see it.
class SpaceOnDevice {
 public:
  SpaceOnDevice(const Space& space, const Backend& device)
      : first_row_(device, 0, kMemoryLabel),
        others_at_(device, 0, kMemoryLabel),
        others_(device, 0, kMemoryLabel),
        places_at_(device, 0, kMemoryLabel),
        places_(device, 0, kMemoryLabel) {
    std::vector<Index> first;
    std::vector<Index> at;
    std::vector<Index> list_at{0};
    std::vector<StringNumber> others;
    for (Index list = 0; list < space.lists(); ++list) {
      const auto members = space.list(list);
      others.insert(others.end(), members.begin(), members.end());
      list_at.push_back(std::ssize(others));
    }
    const Index alphas = std::ssize(space.strings(Spin::alpha));
    for (Index a = 0; a < alphas; ++a) {
      first.push_back(space.first_row(a));
      at.push_back(list_at[space.list_of(a)]);
    }
    first.push_back(space.dimension());
    first_row_ = copied(first, device, kMemoryLabel);
    others_at_ = copied(at, device, kMemoryLabel);
    others_ = copied(others, device, kMemoryLabel);
    const Index betas = std::ssize(space.strings(Spin::beta));
    view_ = {space.orbitals(), alphas, betas, first_row_.data(), others_at_.data(), others_.data()};
    if (has_few_lists(space)) hold_places(space, device);
  }
  const SpaceView& view() const { return view_; }

 private:
  /// Positions in all lists take at most half a vector.
  static bool has_few_lists(const Space& space) {
    return space.lists() > 1 &&
           space.lists() * std::ssize(space.strings(Spin::beta)) <= space.dimension();
  }

  void hold_places(const Space& space, const Backend& device) {
    std::vector<Index> at;
    for (Index a = 0; a < view_.alphas; ++a) at.push_back(space.list_of(a) * view_.betas);
    places_at_ = copied(at, device, kMemoryLabel);
    places_ = copied(places_in_lists(space), device, kMemoryLabel);
    view_.places_at = places_at_.data();
    view_.places = places_.data();
  }

  static constexpr const char* kMemoryLabel = "the determinants";
  Array<Index> first_row_;
  Array<Index> others_at_;
  Array<StringNumber> others_;
  Array<Index> places_at_;
  Array<StringNumber> places_;
  SpaceView view_;
};

/// The lines of the beta strings.
class BetaLines {
 public:
  BetaLines(const Space& space, const Backend& device)
      : first_(device, 0, kMemoryLabel),
        at_(device, 0, kMemoryLabel),
        others_(device, 0, kMemoryLabel) {
    const Index betas = std::ssize(space.strings(Spin::beta));
    const Index alphas = std::ssize(space.strings(Spin::alpha));
    const bool complete = space.dimension() == alphas * betas;
    const std::optional<SpinMajorOrder> lines =
        complete ? std::nullopt : std::optional<SpinMajorOrder>(std::in_place, space, Spin::beta);
    std::vector<Index> first;
    for (Index b = 0; b < betas; ++b) first.push_back(complete ? b * alphas : lines->first(b));
    const std::vector<Index> at = complete ? std::vector<Index>(betas, 0) : first;
    first.push_back(space.dimension());
    first_ = copied(first, device, kMemoryLabel);
    at_ = copied(at, device, kMemoryLabel);
    if (complete) {
      std::vector<StringNumber> all(alphas);
      std::iota(all.begin(), all.end(), 0);
      others_ = copied(all, device, kMemoryLabel);
    } else {
      others_ = Array<StringNumber>::copy_of(
          std::span(lines->others(0).data(), static_cast<std::size_t>(space.dimension())), device,
          kMemoryLabel);
    }
    view_ = {alphas, first_.data(), at_.data(), others_.data()};
  }
  const LinesView& view() const { return view_; }

 private:
  static constexpr const char* kMemoryLabel = "the lines of beta strings";
  Array<Index> first_;
  Array<Index> at_;
  Array<StringNumber> others_;
  LinesView view_;
};

class ExcitationsOnDevice {
 public:
  /// `table`: SingleExcitations or ListExcitations.
  template <class Table>
  ExcitationsOnDevice(const Table& table, const Backend& device)
      : offsets_(Array<Index>::copy_of(table.offsets(), device, kMemoryLabel)),
        moves_(Array<SingleExcitation>::copy_of(table.all(), device, kMemoryLabel)) {}
  ExcitationsView view() const { return {offsets_.data(), moves_.data()}; }

 private:
  static constexpr const char* kMemoryLabel = "the moves of strings";
  Array<Index> offsets_;
  Array<SingleExcitation> moves_;
};

}  // namespace cisolve::ci::cuda
