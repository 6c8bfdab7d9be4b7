#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "app/config/machine_rates.hpp"
#include "base/device.hpp"
#include "base/error.hpp"
#include "base/number.hpp"
#include "program.hpp"
#include "tests/support/sanitizers.hpp"

// Effects of single keys that no other test covers.
namespace cisolve::test {
namespace {

using nlohmann::json;

class KeysTest : public ProgramTest {
 protected:
  json job(const std::string& text) const {
    write_file(file("job.yaml"), text);
    const Finished finished = run({"job.yaml", "--force"});
    EXPECT_EQ(finished.code, 0) << text << finished.err;
    return json::parse(read_file(file("out/run.json")));
  }

  // The report on a generated matrix; `keys` are more lines of its configuration.
  json report(const std::string& generate, const std::string& keys = "") const {
    return job("problem: {generate: {rows: 600, " + generate +
               "}}\nbackend: reference\nsolver: {states: 0}\nproduct: {repeat: 1}\n" + keys);
  }

  double ground_state(const std::string& lattice) const {
    return job("problem: {lattice: {" + lattice +
               "}}\nbackend: reference\n")["states"][0]["energy"];
  }
};

// Three hundred rows of random numbers have more distinct values than there are codes.
TEST_F(KeysTest, PlainValuesInPlaceOfCodesAreReported) {
  const std::string coded = "}\nstorage: {elements: coded}\n";
  const std::string few = "the matrix has too few elements for coded tiles";
  const std::string many = "the elements have too many distinct values for codes";
  const json random = job("problem: {generate: {rows: 300, symmetric: true}" + coded);
  EXPECT_EQ(random["operator"]["path"], "precomputed");
  EXPECT_EQ(random["plan"]["reason"], many);
  ASSERT_EQ(random["fallbacks"].size(), 2);
  EXPECT_EQ(random["fallbacks"][0]["reason"], few);
  EXPECT_EQ(random["fallbacks"][1]["reason"], many);
  EXPECT_NE(read_file(file("stderr.txt")).find(many), std::string::npos);
  const json lattice = job("problem: {lattice: {columns: 6}" + coded);
  EXPECT_EQ(lattice["operator"]["path"], "coded");
  EXPECT_EQ(lattice["plan"]["reason"], "set by storage.elements");
  EXPECT_TRUE(lattice["fallbacks"].empty());
  // A Hamiltonian from integrals: unlike for a lattice, the number of distinct values may be large.
  write_file(file("dimer.fcidump"),
             "&FCI NORB=2,NELEC=2,MS2=0,&END\n4 1 1 1 1\n4 2 2 2 2\n-1 2 1 0 0\n");
  const json integrals = job("problem: {fcidump: dimer.fcidump" + coded);
  EXPECT_EQ(integrals["operator"]["path"], "coded");
  ASSERT_EQ(integrals["fallbacks"].size(), 1);
  EXPECT_EQ(integrals["fallbacks"][0]["reason"], few);
}

// No device is opened, whether or not there is one.
TEST_F(KeysTest, ASmallJobReportsWhyItRunsOnTheHost) {
  const std::string small = "problem: {generate: {rows: 300, symmetric: true}}\n";
  EXPECT_EQ(job(small)["backend"].contains("reason"), base::cuda::is_built());
  EXPECT_FALSE(job(small + "backend: openmp\n")["backend"].contains("reason"));
}

TEST_F(KeysTest, TheGeneratorObeysItsNumbers) {
  const std::string even = "reference_share: 0.1, reference_per_row: 7, spread: 0, ";
  const json thin = report(even + "density: 0.02");
  EXPECT_EQ(thin["problem"]["rows"], 600);
  EXPECT_EQ(thin["problem"]["reference_columns"], 60);
  EXPECT_EQ(thin["statistics"]["reference"]["shortest_row"], 7);
  EXPECT_EQ(thin["statistics"]["reference"]["longest_row"], 7);
  EXPECT_EQ(thin["statistics"]["expansion"]["shortest_row"], 11);
  EXPECT_EQ(thin["statistics"]["expansion"]["longest_row"], 11);
  const json thick = report(even + "density: 0.1");
  EXPECT_EQ(thick["statistics"]["expansion"]["longest_row"], 54);
  const json uneven = report("reference_share: 0.1, density: 0.1, spread: 10");
  const double deviation = uneven["statistics"]["expansion"]["longest_row"].get<double>() -
                           uneven["statistics"]["expansion"]["mean_row"].get<double>();
  EXPECT_GT(deviation, 20);  // of 600 rows some are two deviations away, and none is eight
  EXPECT_LT(deviation, 80);
  EXPECT_EQ(thin["problem"]["symmetric"], false);
  EXPECT_EQ(report("symmetric: true")["problem"]["symmetric"], true);
}

TEST_F(KeysTest, TheGeneratorMakesDiagonals) {
  const json band = report("pattern: banded, diagonals: 5");
  EXPECT_EQ(band["statistics"]["whole"]["nonzeros"], 5 * 600 - 2 * (1 + 2));
  EXPECT_EQ(band["statistics"]["whole"]["longest_row"], 5);
  const json any = report("pattern: diagonals, diagonals: 41");
  EXPECT_LT(any["statistics"]["whole"]["nonzeros"], 41 * 600 - 2 * 1000);
  EXPECT_EQ(any["problem"]["generate"]["pattern"], "diagonals");
  EXPECT_EQ(any["problem"]["generate"]["diagonals"], 41);
}

TEST_F(KeysTest, EqualSeedsReproduceAndOthersDiffer) {
  const auto product = [&](const std::string& matrix_seed, const std::string& vector_seed) {
    write_file(file("job.yaml"), "problem: {generate: {rows: 50, seed: " + matrix_seed + "}}\n");
    const Finished applied = run({"matrix", "apply", "job.yaml", "--seed", vector_seed});
    EXPECT_EQ(applied.code, 0) << applied.err;
    EXPECT_FALSE(applied.out.empty());
    return applied.out;
  };
  const std::string one = product("1", "1");
  EXPECT_EQ(product("1", "1"), one);
  EXPECT_NE(product("2", "1"), one);
  EXPECT_NE(product("1", "2"), one);
}

TEST_F(KeysTest, TheSolverSeedChangesTheIterationsAndNotTheState) {
  const auto solved = [&](const std::string& seed) {
    const json found =
        job("problem: {lattice: {columns: 5}}\nbackend: reference\noutput: {history: true}\n"
            "solver: {method: lanczos, start: random, seed: " +
            seed + "}\n");
    return std::pair(found["states"][0]["energy"].get<double>(),
                     read_file(file("out/history.csv")));
  };
  const auto [energy, history] = solved("1");
  const auto [same_energy, same_history] = solved("1");
  const auto [other_energy, other_history] = solved("2");
  EXPECT_EQ(energy, same_energy);
  EXPECT_EQ(history, same_history);
  EXPECT_NE(history, other_history);
  EXPECT_NEAR(energy, other_energy, 1e-9);
}

TEST_F(KeysTest, TheRegionsOfAMatrixFileAreSet) {
  write_file(file("m.mtx"),
             "%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 1\n1 3 2\n2 2 1\n3 3 1\n");
  const json found =
      job("problem: {matrix: m.mtx, reference_columns: 2}\nbackend: reference\n"
          "solver: {states: 0}\nproduct: {repeat: 1}\n");
  EXPECT_EQ(found["problem"]["reference_columns"], 2);
  EXPECT_EQ(found["statistics"]["reference"]["nonzeros"], 2);
  EXPECT_EQ(found["statistics"]["expansion"]["nonzeros"], 2);
}

// Two sites have a closed form.
TEST_F(KeysTest, HoppingAndRepulsionsEqualThoseOfTheLattice) {
  const double t = 1.5;
  const double u = 5;
  const double v = 2;
  const double exact = (u + v) / 2 - std::sqrt((u - v) * (u - v) / 4 + 4 * t * t);
  EXPECT_NEAR(ground_state("columns: 2, t: 1.5, u: 5, v: 2"), exact, 1e-10);
  EXPECT_NEAR(ground_state("columns: 2, t: 0.5, u: 0"), -1, 1e-10);
}

TEST_F(KeysTest, FormatsObeyTheirOptions) {
  const std::string rows = "reference_share: 0.1, reference_per_row: 7, density: 0.05";
  const auto stored = [&](const std::string& storage) {
    const json found = report(rows, "storage: {" + storage + "}\n");
    EXPECT_EQ(found["verification"]["passed"], true);
    return found["operator"];
  };
  EXPECT_EQ(stored("format: sell, slice_height: 1")["padding"], 0);
  EXPECT_GT(stored("format: sell, slice_height: 256")["padding"], 1000);
  EXPECT_GT(stored("format: csb, block_size: 16")["bytes"],
            stored("format: csb, block_size: 128")["bytes"]);
  EXPECT_EQ(stored("format: hybrid, policy: column")["boundary"], 60);
  EXPECT_EQ(stored("format: hybrid, policy: column")["policy"], "column");
  EXPECT_EQ(stored("format: hybrid, policy: count, boundary: 5")["boundary"], 5);
  EXPECT_EQ(stored("elements: precomputed")["path"], "precomputed");
}

/// A user's cache in the test's folder.
class CacheFolder {
 public:
  explicit CacheFolder(const std::string& folder) : before_(std::getenv("XDG_CACHE_HOME")) {
    setenv("XDG_CACHE_HOME", folder.c_str(), 1);
  }
  CacheFolder(const CacheFolder&) = delete;
  CacheFolder& operator=(const CacheFolder&) = delete;
  ~CacheFolder() { setenv("XDG_CACHE_HOME", before_.c_str(), 1); }

