#pragma once

#include <numeric>
#include <optional>
#include <vector>

#include "base/array.hpp"
#include "ci/spaces/lines.hpp"
#include "ci/states/cuda/state_tables.cuh"

// What kernels know of a space, in a device's memory.
namespace cisolve::ci::cuda {

using base::Array;
using base::Backend;

template <class T>
Array<T> copied(const std::vector<T>& values, const Backend& device, const char* what) {
  return Array<T>::copy_of(values, device, what);
}

/// A space as kernels see it.
class SpaceOnDevice {
 public:
  SpaceOnDevice(const Space& space, const Backend& device)
      : first_row_(device, 0, kWhat), others_at_(device, 0, kWhat), others_(device, 0, kWhat) {
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
    first_row_ = copied(first, device, kWhat);
    others_at_ = copied(at, device, kWhat);
    others_ = copied(others, device, kWhat);
    view_ = {
        space.orbitals(),  alphas,        std::ssize(space.strings(Spin::beta)), first_row_.data(),
        others_at_.data(), others_.data()};
  }
  const SpaceView& view() const { return view_; }

 private:
  static constexpr const char* kWhat = "the determinants";
  Array<Index> first_row_;
  Array<Index> others_at_;
  Array<StringNumber> others_;
  SpaceView view_;
};

/// The lines of the beta strings.
class BetaLines {
 public:
  BetaLines(const Space& space, const Backend& device)
      : first_(device, 0, kWhat), at_(device, 0, kWhat), others_(device, 0, kWhat) {
    const Index betas = std::ssize(space.strings(Spin::beta));
    const Index alphas = std::ssize(space.strings(Spin::alpha));
    const bool complete = space.dimension() == alphas * betas;
    const std::optional<Lines> lines =
        complete ? std::nullopt : std::optional<Lines>(std::in_place, space, Spin::beta);
    std::vector<Index> first;
    for (Index b = 0; b < betas; ++b) first.push_back(complete ? b * alphas : lines->first(b));
    const std::vector<Index> at = complete ? std::vector<Index>(betas, 0) : first;
    first.push_back(space.dimension());
    first_ = copied(first, device, kWhat);
    at_ = copied(at, device, kWhat);
    if (complete) {
      std::vector<StringNumber> all(alphas);
      std::iota(all.begin(), all.end(), 0);
      others_ = copied(all, device, kWhat);
    } else {
      others_ = Array<StringNumber>::copy_of(
          std::span(lines->others(0).data(), static_cast<std::size_t>(space.dimension())), device,
          kWhat);
    }
    view_ = {alphas, first_.data(), at_.data(), others_.data()};
  }
  const LinesView& view() const { return view_; }

 private:
  static constexpr const char* kWhat = "the lines of beta strings";
  Array<Index> first_;
  Array<Index> at_;
  Array<StringNumber> others_;
  LinesView view_;
};

class MovesOnDevice {
 public:
  MovesOnDevice(const Space& space, Spin spin, const Backend& device)
      : offsets_(device, 0, kWhat), moves_(device, 0, kWhat) {
    const MoveTable table(space, spin);
    offsets_ = Array<Index>::copy_of(table.offsets(), device, kWhat);
    moves_ = Array<Move>::copy_of(table.all(), device, kWhat);
  }
  MovesView view() const { return {offsets_.data(), moves_.data()}; }

 private:
  static constexpr const char* kWhat = "the moves of strings";
  Array<Index> offsets_;
  Array<Move> moves_;
};

}  // namespace cisolve::ci::cuda
