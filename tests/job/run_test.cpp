#include "job/run/run.hpp"
#include "ci/hamiltonian/csf/csf_basis.hpp"
#include "job/problem/source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <utility>

#include "base/error.hpp"
#include "io/matrices/matrix_file.hpp"
#include "io/molecules/fcidump.hpp"
#include "job/problem/problem_in_memory.hpp"
#include "sparse/stored/matrix.hpp"

// A job as a library runs it: values in, values out, and an optional listener.
namespace cisolve::job {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kWaterFile = std::string(CISOLVE_SOURCES) + "/tests/data/h2o_sto3g.fcidump";
constexpr double kWaterEnergy = -75.0129786;  // full CI, to the digits needed

enum class Packed { all, pairs, triangle };

/// The integrals of a file as a user holds them in arrays.
std::shared_ptr<GivenIntegrals> given_water(Packed packed) {
  const io::MolecularProblem file = io::read_fcidump(kWaterFile, {}, base::Backend::openmp());
  const ci::Integrals& from = file.integrals;
  const int n = from.orbitals();
  auto given = std::make_shared<GivenIntegrals>();
  *given = {.orbitals = n,
            .alpha = file.alpha,
            .beta = file.beta,
            .core_energy = from.core_energy(),
            .one_body = {},
            .two_body = {}};
  const auto two = [&](int p, int q, int r, int s) {
    return from.two(ci::Spin::alpha, p, q, ci::Spin::alpha, r, s);
  };
  for (int p = 0; p < n; ++p)
    for (int q = 0; q < n; ++q) {
      given->one_body.push_back(from.one(ci::Spin::alpha, p, q));
      if (packed != Packed::all && q > p) continue;
      for (int r = 0; r < n; ++r)
        for (int s = 0; s < n; ++s) {
          if (packed != Packed::all && s > r) continue;
          if (packed == Packed::triangle && ci::pair_index(r, s) > ci::pair_index(p, q)) continue;
          given->two_body.push_back(two(p, q, r, s));
        }
    }
  return given;
}

Request request_for(std::shared_ptr<const GivenIntegrals> integrals) {
  Request request;
  request.source = ProblemSource::integrals;
  request.integrals = std::move(integrals);
  request.solver.states = 3;
  return request;
}

TEST(Run, IntegralsInMemoryHaveTheStatesOfTheirFile) {
  Request file;
  file.source = ProblemSource::fcidump;
  file.fcidump = kWaterFile;
  file.solver.states = 3;
  const Outcome expected = run(file);
  EXPECT_NEAR(expected.result->states[0].energy, kWaterEnergy, 1);
  for (const Packed packed : {Packed::all, Packed::pairs, Packed::triangle}) {
    const Outcome found = run(request_for(given_water(packed)));
    ASSERT_TRUE(found.is_good());
    EXPECT_TRUE(found.verification->passed);
    EXPECT_EQ(found.verification->by, "direct");
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_EQ(found.result->states[j].energy, expected.result->states[j].energy);
      EXPECT_NEAR(*found.analysis->states[j].s2, *expected.analysis->states[j].s2, 1e-12);
    }
    EXPECT_EQ(found.determinant_problem->space.dimension(), 441);
  }
}

TEST(Run, IrrepsOfOrbitalsInMemoryCount) {
  const auto given = given_water(Packed::triangle);
  given->irreps = {1, 1, 1, 1, 2, 2, 3};  // these integrals have no such symmetry
  EXPECT_EQ(run(request_for(given)).determinant_problem->warnings.size(), 1U);
}

TEST(Run, RowsInMemoryAreSolvedAndReadASecondTime) {
  Request generated;
  generated.generate.rows = 200;
  generated.generate.symmetric = true;
  const std::shared_ptr<const sparse::RowSource> rows =
      open_rows(generated, base::Backend::openmp()).take();
  Request request;
  request.source = ProblemSource::rows;
  request.rows = rows;
  request.solver.states = 2;
  const Outcome found = run(request);
  ASSERT_TRUE(found.is_good());
  EXPECT_EQ(found.verification->by, "csr");
  EXPECT_FALSE(found.determinant_problem);
  generated.solver.states = 2;
  const Outcome expected = run(generated);
  EXPECT_EQ(found.result->states[1].energy, expected.result->states[1].energy);
}

