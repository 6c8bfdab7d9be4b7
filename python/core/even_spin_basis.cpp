#include "python/core/even_spin_basis.hpp"

#include <numeric>

#include "base/loops.hpp"
#include "base/multivector.hpp"
#include "ci/oracle/element.hpp"

namespace cisolve::python {
namespace {

constexpr Index kGrain = 4096;

}  // namespace

EvenSpinBasis::EvenSpinBasis(Index strings, const std::vector<Index>& places) {
  const Index all = strings * strings;
  std::vector<Index> row_of(all);  // other entries are never read
  if (places.empty()) std::iota(row_of.begin(), row_of.end(), Index{0});
  for (std::size_t row = 0; row < places.size(); ++row)
    row_of[places[row]] = static_cast<Index>(row);
  const Index rows = places.empty() ? all : std::ssize(places);
  for (Index row = 0; row < rows; ++row) {
    const Index place = places.empty() ? row : places[row];
    const Index swapped = row_of[place % strings * strings + place / strings];
    if (swapped >= row) pairs_.push_back({row, swapped});
  }
}

void EvenSpinBasis::contract(base::ConstBlock determinants, base::Block functions) const {
  for (int j = 0; j < functions.columns; ++j)
    for (Index i = 0; i < rows(); ++i) {
      const Pair& pair = pairs_[i];
      functions(i, j) = pair.factor() * (determinants(pair.row, j) + determinants(pair.swapped, j));
    }
}

void EvenSpinBasis::expand(base::ConstBlock functions, base::Block determinants) const {
  for (int j = 0; j < functions.columns; ++j)
    for (Index i = 0; i < rows(); ++i) {
      const Pair& pair = pairs_[i];
      const double weight = pair.row == pair.swapped ? 1 : pair.factor();
      determinants(pair.row, j) = determinants(pair.swapped, j) = weight * functions(i, j);
    }
}

EvenSpinHamiltonian::EvenSpinHamiltonian(Hamiltonian& hamiltonian, const EvenSpinBasis& spins)
    : hamiltonian_(hamiltonian), spins_(spins), elements_(*hamiltonian.determinant_problem(), 0) {}

void EvenSpinHamiltonian::apply(base::ConstBlock x, base::Block y) const {
  const base::Backend host = hamiltonian_.backend().host();
  base::MultiVector vectors(host, hamiltonian_.rows(), x.columns, "vectors of determinants");
  base::MultiVector images(host, hamiltonian_.rows(), x.columns, "images of determinants");
  spins_.expand(x, vectors.block());
  hamiltonian_.apply(std::as_const(vectors).block(), images.block());
  spins_.contract(std::as_const(images).block(), y);
}

bool EvenSpinHamiltonian::diagonal(base::Block d) const {
  const job::DeterminantProblem& molecule = *hamiltonian_.determinant_problem();
  const std::vector<double> own = hamiltonian_.diagonal();
  base::for_each_chunk(rows(), kGrain, molecule.space.host(), [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      const EvenSpinBasis::Pair& pair = spins_.pairs()[i];
      const double across = ci::element(molecule.integrals, molecule.space.determinant(pair.row),
                                        molecule.space.determinant(pair.swapped));
      d(i, 0) = 2 * pair.factor() * pair.factor() * (own[pair.row] + across);
    }
  });
  return true;
}

void EvenSpinHamiltonian::fill(std::span<const Index> rows, std::span<const Index> columns,
                               base::SmallMatrix& block) const {
  const auto determinants_of = [&](std::span<const Index> those) {
    std::vector<Index> found;
    for (const Index row : those) found.push_back(spins_.pairs()[row].row);
    for (const Index row : those) found.push_back(spins_.pairs()[row].swapped);
    return found;
  };
  const std::vector<Index> bras = determinants_of(rows);
  const bool is_symmetric = is_square(rows, columns);
  const std::vector<Index> of_columns =
      is_symmetric ? std::vector<Index>() : determinants_of(columns);
  const std::vector<Index>& kets = is_symmetric ? bras : of_columns;
  base::SmallMatrix all(static_cast<int>(bras.size()), static_cast<int>(kets.size()));
  elements_.fill(bras, kets, all);
  const int below = block.rows();
  const int width = block.columns();
  for (int j = 0; j < width; ++j)
    for (int i = 0; i < below; ++i)
      block(i, j) = spins_.pairs()[rows[i]].factor() * spins_.pairs()[columns[j]].factor() *
                    (all(i, j) + all(i, width + j) + all(below + i, j) + all(below + i, width + j));
}

}  // namespace cisolve::python
