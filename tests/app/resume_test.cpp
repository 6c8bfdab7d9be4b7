#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>

#include "program.hpp"
#include "tests/support/sanitizers.hpp"

// Jobs that are killed, interrupted, out of disk, and then go on.
namespace cisolve::test {
namespace {

using nlohmann::json;

class ResumeTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    take(unless_sanitized(kLong, kShort));
  }

  struct Chain {
    const char* job;
    std::array<double, 4> energies;
  };
  // They save their state in each iteration; the first takes a second or so, the second less.
  static constexpr Chain kLong{
      "problem: {lattice: {columns: 8}}\n"
      "solver: {states: 4, method: davidson}\n"
      "backend: reference\n"
      "output: {checkpoint: 0 s}\n",
      {-4.235806999130, -3.916494198372, -3.540179233592, -3.421295198439}};
  static constexpr Chain kShort{
      "problem: {lattice: {columns: 6}}\n"
      "solver: {states: 4, method: davidson, model_size: 40}\n"
      "backend: reference\n"
      "output: {checkpoint: 0 s}\n",
      {-3.092565319505, -2.691496019237, -2.235440674901, -2.068553529939}};

  void take(const Chain& chain) {
    chain_ = chain;
    write_file(file("a.yaml"), chain_.job);
  }

  std::vector<double> energies() const {
    std::vector<double> found;
    const json record = json::parse(read_file(file("out/run.json")));
    for (const json& state : record["states"]) found.push_back(state["energy"]);
    return found;
  }

  void expect_right_energies() const {
    const std::vector<double> found = energies();
    ASSERT_EQ(found.size(), 4u);
    for (int j = 0; j < 4; ++j) EXPECT_NEAR(found[j], chain_.energies[j], 1e-10);
  }

  bool has_checkpoint() const {
    return exists(file("out/checkpoint-a.h5")) || exists(file("out/checkpoint-b.h5"));
  }

  // Begins the job and ends it by a signal once it has written both slots.
  Finished interrupted(int signal) const {
    double after = 0.2;
    while (true) {
      const Finished part = run({"a.yaml", "--force"}, "", {signal, seconds(after)});
      if (exists(file("out/checkpoint-b.h5"))) return part;
      after = part.code == 0 ? after / 3 : after * 1.5;
    }
  }

  static std::chrono::duration<double> seconds(double count) {
    return std::chrono::duration<double>(count);
  }

  // Signals at random moments until the job has ended by itself.
  int end_in_spite_of(int signal, double whole, std::mt19937& random) const {
    std::uniform_real_distribution<double> moment(0, whole);
    int signals = 0;
    std::vector<std::string> arguments{"a.yaml", "--force"};
    while (signals < 200) {
      const Finished part = run(arguments, "", {signal, seconds(moment(random))});
      if (part.code == 0) return signals;
      ++signals;
      if (part.code != -signal || !part.err.empty()) {  // else it had not begun to work
        EXPECT_EQ(part.code, signal == SIGKILL ? -SIGKILL : 75) << part.err;
      }
      if (exists(file("out/run.json"))) expect_right_energies();  // whole: it was at its end
      if (exists(file("out/job.yaml"))) arguments = {"resume", "out"};
    }
    return signals;
  }

 private:
  Chain chain_ = kLong;
};

int rounds() {
  const char* wanted = std::getenv("CISOLVE_TEST_KILLS");
  return wanted == nullptr ? unless_sanitized(10, 4) : std::atoi(wanted);
}

TEST_F(ResumeTest, KillsAndInterruptsAtAnyMomentChangeNothing) {
  take(kShort);  // many runs; what may be cut short in one is there in the other
  const Finished whole = run({"a.yaml"});
  ASSERT_EQ(whole.code, 0) << whole.err;
  expect_right_energies();
  EXPECT_FALSE(has_checkpoint());
  std::mt19937 random(1);
  for (const int signal : {SIGKILL, SIGTERM})
    for (int count = 0; count < rounds();) {
      std::filesystem::remove_all(file("out"));
      count += end_in_spite_of(signal, whole.seconds, random);
      ASSERT_FALSE(HasFailure());
      expect_right_energies();
      EXPECT_FALSE(has_checkpoint());
      EXPECT_EQ(run({"resume", "out"}).code, 0);  // it has ended; nothing is left to do
    }
}

TEST_F(ResumeTest, AnInterruptSavesAndSaysHowToGoOn) {
  for (const int signal : {SIGTERM, SIGINT}) {
    const Finished part = interrupted(signal);
    EXPECT_EQ(part.code, 75);
    EXPECT_NE(part.out.find("ci-solve resume out"), std::string::npos) << part.out;
    const Finished rest = run({"resume", "out"});
    EXPECT_EQ(rest.code, 0) << rest.err;
    EXPECT_NE(rest.err.find("resumed after iteration"), std::string::npos) << rest.err;
    expect_right_energies();
  }
}

