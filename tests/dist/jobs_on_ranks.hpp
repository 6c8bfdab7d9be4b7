#pragma once

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/app/program.hpp"

// Jobs as started on a cluster: `mpirun -n 4 ci-solve job.yaml`.
namespace cisolve::test {

using nlohmann::json;
using ::testing::HasSubstr;

class JobsOnRanks : public ProgramTest {
 protected:
  /// Runs the program on `ranks` ranks, or a script that starts it on each.
  Finished run_ranks(int ranks, std::vector<std::string> arguments,
                     const std::string& program = CISOLVE_PROGRAM) {
    use_program(CISOLVE_MPIEXEC);
    arguments.insert(arguments.begin(), {"-n", std::to_string(ranks), program});
    return run(arguments);
  }
  Finished run_alone(const std::vector<std::string>& arguments) {
    use_program(CISOLVE_PROGRAM);
    return run(arguments);
  }

  /// A script that every rank runs, with its number as $rank.
  std::string script(const std::string& lines) const {
    write_file(file("each"), "#!/bin/sh\nrank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\n" + lines + "\n");
    std::filesystem::permissions(file("each"), std::filesystem::perms::owner_all);
    return file("each").string();
  }

  json record_in(const std::string& folder) const {
    return json::parse(read_file(file(folder) / "run.json"));
  }
  std::set<std::string> files_in(const std::string& folder) const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(file(folder)))
      names.insert(entry.path().filename());
    return names;
  }

  static int occurrences(const std::string& text, const std::string& word) {
    int count = 0;
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
    return count;
  }

  void expect_as_alone(const std::vector<std::string>& job, int ranks) {
    const auto into = [&](const std::string& folder) {
      std::vector<std::string> arguments = job;
      arguments.insert(arguments.end(), {"--set", "output.directory=" + folder, "--force"});
      return arguments;
    };
    const Finished alone = run_alone(into("alone"));
    ASSERT_EQ(alone.code, 0) << alone.err;
    const Finished many = run_ranks(ranks, into("many"));
    ASSERT_EQ(many.code, 0) << many.err;
    EXPECT_EQ(occurrences(many.out, "converged and verified"), 1) << many.out;
    EXPECT_EQ(occurrences(many.err, "wrote many"), 1) << many.err;
    const json one = record_in("alone");
    const json all = record_in("many");
    EXPECT_EQ(one["ranks"], 1);
    EXPECT_EQ(all["ranks"], ranks);
    EXPECT_TRUE(all["fallbacks"].empty()) << all["fallbacks"];
    EXPECT_EQ(files_in("alone"), files_in("many"));
    ASSERT_EQ(one["states"].size(), all["states"].size());
    for (std::size_t j = 0; j < one["states"].size(); ++j)
      EXPECT_NEAR(one["states"][j]["energy"].get<double>(),
                  all["states"][j]["energy"].get<double>(), 1e-10);
  }

  /// A zombie stays in the process list and counts as ended.
  static bool has_ended(std::string process) {
    process.erase(process.find_last_not_of('\n') + 1);
    const std::filesystem::path status = "/proc/" + process + "/status";
    for (int wait = 0; wait < 5000; ++wait) {
      const std::string text = read_file(status);
      if (text.empty() || text.find("State:\tZ") != std::string::npos) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }

  void write_job(const std::string& rest = "") const {
    write_file(file("job.yaml"), "problem: {fcidump: " + configuration("h2o.fcidump") +
                                     "}\n"
                                     "space: {kind: cisdt}\n"
                                     "storage: {elements: precomputed}\n"
                                     "solver: {method: davidson, model_size: 1}\n"
                                     "output: {directory: out, checkpoint: 0 s}\n" +
                                     rest);
  }

  double energy_alone() {
    write_job();
    const Finished alone = run_alone({"job.yaml", "--set", "output.directory=alone"});
    EXPECT_EQ(alone.code, 0) << alone.err;
    return record_in("alone")["states"][0]["energy"];
  }
};

}  // namespace cisolve::test
