#include "solver/parts/search_alone.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/random.hpp"
#include "solver/search/search_beside.hpp"

namespace cisolve::solver {
namespace {

constexpr double kSmallestShare = 1e-2;  // of the width of the diagonal

}  // namespace

SearchAlone search_alone(const Problem& problem, const Options& options, double shift,
                         double lowest, Index most, const std::function<bool()>& tell) {
  constexpr int columns = MissedStates::columns(false);
  constexpr int beside = 3;  // a diagonal, and what else it takes to begin
  SearchAlone found;
  const base::Layout layout = layout_of(problem);
  const Index bytes = (columns + beside) * layout.rows() * Index{sizeof(double)};
  if (problem.backend.memory().left() < bytes) return found;
  Options plain = options;  // the diagonal is all that it asks for
  plain.preconditioner = PreconditionerKind::diagonal;
  plain.start = StartKind::random;
  MeteredOperator matrix(problem);
  Vectors vectors(problem.backend, problem.communicator, layout, columns);
  const Preparation preparation(problem, plain, matrix, vectors);
  if (!vectors.have_room_for(columns)) return found;
  found.has_room = true;
  base::MultiVector room = vectors.make(columns, "the search for missed states");
  std::vector<Columns> each;
  for (int j = 0; j < columns; ++j) each.push_back(columns_of(room, j, 1));
  const double least = kSmallestShare * preparation.width_of_diagonal();
  const double floor = std::isfinite(lowest) ? std::max(lowest - shift, least) : least;
  MissedStates missed(matrix, vectors, preparation, {shift}, floor, Columns(), each);
  const int steps = static_cast<int>(std::min<Index>(most, std::numeric_limits<int>::max()));
  found.search = missed.run(base::mix(options.seed + 1, 0), steps, tell,
                            foresees_end(options, vectors.dimension()));
  found.is_close = may_be_close(options, found.search.lowest, floor);
  found.seconds = matrix.seconds();
  if (found.search.verdict != Verdict::found) return found;
  found.direction.emplace(vectors.make(1, "a direction to a missed state"));
  missed.point_to_found(*found.direction);
  return found;
}

}  // namespace cisolve::solver
