#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "program.hpp"

// Foreign files in the output folder are neither replaced nor removed without --force, and nothing
// is written through links.
namespace cisolve::test {
namespace {

namespace fs = std::filesystem;

class ForeignFiles : public ProgramTest {
 protected:
  static constexpr const char* kChain = "problem: {lattice: {columns: 4}}\nbackend: reference\n";
  static constexpr const char* kMine = "mine\n";
  static constexpr const char* kConfiguration = "unfinished-job.yaml";

  void SetUp() override {
    ProgramTest::SetUp();
    write_file(file("a.yaml"), kChain);
    fs::create_directory(file("out"));
    write_file(file("victim"), kMine);
  }

  // Leaves the job in out/ unfinished, with a checkpoint.
  void leave_unfinished(const std::string& output = "") const {
    write_file(file("a.yaml"),
               std::string(kChain) +
                   "solver: {method: davidson, model_size: 4, max_iterations: 1}\n" +
                   "output: {checkpoint: 0 s" + output + "}\n");
    const Finished part = run({"a.yaml"});
    ASSERT_EQ(part.code, 3) << part.err << part.out;
    ASSERT_TRUE(exists(file("out") / kConfiguration));
  }
  Finished resume(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"resume", "out", "--set", "solver.max_iterations=300"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  void link_to_victim(const std::string& name) const {
    fs::remove(file("out") / name);
    fs::create_symlink(file("victim"), file("out") / name);
  }
  static void expect_says(const Finished& finished, int code, const char* words) {
    EXPECT_EQ(finished.code, code) << finished.err;
    EXPECT_NE(finished.err.find(words), std::string::npos) << finished.err;
  }
  void expect_victim_untouched() const {
    EXPECT_EQ(read_file(file("victim")), kMine);
    EXPECT_FALSE(fs::is_symlink(file("victim")));
  }
};

TEST_F(ForeignFiles, AConfigurationOfAnyNameSurvivesAJobInItsFolder) {
  for (const char* name : {"job.yaml", "unfinished.yaml", "sweep.yaml"}) {
    const std::string text = std::string(kChain) + "output: {directory: .}\n";
    write_file(file(name), text);
    const Finished done = run({name});
    EXPECT_EQ(done.code, 0) << done.err;
    EXPECT_EQ(read_file(file(name)), text);
    fs::remove(file("run.json"));
    fs::remove(file("results.h5"));
  }
  EXPECT_FALSE(exists(file(kConfiguration)));
}

TEST_F(ForeignFiles, AFileInTheOutputFolderSurvivesOrIsRefused) {
  write_file(file("out/job.yaml"), kMine);
  write_file(file("out/history.csv"), kMine);
  write_file(file("out/report.html"), kMine);
  EXPECT_EQ(run({"a.yaml"}).code, 0);
  for (const char* name : {"job.yaml", "history.csv", "report.html"})
    EXPECT_EQ(read_file(file("out") / name), kMine) << name;
  fs::remove(file("out/run.json"));
  fs::remove(file("out/results.h5"));
  write_file(file("out") / kConfiguration, kMine);
  expect_says(run({"a.yaml"}), 73, "unfinished-job.yaml: the file exists");
  EXPECT_EQ(read_file(file("out") / kConfiguration), kMine);
  EXPECT_EQ(run({"a.yaml", "--force"}).code, 0);
}

TEST_F(ForeignFiles, ALinkWithTheNameOfAnOutputFileIsNotFollowed) {
  for (const std::string name : {"job.yaml", kConfiguration, "checkpoint-a.h5", "checkpoint-b.h5"})
    for (const bool leads_nowhere : {false, true}) {
      fs::remove_all(file("out"));
      fs::create_directory(file("out"));
      if (leads_nowhere)
        fs::create_symlink(file("nowhere"), file("out") / name);
      else
        link_to_victim(name);
      const int code = name == "job.yaml" ? 0 : 73;
      EXPECT_EQ(run({"a.yaml", "--set", "output.checkpoint=0 s"}).code, code) << name;
      EXPECT_TRUE(fs::is_symlink(file("out") / name)) << name;
      expect_victim_untouched();
      EXPECT_FALSE(exists(file("nowhere")));
    }
}

TEST_F(ForeignFiles, AResumedJobWritesThroughNoLinkOfItsFolder) {
  for (const std::string name : {"results.h5", "run.json", kConfiguration, "checkpoint-b.h5"}) {
    fs::remove_all(file("out"));
    leave_unfinished();
    link_to_victim(name);
    const Finished refused = resume();
    EXPECT_TRUE(refused.code == 73 || refused.code == 65) << refused.code << refused.err;
    EXPECT_NE(refused.err.find(name + ": "), std::string::npos) << refused.err;
    EXPECT_NE(refused.err.find("a link"), std::string::npos) << refused.err;
    expect_victim_untouched();
    EXPECT_TRUE(fs::is_symlink(file("out") / name)) << name;
  }
}

// A file that the job did not request at its start may be foreign.
TEST_F(ForeignFiles, AResumedJobReplacesAndRemovesItsOwnResultsAlone) {
  leave_unfinished();
  write_file(file("out/history.csv"), kMine);
  write_file(file("out/states.trexio.h5"), kMine);
  write_file(file("out/report.html"), kMine);
  fs::create_directory(file("out/plots"));
  write_file(file("out/plots/spectrum.svg"), kMine);
  expect_says(resume({"--set", "output.history=true"}), 73, "history.csv: the file exists");
  EXPECT_EQ(resume().code, 0);
  for (const char* name : {"history.csv", "states.trexio.h5", "report.html", "plots/spectrum.svg"})
    EXPECT_EQ(read_file(file("out") / name), kMine) << name;
  fs::remove_all(file("out"));
  leave_unfinished(", history: true");
  EXPECT_EQ(resume({"--set", "output.history=false"}).code, 0);
  EXPECT_FALSE(exists(file("out/history.csv")));  // the program's own file, of replaced results
}

// An earlier version kept the configuration as job.yaml.
TEST_F(ForeignFiles, AFolderOfAnEarlierVersionIsResumed) {
  leave_unfinished();
  const std::string kept = read_file(file("out") / kConfiguration);
  fs::remove(file("out") / kConfiguration);
  write_file(file("out/job.yaml"), kept.substr(kept.find('\n') + 1));
  const Finished rest = resume();
  EXPECT_EQ(rest.code, 0) << rest.err;
  EXPECT_NE(rest.err.find("resumed after iteration 1"), std::string::npos) << rest.err;
  EXPECT_FALSE(exists(file("out") / kConfiguration));
  EXPECT_FALSE(exists(file("out/checkpoint-a.h5")));
  EXPECT_EQ(run({"resume", "out"}).code, 0);  // the job has finished
}

TEST_F(ForeignFiles, APipeIsNeverWaitedFor) {
  for (const std::string name :
       {"job.yaml", kConfiguration, "checkpoint-a.h5", "checkpoint-b.h5"}) {
    fs::remove_all(file("out"));
    leave_unfinished();
    fs::remove(file("out") / name);
    ASSERT_EQ(::mkfifo((file("out") / name).c_str(), 0600), 0);
    const Finished done = resume();
    EXPECT_LT(done.seconds, 60);
    if (name == "job.yaml")
      EXPECT_EQ(done.code, 0) << done.err;
    else
      expect_says(done, 65, "is a pipe");
    EXPECT_TRUE(fs::is_fifo(file("out") / name));
  }
  fs::remove_all(file("out"));
  fs::create_directories(file("out/sweep-points"));
  const std::string points = "out/sweep-points/";
  write_file(file(points + "identity.txt"), "version: 0\n");
  ASSERT_EQ(::mkfifo(file(points + "sweep.yaml").c_str(), 0600), 0);
  expect_says(run({"resume", "out"}), 65, "sweep.yaml: is a pipe");
  fs::remove(file(points + "sweep.yaml"));
  fs::remove(file(points + "identity.txt"));
  write_file(file(points + "sweep.yaml"), std::string(kChain) + "sweep: {solver.seed: [1, 2]}\n");
  ASSERT_EQ(::mkfifo(file(points + "identity.txt").c_str(), 0600), 0);
  expect_says(run({"resume", "out"}), 65, "identity.txt: is a pipe");
}

class ForeignFilesOfSweeps : public ForeignFiles {
 protected:
  void SetUp() override {
    ForeignFiles::SetUp();
    write_file(file("a.yaml"), std::string(kChain) +
                                   "solver: {states: 0}\n"
                                   "sweep: {storage.format: [csr, sell], repeat: 2}\n");
  }
};

TEST_F(ForeignFilesOfSweeps, StayInTheFolderOfPoints) {
  fs::create_directory(file("out/sweep-points"));
  write_file(file("out/sweep-points/notes.txt"), kMine);
  const Finished done = run({"sweep", "a.yaml"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(read_file(file("out/sweep-points/notes.txt")), kMine);
  for (const auto& entry : fs::directory_iterator(file("out/sweep-points")))
    EXPECT_EQ(entry.path().filename(), "notes.txt");
  for (const char* name : {"sweep.yaml", "point-2"}) {
    fs::remove(file("out/sweep.json"));
    fs::remove(file("out/sweep.csv"));
    write_file(file("out/sweep-points") / name, kMine);
    expect_says(run({"sweep", "a.yaml"}), 73, "was not written by a sweep");
    EXPECT_EQ(read_file(file("out/sweep-points") / name), kMine);
    EXPECT_EQ(run({"sweep", "a.yaml", "--force"}).code, 0);
    EXPECT_FALSE(exists(file("out/sweep-points") / name));
  }
  EXPECT_EQ(read_file(file("out/sweep-points/notes.txt")), kMine);
}

TEST_F(ForeignFilesOfSweeps, NoLinkIsWrittenThrough) {
  fs::create_directory(file("elsewhere"));
  fs::create_directory_symlink(file("elsewhere"), file("out/sweep-points"));
  expect_says(run({"sweep", "a.yaml"}), 73, "sweep-points: is a link");
  EXPECT_TRUE(fs::is_empty(file("elsewhere")));
  fs::remove(file("out/sweep-points"));
  fs::create_directory(file("out/sweep-points"));
  for (const char* name : {"point-1", "sweep.yaml"}) {
    link_to_victim(std::string("sweep-points/") + name);
    EXPECT_EQ(run({"sweep", "a.yaml"}).code, 73) << name;
    expect_victim_untouched();
    EXPECT_TRUE(fs::is_symlink(file("out/sweep-points") / name));
    fs::remove(file("out/sweep-points") / name);
  }
}

}  // namespace
}  // namespace cisolve::test