/// Records its calls, and the bits of the lent vectors.
class Notes : public Listener {
 public:
  void states_lent(const LentStates& states) override {
    heard.emplace_back("standing");
    determinant_problem = states.determinant_problem;
    for (int j = 0; j < states.vectors.columns; ++j)
      bits.insert(bits.end(), states.vectors.column(j),
                  states.vectors.column(j) + states.vectors.rows);
    view = states.vectors;
  }
  void verified(const Outcome& found) override {
    heard.emplace_back("verified");
    for (int j = 0; j < view.columns; ++j)
      still_there = still_there && std::equal(view.column(j), view.column(j) + view.rows,
                                              found.result->vectors.block().column(j));
  }
  void release() noexcept override { heard.emplace_back("release"); }
  void watch(const std::string& what, Index /*rows*/,
             const std::function<void(const Watch&)>& work) override {
    heard.push_back(what);
    if (what == fails_at) base::fail(base::ErrorKind::resources, "no more of it");
    work({});
  }

  std::string fails_at;
  std::vector<std::string> heard;
  const DeterminantProblem* determinant_problem = nullptr;
  std::vector<double> bits;
  base::ConstBlock view;
  bool still_there = true;
};

std::vector<double> values_of(base::ConstBlock block) {
  std::vector<double> values;
  for (int j = 0; j < block.columns; ++j)
    values.insert(values.end(), block.column(j), block.column(j) + block.rows);
  return values;
}

// Without repulsion, four singlets and four triplets share an energy and are rotated.
TEST(Run, StatesAreLentAfterCleanUpAndBeforeVerification) {
  Request ring;
  ring.source = ProblemSource::lattice;
  ring.lattice.columns = 6;
  ring.lattice.periodic_columns = true;
  ring.lattice.u = 0;
  ring.solver.states = 9;
  ring.backend = base::BackendKind::openmp;
  Notes notes;
  const Outcome found = run(ring, notes);
  ASSERT_TRUE(found.is_good());
  EXPECT_THAT(notes.heard,
              ElementsAre(HasSubstr("building"), "standing", "verifying", "verified", "release"));
  EXPECT_EQ(notes.bits, values_of(found.result->vectors.block()));
  EXPECT_TRUE(notes.still_there);
  EXPECT_EQ(notes.determinant_problem, found.determinant_problem.get());
}

TEST(Run, LentStatesAreReleasedEvenIfVerificationFails) {
  Request request = request_for(given_water(Packed::all));
  Notes notes;
  notes.fails_at = "verifying";
  EXPECT_THROW(run(request, notes), base::Error);
  EXPECT_THAT(notes.heard, ElementsAre(HasSubstr("building"), "standing", "verifying", "release"));
}

// A process forked while a thread writes would find its libraries in an inconsistent state.
TEST(Run, NothingIsLentWhileAnotherProcessReads) {
  Request generated;
  generated.generate.rows = 50;
  generated.generate.symmetric = true;
  Request request;
  request.source = ProblemSource::matrix;
  for (const char* name : {"run_test.mtx", "run_test.h5"}) {
    request.matrix = std::filesystem::temp_directory_path() / base::concat(::getpid(), name);
    io::write_matrix(request.matrix, *open_rows(generated, base::Backend::openmp()),
                     {.overwrite = true}, base::Backend::openmp());
    Notes notes;
    EXPECT_TRUE(run(request, notes).is_good());
    EXPECT_EQ(std::ranges::count(notes.heard, "standing"), request.matrix.ends_with(".mtx"));
    std::filesystem::remove(request.matrix);
  }
}

