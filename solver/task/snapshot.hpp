#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "solver/task/checkpoint.hpp"
#include "solver/vectors/vectors.hpp"

namespace cisolve::solver {

/// What a running solver would begin with again. Its vectors are combinations of those that the
/// solver has, and are made when they are asked for: there may be no memory for them beside these.
/// For as long as the solver stands still.
class Snapshot {
 public:
  /// The vectors are basis * coefficients.
  Snapshot(Vectors& vectors, ConstColumns basis, SmallMatrix coefficients,
           std::vector<double> energies, int iterations, Index products)
      : vectors_(vectors),
        basis_(basis),
        coefficients_(std::move(coefficients)),
        energies_(std::move(energies)),
        iterations_(iterations),
        products_(products) {}

  /// Makes a whole vector of the host's of one that a solver of a part of all vectors has.
  using Expand = std::function<void(const double* part, double* whole)>;

  /// Room on the host for a vector of a part and for a whole one, of all ranks, which is idle while
  /// the solver stands still; null where none is held.
  struct Room {
    double* part = nullptr;
    double* whole = nullptr;
  };

  /// The same of whole vectors of so many rows, of which the solver has a part.
  Snapshot of_whole(Index rows, Expand expand, Room room) && {
    whole_rows_ = rows;
    expand_ = std::move(expand);
    room_ = room;
    return std::move(*this);
  }

  /// Of all ranks.
  Index rows() const { return expand_ ? whole_rows_ : vectors_.dimension(); }
  int columns() const { return coefficients_.columns(); }
  const std::vector<double>& energies() const { return energies_; }
  /// Whose memory tell_first() speaks of.
  base::Backend host() const { return vectors_.backend().host(); }
  /// Whether a device does what the solver does, so that the host is free for other work.
  bool leaves_host() const { return !vectors_.backend().is_host(); }
  int iterations() const { return iterations_; }
  Index products() const { return products_; }

  /// The vectors to the first of the ranks, as Vectors::tell_first(). One reading of the solver's
  /// vectors makes as many of them as there is room for, up to kAtOnce; without room each is made
  /// piece by piece, by a reading of its own.
  void tell_first(const Vectors::Take& take) const;

  static constexpr int kAtOnce = 8;

  /// All of it on the host, of the rows of this rank; of whole vectors in one process alone.
  Checkpoint checkpoint() const;
  /// Whether these are all rows, in canonical order.
  bool is_whole() const;

 private:
  void tell_vectors(const Vectors::Take& take) const;
  void tell_whole(const Vectors::Take& take) const;
  void tell_whole_in(Room room, const Vectors::Take& take) const;
  bool is_alone() const { return vectors_.ranks().size() == 1; }

  Vectors& vectors_;
  ConstColumns basis_;
  SmallMatrix coefficients_;
  std::vector<double> energies_;
  int iterations_;
  Index products_;
  Index whole_rows_ = 0;
  Expand expand_;
  Room room_;
};

}  // namespace cisolve::solver
