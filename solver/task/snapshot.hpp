#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "base/small_matrix.hpp"
#include "solver/task/checkpoint.hpp"
#include "solver/vectors/columns.hpp"

namespace cisolve::solver {

class Vectors;

/// State from which a running solver could be restarted. Its vectors are linear combinations of the
/// solver's and are computed on request, since memory for all may be lacking. Valid until the
/// solver continues.
class Snapshot {
 public:
  /// The vectors are basis * coefficients.
  Snapshot(Vectors& vectors, ConstColumns basis, base::SmallMatrix coefficients,
           std::vector<double> energies, int iterations, base::Index products)
      : vectors_(vectors),
        basis_(basis),
        coefficients_(std::move(coefficients)),
        energies_(std::move(energies)),
        iterations_(iterations),
        products_(products) {}

  /// Expands a sector's vector to a full vector, both on the host.
  using Expand = std::function<void(const double* part, double* whole)>;

  /// Host workspace for a sector's vector and a full one, of all ranks, idle during the snapshot;
  /// null if none is held.
  struct HostWorkspace {
    double* part = nullptr;
    double* whole = nullptr;
  };

  /// Snapshot of full vectors with `rows` rows, of which the solver has a sector.
  Snapshot of_whole(base::Index rows, Expand expand, HostWorkspace workspace) && {
    whole_rows_ = rows;
    expand_ = std::move(expand);
    workspace_ = workspace;
    return std::move(*this);
  }

  /// Rows of all ranks.
  base::Index rows() const;
  int columns() const { return coefficients_.columns(); }
  const std::vector<double>& energies() const { return energies_; }
  /// Backend of the memory that gather_to_root() passes on.
  base::Backend host() const;
  /// Whether a device does the solver's work, so that the host is free.
  bool leaves_host() const;
  int iterations() const { return iterations_; }
  base::Index products() const { return products_; }

  /// Gathers the vectors on rank 0, as Vectors::gather_to_root(). One pass over the solver's
  /// vectors makes as many as memory allows, up to kAtOnce; without memory each takes a pass of its
  /// own, piece by piece.
  void gather_to_root(const ElementSink& take) const;

  static constexpr int kAtOnce = 8;

  /// Checkpoint on the host with the rows of this rank; of full vectors in one process only.
  Checkpoint checkpoint() const;
  /// Whether all rows are here in canonical order.
  bool is_whole() const;

 private:
  void gather_vectors(const ElementSink& take) const;
  void gather_whole(const ElementSink& take) const;
  void gather_whole_in(HostWorkspace workspace, const ElementSink& take) const;
  bool is_alone() const;

  Vectors& vectors_;
  ConstColumns basis_;
  base::SmallMatrix coefficients_;
  std::vector<double> energies_;
  int iterations_;
  base::Index products_;
  base::Index whole_rows_ = 0;
  Expand expand_;
  HostWorkspace workspace_;
};

}  // namespace cisolve::solver
