#include <gmock/gmock.h>

#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iomanip>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <sstream>

#include "base/error.hpp"
#include "ci/fock/integrals/random_integrals.hpp"
#include "io/molecules/determinant_list.hpp"
#include "io/molecules/fcidump.hpp"
#include "io/results/saved_vectors.hpp"
#include "program.hpp"

// States chosen by overlap, and starts from other jobs; a dense solution of the same space is the
// reference.
namespace cisolve::test {
namespace {

using base::Index;
using nlohmann::json;
using testing::HasSubstr;

const std::string kWater =
    "fcidump: " + std::string(CISOLVE_SOURCES) + "/tests/data/h2o_sto3g.fcidump";
constexpr int kOrbitals = 7;
constexpr int kStates = 133;  // states of the first irrep

/// All states of a space, as saved by a job.
struct Spectrum {
  std::vector<double> energies;
  std::vector<double> spins;  // <S^2>
  std::vector<ci::Determinant> determinants;
  base::MultiVector vectors;

  double weight(const std::map<ci::Determinant, double>& target, int state) const {
    double overlap = 0;
    for (std::size_t k = 0; k < determinants.size(); ++k)
      if (const auto found = target.find(determinants[k]); found != target.end())
        overlap += found->second * vectors(static_cast<Index>(k), state);
    return overlap * overlap;
  }
  /// The state of largest weight, by far.
  int best(const std::map<ci::Determinant, double>& target) const {
    std::vector<std::pair<double, int>> weights;
    for (int j = 0; j < vectors.columns(); ++j) weights.emplace_back(-weight(target, j), j);
    std::ranges::sort(weights);
    EXPECT_GT(weights[1].first - weights[0].first, 0.03) << "no case for a test";
    return weights[0].second;
  }
  std::map<ci::Determinant, double> state(int number) const {
    std::map<ci::Determinant, double> elements;
    for (std::size_t k = 0; k < determinants.size(); ++k)
      elements[determinants[k]] = vectors(static_cast<Index>(k), number);
    return elements;
  }
};

class FollowTest : public ProgramTest {
 protected:
  Finished run_job(const std::string& rest, const std::string& folder = "out",
                   const std::string& problem = kWater) const {
    write_file(file("a.yaml"), "problem: {" + problem + "}\noutput: {directory: " + folder +
                                   ", vectors: true}\n" + rest);
    return run({"a.yaml", "--force"});
  }
  json solved(const std::string& rest, const std::string& folder = "out",
              const std::string& problem = kWater) const {
    const Finished finished = run_job(rest, folder, problem);
    EXPECT_EQ(finished.code, 0) << finished.err << finished.out;
    return json::parse(read_file(file(folder + "/run.json")));
  }
  void expect_refusal(const std::string& rest, int code, const std::string& reason,
                      const std::string& problem = kWater) const {
    const Finished finished = run_job(rest, "out", problem);
    EXPECT_EQ(finished.code, code) << rest << finished.out;
    EXPECT_THAT(finished.err, HasSubstr(reason));
  }

  Spectrum spectrum(const std::string& space, int states, const std::string& folder) const {
    const json record =
        solved("space: {" + space + "}\nsolver: {method: dense, states: " + std::to_string(states) +
                   "}\nanalysis: {densities: none}\n",
               folder);
    const base::Backend host = base::Backend::reference();
    const std::string results = file(folder + "/results.h5");
    Spectrum all{{},
                 {},
                 io::read_determinants(results, {kOrbitals, 5, 5}, host),
                 io::read_saved_vectors(results, host)};
    for (const json& state : record["states"]) {
      all.energies.push_back(state["energy"]);
      all.spins.push_back(state["s2"]);
    }
    return all;
  }

