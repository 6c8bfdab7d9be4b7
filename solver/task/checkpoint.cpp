#include "solver/task/checkpoint.hpp"

#include <utility>

#include "base/ranks/whole_vectors.hpp"

namespace cisolve::solver {

std::optional<Checkpoint> distribute_checkpoint(const base::Communicator& ranks,
                                                const base::Layout& layout,
                                                std::optional<Checkpoint> of_first) {
  if (ranks.size() == 1) return of_first;
  double head[] = {of_first ? 1.0 : 0.0, 0, 0, 0};
  if (of_first) {
    head[1] = static_cast<double>(of_first->energies.size());
    head[2] = of_first->iterations;
    head[3] = static_cast<double>(of_first->products);
  }
  ranks.broadcast(std::span(head), 0);
  if (head[0] == 0) return std::nullopt;
  if (!of_first)
    of_first = {.basis = base::MultiVector(base::Backend::reference(), 0, 0), .layout = {}};
  of_first->energies.resize(static_cast<std::size_t>(head[1]));
  ranks.broadcast(std::span(of_first->energies), 0);
  return Checkpoint{.basis = base::distributed_vectors(ranks, layout, std::move(of_first->basis)),
                    .layout = layout,
                    .energies = std::move(of_first->energies),
                    .iterations = static_cast<int>(head[2]),
                    .products = static_cast<base::Index>(head[3])};
}

}  // namespace cisolve::solver
