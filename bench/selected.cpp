#include <algorithm>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/multivector.hpp"
#include "base/stopwatch.hpp"
#include "ci/fock/spaces/spaces.hpp"
#include "ci/hamiltonian/rows/hamiltonian.hpp"
#include "ci/selected/extrapolation.hpp"
#include "ci/selected/growth.hpp"
#include "ci/selected/perturbation.hpp"
#include "ci/selected/spin_partners.hpp"
#include "io/molecules/fcidump.hpp"
#include "solver/methods/solve.hpp"
#include "sparse/stored/matrix.hpp"

// selected FCIDUMP EPSILONS [RATIO [STATES [plain|complete [START]]]]: selected CI on the host,
// from one determinant through the heat-bath thresholds EPSILONS (Hartree, descending, such as
// 1e-3,1e-4), with perturbation to RATIO (1e-3) times each. `plain` leaves configurations
// incomplete. START is a determinant such as 2222u000, by default aufbau. Prints a JSON record for
// each threshold and one for the extrapolation. Times are in seconds, rates in terms or candidates
// per second.
namespace cisolve::bench {
namespace {

using base::Index;

struct SelectedArguments {
  std::string file;
  std::vector<double> epsilons;
  double ratio = 1e-3;
  int states = 1;
  bool complete_spin = true;
  std::string start;
};

template <int W>
class SelectedRun {
 public:
  SelectedRun(const SelectedArguments& arguments, const io::MolecularProblem& problem,
              const base::Backend& host)
      : arguments_(arguments),
        integrals_(problem.integrals),
        electrons_{problem.alpha, problem.beta},
        host_(host),
        list_(integrals_.orbitals(), electrons_, initial_determinants(), host) {
    if (arguments.complete_spin) ci::complete_spin(list_);
  }

  void run() {
    const base::Stopwatch watch;
    const ci::HeatBathTables tables(integrals_, electrons_,
                                    arguments_.epsilons.back() * arguments_.ratio, host_);
    std::cout << "{\"orbitals\": " << integrals_.orbitals() << ", \"threads\": " << host_.threads()
              << ", \"table_bytes\": " << tables.bytes() << ", \"table_s\": " << watch.seconds()
              << "}" << std::endl;
    solve();
    for (const double epsilon : arguments_.epsilons) {
      converge(tables, epsilon);
      perturb(tables, epsilon);
    }
    report_extrapolations();
    std::cout << "{\"total_s\": " << watch.seconds() << "}" << std::endl;
  }

 private:
  std::vector<ci::Determinant> initial_determinants() const {
    if (arguments_.start.empty()) return {ci::aufbau(electrons_.alpha, electrons_.beta)};
    return {ci::parse_determinant(arguments_.start, integrals_.orbitals())};
  }

  /// Grows and solves until a step adds less than 1 % to the list.
  void converge(const ci::HeatBathTables& tables, double epsilon) {
    constexpr double kEnough = 0.01;
    grow_s_ = solve_s_ = 0;
    candidates_ = 0;
    steps_ = 0;
    for (bool is_done = false; !is_done; ++steps_) {
      const base::Stopwatch watch;
      const ci::GrowthResult grown =
          ci::grow(list_, tables, result_->vectors.block(),
                   {.epsilon = epsilon, .complete_spin = arguments_.complete_spin});
      grow_s_ += watch.seconds();
      candidates_ += grown.candidates;
      is_done = static_cast<double>(grown.added) < kEnough * static_cast<double>(list_.size());
      if (grown.added > 0) solve();
    }
  }

  void solve() {
    const base::Stopwatch watch;
    std::vector<ci::Determinant> determinants;
    for (const auto& one : list_.determinants()) determinants.push_back(one.determinant());
    const ci::Space space = ci::list_space(
        {integrals_.orbitals(), electrons_.alpha, electrons_.beta}, determinants, host_);
    const ci::Partition canonical(host_);
    const auto matrix = sparse::build_matrix(ci::HamiltonianRows(space, integrals_, canonical),
                                             {.format = "csr"}, host_);
    solver::Options options;
    options.states = static_cast<int>(std::min<Index>(arguments_.states, list_.size()));
    options.tolerance = kTolerance;
    options.search = solver::SearchEffort::none;
    result_.emplace(solver::solve({*matrix, host_}, options));
    if (!result_->converged())
      base::fail(base::ErrorKind::internal, "the states of ", list_.size(),
                 " determinants are not found");
    solve_s_ += watch.seconds();
  }

