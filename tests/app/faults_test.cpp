#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "program.hpp"
#include "tests/support/sanitizers.hpp"

// Failing environments: a full file system, a locale with decimal commas.
namespace cisolve::test {
namespace {

using nlohmann::json;

class FaultsTest : public ProgramTest {
 protected:
  static bool succeeds(const std::string& command) {
    return std::system((command + " >/dev/null 2>&1").c_str()) == 0;
  }

  static int code_of(const std::string& command) {
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  static constexpr const char* kNoMount =
      "no file system can be mounted here: unshare -rm is not allowed";

  /// Runs a.yaml with output in small/out on a file system `small` of the given size; its final
  /// content is copied to `kept`. False if none can be mounted. Uses a private mount namespace.
  bool run_within(const std::string& size) const {
    std::filesystem::create_directory(file("small"));
    const std::string begin = "cd " + file("").string() +
                              " && unshare -rm sh -c 'mount -t tmpfs -o size=" + size +
                              " tmpfs small";
    return succeeds(begin + "'") &&
           succeeds(begin + "; " + CISOLVE_PROGRAM +
                    " a.yaml >out.txt 2>err.txt; echo $? >code; ls -A small/out >names; "
                    "cp -r small/out kept'");
  }

  double lowest_energy() const {
    const json record = json::parse(read_file(file("kept/run.json")));
    return record["states"][0]["energy"].get<double>();
  }
};

// The checkpoints grow with the search space until a third one has no space beside the two that are
// kept.
TEST_F(FaultsTest, AFullFileSystemLosesNothingSaved) {
  write_file(
      file("a.yaml"),
      "problem: {lattice: {columns: 8}}\nsolver: {states: 6, method: davidson, tolerance: 1e-6}\n"
      "backend: reference\noutput: {checkpoint: 0 s, directory: small/out}\n");
  if (!run_within("1m")) GTEST_SKIP() << kNoMount;
  const std::string said = read_file(file("err.txt"));
  EXPECT_NE(said.find("no checkpoint in iteration"), std::string::npos) << said;
  EXPECT_NE(said.find("No space left on device"), std::string::npos) << said;
  const std::string code = read_file(file("code"));
  EXPECT_TRUE(code == "0\n" || code == "73\n") << code << said;
  EXPECT_EQ(read_file(file("names")).find("partial"), std::string::npos);
  if (code == "73\n") {
    const Finished rest = run({"resume", "kept"});
    EXPECT_EQ(rest.code, 0) << rest.err;
    EXPECT_NE(rest.err.find("resumed after iteration"), std::string::npos) << rest.err;
  }
  EXPECT_NEAR(lowest_energy(), -4.235806999130, 1e-10);
}

// 64 MiB hold two checkpoints, but neither a third one nor the vectors beside them.
TEST_F(FaultsTest, AFileSystemOf64MiBKeepsItsCheckpointsWhole) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "takes a minute there, and a file system of 1 MiB runs the same code";
#endif
  write_file(file("a.yaml"),
             "problem: {generate: {rows: 360000, symmetric: true, reference_share: 0.001,\n"
             "                     reference_per_row: 3, density: 0.000004}}\n"
             "solver: {states: 8, method: davidson, tolerance: 1e-4}\n"
             "output: {checkpoint: 0 s, directory: small/out}\n");
  if (!run_within("64m")) GTEST_SKIP() << kNoMount;
  const std::string said = read_file(file("err.txt"));
  EXPECT_EQ(read_file(file("code")), "73\n") << said;
  for (const char* part :
       {"no checkpoint in iteration", "small/out/checkpoint-",
        "error: small/out/results.h5: the disk has no space for ", "No space left on device",
        "free disk space", "ci-solve resume small/out"})
    EXPECT_NE(said.find(part), std::string::npos) << part << '\n' << said;
  EXPECT_EQ(read_file(file("names")), "checkpoint-a.h5\ncheckpoint-b.h5\nunfinished-job.yaml\n");
  const auto kept =
      file_size(file("kept/checkpoint-a.h5")) + file_size(file("kept/checkpoint-b.h5"));
  EXPECT_GT(kept, 40u << 20);
  const Finished rest = run({"resume", "kept"});
  EXPECT_EQ(rest.code, 0) << rest.err;
  EXPECT_NE(rest.err.find("resumed after iteration"), std::string::npos) << rest.err;
  EXPECT_EQ(rest.err.find("is ignored"), std::string::npos) << rest.err;
  // The states were printed although they could not be saved.
  EXPECT_NE(read_file(file("out.txt")).find(std::to_string(lowest_energy())), std::string::npos);
}

// OpenMP itself would end the program, or its Python, with its own exit code.
TEST_F(FaultsTest, FailureToStartThreadsExitsWith71) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "its shadow memory has no room in so little address space";
#endif
  write_file(file("a.yaml"), "problem: {lattice: {columns: 6}}\nbackend: openmp\nthreads: 64\n");
  const std::string little = "ulimit -s 8192 && ulimit -v 300000 && ";
  EXPECT_EQ(code_of("cd " + file("").string() + " && " + little + CISOLVE_PROGRAM +
                    " a.yaml >out.txt 2>err.txt"),
            71);
  const std::string said = read_file(file("err.txt"));
  for (const char* part : {" of 64 threads can be started: ", "set a smaller number", "ulimit -u"})
    EXPECT_NE(said.find(part), std::string::npos) << part << '\n' << said;
  EXPECT_EQ(run({"a.yaml"}).code, 0);
}

// Without memory HDF5 crashes and OpenMP calls exit(1).
TEST_F(FaultsTest, LittleAddressSpaceSucceedsOrExitsWith71) {
  if (test::kSanitized) GTEST_SKIP() << "a sanitizer needs more address space than there is";
  std::filesystem::copy_file(configuration("example.mtx"), file("a.mtx"));
  ASSERT_EQ(run({"matrix", "convert", "a.mtx", "b.h5"}).code, 0);
  const std::string in_folder = "cd " + file("").string() + " && ulimit -s 8192 && ";
  const auto code_within = [&](int kib, const std::string& arguments) {
    return code_of(base::concat(in_folder, "ulimit -v ", kib, " && ", CISOLVE_PROGRAM, " ",
                                arguments, " >out.txt 2>err.txt"));
  };
  int least = 16'000;  // the program starts
  while (least < 1'000'000 && code_within(least, "--version") != 0) least += 2'000;
  for (const std::string input : {"a.mtx", "b.h5"}) {
    int done = 0;
    int refused = 0;
    for (int kib = least; kib < least + 400'000 && done < 3;
         kib += kib < least + 90'000 ? 1'500 : 20'000) {
      const int code = code_within(kib, input + " --force --set threads=2");
      EXPECT_TRUE(code == 0 || code == 71)
          << input << " " << kib << ": " << code << read_file(file("err.txt"));
      done += code == 0 ? 1 : 0;
      refused += code == 71 ? 1 : 0;
    }
    EXPECT_EQ(done, 3) << input;
    EXPECT_GT(refused, 3) << input;
  }
}

// Several processes count rows concurrently, each with all threads.
TEST_F(FaultsTest, OneProcessCountsIfThreadsAreTooFewForSeveral) {
  if (test::kSanitized) GTEST_SKIP() << "it takes too long there";
  write_file(file("a.yaml"), "problem: {lattice: {columns: 14}}\nbackend: openmp\nthreads: 16\n");
  const std::string somebody = geteuid() == 0 ? "setpriv --reuid 65534 --clear-groups " : "";
  const std::string program = somebody + CISOLVE_PROGRAM;  // root has no limit of processes
  if (!succeeds(program + " --version >" + file("out.txt").string()))
    GTEST_SKIP() << "others may not run the program here";
  for (const int limit : {47, 48, 49, 50}) {
    const int code = code_of(base::concat("cd ", file("").string(), " && prlimit --nproc=", limit,
                                          " ", program, " check a.yaml >out.txt 2>err.txt"));
    EXPECT_TRUE(code == 0 || code == 71) << limit << ": " << code << read_file(file("err.txt"));
  }
}

// In a locale with decimal commas the program still reads and writes points.
TEST_F(FaultsTest, ALanguageWithDecimalCommasChangesNothing) {
  const std::string made = "localedef -i de_DE -f UTF-8 " + file("de_DE.UTF-8").string();
  // The C library keeps what it makes of LOCPATH, which a sanitizer takes for a leak.
  const std::string speaks =
      "ASAN_OPTIONS=detect_leaks=0 LOCPATH=" + file("").string() + " LC_ALL=de_DE.UTF-8 ";
  (void)succeeds(made);  // it may warn and fail: the check below decides
  if (!succeeds("test \"$(" + speaks + "/usr/bin/printf %.1f 0,5)\" = 0,5"))
    GTEST_SKIP() << "no German locale here and none can be made (package locales)";
  write_file(file("a.yaml"),
             "problem: {lattice: {columns: 4, u: 2.5}}\nsolver: {states: 2, tolerance: 0.5e-8}\n"
             "output: {history: true}\nbackend: reference\n");
  const std::string program = std::string(CISOLVE_PROGRAM) + " a.yaml --force >";
  const std::string here = "cd " + file("").string() + " && ";
  std::map<std::string, std::string> plain;
  const std::vector<std::string> files{"out.txt", "out/history.csv"};
  ASSERT_EQ(code_of(here + program + "out.txt 2>err.txt"), 0) << read_file(file("err.txt"));
  for (const std::string& name : files) plain[name] = read_file(file(name));
  const auto energy = [&] {
    return json::parse(read_file(file("out/run.json")))["states"][0]["energy"].get<double>();
  };
  const double expected = energy();
  ASSERT_EQ(code_of(here + speaks + program + "out.txt 2>err.txt"), 0)
      << read_file(file("err.txt"));
  for (const std::string& name : files) EXPECT_EQ(read_file(file(name)), plain[name]) << name;
  EXPECT_EQ(energy(), expected);
}

// Before its first iteration the job ends at once: it has nothing to save.
TEST_F(FaultsTest, AnInterruptBeforeTheFirstStateSaysThatNothingIsSaved) {
  write_file(file("a.yaml"),
             "problem: {lattice: {columns: 8}}\n"
             "solver: {method: davidson, model_size: 40}\n"
             "backend: reference\n");
  for (const int signal : {SIGTERM, SIGINT}) {
    Finished part;
    for (int attempt = 0; attempt < 20; ++attempt) {
      std::filesystem::remove_all(file("out"));
      part = run({"a.yaml"}, "", {signal, {}, file("out/unfinished-job.yaml")});
      if (part.code == 75 && part.out.find("interrupted in iteration") == std::string::npos) break;
    }
    EXPECT_EQ(part.code, 75) << part.err;
    EXPECT_NE(part.err.find(
                  "interrupted; 'ci-solve resume' with the output folder continues from the last"),
              std::string::npos)
        << part.err;
    const Finished rest = run({"resume", "out"});
    EXPECT_EQ(rest.code, 0) << rest.err;
    const json record = json::parse(read_file(file("out/run.json")));
    EXPECT_NEAR(record["states"][0]["energy"].get<double>(), -4.235806999130, 1e-8);
  }
}

// A shell starts the background jobs of a script with SIGINT ignored.
TEST_F(FaultsTest, ASignalThatIsIgnoredFromTheStartStaysIgnored) {
  write_file(file("a.yaml"),
             "problem: {lattice: {columns: 8}}\nsolver: {method: davidson}\nbackend: reference\n");
  for (const int signal : {SIGINT, SIGTERM}) {
    std::filesystem::remove_all(file("out"));
    const auto before = std::signal(signal, SIG_IGN);
    const Finished whole = run({"a.yaml"}, "", {signal, {}, file("out/job.yaml")});
    std::signal(signal, before);
    EXPECT_EQ(whole.code, 0) << whole.err;
    EXPECT_EQ(whole.err.find("interrupted"), std::string::npos) << whole.err;
    EXPECT_NE(whole.out.find("converged and verified"), std::string::npos) << whole.out;
  }
}

}  // namespace
}  // namespace cisolve::test