  static void expect_chosen(const json& record, double energy, double weight) {
    EXPECT_NEAR(record["states"][0]["energy"].get<double>(), energy, 1e-8);
    const json& chosen = record["verification"]["chosen"];
    EXPECT_NEAR(chosen["weights"][0].get<double>(), weight, 1e-6);
    EXPECT_NEAR(chosen["others"].get<double>(), 1 - weight, 1e-6);
    EXPECT_EQ(chosen["certain"], weight > 0.5);
    EXPECT_EQ(record["verification"]["completeness"], "not checked");
    EXPECT_EQ(record["verification"]["passed"], true);
  }
};

TEST_F(FollowTest, AnExcitedConfigurationLeadsToItsState) {
  const Spectrum all = spectrum("irrep: 1", kStates, "all");
  for (const std::string configuration : {"2222020", "2220220", "2202220"}) {
    const std::map<ci::Determinant, double> target{
        {ci::parse_determinant(configuration, kOrbitals), 1.0}};
    const int wanted = all.best(target);
    EXPECT_GT(wanted, 2);
    write_file(file("list.txt"), "# excited\n" + configuration + "\n");
    for (const char* method : {"davidson", "dense", "auto"}) {
      SCOPED_TRACE(configuration + method);
      const json record = solved(std::string("space: {irrep: 1}\nsolver: {follow: list.txt, ") +
                                 "method: " + method + "}\n");
      const bool is_asked = std::string_view(method) == "davidson";
      EXPECT_EQ(record["solver"]["method"], is_asked ? "davidson" : "dense");
      expect_chosen(record, all.energies[wanted], all.weight(target, wanted));
    }
  }
  write_file(file("list.txt"), "2222200\n");
  const Finished followed = run_job("space: {irrep: 1}\nsolver: {follow: list.txt}\n");
  EXPECT_THAT(followed.out,
              HasSubstr("these are not the lowest states, but those that overlap most"));
  EXPECT_THAT(followed.out, Not(HasSubstr("no state is missing")));
  EXPECT_THAT(followed.out, HasSubstr("no other state overlaps more"));
}

TEST_F(FollowTest, AStateOfASmallerSpaceLeadsToThatOfALargerOne) {
  const Spectrum all = spectrum("irrep: 1", kStates, "all");
  const Spectrum cisd = spectrum("irrep: 1, kind: cisd", 12, "cisd");
  for (const int number : {2, 4, 5}) {
    const auto target = cisd.state(number - 1);
    const int wanted = all.best(target);
    const json record = solved(
        "space: {irrep: 1}\nsolver: {method: davidson, follow: cisd/results.h5, follow_state: " +
        std::to_string(number) + "}\n");
    expect_chosen(record, all.energies[wanted], all.weight(target, wanted));
  }
  expect_refusal("solver: {follow: cisd/results.h5, follow_state: 13}\n", 78, "holds 12");
}

// In a window whose frozen orbital is not the lowest, signs of determinants differ from those over
// all orbitals.
TEST_F(FollowTest, SignsEqualThoseOfTheDeterminants) {
  const std::string window = "space: {frozen: [3]}\n";
  const json windowed = solved(window + "solver: {states: 4}\n", "window");
  const std::string list = "space: {kind: list, determinants: window/results.h5}\n";
  solved(list + "solver: {states: 4}\n", "list");
  for (const auto& [space, from] : {std::pair(window, "list"), {list, "window"}})
    for (const char* method : {"dense", "davidson"}) {
      const json record = solved(space + "solver: {follow: " + from +
                                 "/results.h5, follow_state: 4, method: " + method + "}\n");
      expect_chosen(record, windowed["states"][3]["energy"], 1);
    }
}

TEST_F(FollowTest, WeightsEqualThoseOfTheReportedStates) {
  const std::string ring = "lattice: {columns: 6, periodic_columns: true}";
  solved("solver: {states: 12}\n", "ring", ring);
  const json four =
      solved("solver: {states: 4, method: davidson, follow: ring/results.h5}\n", "out", ring);
  const json& chosen = four["verification"]["chosen"];
  for (const json& weight : chosen["weights"]) EXPECT_NEAR(weight.get<double>(), 1, 1e-8);
  EXPECT_NEAR(chosen["others"].get<double>(), 8, 1e-8);
  EXPECT_EQ(chosen["certain"], true);  // a weight is at most 1
  // Two degenerate states, with 0.28 of the list each and all others at most 0.17, are rotated to
  // definite spins, with other weights.
  write_file(file("list.txt"), "d000u0\n0000du\n");
  const json rotated = solved(
      "space: {electrons: [1, 1]}\nsolver: {states: 2, method: davidson, follow: list.txt}\n",
      "out", "lattice: {columns: 6, periodic_columns: true, u: 0}");
  EXPECT_EQ(rotated["verification"]["chosen"]["weights"], json::array());
  EXPECT_GT(rotated["verification"]["chosen"]["others"].get<double>(), 1);
  EXPECT_EQ(rotated["verification"]["chosen"]["certain"], false);
}

TEST_F(FollowTest, ASpinIsFollowedAmongItsFunctions) {
  const Spectrum all = spectrum("irrep: 1", kStates, "all");
  const auto triplet = std::ranges::find_if(all.spins, [](double s2) { return s2 > 1; });
  const auto number = triplet - all.spins.begin();
  const auto target = all.state(static_cast<int>(number));
  ci::Determinant largest;
  double size = 0;
  for (const auto& [determinant, element] : target)
    if (std::abs(element) > size) {
      largest = determinant;
      size = std::abs(element);
    }
  write_file(file("list.txt"), ci::to_text(largest, kOrbitals) + "\n");
  const std::string follow = "solver: {method: davidson, follow: list.txt}\n";
  const json found = solved("space: {irrep: 1, spin: 1}\n" + follow);
  EXPECT_NEAR(found["states"][0]["energy"].get<double>(), *(all.energies.begin() + number), 1e-8);
  const json other = solved("space: {irrep: 1, spin: 0}\n" + follow);
  EXPECT_NEAR(other["states"][0]["s2"].get<double>(), 0, 1e-8);
  EXPECT_GT(other["verification"]["chosen"]["weights"][0].get<double>(), 0.5);
  write_file(file("list.txt"), "2222200\n");
  expect_refusal("space: {irrep: 1, spin: 1}\n" + follow, 65, "no component of spin 1");
}

TEST_F(FollowTest, StatesOfAnotherJobCanBeFollowed) {
  const std::string solver =
      "solver: {method: davidson, states: 2, model_size: 5, start: model, search: none";
  const json fresh = solved("space: {irrep: 1}\n" + solver + "}\n", "fresh");
  solved("space: {irrep: 1, kind: cisd}\n" + solver + "}\n", "cisd");
  solved("space: {irrep: 1, spin: 0}\n" + solver + "}\n", "singlets");
  const auto from = [&](const std::string& folder, const std::string& space) {
    const json record =
        solved("space: {" + space + "}\n" + solver + ", start_from: " + folder + "/results.h5}\n");
    for (int j = 0; j < 2 && space == "irrep: 1"; ++j)
      EXPECT_NEAR(record["states"][j]["energy"].get<double>(),
                  fresh["states"][j]["energy"].get<double>(), 1e-8);
    EXPECT_EQ(record["verification"]["chosen"], nullptr);
    return record["solver"]["iterations"].get<int>();
  };
  EXPECT_EQ(from("fresh", "irrep: 1"), 0);
  EXPECT_LT(from("cisd", "irrep: 1"), fresh["solver"]["iterations"].get<int>());
  EXPECT_EQ(from("singlets", "irrep: 1, spin: 0"), 0);
  EXPECT_GT(from("fresh", "irrep: 1, kind: cisd"), 0);
}

TEST_F(FollowTest, RowsOfAMatrixAreNamedByTheirNumbers) {
  const std::string chain = "matrix: " + configuration("chain.mtx");
  const json all = solved("solver: {states: 4, method: dense}\n", "chain", chain);
  for (const char* method : {"davidson", "dense"}) {
    const json record =
        solved(std::string("solver: {follow: chain/results.h5, follow_state: 3, method: ") +
                   method + "}\n",
               "out", chain);
    expect_chosen(record, all["states"][2]["energy"], 1);
  }
  const std::string follow = "solver: {follow: chain/results.h5}\n";
  expect_refusal(follow, 65, "elements, but the matrix has 50 rows", "generate: {rows: 50}");
  write_file(file("list.txt"), "20\n");
  expect_refusal("solver: {follow: list.txt}\n", 78, "this problem has no determinants", chain);
}

TEST_F(FollowTest, ImpossibleTargetsAreRefused) {
  const std::string follow = "solver: {follow: list.txt}\n";
  expect_refusal(follow, 66, "list.txt");
  write_file(file("list.txt"), "2222200\n22222x0\n");
  expect_refusal(follow, 65, "list.txt:2: ");
  write_file(file("list.txt"), "2222200\n222220\n");
  expect_refusal(follow, 65, "list.txt:2: '222220' has 6 characters; expected 7");
  write_file(file("list.txt"), "2222000\n");
  expect_refusal(follow, 65, "list.txt:1: determinant 1 has 4 alpha");
  write_file(file("list.txt"), "2222200\n2200222\n");
  expect_refusal("space: {kind: cis}\n" + follow, 65,
                 "list.txt:2: determinant 2, 2200222, is not in");
  for (const char* key : {"follow: list.txt", "start_from: list.txt"})
    expect_refusal(std::string("solver: {method: lanczos, ") + key + "}\n", 78,
                   "expected auto, davidson or dense");
  write_file(file("b.yaml"),
             "problem: {" + kWater + "}\noutput: {directory: bare, vectors: false}\n");
  ASSERT_EQ(run({"b.yaml"}).code, 0);
  expect_refusal("solver: {follow: bare/results.h5}\n", 65, "expected results of a job with");
  solved("space: {irrep: 1}\n", "one");
  expect_refusal("space: {irrep: 2}\nsolver: {start_from: one/results.h5}\n", 65,
                 "have no determinant in this space");
  // Rounding residues in another irrep are ignored.
  solved("solver: {states: 2}\n", "two");
  expect_refusal("space: {irrep: 2}\nsolver: {follow: two/results.h5, follow_state: 1}\n", 65,
                 "state 1 has no determinant in this space");
  std::filesystem::resize_file(file("one/results.h5"), 3000);
  expect_refusal("solver: {follow: one/results.h5}\n", 65, "one/results.h5");
}

/// Integrals of restricted orbitals over all four indices, which may be transformed.
class WholeIntegrals {
 public:
  explicit WholeIntegrals(const ci::Integrals& v)
      : n(v.orbitals()), core(v.core_energy()), one(n * n), two(n * n * n * n) {
    for (int p = 0; p < n; ++p)
      for (int q = 0; q < n; ++q) {
        one[p * n + q] = v.one(ci::Spin::alpha, p, q);
        for (int r = 0; r < n; ++r)
          for (int s = 0; s < n; ++s)
            two[((p * n + q) * n + r) * n + s] =
                v.two(ci::Spin::alpha, p, q, ci::Spin::alpha, r, s);
      }
  }

