#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "bench/timing.hpp"
#include "ci/fock/spaces/spaces.hpp"
#include "ci/properties/three_particle_density.hpp"

// three_particles BACKEND ORBITALS ALPHA BETA THREADS [even]: seconds for the three-particle
// density of a random state of full CI, and for the contractions of four particles of NEVPT2; of an
// even state under the exchange of spins, as singlets are, with `even`.
namespace cisolve::bench {
namespace {

using base::Index;

constexpr int kRepeat = 3;

std::vector<double> random_numbers(Index count, std::uint64_t seed) {
  std::vector<double> numbers(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i)
    numbers[i] = base::symmetric_interval(base::mix(seed, static_cast<std::uint64_t>(i)));
  return numbers;
}

void run(const std::string& name, const ci::Sector& sector, int threads, bool is_even) {
  const base::Backend backend = base::Backend::by_name(name, threads, {});
  const ci::Space space = ci::full_ci(sector, backend.host());
  std::vector<double> x = random_numbers(space.dimension(), 1);
  const Index strings = std::ssize(space.strings(ci::Spin::alpha));
  for (Index a = 0; is_even && a < strings; ++a)
    for (Index b = 0; b < a; ++b) x[a * strings + b] = x[b * strings + a];
  double norm = 0;
  for (const double value : x) norm += value * value;
  for (double& value : x) value /= std::sqrt(norm);
  const Index n = sector.orbitals;
  const Index pairs = n * n;
  std::vector<double> one(static_cast<std::size_t>(pairs));
  std::vector<double> two(static_cast<std::size_t>(pairs * pairs));
  std::vector<double> three(static_cast<std::size_t>(pairs * pairs * pairs));
  std::vector<double> ca = three;
  std::vector<double> ac = three;
  const std::vector<double> integrals = random_numbers(pairs * pairs, 2);
  const double density = least_seconds(backend, kRepeat, [&] {
    ci::three_particle_density(space, x.data(), backend, {one, two, three});
  });
  const double contractions = least_seconds(backend, kRepeat, [&] {
    ci::contract_four_particle_density(space, x.data(), backend, {integrals, ca, ac});
  });
  std::cout << "{\"benchmark\": \"three_particles\", \"backend\": \"" << backend.name()
            << "\", \"device\": \"" << backend.description() << "\", \"orbitals\": " << n
            << ", \"determinants\": " << space.dimension()
            << ", \"even\": " << (is_even ? "true" : "false") << ", \"density_s\": " << density
            << ", \"contractions_s\": " << contractions << "}\n";
}

}  // namespace
}  // namespace cisolve::bench

int main(int argc, char** argv) {
  const std::vector<std::string> given(argv + 1, argv + argc);
  try {
    if (given.size() < 5 || given.size() > 6 || (given.size() == 6 && given[5] != "even"))
      cisolve::base::fail(cisolve::base::ErrorKind::usage,
                          "usage: three_particles BACKEND ORBITALS ALPHA BETA THREADS [even]");
    cisolve::bench::run(given[0],
                        {.orbitals = std::stoi(given[1]),
                         .alpha_electrons = std::stoi(given[2]),
                         .beta_electrons = std::stoi(given[3])},
                        std::stoi(given[4]), given.size() == 6);
  } catch (const std::exception& error) {
    std::cerr << "three_particles: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
