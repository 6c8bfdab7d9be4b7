#include <bit>
#include <cmath>
#include <fstream>
#include <map>
#include <numbers>
#include <sstream>

#include "app/config/load.hpp"
#include "base/random.hpp"
#include "bench/eigensolvers/test_problems.hpp"
#include "job/problem/source.hpp"
#include "sparse/formats/csr.hpp"

namespace cisolve::bench {
namespace {

using app::Override;
using Matrix = std::shared_ptr<const sparse::Csr>;

Matrix configured(job::ProblemSource source, const std::vector<Override>& overrides,
                  const base::Backend& host) {
  const auto rows = job::open_rows(app::make_configuration(source, overrides).request, host);
  return std::make_shared<sparse::Csr>(sparse::build_csr(*rows, host));
}

Matrix molecule(const std::string& file, const base::Backend& host) {
  return configured(job::ProblemSource::fcidump, {{"bench", "problem.fcidump", file, false}}, host);
}

Matrix hubbard(int columns, int rows, bool is_ring, const base::Backend& host) {
  const auto set = [](const char* key, const std::string& value) {
    return Override{"bench", key, value, true};
  };
  return configured(
      job::ProblemSource::lattice,
      {set("problem.lattice.columns", std::to_string(columns)),
       set("problem.lattice.rows", std::to_string(rows)), set("problem.lattice.u", "8"),
       set("problem.lattice.periodic_columns", is_ring ? "true" : "false")},
      host);
}

Matrix from_rows(const std::vector<std::map<sparse::Column, double>>& rows,
                 const base::Backend& host) {
  Index nonzeros = 0;
  for (const auto& row : rows) nonzeros += std::ssize(row);
  const Index count = std::ssize(rows);
  auto matrix =
      std::make_shared<sparse::Csr>(sparse::allocate_csr({count, count, 0, true}, nonzeros, host));
  Index k = 0;
  for (Index i = 0; i < count; ++i) {
    matrix->offsets[i] = k;
    for (const auto& [column, value] : rows[i]) {
      matrix->columns[k] = column;
      matrix->values[k++] = value;
    }
  }
  matrix->offsets[count] = k;
  return matrix;
}

/// Normally distributed couplings of all pairs of spins, with variance 1 / spins.
std::vector<double> couplings(int spins, std::uint64_t seed) {
  base::RandomStream random(seed, 5);
  std::vector<double> all(static_cast<std::size_t>(spins) * spins);
  for (int i = 0; i < spins; ++i)
    for (int j = 0; j < i; ++j) {
      const double length = std::sqrt(-2 * std::log(1 - random.uniform()));
      const double value = length * std::cos(2 * std::numbers::pi * random.uniform());
      all[i * spins + j] = all[j * spins + i] = value / std::sqrt(spins);
    }
  return all;
}

/// 1 for each pair of neighbours.
std::vector<double> torus(int columns, int rows, bool is_closed) {
  const int spins = columns * rows;
  std::vector<double> all(static_cast<std::size_t>(spins) * spins);
  const auto join = [&](int i, int j) { all[i * spins + j] = all[j * spins + i] = 1; };
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) {
      if (x + 1 < columns || is_closed) join(y * columns + x, y * columns + (x + 1) % columns);
      if (rows > 1 && (y + 1 < rows || is_closed))
        join(y * columns + x, (y + 1) % rows * columns + x);
    }
  return all;
}

/// sum J_ij s_i^z s_j^z - field sum s_i^x
Matrix glass_in_field(int spins, double field, std::uint64_t seed, const base::Backend& host) {
  const auto coupling = couplings(spins, seed);
  const Index count = Index{1} << spins;
  std::vector<std::map<sparse::Column, double>> rows(count);
  const auto sign = [](Index state, int i) { return (state >> i & 1) != 0 ? 1.0 : -1.0; };
  for (Index state = 0; state < count; ++state) {
    double energy = 0.01 * sign(state, 0);  // breaks the symmetry of up and down
    for (int i = 0; i < spins; ++i) {
      rows[state][static_cast<sparse::Column>(state ^ (Index{1} << i))] = -field;
      for (int j = 0; j < i; ++j)
        energy += coupling[i * spins + j] * sign(state, i) * sign(state, j);
    }
    rows[state][static_cast<sparse::Column>(state)] = energy;
  }
  return from_rows(rows, host);
}

/// sum J_ij S_i S_j with equally many spins up and down
Matrix heisenberg(int spins, const std::vector<double>& coupling, const base::Backend& host) {
  std::map<Index, sparse::Column> number;
  for (Index state = 0; state < Index{1} << spins; ++state)
    if (2 * std::popcount(static_cast<std::uint64_t>(state)) == spins)
      number.emplace(state, static_cast<sparse::Column>(number.size()));
  std::vector<std::map<sparse::Column, double>> rows(number.size());
  for (const auto& [state, at] : number) {
    double energy = 0;
    for (int i = 0; i < spins; ++i)
      for (int j = 0; j < i; ++j) {
        const Index pair = Index{1} << i | Index{1} << j;
        const bool is_antiparallel = std::popcount(static_cast<std::uint64_t>(state & pair)) == 1;
        energy += (is_antiparallel ? -0.25 : 0.25) * coupling[i * spins + j];
        if (is_antiparallel && coupling[i * spins + j] != 0)
          rows[at][number.at(state ^ pair)] = 0.5 * coupling[i * spins + j];
      }
    rows[at][at] = energy;
  }
  return from_rows(rows, host);
}

std::map<std::string, std::vector<double>> read_lowest(const std::string& file) {
  std::map<std::string, std::vector<double>> lowest;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    for (double value = 0; words >> value;) lowest[name].push_back(value);
  }
  return lowest;
}

}  // namespace

std::vector<TestProblem> hard_problems(const std::string& folder, const std::vector<int>& states,
                                       const base::Backend& host) {
  std::vector<std::pair<std::string, Matrix>> matrices;
  for (const char* name : {"h8_ring_2a", "h8_ring_3a", "h8_chain_1.5a", "h8_chain_3a",
                           "h8_cube_1.5a", "h8_cube_2.5a", "n2_3a"})
    matrices.emplace_back(name, molecule(folder + '/' + name + ".fcidump", host));
  matrices.emplace_back("hubbard_chain_8", hubbard(8, 1, false, host));
  matrices.emplace_back("hubbard_ring_8", hubbard(8, 1, true, host));
  matrices.emplace_back("hubbard_4x2", hubbard(4, 2, false, host));
  matrices.emplace_back("heisenberg_chain_14", heisenberg(14, torus(14, 1, false), host));
  matrices.emplace_back("heisenberg_ring_14", heisenberg(14, torus(14, 1, true), host));
  matrices.emplace_back("heisenberg_4x4", heisenberg(16, torus(4, 4, true), host));
  matrices.emplace_back("ising_glass_12", glass_in_field(12, 0.7, 1, host));
  matrices.emplace_back("heisenberg_glass_a", heisenberg(14, couplings(14, 2), host));
  matrices.emplace_back("heisenberg_glass_b", heisenberg(14, couplings(14, 3), host));
  auto lowest = read_lowest(folder + "/lowest.txt");
  std::vector<TestProblem> problems;
  for (const auto& [name, matrix] : matrices)
    for (const int count : states) problems.push_back({name, "hard", matrix, count, lowest[name]});
  return problems;
}

}  // namespace cisolve::bench