  /// Transforms to the orbitals that are the columns of u.
  WholeIntegrals in(const std::vector<double>& u) const {
    WholeIntegrals found = *this;
    transform(found.one, 2, u);
    transform(found.two, 4, u);
    return found;
  }
  /// Perturbs the integrals as another geometry would; equal ones stay equal.
  WholeIntegrals changed(double share, unsigned seed) const {
    WholeIntegrals found = *this;
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> change(1 - share, 1 + share);
    for (int p = 0; p < n; ++p)
      for (int q = 0; q <= p; ++q) found.one[p * n + q] = found.one[q * n + p] *= change(random);
    for (int p = 0; p < n; ++p)
      for (int q = 0; q <= p; ++q)
        for (int r = 0; r < n; ++r)
          for (int s = 0; s <= r; ++s) {
            if (ci::pair_index(r, s) > ci::pair_index(p, q)) continue;
            const double value = two[((p * n + q) * n + r) * n + s] * change(random);
            for (const auto& [a, b, c, d] : {std::array{p, q, r, s},
                                             {q, p, r, s},
                                             {p, q, s, r},
                                             {q, p, s, r},
                                             {r, s, p, q},
                                             {s, r, p, q},
                                             {r, s, q, p},
                                             {s, r, q, p}})
              found.two[((a * n + b) * n + c) * n + d] = value;
          }
    return found;
  }
  std::string dump(int electrons) const {
    std::string text = base::concat("&FCI NORB=", n, ",NELEC=", electrons, ",MS2=0,/\n");
    const auto line = [&](double value, int p, int q, int r, int s) {
      std::ostringstream out;
      out << std::setprecision(17) << value << ' ' << p << ' ' << q << ' ' << r << ' ' << s << '\n';
      text += out.str();
    };
    for (int p = 0; p < n; ++p)
      for (int q = 0; q <= p; ++q)
        for (int r = 0; r <= p; ++r)
          for (int s = 0; s <= (r == p ? q : r); ++s)
            line(two[((p * n + q) * n + r) * n + s], p + 1, q + 1, r + 1, s + 1);
    for (int p = 0; p < n; ++p)
      for (int q = 0; q <= p; ++q) line(one[p * n + q], p + 1, q + 1, 0, 0);
    line(core, 0, 0, 0, 0);
    return text;
  }

