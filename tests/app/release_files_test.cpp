#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>

#include "app/plot/record_file.hpp"
#include "program.hpp"

// This version reads the files of earlier releases (tests/data/releases, by scripts/release-files),
// as docs/compatibility.md promises.
namespace cisolve::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

std::vector<std::string> releases() {
  std::vector<std::string> versions;
  for (const fs::directory_entry& entry : fs::directory_iterator(CISOLVE_DATA "/releases"))
    if (entry.is_directory()) versions.push_back(entry.path().filename());
  std::ranges::sort(versions);
  return versions;
}

class ReleaseFilesTest : public ProgramTest {
 protected:
  // The molecule of the releases again, with keys of the solver.
  Finished solve(const std::string& solver) const {
    write_file(file("a.yaml"), "problem: {fcidump: " CISOLVE_DATA
                               "/lih_sto3g.fcidump}\nbackend: openmp\n"
                               "output: {directory: out}\nsolver: {" +
                                   solver + "}\n");
    return run({"a.yaml", "--force"});
  }
  json record() const { return json::parse(read_file(file("out/run.json"))); }
};

fs::path folder_of(const std::string& release) {
  return fs::path(CISOLVE_DATA "/releases") / release;
}

json record_of(const std::string& release) {
  return json::parse(read_file(folder_of(release) / "molecule" / "run.json"));
}

std::vector<double> energies_of(const json& record) {
  std::vector<double> energies;
  for (const json& state : record["states"]) energies.push_back(state["energy"]);
  return energies;
}

TEST_F(ReleaseFilesTest, RecordsAreReadAndTheirEnergiesEqualThoseOfToday) {
  ASSERT_EQ(solve("states: 3").code, 0);
  const std::vector<double> now = energies_of(record());
  for (const std::string& release : releases()) {
    SCOPED_TRACE(release);
    const app::Json read = app::read_record(folder_of(release) / "molecule" / "run.json");
    EXPECT_EQ(read["version"].text(), release);
    EXPECT_EQ(read["solver"]["converged"].truth(), true);
    const std::vector<double> then = energies_of(record_of(release));
    ASSERT_EQ(then.size(), 3u);
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(then[j], now[j], 1e-10) << j;
  }
}

TEST_F(ReleaseFilesTest, AJobStartsFromTheirStatesAndFollowsOneOfThem) {
  for (const std::string& release : releases()) {
    SCOPED_TRACE(release);
    const std::string results = folder_of(release) / "molecule" / "results.h5";
    const Finished started = solve("states: 3, method: davidson, start_from: " + results);
    ASSERT_EQ(started.code, 0) << started.err;
    EXPECT_LE(record()["solver"]["iterations"].get<int>(), 1);
    const Finished followed = solve("follow: " + results + ", follow_state: 3");
    ASSERT_EQ(followed.code, 0) << followed.err;
    EXPECT_NEAR(energies_of(record()).front(), energies_of(record_of(release))[2], 1e-10);
  }
}

TEST_F(ReleaseFilesTest, TheirInterruptedJobsGoOn) {
  const std::array<double, 4> energies = {-3.092565319505, -2.691496019237, -2.235440674901,
                                          -2.068553529939};
  for (const std::string& release : releases()) {
    SCOPED_TRACE(release);
    fs::remove_all(file("out"));
    fs::copy(folder_of(release) / "interrupted", file("out"));
    const Finished resumed = run({"resume", "out", "--set", "solver.max_iterations=1000"});
    ASSERT_EQ(resumed.code, 0) << resumed.err;
    EXPECT_GE(record()["history"]["iteration"].front().get<int>(), 6);
    const std::vector<double> found = energies_of(record());
    ASSERT_EQ(found.size(), 4u);
    for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(found[j], energies[j], 1e-10) << j;
  }
}

TEST_F(ReleaseFilesTest, TheirMatricesAreRead) {
  for (const std::string& release : releases()) {
    const Finished said = run({"matrix", "info", folder_of(release) / "matrix.h5"});
    EXPECT_EQ(said.code, 0) << release << ": " << said.err;
    EXPECT_THAT(said.out, HasSubstr("200 x 200"));
  }
}

TEST_F(ReleaseFilesTest, AreThereForTheFirstRelease) {
  EXPECT_THAT(releases(), testing::Contains("0.1.0"));
}

}  // namespace
}  // namespace cisolve::test