  void perturb(const ci::HeatBathTables& tables, double epsilon) {
    std::vector<double> energies;
    for (const solver::State& state : result_->states) energies.push_back(state.energy);
    const base::Stopwatch watch;
    const ci::PerturbationResult found = ci::perturb(
        list_, tables, result_->vectors.block(), energies, {.epsilon = epsilon * arguments_.ratio});
    const double seconds = watch.seconds();
    points_.resize(energies.size());
    std::cout << "{\"epsilon\": " << epsilon << ", \"determinants\": " << list_.size()
              << ", \"steps\": " << steps_ << ", \"candidates\": " << candidates_
              << ", \"grow_s\": " << grow_s_ << ", \"solve_s\": " << solve_s_
              << ", \"terms\": " << found.terms << ", \"externals\": " << found.externals
              << ", \"perturb_s\": " << seconds
              << ", \"terms_per_s\": " << static_cast<double>(found.terms) / seconds
              << ", \"smallest_gap\": " << found.smallest_gap << ", \"states\": [";
    for (std::size_t s = 0; s < energies.size(); ++s) {
      const ci::StatePerturbation& state = found.states[s];
      points_[s].push_back({energies[s], state.energy});
      std::cout << (s > 0 ? ", " : "") << "{\"energy\": " << energies[s]
                << ", \"perturbation\": " << state.energy
                << ", \"total\": " << energies[s] + state.energy
                << ", \"variance\": " << state.variance
                << ", \"s2_correction\": " << state.spin_squared << "}";
    }
    std::cout << "]}" << std::endl;
  }

  void report_extrapolations() const {
    for (const auto& points : points_) {
      const ci::Extrapolation found = ci::extrapolate(points);
      std::cout << "{\"extrapolated\": " << found.energy << ", \"error\": " << found.error
                << ", \"distrust\": \"" << found.distrust << "\"}" << std::endl;
    }
  }

  static constexpr double kTolerance = 1e-6;

  const SelectedArguments& arguments_;
  const ci::Integrals& integrals_;
  ci::SpinElectrons electrons_;
  base::Backend host_;
  ci::SelectedList<W> list_;
  std::optional<solver::Result> result_;
  std::vector<std::vector<ci::ExtrapolationPoint>> points_;  // [state]
  double grow_s_ = 0;
  double solve_s_ = 0;
  Index candidates_ = 0;
  int steps_ = 0;
};

SelectedArguments selected_arguments(int argc, char** argv) {
  if (argc < 3)
    base::fail(base::ErrorKind::usage,
               "usage: selected FCIDUMP EPSILONS [RATIO [STATES [plain|complete [START]]]]");
  SelectedArguments arguments;
  arguments.file = argv[1];
  std::istringstream text(argv[2]);
  for (std::string one; std::getline(text, one, ',');) arguments.epsilons.push_back(std::stod(one));
  if (argc > 3) arguments.ratio = std::stod(argv[3]);
  if (argc > 4) arguments.states = std::stoi(argv[4]);
  if (argc > 5) arguments.complete_spin = std::string(argv[5]) != "plain";
  if (argc > 6) arguments.start = argv[6];
  return arguments;
}

void run_selected(const SelectedArguments& arguments) {
  const base::Backend host = base::Backend::openmp();
  const io::MolecularProblem problem = io::read_fcidump(arguments.file, {}, host);
  ci::with_words_of(problem.integrals.orbitals(), [&]<int W>(std::integral_constant<int, W>) {
    SelectedRun<W>(arguments, problem, host).run();
  });
}

}  // namespace
}  // namespace cisolve::bench

int main(int argc, char** argv) try {
  std::cout.precision(14);
  cisolve::bench::run_selected(cisolve::bench::selected_arguments(argc, argv));
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