 private:
  std::string before_;
};

TEST_F(KeysTest, MeasuredRatesApplyUnlessBuiltInOnesAreRequested) {
  const CacheFolder cache(file("cache"));
  const std::string text = std::string("problem: {fcidump: ") + CISOLVE_DATA +
                           "/h2o_sto3g.fcidump}\nbackend: openmp\nthreads: 1\n";
  const auto check = [&](const std::string& keys) {
    write_file(file("job.yaml"), text + keys);
    const Finished finished = run({"check", "job.yaml", "--json", "check.json"});
    EXPECT_EQ(finished.code, 0) << finished.err;
    EXPECT_NE(finished.out.find("rates      "), std::string::npos) << finished.out;
    const json record = json::parse(read_file(file("check.json")));
    std::filesystem::remove(file("check.json"));
    EXPECT_GT(record["plans"][0]["making_s"], 0);
    return std::pair(record["rates"]["host"].get<std::string>(),
                     record["plans"][0]["product_s"].get<double>());
  };
  const auto built_in = check("");
  EXPECT_EQ(built_in.first, "built in");
  EXPECT_FALSE(std::filesystem::exists(file("cache")));  // nothing is measured without --calibrate

  const auto kept =
      app::save_machine_rates(job::kHostName, {.stored = 8, .blocks = 9, .making = 0.5});
  EXPECT_EQ(check("").first, "measured");
  EXPECT_NEAR(check("").second, 8 * built_in.second, 1e-9);
  EXPECT_EQ(check("rates: built-in\n"), built_in);
  write_file(kept, "{\"version\": \"0.");
  EXPECT_EQ(check(""), built_in);
}

TEST_F(KeysTest, RatesThatCannotBeSavedAreNotMeasured) {
  const CacheFolder cache(file("cache"));
  write_file(file("cache"), "a file in the way of the folder");
  const Finished refused = run({"devices", "--calibrate"});
  EXPECT_EQ(refused.code, 73) << refused.err;
  EXPECT_LT(refused.cpu_seconds, unless_sanitized(1.0, 10.0));
}

// Rates that are damaged, or of another version or machine, are ignored, and so is a file in place
// of the folder.
TEST_F(KeysTest, ImplausibleRatesAreIgnored) {
  const CacheFolder cache(file("cache"));
  const auto kept = app::save_machine_rates(job::kHostName, {.stored = 2});
  ASSERT_EQ(app::machine_rates().at(job::kHostName).stored, 2);
  const std::string good = read_file(kept);
  const auto with = [&](const std::string& part, const std::string& other) {
    std::string text = good;
    text.replace(text.find(part), part.size(), other);
    write_file(kept, text);
    return app::machine_rates().contains(job::kHostName);
  };
  EXPECT_FALSE(with("\"stored\": 2", "\"stored\": -2"));
  EXPECT_FALSE(with("\"stored\": 2", "\"stored\": 1e9"));
  EXPECT_FALSE(with("\"stored\": 2", "\"stored\": \"2\""));
  EXPECT_FALSE(with("\"stored\": 2", "\"fast\": 2"));
  EXPECT_FALSE(with("\"version\": \"", "\"version\": \"9"));
  EXPECT_FALSE(with("\"name\": \"", "\"name\": \"Another "));
  EXPECT_FALSE(with("{", ""));
  EXPECT_TRUE(with("{", "{"));
  write_file(file("taken"), "a file where the folder should be");
  const CacheFolder taken(file("taken"));
  EXPECT_TRUE(app::machine_rates().empty());
  EXPECT_THROW(app::save_machine_rates("a device", {}), base::Error);
}

TEST_F(KeysTest, TheSearchForMissedStatesIsLimitedOrLeftOut) {
  const std::string chain =
      "problem: {lattice: {columns: 6}}\nsolver: {states: 2, method: davidson";
  const json none = job(chain + ", search: none}\n");
  EXPECT_EQ(none["solver"]["search_products"], 0);
  EXPECT_EQ(none["verification"]["search"], "none");
  const json automatic = job(chain + "}\n");
  const int spent = automatic["solver"]["search_products"];
  const int solution = automatic["solver"]["products"].get<int>() - spent;
  EXPECT_EQ(solution, none["solver"]["products"]);
  EXPECT_GT(spent, 0);
  EXPECT_LE(spent, std::max(40, solution / 2));
  const json full = job(chain + ", search: full}\n");
  EXPECT_EQ(full["verification"]["search"], "excluded");
  EXPECT_GE(full["solver"]["search_products"], spent);
}

/// A staged search space has few vectors and restarts often.
TEST_F(KeysTest, ASearchSpaceMayBeStagedOnTheHost) {
  const std::string chain =
      "problem: {lattice: {columns: 6}}\n"
      "solver: {method: davidson, search: none, start: random, basis: ";
  const json full = job(chain + "full}\n");
  const json staged = job(chain + "staged}\n");
  EXPECT_LT(full["solver"]["restarts"], 3);
  EXPECT_GT(staged["solver"]["restarts"], 10);
  EXPECT_NEAR(staged["states"][0]["energy"].get<double>(),
              full["states"][0]["energy"].get<double>(), 1e-10);
}

TEST_F(KeysTest, NonzerosOfLargeUnstoredMatricesAreEstimated) {
  const auto check = [&](int sites) {
    write_file(file("job.yaml"), "problem: {lattice: {columns: " + std::to_string(sites) +
                                     "}}\nstorage: {elements: factorised}\nbackend: openmp\n");
    const Finished finished = run({"check", "job.yaml", "--json", "check.json"});
    EXPECT_EQ(finished.code, 0) << finished.err;
    const json record = json::parse(read_file(file("check.json")));
    std::filesystem::remove(file("check.json"));
    return std::pair(record, finished.out);
  };
  const auto [few, counted] = check(6);
  EXPECT_NE(counted.find("memory by format"), std::string::npos) << counted;
  EXPECT_EQ(few["nonzeros_about"], few["nonzeros"]);
  const auto [many, checked_output] = check(14);
  EXPECT_NE(checked_output.find(", estimated since the first plan stores none"), std::string::npos)
      << checked_output;
  EXPECT_EQ(many["problem"]["rows"], 11778624);
  EXPECT_TRUE(many["nonzeros"].is_null() && many["memory"].is_null());
  EXPECT_EQ(many["fits"], true);
}

// The job computes its elements in each product, so `check` does not count the 11 million non-zeros
// for the storage formats.
TEST_F(KeysTest, ACheckPredictsTheTimeAndCountsNothingForUnusedFormats) {
  write_file(file("job.yaml"), "problem: {lattice: {columns: 12, u: 4}}\nbackend: openmp\n");
  const Finished finished = run({"check", "job.yaml", "--json", "check.json"});
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_LT(finished.cpu_seconds, unless_sanitized(2.0, 40.0));
  const json record = json::parse(read_file(file("check.json")));
  EXPECT_TRUE(record["nonzeros"].is_null()) << finished.out;
  EXPECT_GT(record["nonzeros_about"], 1e7);
  const json plan = record["plans"][0];
  const double products = 40 * plan["product_s"].get<double>();
  EXPECT_GT(record["predicted_seconds"].get<double>(), plan["making_s"].get<double>() + products);
  EXPECT_NE(finished.out.find("job        about "), std::string::npos) << finished.out;
}

TEST_F(KeysTest, ProductsAreVerifiedInAllRowsOrInASample) {
  const std::string chain =
      "problem: {lattice: {columns: 10}}\nstorage: {elements: factorised}\nbackend: openmp\n"
      "solver: {search: none, verification: ";
  EXPECT_TRUE(job(chain + "whole}\n")["verification"]["sample"].is_null());
  const json found = job(chain + "sample}\n")["verification"];
  EXPECT_EQ(found["passed"], true);
  EXPECT_EQ(found["by"], "direct");
  EXPECT_EQ(found["sample"]["of_rows"], 63504);
  EXPECT_LT(found["sample"]["largest_difference"].get<double>(), 1e-12);
  const Finished checked_output = run({"job.yaml", "--force"});
  const std::string rows = base::grouped(found["sample"]["rows"].get<base::Index>());
  EXPECT_NE(
      checked_output.out.find("through a second operator in " + rows +
                              " of 63,504 rows, in which both products of the states differ by"),
      std::string::npos)
      << checked_output.out;
  EXPECT_NE(checked_output.out.find("(a fault in more than 0.018 % of the rows is detected"),
            std::string::npos);
  EXPECT_EQ(found["sample"]["random_vector"], false);
  const json searched =
      job(std::string(chain).replace(chain.find("none"), 4, "auto") + "sample}\n");
  EXPECT_EQ(searched["verification"]["passed"], true);
  EXPECT_EQ(searched["verification"]["sample"]["random_vector"], true);
}

TEST_F(KeysTest, AProductIsTimedAsOftenAndWithAsManyVectorsAsRequested) {
  const json found =
      job("problem: {generate: {rows: 100}}\nbackend: openmp\nthreads: 2\nmemory: 1 GiB\n"
          "solver: {states: 0}\nproduct: {repeat: 7, vectors: 3}\n");
  EXPECT_EQ(found["product"]["repeat"], 7);
  EXPECT_EQ(found["product"]["vectors"], 3);
  EXPECT_EQ(found["backend"]["threads"], 2);
}

}  // namespace
}  // namespace cisolve::test