std::string refusal(const Request& request) {
  try {
    run(request);
  } catch (const base::Error& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(Run, ImpossibleArraysAreRefusedWithTheirPlace) {
  auto given = given_water(Packed::all);
  given->two_body.pop_back();
  EXPECT_THAT(refusal(request_for(given)), HasSubstr("2400 values; expected 2401 (all four"));
  given = given_water(Packed::all);
  given->one_body[1] += 1e-3;
  EXPECT_THAT(refusal(request_for(given)), HasSubstr("h(2 1) is "));
  given = given_water(Packed::all);
  given->two_body[7] += 1e-3;  // (11|21)
  EXPECT_THAT(refusal(request_for(given)), HasSubstr("with its indices exchanged"));
  given = given_water(Packed::triangle);
  given->two_body.back() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(refusal(request_for(given)), HasSubstr("(7 7 7 7) is not a finite number"));
  given = given_water(Packed::pairs);
  given->alpha = 8;
  EXPECT_THAT(refusal(request_for(given)), HasSubstr("8 electrons of one spin in 7 orbitals"));
  EXPECT_THAT(refusal(request_for(nullptr)), HasSubstr("none are given"));
  Request rows;
  rows.source = ProblemSource::rows;
  EXPECT_THAT(refusal(rows), HasSubstr("none are given"));
}

// Whichever of eight equal elements differs.
TEST(Run, EveryInvalidValueOfFullArraysIsFound) {
  const auto whole = given_water(Packed::all);
  const int n = whole->orbitals;
  for (std::size_t place = 0; place < whole->two_body.size(); ++place) {
    const int p = static_cast<int>(place) / (n * n * n);
    const int q = static_cast<int>(place) / (n * n) % n;
    const int r = static_cast<int>(place) / n % n;
    const int s = static_cast<int>(place) % n;
    if (p == q && q == r && r == s) continue;  // no other element equals it
    GivenIntegrals given = *whole;
    given.two_body[place] += 1e-3;
    EXPECT_THROW(problem_of(given, base::Backend::openmp()), base::Error) << place;
  }
}

/// Records its calls.
class RecordingListener final : public Listener {
 public:
  void opened(const OpenProblem& problem) override {
    heard.emplace_back("opened");
    EXPECT_EQ(problem.shape.rows, 441);
  }
  void chose_spin(const ci::CsfBasis& /*basis*/) override { heard.emplace_back("chose spin"); }
  void described(const MatrixDescription& /*matrix*/) override { heard.emplace_back("described"); }
  void built(const Outcome& so_far) override {
    heard.emplace_back("built");
    EXPECT_FALSE(so_far.result);
  }
  void measured(const Outcome& so_far) override {
    heard.emplace_back("measured");
    EXPECT_TRUE(so_far.product.check.passed);
  }
  void solved(const Outcome& so_far) override {
    heard.emplace_back("solved");
    EXPECT_FALSE(so_far.verification);
  }
  void verified(const Outcome& so_far) override {
    heard.emplace_back("verified");
    EXPECT_TRUE(so_far.analysis);
  }
  void watch(const std::string& what, Index rows,
             const std::function<void(const Watch&)>& work) override {
    Index hears = 0;
    work([&](Index done) { __atomic_fetch_add(&hears, done, __ATOMIC_RELAXED); });
    EXPECT_GE(hears, rows) << what;
    heard.push_back(what);
  }

  std::vector<std::string> heard;
};

TEST(Run, AListenerReceivesEveryEventInOrder) {
  Request request = request_for(given_water(Packed::triangle));
  request.product.wanted = true;
  request.product.repeat = 1;
  request.space.spin = 0;
  request.storage.format = "hybrid";
  request.backend = base::BackendKind::openmp;
  RecordingListener diary;
  run(request, diary);
  EXPECT_THAT(diary.heard, ElementsAre("opened", "chose spin", "reading the rows", "described",
                                       "building hybrid", "built", "measured", "solved",
                                       "verifying", "verified"));
}

/// Stops at the first iteration.
class StoppingListener final : public Listener, private solver::Observer {
 public:
  solver::Observer* observer() override { return this; }
  void verified(const Outcome& /*so_far*/) override {
    ADD_FAILURE() << "there was nothing to verify";
  }

 private:
  bool report(const solver::Progress& /*progress*/) override { return false; }
};

TEST(Run, ASolutionThatIsStoppedEndsAsInterrupted) {
  Request request = request_for(given_water(Packed::triangle));
  request.solver.method = solver::Method::davidson;
  request.solver.model_size = 5;
  StoppingListener listener;
  const Outcome found = run(request, listener);
  EXPECT_EQ(found.end, End::interrupted);
  EXPECT_FALSE(found.is_good());
  EXPECT_FALSE(found.verification);
}

/// Resumes from the state of a long run.
class ResumingListener final : public Listener, private solver::Observer {
 public:
  solver::Observer* observer() override { return this; }
  std::optional<solver::Checkpoint> start() override { return std::exchange(saved, std::nullopt); }

  std::optional<solver::Checkpoint> saved;
  static constexpr Index kBefore = 1'000'000'000;  // products

 private:
  bool report(const solver::Progress& progress) override {
    if (progress.products >= kBefore) return true;
    saved.emplace(progress.state.checkpoint());
    saved->products += kBefore;
    return false;
  }
};

TEST(Run, AResumedJobTimesOnlyItsOwnProducts) {
  Request request = request_for(given_water(Packed::triangle));
  request.solver.method = solver::Method::davidson;
  request.solver.model_size = 5;
  ResumingListener listener;
  EXPECT_EQ(run(request, listener).end, End::interrupted);
  ASSERT_TRUE(listener.saved);
  const Index before = listener.saved->products;
  const Outcome found = run(request, listener);
  ASSERT_TRUE(found.is_good());
  const solver::Result& result = *found.result;
  EXPECT_LT(result.products - before, 1000);
  const auto times = found.times.all();
  const auto product = std::ranges::find(times, "product_s", &PhaseTimes::Entry::first);
  ASSERT_NE(product, times.end());
  EXPECT_DOUBLE_EQ(product->second,
                   result.product_seconds / static_cast<double>(result.products - before));
}

// 1e-8 is far below the rounding error of residuals for energies of 1e8.
TEST(Run, EnergiesInSmallUnitsConvergeToTheRoundingLimit) {
  Request chain;
  chain.source = ProblemSource::lattice;
  chain.lattice.periodic_columns = true;
  chain.lattice.t = 1e7;
  chain.lattice.u = 4e7;
  chain.solver.states = 3;
  chain.solver.method = solver::Method::davidson;
  chain.solver.max_iterations = 1000;
  chain.backend = base::BackendKind::openmp;
  const Outcome found = run(chain);
  EXPECT_LT(found.result->iterations, 300);
  EXPECT_EQ(found.end, End::not_converged);
  EXPECT_TRUE(found.verification->passed);
  for (const solver::State& state : found.result->states) {
    EXPECT_EQ(state.status, solver::Status::limited);
    EXPECT_LT(state.residual, found.result->rounding);
  }
}

/// Replaces the integrals of a file when its states are found.
class ReplacingListener final : public Listener {
 public:
  ReplacingListener(std::filesystem::path file, std::string text)
      : file_(std::move(file)), text_(std::move(text)) {}
  void solved(const Outcome& /*so_far*/) override {
    const std::filesystem::path fresh = file_.string() + ".new";
    std::ofstream(fresh) << text_;
    std::filesystem::rename(fresh, file_);
  }

 private:
  std::filesystem::path file_;
  std::string text_;
};

// The file is read again for verification: a replaced file is reported, not its states.
TEST(Run, AFileThatIsReplacedBetweenItsReadingsHasChanged) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("replaced-" + std::to_string(getpid()) + ".mtx");
  const auto text = [](double diagonal) {
    std::ostringstream lines;
    lines << "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 " << diagonal
          << "\n2 1 0.5\n2 2 -1\n3 3 1\n";
    return lines.str();
  };
  std::ofstream(file) << text(-2);
  Request request;
  request.source = ProblemSource::matrix;
  request.matrix = file.string();
  request.backend = base::BackendKind::openmp;
  ReplacingListener listener(file, text(-3));
  try {
    run(request, listener);
    FAIL() << "it was not noticed";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::bad_input);
    EXPECT_THAT(error.what(), HasSubstr(file.string() + ": the file has changed"));
  }
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace cisolve::job
