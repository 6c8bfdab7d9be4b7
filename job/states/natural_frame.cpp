#include "job/states/natural_frame.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ci/fock/integrals/symmetry.hpp"
#include "solver/vectors/small_eigen.hpp"

namespace cisolve::job {
namespace {

constexpr double kBetweenIrreps = 1e-7;  // elements of a density of pure symmetry, up to residuals

/// The mean over some states of their densities, summed over spins.
base::SmallMatrix mean_density(const io::StoredDensities& kept, std::size_t first,
                               std::size_t states) {
  const auto n = static_cast<int>(std::ssize(kept.orbitals));
  const std::size_t square = kept.orbitals.size() * kept.orbitals.size();
  base::SmallMatrix mean(n, n);
  for (std::size_t j = first; j < first + states; ++j)
    for (int p = 0; p < n; ++p)
      for (int q = 0; q < n; ++q) {
        const auto place =
            static_cast<std::size_t>(p) * kept.orbitals.size() + static_cast<std::size_t>(q);
        mean(p, q) += (kept.one_particle[j][place] + kept.one_particle[j][square + place]) /
                      static_cast<double>(states);
      }
  return mean;
}

bool joins_irreps(const base::SmallMatrix& density, const std::vector<int>& irreps) {
  for (int p = 0; p < density.rows(); ++p)
    for (int q = 0; q < p; ++q)
      if (irreps[static_cast<std::size_t>(p)] != irreps[static_cast<std::size_t>(q)] &&
          std::abs(density(p, q)) > kBetweenIrreps)
        return true;
  return false;
}

/// Adds the eigenvectors within the orbitals of one label.
void add_block(const base::SmallMatrix& density, const std::vector<int>& members, int label,
               NaturalFrame& frame, int& next) {
  const auto size = static_cast<int>(std::ssize(members));
  base::SmallMatrix block(size, size);
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j)
      block(i, j) =
          density(members[static_cast<std::size_t>(i)], members[static_cast<std::size_t>(j)]);
  const solver::EigenPairs pairs = solver::symmetric_eigen(block);
  for (int k = size - 1; k >= 0; --k) {
    for (int i = 0; i < size; ++i)
      frame.orbitals(members[static_cast<std::size_t>(i)], next) = pairs.vectors(i, k);
    frame.occupations.push_back(pairs.values[static_cast<std::size_t>(k)]);
    frame.irreps.push_back(label);
    ++next;
  }
}

NaturalFrame sorted(const NaturalFrame& frame) {
  const auto n = frame.orbitals.rows();
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](int k) { return frame.occupations[static_cast<std::size_t>(k)]; });
  NaturalFrame found{
      .orbitals = solver::columns_of(frame.orbitals, order), .occupations = {}, .irreps = {}};
  for (const int k : order) {
    found.occupations.push_back(frame.occupations[static_cast<std::size_t>(k)]);
    found.irreps.push_back(frame.irreps[static_cast<std::size_t>(k)]);
  }
  return found;
}

}  // namespace

std::optional<NaturalFrame> natural_frame(const DeterminantProblem& molecule,
                                          const StateAnalysis& analysis,
                                          std::optional<std::size_t> state) {
  const io::StoredDensities& kept = analysis.kept;
  if (kept.one_particle.empty() || molecule.integrals.spin_dependent()) return std::nullopt;
  const base::SmallMatrix density =
      mean_density(kept, state.value_or(0), state ? 1 : kept.one_particle.size());
  const int n = density.rows();
  std::vector<int> irreps = molecule.integrals.irreps();
  const bool has_irreps = ci::has_symmetry(irreps) && !joins_irreps(density, irreps);
  if (!has_irreps) irreps.assign(static_cast<std::size_t>(n), 0);
  NaturalFrame frame{.orbitals = base::SmallMatrix(n, n), .occupations = {}};
  int next = 0;
  for (int label = 0; label < 8; ++label) {
    std::vector<int> members;
    for (int p = 0; p < n; ++p)
      if (irreps[static_cast<std::size_t>(p)] == label) members.push_back(p);
    if (!members.empty()) add_block(density, members, label, frame, next);
  }
  NaturalFrame found = sorted(frame);
  if (!has_irreps) found.irreps.clear();
  return found;
}

}  // namespace cisolve::job
