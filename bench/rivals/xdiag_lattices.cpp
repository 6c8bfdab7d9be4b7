// Solves one lattice by XDiag's Lanczos, for bench/compare_lattices, which compiles it and writes
// the problem; it is not a CMake target. Prints a line of JSON.
//
//   xdiag_lattices PROBLEM [csr] [vector] [told] [steps=N] [precision=P]
//
// csr: with a stored matrix; otherwise elements are computed in each product. vector: computes the
// state, too, and its residual. told: each step on standard output. A line of PROBLEM is one of
//
//   model spins|electrons|tj       sites N       up N       down N       coding auto|4sublattice...
//   operation RE IM SITE...        a character, and the image of each site
//   term TYPE STRENGTH SITE...     in XDiag's names, such as SdotS or Hop
#include <cmath>
#include <fstream>
#include <iostream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <vector>
#include <xdiag/all.hpp>

namespace {

struct Problem {
  std::string model, coding = "auto";
  int64_t sites = 0, down = 0;
  std::optional<int64_t> up;
  std::vector<xdiag::Permutation> operations;
  std::vector<xdiag::complex> characters;
  xdiag::OpSum terms;
};

struct Wanted {
  bool csr = false, vector = false;
  int64_t steps = 1000;
  double precision = 1e-12;
};

template <class T>
std::vector<T> rest_of(std::istringstream& line) {
  std::vector<T> all;
  for (T one; line >> one;) all.push_back(one);
  return all;
}

Problem read(const char* path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(std::string(path) + ": cannot be opened");
  Problem problem;
  for (std::string text; std::getline(file, text);) {
    std::istringstream line(text);
    std::string key;
    line >> key;
    if (key == "model") line >> problem.model;
    if (key == "coding") line >> problem.coding;
    if (key == "sites") line >> problem.sites;
    if (key == "up") line >> problem.up.emplace();
    if (key == "down") line >> problem.down;
    if (key == "operation") {
      double real = 0, imaginary = 0;
      line >> real >> imaginary;
      problem.characters.emplace_back(real, imaginary);
      problem.operations.emplace_back(rest_of<int64_t>(line));
    }
    if (key == "term") {
      std::string type;
      double strength = 0;
      line >> type >> strength;
      const auto sites = rest_of<int64_t>(line);
      problem.terms += strength * (sites.empty() ? xdiag::Op(type) : xdiag::Op(type, sites));
    }
  }
  return problem;
}

xdiag::Representation irrep_of(const Problem& problem) {
  const xdiag::PermutationGroup group(problem.operations);
  std::vector<double> real;
  for (const auto& c : problem.characters) {
    if (std::abs(c.imag()) > 1e-12) return {group, problem.characters};
    real.push_back(c.real());
  }
  return {group, real};
}

xdiag::Block block_of(const Problem& p) {
  const bool whole = p.operations.empty();
  if (p.model == "spins") {
    if (!p.up)
      return whole ? xdiag::Spinhalf(p.sites) : xdiag::Spinhalf(p.sites, irrep_of(p), p.coding);
    return whole ? xdiag::Spinhalf(p.sites, *p.up)
                 : xdiag::Spinhalf(p.sites, *p.up, irrep_of(p), p.coding);
  }
  if (p.model == "electrons")
    return whole ? xdiag::Electron(p.sites, *p.up, p.down)
                 : xdiag::Electron(p.sites, *p.up, p.down, irrep_of(p));
  return whole ? xdiag::tJ(p.sites, *p.up, p.down) : xdiag::tJ(p.sites, *p.up, p.down, irrep_of(p));
}

class Clock {
 public:
  /// Seconds since the last call.
  double lap() {
    const auto now = xdiag::rightnow();
    const double seconds = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    return seconds;
  }

 private:
  decltype(xdiag::rightnow()) last_ = xdiag::rightnow();
};

struct Solution {
  double energy = 0, residual = std::numeric_limits<double>::quiet_NaN(), seconds = 0;
  int64_t steps = 0;
};

/// `h`: an operator, computed or stored. The state is formed in a second pass of as many steps.
template <class Operator>
Solution solve(const Operator& h, const xdiag::OpSum& terms, const xdiag::Block& block,
               const Wanted& wanted) {
  Clock clock;
  Solution found;
  const auto take = [&](const auto& result) {
    found.seconds = clock.lap();
    found.energy = result.eigenvalues(0);
    found.steps = result.niterations;
  };
  if (!wanted.vector) {
    take(xdiag::eigvals_lanczos(h, block, 1, wanted.precision, wanted.steps));
    return found;
  }
  const auto result = xdiag::eigs_lanczos(h, block, 1, wanted.precision, wanted.steps);
  take(result);
  const xdiag::State state = xdiag::col(result.eigenvectors, 0);
  found.residual = xdiag::norm(xdiag::apply(terms, state) - found.energy * state);
  return found;
}

int run(const Problem& problem, const Wanted& wanted) {
  Clock clock;
  const xdiag::Block block = block_of(problem);
  const double block_s = clock.lap();
  double matrix_s = 0;
  Solution found;
  if (!wanted.csr) {
    found = solve(problem.terms, problem.terms, block, wanted);
  } else if (xdiag::isreal(block)) {
    const auto matrix = xdiag::csr_matrix_32(problem.terms, block);
    matrix_s = clock.lap();
    found = solve(matrix, problem.terms, block, wanted);
  } else {
    const auto matrix = xdiag::csr_matrixC_32(problem.terms, block);
    matrix_s = clock.lap();
    found = solve(matrix, problem.terms, block, wanted);
  }
  std::cout.precision(15);
  std::cout << "{\"rows\": " << xdiag::size(block) << ", \"block_s\": " << block_s
            << ", \"matrix_s\": " << matrix_s << ", \"solve_s\": " << found.seconds
            << ", \"steps\": " << found.steps << ", \"energy\": " << found.energy
            << ", \"residual\": ";
  if (std::isnan(found.residual))
    std::cout << "null}" << std::endl;
  else
    std::cout << found.residual << "}" << std::endl;
  return 0;
}

}  // namespace

int main(int count, char** given) try {
  if (count < 2) throw std::runtime_error("expected a file with the problem");
  Wanted wanted;
  for (int i = 2; i < count; ++i) {
    const std::string word = given[i];
    if (word == "csr")
      wanted.csr = true;
    else if (word == "vector")
      wanted.vector = true;
    else if (word == "told")
      xdiag::set_verbosity(2);
    else if (word.rfind("steps=", 0) == 0)
      wanted.steps = std::stoll(word.substr(6));
    else if (word.rfind("precision=", 0) == 0)
      wanted.precision = std::stod(word.substr(10));
    else
      throw std::runtime_error("'" + word + "' is none of csr, vector, told, steps=, precision=");
  }
  return run(read(given[1]), wanted);
} catch (const xdiag::Error& error) {
  xdiag::error_trace(error);
  return 1;
} catch (const std::exception& error) {
  std::cerr << "xdiag_lattices: " << error.what() << '\n';
  return 1;
}