  int n;
  double core;
  std::vector<double> one;
  std::vector<double> two;

 private:
  /// Transforms one index per pass and rotates it to the end, once per index.
  void transform(std::vector<double>& values, int indices, const std::vector<double>& u) const {
    const std::size_t rest = values.size() / n;
    for (int k = 0; k < indices; ++k) {
      std::vector<double> moved(values.size(), 0.0);
      for (int p = 0; p < n; ++p)
        for (std::size_t i = 0; i < rest; ++i)
          for (int q = 0; q < n; ++q)
            moved[i * n + q] += values[p * rest + i] * u[static_cast<std::size_t>(p) * n + q];
      values = std::move(moved);
    }
  }
};

/// Following states through files of other orbitals than those of the saved states.
class CarriedTest : public FollowTest {
 protected:
  static WholeIntegrals water() {
    return WholeIntegrals(
        io::read_fcidump(std::string(CISOLVE_SOURCES) + "/tests/data/h2o_sto3g.fcidump", {},
                         base::Backend::reference())
            .integrals);
  }
  static std::vector<double> identity() {
    std::vector<double> u(kOrbitals * kOrbitals, 0.0);
    for (int p = 0; p < kOrbitals; ++p) u[p * kOrbitals + p] = 1;
    return u;
  }
  /// A permutation with signs.
  static std::vector<double> signed_order(unsigned seed) {
    std::mt19937 random(seed);
    std::vector<int> order(kOrbitals);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    std::vector<double> u(kOrbitals * kOrbitals, 0.0);
    for (int p = 0; p < kOrbitals; ++p)
      u[p * kOrbitals + order[p]] = random() % 2 == 0 ? 1.0 : -1.0;
    return u;
  }
  /// Rotates two orbitals of one irrep by 0.6 rad.
  static std::vector<double> rotation() {
    std::vector<double> u = identity();
    u[1 * kOrbitals + 1] = u[3 * kOrbitals + 3] = std::cos(0.6);
    u[1 * kOrbitals + 3] = std::sin(0.6);
    u[3 * kOrbitals + 1] = -std::sin(0.6);
    return u;
  }
  void write_overlaps(const std::vector<double>& u) const {
    std::ostringstream text;
    text << "%%MatrixMarket matrix array real general\n"
         << kOrbitals << ' ' << kOrbitals << '\n'
         << std::setprecision(17);
    for (int q = 0; q < kOrbitals; ++q)
      for (int p = 0; p < kOrbitals; ++p) text << u[p * kOrbitals + q] << '\n';
    write_file(file("s.mtx"), text.str());
  }
  std::vector<double> energies_of(const std::string& problem, const std::string& folder) const {
    const json record = solved("solver: {states: 12, method: dense}\n", folder, problem);
    std::vector<double> found;
    for (const json& state : record["states"]) found.push_back(state["energy"]);
    return found;
  }
  static std::string follow(int number, const std::string& more = "") {
    return "solver: {follow: a/results.h5, follow_state: " + std::to_string(number) + more + "}\n";
  }
};

TEST_F(CarriedTest, SignsAndOrderOfOrbitalsAreRestoredFromTheirIntegrals) {
  const std::vector<double> energies = energies_of(kWater, "a");
  for (unsigned seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    write_file(file("b.fcidump"), water().in(signed_order(seed)).dump(10));
    for (const int number : {1, 7}) {
      const json record = solved(follow(number), "out", "fcidump: b.fcidump");
      expect_chosen(record, energies[number - 1], 1);
      EXPECT_THAT(record["warnings"].dump(), HasSubstr("their orbitals were matched"));
    }
  }
}

// Without matching the orbitals another state, of other weight, would be followed.
TEST_F(CarriedTest, WithChangedIntegralsTheStateOfTheSameOrbitalsIsFound) {
  const WholeIntegrals there = water().changed(0.002, 5);
  energies_of(kWater, "a");
  write_file(file("plain.fcidump"), there.dump(10));
  for (unsigned seed = 1; seed <= 2; ++seed) {
    SCOPED_TRACE(seed);
    write_file(file("b.fcidump"), there.in(signed_order(seed)).dump(10));
    for (const int number : {1, 5}) {
      const json plain = solved(follow(number), "plain", "fcidump: plain.fcidump");
      const json record = solved(follow(number), "out", "fcidump: b.fcidump");
      expect_chosen(record, plain["states"][0]["energy"],
                    plain["verification"]["chosen"]["weights"][0]);
      EXPECT_GT(plain["verification"]["chosen"]["weights"][0].get<double>(), 0.9);
    }
  }
}

TEST_F(CarriedTest, FrozenAndActiveOrbitalsKeepTheirPlaces) {
  const std::string space = "space: {frozen: 1, active: 5}\n";
  const json all = solved(space + "solver: {states: 6, method: dense}\n", "a");
  std::vector<double> u = identity();
  for (const int p : {1, 3, 6}) u[p * kOrbitals + p] = -1;
  write_file(file("b.fcidump"), water().in(u).dump(10));
  const json record = solved(space + follow(4), "out", "fcidump: b.fcidump");
  EXPECT_NEAR(record["states"][0]["energy"].get<double>(), all["states"][3]["energy"].get<double>(),
              1e-8);
  expect_refusal("space: {active: 5}\n" + follow(4), 65, "1 are frozen and 5 active",
                 "fcidump: b.fcidump");
}

TEST_F(CarriedTest, OverlapsOfOrbitalsCarryAStateThroughARotation) {
  const std::vector<double> energies = energies_of(kWater, "a");
  write_file(file("b.fcidump"), water().in(rotation()).dump(10));
  const std::string rotated = "fcidump: b.fcidump";
  expect_refusal(follow(4), 65, "solver.follow_overlap", rotated);
  write_overlaps(rotation());
  for (const int number : {1, 4, 7}) {
    const json record = solved(follow(number, ", follow_overlap: s.mtx"), "out", rotated);
    expect_chosen(record, energies[number - 1], 1);
  }
  const std::string space = "space: {frozen: 1, active: 5}\n";
  const json all = solved(space + "solver: {states: 6, method: dense}\n", "a");
  const json record = solved(space + follow(3, ", follow_overlap: s.mtx"), "out", rotated);
  EXPECT_NEAR(record["states"][0]["energy"].get<double>(), all["states"][2]["energy"].get<double>(),
              1e-8);
}

TEST_F(CarriedTest, InvalidOrbitalOverlapsAreRefused) {
  energies_of(kWater, "a");
  const std::string with = ", follow_overlap: s.mtx";
  expect_refusal(follow(1, with), 66, "s.mtx");
  std::vector<double> u = identity();
  u[1] = 0.5;
  write_overlaps(u);
  expect_refusal(follow(1, with), 65, "more than 1; expected the overlaps of the orbitals");
  write_file(file("s.mtx"), "%%MatrixMarket matrix array real general\n2 2\n1\n0\n0\n1\n");
  expect_refusal(follow(1, with), 65, "the matrix is 2 x 2; expected the overlaps");
}

TEST_F(CarriedTest, AnotherMoleculeIsRefused) {
  energies_of(kWater, "a");
  write_file(file("b.fcidump"),
             WholeIntegrals(ci::random_integrals({.orbitals = kOrbitals, .seed = 3},
                                                 base::Backend::reference()))
                 .dump(10));
  expect_refusal(follow(1), 65, "its orbitals differ from those of this problem",
                 "fcidump: b.fcidump");
  expect_refusal(follow(1), 65, "those of this problem are not",
                 "lattice: {columns: 7, u: 4}, electrons: 10");
}

// Files of another program or an earlier version hold no orbitals.
TEST_F(CarriedTest, ResultsWithoutOrbitalsNeedOverlaps) {
  const std::vector<double> energies = energies_of(kWater, "a");
  const hid_t results = H5Fopen(file("a/results.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  ASSERT_GE(H5Ldelete(results, "orbitals", H5P_DEFAULT), 0);
  H5Fclose(results);
  expect_refusal(follow(2), 65, "the file does not describe its orbitals");
  write_overlaps(identity());
  expect_chosen(solved(follow(2, ", follow_overlap: s.mtx")), energies[1], 1);
}

}  // namespace
}  // namespace cisolve::test
