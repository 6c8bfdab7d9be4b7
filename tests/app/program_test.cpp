#include "program.hpp"
#include "sparse/stored/matrix.hpp"
#include "tests/support/sanitizers.hpp"

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>

namespace cisolve::test {
namespace {

using nlohmann::json;

TEST_F(ProgramTest, AMatrixSurvivesGenerateInfoAndConvert) {
  const Finished made = run({"matrix", "generate", "a.mtx", "--rows", "200", "--symmetric"});
  ASSERT_EQ(made.code, 0) << made.err;
  ASSERT_EQ(run({"matrix", "convert", "a.mtx", "b.mtx"}).code, 0);
  EXPECT_EQ(read_file(file("a.mtx")), read_file(file("b.mtx")));
  const json info = json::parse(run({"matrix", "info", "a.mtx", "--json", "-"}).out);
  EXPECT_EQ(info["problem"]["rows"], 200);
  EXPECT_EQ(info["problem"]["symmetric"], true);
  EXPECT_EQ(info["statistics"]["reference"]["columns"], 20);
  const json marked =
      json::parse(run({"matrix", "info", "a.mtx", "--reference-columns", "30", "--json", "-"}).out);
  EXPECT_EQ(marked["statistics"]["reference"]["columns"], 30);
  EXPECT_EQ(marked["statistics"]["whole"], info["statistics"]["whole"]);
}

TEST_F(ProgramTest, MultipliesInEveryFormatOnBothHostBackends) {
  const Finished finished = run(
      {"matrix", "product", configuration("quickstart.yaml"), "--set", "problem.generate.rows=900",
       "--set", "problem.generate.reference_per_row=auto", "--set", "storage.format=auto",
       "--backends", "reference,openmp", "--vectors", "3", "--repeat", "2", "--json", "-"});
  ASSERT_EQ(finished.code, 0) << finished.err;
  const json products = json::parse(finished.out)["products"];
  EXPECT_EQ(products.size(), 20u);
  for (const json& product : products) {
    EXPECT_EQ(product["verification"]["passed"], true);
    EXPECT_LT(product["verification"]["max_error"], 1e-14);
    EXPECT_EQ(product["operator"]["nonzeros"], products[0]["operator"]["nonzeros"]);
    const double flops = 2.0 * product["operator"]["nonzeros"].get<double>() * 3 /
                         product["product"]["median_s"].get<double>();
    EXPECT_NEAR(product["product"]["gflops"].get<double>() / (1e-9 * flops), 1, 1e-12);
  }
}

TEST_F(ProgramTest, KeepsTheReferenceRegionInAnHdf5File) {
  ASSERT_EQ(run({"matrix", "convert", configuration("quickstart.yaml"), "a.h5"}).code, 0);
  const json made =
      json::parse(run({"matrix", "info", configuration("quickstart.yaml"), "--json", "-"}).out);
  const Finished read = run({"matrix", "info", "a.h5", "--json", "-"});
  ASSERT_EQ(read.code, 0) << read.err;
  EXPECT_EQ(json::parse(read.out)["statistics"], made["statistics"]);
}

TEST_F(ProgramTest, KeepsTheReferenceRegionInAMatrixMarketFile) {
  ASSERT_EQ(run({"matrix", "generate", "a.mtx", "--rows", "200"}).code, 0);
  ASSERT_EQ(run({"matrix", "convert", "a.mtx", "b.mtx"}).code, 0);
  EXPECT_EQ(read_file(file("b.mtx")), read_file(file("a.mtx")));
  const json info = json::parse(run({"matrix", "info", "a.mtx", "--json", "-"}).out);
  EXPECT_EQ(info["problem"]["reference_columns"], 20);
  const Finished other =
      run({"matrix", "info", "a.mtx", "--reference-columns", "0", "--json", "-"});
  EXPECT_EQ(json::parse(other.out)["problem"]["reference_columns"], 0);
}

TEST_F(ProgramTest, InfoListsTheBytesOfEachFormat) {
  const Finished finished = run({"matrix", "info", configuration("example.mtx")});
  EXPECT_EQ(finished.code, 0) << finished.err;
  const json info =
      json::parse(run({"matrix", "info", configuration("example.mtx"), "--json", "-"}).out);
  EXPECT_EQ(info["memory"].size(), sparse::format_names().size());
  for (const json& format : info["memory"]) {
    EXPECT_NE(finished.out.find("\n  " + format["format"].get<std::string>()), std::string::npos)
        << finished.out;
    EXPECT_GT(format["bytes"], 0);
  }
}

TEST_F(ProgramTest, ProductsReportTheirSpreadAndTies) {
  const Finished finished = run({"matrix", "product", configuration("example.mtx"), "--formats",
                                 "csr,sell", "--repeat", "5"});
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_NE(finished.out.find("  spread  "), std::string::npos) << finished.out;
  EXPECT_NE(finished.out.find(" %  "), std::string::npos) << finished.out;
  EXPECT_NE(finished.out.find("fastest: "), std::string::npos) << finished.out;
}

// Two hops on a chain, by diagonals and row by row.
TEST_F(ProgramTest, MatrixProductWritesTheProductOfTwoMatrices) {
  const std::string chain = configuration("chain.mtx");
  const Finished written =
      run({"matrix", "product", chain, chain, "-o", "c.mtx", "--json", "c.json"});
  ASSERT_EQ(written.code, 0) << written.err;
  EXPECT_NE(written.out.find("multiplied as diagonal"), std::string::npos) << written.out;
  EXPECT_NE(written.out.find("verified"), std::string::npos) << written.out;
  const json record = json::parse(read_file(file("c.json")));
  EXPECT_EQ(record["nonzeros"], 60 + 2 * 58);
  EXPECT_EQ(record["verification"]["passed"], true);
  const std::string text = read_file(file("c.mtx"));
  EXPECT_EQ(text.substr(0, text.find("2 2 2\n") + 6),
            "%%MatrixMarket matrix coordinate real general\n60 60 176                \n"
            "1 1 1\n1 3 1\n2 2 2\n");
  ASSERT_EQ(run({"matrix", "product", chain, chain, "-o", "rows.mtx", "--format", "csr"}).code, 0);
  EXPECT_EQ(read_file(file("rows.mtx")), text);
  EXPECT_EQ(run({"matrix", "product", chain, chain, "-o", "c.mtx"}).code, 73);
  EXPECT_EQ(run({"matrix", "product", chain, chain}).code, 2);
  EXPECT_EQ(run({"matrix", "product", chain, configuration("example.mtx"), "-o", "d.mtx"}).code,
            65);
}

// The matrix of configs/example.mtx, multiplied by hand.
TEST_F(ProgramTest, AppliesAMatrixToAVectorFromAFile) {
  write_file(file("x.txt"), "# a comment\n1\n2\n4\n8\n16\n32\n");
  for (const std::string backend : {"reference", "openmp"}) {
    const Finished finished = run({"matrix", "apply", configuration("matrix-file.yaml"), "--x",
                                   "x.txt", "--backend", backend, "--format", "sell"});
    ASSERT_EQ(finished.code, 0) << finished.err;
    EXPECT_EQ(finished.out, "1\n0\n-2\n6.125\n15.125\n41.125\n");
  }
  ASSERT_EQ(run({"matrix", "apply", configuration("matrix-file.yaml"), "--x", "x.txt", "--output",
                 "y.txt"})
                .code,
            0);
  EXPECT_EQ(read_file(file("y.txt")), "1\n0\n-2\n6.125\n15.125\n41.125\n");
}

TEST_F(ProgramTest, PrintsTheArraysOfAFormat) {
  const Finished finished =
      run({"matrix", "components", configuration("matrix-file.yaml"), "--boundary", "2"});
  ASSERT_EQ(finished.code, 0) << finished.err;
  for (const std::string name : {"NonZerosEntries", "ELLPACK_Column", "CSR_Column", "StartArr"})
    EXPECT_NE(finished.out.find(name), std::string::npos) << name;
  EXPECT_EQ(run({"matrix", "components", configuration("quickstart.yaml")}).code, 2);
}

TEST_F(ProgramTest, CheckPredictsTheMemoryThatTheJobHolds) {
  const json promised =
      json::parse(run({"check", configuration("quickstart.yaml"), "--json", "-"}).out);
  ASSERT_EQ(run({configuration("quickstart.yaml")}).code, 0);
  const json kept = json::parse(read_file(file("out/quickstart/run.json")));
  EXPECT_EQ(promised["memory"], kept["memory"]);
  EXPECT_EQ(promised["nonzeros"], kept["operator"]["nonzeros"]);
  EXPECT_EQ(promised["fits"], true);
}

TEST_F(ProgramTest, CheckSaysWhetherAMatrixFits) {
  write_file(file("a.yaml"), "problem: {generate: {rows: 3000, density: 0.02}}\nbackend: openmp\n");
  const auto answer = [&](const std::string& memory, const std::string& format) {
    const Finished finished =
        run({"check", "a.yaml", "--set", "memory=" + memory, "--set", "storage.format=" + format});
    EXPECT_EQ(finished.code, 0) << finished.err;
    const std::size_t advice = finished.out.rfind("DOES NOT FIT; ");
    return advice == std::string::npos ? finished.out : finished.out.substr(advice);
  };
  EXPECT_EQ(answer("4.5 MiB", "ellpack"),
            "DOES NOT FIT; set storage.format to csr, or raise the memory budget\n");
  EXPECT_EQ(answer("2 MiB", "csr"),
            "DOES NOT FIT; no format fits: choose fewer rows, a storage.threshold or a larger "
            "memory budget\n");
  EXPECT_EQ(answer("32 KiB", "csr"),
            "DOES NOT FIT; even the vectors do not fit, so no format helps: choose fewer rows or "
            "a larger memory budget\n");
  EXPECT_NE(run({"check", "a.yaml"}).out.find(": fits\n"), std::string::npos);
}

TEST_F(ProgramTest, CheckComparesASampleOfElementsWithTheOracle) {
  const Finished finished =
      run({"check", configuration("hubbard-chain.yaml"), "--diagnose", "--json", "found.json"});
  ASSERT_EQ(finished.code, 0) << finished.err;
  EXPECT_NE(finished.out.find("elements: correct"), std::string::npos) << finished.out;
  const json found = json::parse(read_file(file("found.json")))["diagnostics"];
  EXPECT_EQ(found["passed"], true);
  EXPECT_GT(found["zeros"].get<int>(), 1000);
  EXPECT_LT(found["from_determinants"]["largest"].get<double>(), 1e-12);
}

TEST_F(ProgramTest, CheckAllocatesNothingLarge) {
  // The sanitizer must not quarantine freed memory: rows are read and freed all the time.
  const char* others = std::getenv("ASAN_OPTIONS");
  const std::string options = std::string(others ? others : "") + ":quarantine_size_mb=16";
  ASSERT_EQ(setenv("ASAN_OPTIONS", options.c_str(), 1), 0);
  const Finished finished =
      run({"check", configuration("paper-matrix.yaml"), "--set", "backend=openmp"});
  ASSERT_EQ(finished.code, 0) << finished.err;
  constexpr int most = unless_sanitized(100, 200);  // including the sanitizer's shadow memory
  EXPECT_LT(finished.peak_kib, most * 1024);        // the matrix takes 357 MiB
  EXPECT_NE(finished.out.find("356.59 MiB"), std::string::npos) << finished.out;
}

TEST_F(ProgramTest, AcceptsKeysBeforeTheConfiguration) {
  write_file(file("a.yaml"), "problem: {lattice: {columns: 4}}\n");
  const Finished finished =
      run({"check", "--set", "solver.states=2", "--set", "threads=1", "a.yaml"});
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_EQ(run({"--set", "solver.states=2", "a.yaml"}).code, 0);
}

TEST_F(ProgramTest, ListsEveryBackendAndSaysWhyOneIsMissing) {
  const Finished finished = run({"devices", "--json", "devices.json"});
  ASSERT_EQ(finished.code, 0) << finished.err;
  const json backends = json::parse(read_file(file("devices.json")))["backends"];
  std::map<std::string, json> by_name;
  for (const json& backend : backends) by_name[backend["backend"]] = backend;
  for (const std::string name : {"reference", "openmp"}) {
    EXPECT_EQ(by_name[name]["available"], true);
    EXPECT_GT(by_name[name]["copy_bytes_per_s"], 0);
  }
  ASSERT_TRUE(by_name.contains("cuda"));
  if (by_name["cuda"]["available"] == false) {
    const std::string device = by_name["cuda"]["device"];
    EXPECT_EQ(device.find("not available: "), 0u) << device;
    EXPECT_GT(device.size(), std::string("not available: ").size());  // the reason follows
    EXPECT_NE(finished.out.find(device), std::string::npos) << finished.out;
  }
}

TEST_F(ProgramTest, PrintsTheSameInAnyLocaleAndWithoutAReader) {
  const std::vector<std::string> arguments{"matrix", "info", configuration("quickstart.yaml")};
  const std::string plain = run(arguments).out;
  EXPECT_NE(plain.find("0.799"), std::string::npos);
  setenv("LC_ALL", "de_DE.UTF-8", 1);
  EXPECT_EQ(run(arguments).out, plain);
  unsetenv("LC_ALL");
  EXPECT_EQ(run(arguments, kClosed).code, 0);
}

TEST_F(ProgramTest, AClosedPipeDoesNotEndTheJob) {
  const Finished finished = run({configuration("quickstart.yaml")}, kNoReader);
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_TRUE(std::filesystem::exists(file("out/quickstart/run.json")));
}

TEST_F(ProgramTest, ARecordOnStandardOutputIsTheOnlyOutputThere) {
  for (const char* name : {"-", "/dev/stdout", "/dev/fd/1"})
    for (const bool forced : {false, true}) {
      std::vector<std::string> arguments{"matrix", "info", configuration("example.mtx"), "--json",
                                         name};
      if (forced) arguments.push_back("--force");
      const Finished finished = run(arguments);
      EXPECT_EQ(finished.code, 0) << finished.err;
      EXPECT_TRUE(json::accept(finished.out)) << name << '\n' << finished.out;
    }
}

// A record for a file that is also standard output is appended to the output.
TEST_F(ProgramTest, ARecordForAStreamFollowsTheReport) {
  write_file(file("a.yaml"), "problem: {matrix: " + configuration("example.mtx") + "}\n");
  const Finished finished = run({"a.yaml", "--json", "/dev/stderr", "--force"});
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_EQ(finished.err.find("ci-solve: "), 0U) << finished.err;
  EXPECT_TRUE(json::accept(finished.err.substr(finished.err.find("\n{") + 1))) << finished.err;
  const Finished checked = run({"check", "a.yaml", "--json", "stdout.txt"});
  EXPECT_EQ(checked.code, 0) << checked.err;
  EXPECT_EQ(checked.out.find("problem "), 0U) << checked.out;
  EXPECT_TRUE(json::accept(checked.out.substr(checked.out.find("\n{") + 1))) << checked.out;
}

TEST_F(ProgramTest, ControlCharactersInFilesReachNoTerminal) {
  for (const auto& [name, shown, code] : {std::tuple("no\x1b[m.mtx", "no\\x1b[m.mtx", 78),
                                          {"no\xc2\x9bm.mtx", "no\\xc2\\x9bm.mtx", 66}}) {
    const Finished refused = run({"matrix", "info", name});
    EXPECT_EQ(refused.code, code);
    EXPECT_NE(refused.err.find(shown), std::string::npos) << refused.err;
    EXPECT_EQ(refused.err.find('\x1b'), std::string::npos) << refused.err;
    EXPECT_EQ(refused.err.find('\x9b'), std::string::npos) << refused.err;
  }
  write_file(file("a.yaml"), "problem: {lattice: {columns: 2}}\n");
  const Finished cut = run({"check", "--set", R"(threads="a\0b")", "a.yaml"});
  EXPECT_EQ(cut.code, 78);
  EXPECT_NE(cut.err.find("threads:1: a key or a value contains a control character (byte 0)"),
            std::string::npos)
      << cut.err;
  const std::string banner = "%%MatrixMarket matrix coordinate real general\n1 1 1\n";
  write_file(file("M\xFCller.mtx"), banner + "1 1 2\n");
  const Finished solved = run({"check", "M\xFCller.mtx"});
  EXPECT_EQ(solved.code, 0) << solved.err;
  EXPECT_NE(solved.out.find("M\\xfcller.mtx"), std::string::npos) << solved.out;
  EXPECT_EQ(solved.out.find('\xFC'), std::string::npos) << solved.out;
}

TEST_F(ProgramTest, CommandsThatSaveNothingEndByTheirSignalAndLeaveNoFile) {
  using namespace std::chrono_literals;
  for (const int signal : {SIGINT, SIGTERM}) {
    const Finished ended =
        run({"matrix", "generate", "large.mtx", "--rows", "20000"}, "", {signal, 500ms});
    EXPECT_EQ(ended.code, -signal) << ended.out;
    EXPECT_EQ(ended.err, "\nci-solve: interrupted\n");
    for (const auto& entry : std::filesystem::directory_iterator(file("")))
      EXPECT_TRUE(entry.path().filename().string().starts_with("std")) << entry.path();
  }
}

TEST_F(ProgramTest, QuietAndVerboseChangeOnlyTheLog) {
  const std::vector<std::string> arguments{configuration("matrix-file.yaml"), "--force"};
  const auto with = [&](const std::string& option) {
    std::vector<std::string> all = arguments;
    all.push_back(option);
    return run(all);
  };
  EXPECT_EQ(with("--quiet").err, "");
  EXPECT_LT(run(arguments).err.size(), with("--verbose").err.size());
  EXPECT_NE(with("--quiet").out.find("verified"), std::string::npos);
}

TEST_F(ProgramTest, NoTerminalMeansNoColour) {
  EXPECT_EQ(run({"no-such.yaml"}).err.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace cisolve::test
