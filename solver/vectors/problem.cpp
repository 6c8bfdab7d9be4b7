#include "solver/vectors/problem.hpp"

#include "base/random.hpp"
#include "base/ranks/collective_errors.hpp"

namespace cisolve::solver {
namespace {

/// Hash of the pieces of a layout.
double print_of(const base::Layout& layout) {
  std::uint64_t key = 0;
  for (const base::Layout::Piece& piece : layout.pieces())
    for (const base::Index part : {base::Index{piece.rank}, piece.first, piece.count})
      key = base::mix(key, static_cast<std::uint64_t>(part));
  return base::unit_interval(key);
}

bool have_same_shares(const base::Layout& a, const base::Layout& b) {
  bool same = a.ranks() == b.ranks();
  for (int r = 0; same && r < a.ranks(); ++r) same = a.count(r) == b.count(r);
  return same;
}

}  // namespace

base::Layout layout_of(const Problem& problem) {
  const base::Layout found = base::Layout::gathered(problem.communicator, problem.matrix.rows());
  const base::Layout& given = problem.layout.rows() != 0 ? problem.layout : found;
  base::run_collectively(problem.communicator, [&] {
    if (!have_same_shares(given, found))
      base::fail(base::ErrorKind::usage, "a layout of ", given.rows(), " rows on ", given.ranks(),
                 " ranks for a matrix of ", problem.matrix.rows(), " rows on this rank and ",
                 found.rows(), " on all ", found.ranks());
  });
  const bool is_same = problem.communicator.all_same(print_of(given));
  base::run_collectively(problem.communicator, [&] {
    if (!is_same)
      base::fail(base::ErrorKind::usage,
                 "the ranks have different layouts; expected the same one on all ranks");
  });
  return given;
}

}  // namespace cisolve::solver
