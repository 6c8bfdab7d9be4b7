#pragma once

#include <memory>

#include "base/operator.hpp"
#include "solver/task/snapshot.hpp"
#include "solver/vectors/problem.hpp"
#include "solver/vectors/vectors.hpp"

namespace cisolve::solver {

/// Invariant subspace of an operator, such as one parity sector, with coordinates fewer than its
/// vectors have elements and the same inner products.
class OperatorSector {
 public:
  OperatorSector() = default;
  OperatorSector(const OperatorSector&) = delete;
  OperatorSector& operator=(const OperatorSector&) = delete;
  virtual ~OperatorSector() = default;

  /// The operator on the coordinates, on the backend of the full problem.
  virtual const base::LinearOperator& matrix() const = 0;
  /// Distribution of the coordinates over the ranks; as Problem::layout.
  virtual base::Layout layout() const { return {}; }
  virtual const ModelBlock& model_block() const = 0;
  /// Upper bound of the lowest energy.
  virtual double lowest() const = 0;
  /// whole = expansion of part. Each rank has its rows of both; collective.
  virtual void expand(base::ConstBlock part, base::Block whole) const = 0;
  /// part = projection of a column of full vectors, given as to Vectors::from().
  virtual void contract(const Vectors& whole, const base::MultiVector& given,
                        const base::Layout& layout, int column, base::Block part) const = 0;
  /// Host memory that is idle between products.
  virtual Snapshot::HostWorkspace host_workspace() const { return {}; }
};

/// `likely`: the sector that probably has the lowest state, or most of a start vector.
enum class ParitySide { likely, other };

/// The two sectors of a problem, whose products share memory.
class SectorPair {
 public:
  SectorPair() = default;
  SectorPair(const SectorPair&) = delete;
  SectorPair& operator=(const SectorPair&) = delete;
  virtual ~SectorPair() = default;

  virtual const OperatorSector& part(ParitySide side) const = 0;

  // Input and output of a product with one vector; free for other use between products of either
  // sector.
  virtual base::Block source(ParitySide side) const = 0;
  virtual base::Block image(ParitySide side) const = 0;

  /// image = (A - shift) source in one sector, or in both for less work than one after the other.
  /// Overwrites the sources.
  virtual void multiply(ParitySide side, double shift) const = 0;
  virtual void multiply_both(double shift) const = 0;
};

/// Decomposition of a problem into two sectors.
class Sectors {
 public:
  Sectors() = default;
  Sectors(const Sectors&) = delete;
  Sectors& operator=(const Sectors&) = delete;
  virtual ~Sectors() = default;

  // Only one result of make() or make_both() may exist at a time, since they may hold much memory.
  virtual std::unique_ptr<const OperatorSector> make(ParitySide side) const = 0;
  virtual std::unique_ptr<const SectorPair> make_both() const = 0;

  /// Matrix elements of a sector. Thread-safe, also while sectors are made and used.
  virtual const ModelBlock& elements(ParitySide side) const = 0;

  /// whole = expansion of part, both in host memory with the rows of all ranks.
  virtual void expand(ParitySide side, const double* part, double* whole) const = 0;
};

}  // namespace cisolve::solver