TEST_F(ResumeTest, ACheckpointIsNotOverwrittenByAccident) {
  interrupted(SIGTERM);
  const Finished again = run({"a.yaml"});
  EXPECT_EQ(again.code, 73);
  EXPECT_NE(again.err.find("ci-solve resume out"), std::string::npos) << again.err;
  EXPECT_EQ(run({"a.yaml", "--force"}).code, 0);
}

TEST_F(ResumeTest, AnotherInputIs65WithTheDifferences) {
  interrupted(SIGTERM);
  const Finished other = run({"resume", "out", "--set", "problem.lattice.u=5"});
  EXPECT_EQ(other.code, 65);
  EXPECT_NE(other.err.find("problem.lattice.u was 4 and is 5"), std::string::npos) << other.err;
  EXPECT_EQ(run({"resume", "out"}).code, 0);  // the refusal changed nothing
  expect_right_energies();
}

TEST_F(ResumeTest, HowItIsStoredAndSolvedMayChange) {
  interrupted(SIGKILL);
  const Finished rest = run({"resume", "out", "--set", "storage.format=csr", "--set",
                             "solver.tolerance=1e-9", "--set", "output.checkpoint=off"});
  EXPECT_EQ(rest.code, 0) << rest.err;
  expect_right_energies();
}

TEST_F(ResumeTest, ADamagedCheckpointGivesWayToTheOlderOne) {
  for (const bool both : {false, true}) {
    interrupted(SIGTERM);
    const auto time = [&](const char* slot) {
      return std::filesystem::last_write_time(file("out") / slot);
    };
    const bool a_is_newer = time("checkpoint-a.h5") > time("checkpoint-b.h5");
    for (const char* slot : {"checkpoint-a.h5", "checkpoint-b.h5"}) {
      if (!both && (slot[11] == 'a') != a_is_newer) continue;
      std::string bytes = read_file(file("out") / slot);
      bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 16);
      write_file(file("out") / slot, bytes);
    }
    const Finished rest = run({"resume", "out"});
    EXPECT_EQ(rest.code, 0) << rest.err;
    EXPECT_NE(rest.err.find("this checkpoint is passed over"), std::string::npos) << rest.err;
    EXPECT_EQ(rest.err.find("resumed after iteration") == std::string::npos, both) << rest.err;
    expect_right_energies();
  }
}

TEST_F(ResumeTest, AFullDiskIsAWarningAndTheOldCheckpointStays) {
  interrupted(SIGTERM);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{unless_sanitized(64U, 16U) << 10, RLIM_INFINITY};  // less than a checkpoint
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string a = read_file(file("out/checkpoint-a.h5"));
  const Finished full = run({"resume", "out", "--set", "solver.max_iterations=2"});
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_NE(full.err.find("no checkpoint in iteration"), std::string::npos) << full.err;
  if (full.code != 0) {
    EXPECT_EQ(full.code, 73) << full.err;  // there is no room for the results either
    EXPECT_EQ(read_file(file("out/checkpoint-a.h5")), a);
    EXPECT_EQ(run({"resume", "out", "--set", "solver.max_iterations=200"}).code, 0);
  }
  expect_right_energies();
}

// However long a checkpoint would have to wait.
TEST_F(ResumeTest, AJobThatReachedItsLimitGoesOnAndCostsLessThanAnew) {
  const auto products = [&] {
    const json solver = json::parse(read_file(file("out/run.json")))["solver"];
    return solver["products"].get<int>();
  };
  const std::vector<std::string> job{"a.yaml", "--set", "output.checkpoint=10 min"};
  ASSERT_EQ(run(job).code, 0);
  const int anew = products();
  for (const char* limit : {"2", "12"}) {
    std::vector<std::string> limited = job;
    limited.insert(limited.end(),
                   {"--force", "--set", std::string("solver.max_iterations=") + limit});
    const Finished part = run(limited);
    ASSERT_EQ(part.code, 3) << part.err;
    EXPECT_NE(part.out.find("ci-solve resume out --set solver.max_iterations=N"), std::string::npos)
        << part.out;
    EXPECT_TRUE(has_checkpoint());
    const int before = products();
    const Finished rest = run({"resume", "out", "--set", "solver.max_iterations=300"});
    EXPECT_EQ(rest.code, 0) << rest.err;
    EXPECT_NE(rest.err.find(std::string("resumed after iteration ") + limit), std::string::npos)
        << rest.err;
    EXPECT_LT(products() - before, anew);
    expect_right_energies();
    EXPECT_FALSE(has_checkpoint());
  }
}

TEST_F(ResumeTest, AFolderWithoutAJobIs66) {
  EXPECT_EQ(run({"resume", "nowhere"}).code, 66);
  EXPECT_EQ(run({"resume"}).code, 2);
}

}  // namespace
}  // namespace cisolve::test
