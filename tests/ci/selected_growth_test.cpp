#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "base/error.hpp"
#include "ci/selected/connection_walk.hpp"
#include "ci/selected/growth.hpp"
#include "ci/selected/sorted_sets.hpp"
#include "ci/selected/spin_partners.hpp"
#include "tests/ci/hosts.hpp"
#include "tests/ci/selected_systems.hpp"

// Selection compared with a test of every pair of determinants, whose elements come from an oracle.
namespace cisolve::ci {
namespace {

using test::kHost;
using test::SelectedSystem;

HeatBathTables tables_of(const SelectedSystem& system, const Integrals& integrals,
                         double least = 0) {
  return {integrals, system.electrons, least, kHost};
}

template <int W>
SelectedList<W> list_of(const SelectedSystem& system, const std::vector<Determinant>& determinants,
                        const base::Backend& host = kHost) {
  return {system.all_orbitals, system.electrons, determinants, host};
}

/// All with max_s |H_ai| |c_i^s| >= epsilon for some i, and the list itself; ascending.
std::vector<Determinant> naive_growth(const SelectedSystem& system, const Integrals& integrals,
                                      const std::vector<Determinant>& list,
                                      base::ConstBlock coefficients, double epsilon) {
  std::set<Determinant> grown(list.begin(), list.end());
  for (const Determinant& a : system.determinants())
    for (std::size_t i = 0; i < list.size(); ++i)
      for (int s = 0; s < coefficients.columns; ++s) {
        const double h = a == list[i] ? 0 : element(integrals, a, list[i]);
        if (h != 0 && std::abs(h * coefficients(static_cast<Index>(i), s)) >= epsilon)
          grown.insert(a);
      }
  return {grown.begin(), grown.end()};
}

std::vector<Determinant> naive_spin_completion(const std::vector<Determinant>& all,
                                               const std::vector<Determinant>& list) {
  std::set<std::pair<String, String>> configurations;  // doubly, singly occupied
  const auto configuration = [](const Determinant& d) {
    return std::pair(d.alpha & d.beta, (d.alpha | d.beta) - (d.alpha & d.beta));
  };
  for (const Determinant& one : list) configurations.insert(configuration(one));
  std::vector<Determinant> completed;
  for (const Determinant& one : all)
    if (configurations.contains(configuration(one))) completed.push_back(one);
  return completed;
}

TEST(PackedDeterminants, ActAsStrings) {
  std::mt19937_64 random(1);
  const auto compare = [&]<int W>(std::integral_constant<int, W>, int orbitals) {
    std::vector<String> strings;
    for (int i = 0; i < 40; ++i) {
      String string;
      for (int k = 0; k < 6; ++k)
        string = string.with(static_cast<int>(random() % static_cast<unsigned>(orbitals)));
      strings.push_back(string);
    }
    for (const String& a : strings) {
      const auto packed = OrbitalBits<W>::of(a);
      EXPECT_EQ(packed.string(), a);
      EXPECT_EQ(packed.count(), a.count());
      EXPECT_EQ(packed.first(), a.orbitals().front());
      EXPECT_EQ(packed.last(), a.orbitals().back());
      for (const String& b : strings) {
        const auto other = OrbitalBits<W>::of(b);
        EXPECT_EQ(packed < other, a < b);
        EXPECT_EQ((packed - other).string(), a - b);
      }
      for (const int p : a.orbitals())
        for (int r = 0; r < orbitals; ++r) {
          int between = 0;
          for (int k = std::min(p, r) + 1; k < std::max(p, r); ++k) between += a.has(k) ? 1 : 0;
          ASSERT_EQ(packed.is_odd(p, r), between % 2 != 0) << p << " to " << r;
          EXPECT_EQ(packed.has(r), a.has(r));
        }
    }
    for (int p = 0; p <= orbitals; ++p)
      EXPECT_EQ(OrbitalBits<W>::below(p).string(), String::below(p)) << p;
  };
  compare(std::integral_constant<int, 1>(), 64);
  compare(std::integral_constant<int, 2>(), 128);
  compare(std::integral_constant<int, 4>(), 256);
  EXPECT_THROW(OrbitalBits<1>::of(String().with(64)), base::Error);
}

TEST(SortedSets, AreSortedOnAnyNumberOfThreads) {
  std::mt19937 random(2);
  for (const std::size_t size : {0, 1, 100, 20000, 150001}) {
    std::vector<unsigned> values(size);
    for (unsigned& value : values) value = static_cast<unsigned>(random()) % 50000;
    std::vector<unsigned> expected = values;
    std::ranges::sort(expected);
    for (const int threads : {1, 2, 3, 5}) {
      std::vector<unsigned> sorted = values;
      std::vector<unsigned> scratch(size);
      sort_on_threads(std::span(sorted), std::span(scratch), base::Backend::openmp(threads));
      EXPECT_EQ(sorted, expected) << size << " on " << threads;
    }
  }
}

TEST(SortedSets, AreSortedByBytes) {
  std::mt19937_64 random(5);
  for (const std::size_t size : {0, 1, 2, 1000, 70000})
    for (const std::uint64_t mask : {~std::uint64_t{0}, std::uint64_t{0xFF00000000000F00}}) {
      std::vector<PackedDeterminant<2>> items(size);
      for (auto& [alpha, beta] : items)
        for (int w = 0; w < 2; ++w) {
          alpha.words[w] = w == 0 ? random() & mask : 7;
          beta.words[w] = random() & mask;
        }
      auto expected = items;
      std::sort(expected.begin(), expected.end());
      std::vector<PackedDeterminant<2>> scratch(size);
      sort_by_bytes(std::span(items), std::span(scratch), 4,
                    [](const PackedDeterminant<2>& one, int w) {
                      return w < 2 ? one.beta.words[w] : one.alpha.words[w - 2];
                    });
      EXPECT_EQ(items, expected) << size;
    }
}

TEST(SortedSets, KeepWhatIsNew) {
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    std::vector<int> items(random() % 200);
    std::vector<int> known(random() % 200);
    const unsigned range = 1 + static_cast<unsigned>(random()) % 300;
    for (int& item : items) item = static_cast<int>(random() % range);
    for (int& item : known) item = static_cast<int>(random() % range);
    std::ranges::sort(items);
    std::ranges::sort(known);
    std::vector<int> expected;
    for (const int item : std::set<int>(items.begin(), items.end()))
      if (!std::ranges::binary_search(known, item)) expected.push_back(item);
    items.resize(static_cast<std::size_t>(keep_new(std::span(items), std::span<const int>(known))));
    ASSERT_EQ(items, expected);
  }
}

TEST(HeatBathTables, FindEachConnectionInARangeOfSizes) {
  test::for_each_system([]<int W>(const SelectedSystem& system, std::integral_constant<int, W>) {
    const Integrals integrals = system.integrals();
    const HeatBathTables tables = tables_of(system, integrals);
    EXPECT_LE(tables.bytes(), HeatBathTables::most_bytes(system.all_orbitals, true));
    const std::vector<Determinant> all = system.determinants();
    for (std::size_t from = 0; from < all.size(); from += 7)
      for (const auto& [least, below] : {std::pair(0.0, kNotExpanded), std::pair(0.3, 0.9)}) {
        std::map<Determinant, double> found;
        for_each_connection(tables.view(), PackedDeterminant<W>::of(all[from]), least, below,
                            [&](const PackedDeterminant<W>& to, double size) {
                              EXPECT_TRUE(found.emplace(to.determinant(), size).second);
                            });
        for (const Determinant& to : all) {
          const double h = to == all[from] ? 0 : std::abs(element(integrals, to, all[from]));
          const bool is_expected = h >= std::max(least, 1e-13) && h < below;
          ASSERT_EQ(found.contains(to), is_expected) << h;
          if (is_expected) {
            EXPECT_NEAR(found[to], h, 1e-13);
          }
        }
      }
  });
}

TEST(HeatBathTables, FindConnectionsAcrossOrbital128) {
  const SelectedSystem system{"", 5, {2, 3}, false, 129, 124};
  const Integrals integrals = system.integrals();
  const HeatBathTables tables = tables_of(system, integrals, 1e-6);
  const std::vector<Determinant> all = system.determinants();
  for (const Determinant& from : {all.front(), all[all.size() / 2], all.back()}) {
    std::vector<Determinant> found;
    for_each_connection(
        tables.view(), PackedDeterminant<4>::of(from), 1e-6, kNotExpanded,
        [&](const PackedDeterminant<4>& to, double) { found.push_back(to.determinant()); });
    std::ranges::sort(found);
    std::vector<Determinant> expected;
    for (const Determinant& to : all)
      if (to != from && std::abs(element(integrals, to, from)) >= 1e-6) expected.push_back(to);
    EXPECT_EQ(found, expected);
  }
}

TEST(HeatBathTables, HaveTheSameBitsFromEitherDeterminant) {
  const SelectedSystem system{"", 6, {3, 2}, true, 6, 0};
  const Integrals integrals = system.integrals();
  const HeatBathTables tables = tables_of(system, integrals);
  std::map<std::pair<Determinant, Determinant>, double> sizes;
  for (const Determinant& from : system.determinants())
    for_each_connection(tables.view(), PackedDeterminant<1>::of(from), 0, kNotExpanded,
                        [&](const PackedDeterminant<1>& to, double size) {
                          sizes[{from, to.determinant()}] = size;
                        });
  for (const auto& [pair, size] : sizes) EXPECT_EQ((sizes.at({pair.second, pair.first})), size);
}

TEST(HeatBathTables, AreRefusedBeforeTheyExceedTheBudget) {
  const SelectedSystem system{"", 8, {3, 2}, true, 40, 0};
  const Integrals integrals = system.integrals();
  const base::Backend small = base::Backend::openmp(1, {.host_bytes = 1 << 20});
  EXPECT_THROW(HeatBathTables(integrals, system.electrons, 0, small), base::Error);
  EXPECT_EQ(small.host_memory().used(), 0);
  EXPECT_THROW(HeatBathTables(integrals, {41, 0}, 0, kHost), base::Error);
  EXPECT_THROW(HeatBathTables(integrals, {3, 2}, std::nan(""), kHost), base::Error);
}

TEST(HeatBathTables, TakeTheMemoryThatTheFormulaSays) {
  for (const bool spin_dependent : {false, true}) {
    const Integrals integrals = test::random_integrals(9, spin_dependent, 2, {});
    const HeatBathTables tables(integrals, {4, 3}, 0, kHost);
    const Index most = HeatBathTables::most_bytes(9, spin_dependent);
    EXPECT_LE(tables.bytes(), most);
    EXPECT_GE(tables.bytes(), most * 3 / 4);  // excludes excitations among the same orbitals
  }
}

TEST(SelectedGrowth, AgreesWithATestOfEachPair) {
  test::for_each_system([]<int W>(const SelectedSystem& system, std::integral_constant<int, W>) {
    const Integrals integrals = system.integrals();
    const HeatBathTables tables = tables_of(system, integrals);
    const std::vector<Determinant> start = test::drawn_from(system.determinants(), 12, 5);
    for (const int states : {1, 3})
      for (const double epsilon : {1e-12, 0.02, 0.2, 5.0}) {
        const base::MultiVector c = test::drawn_coefficients(std::ssize(start), states, 7);
        SelectedList<W> list = list_of<W>(system, start);
        const GrowthResult result = grow(list, tables, c.block(), {.epsilon = epsilon});
        const std::vector<Determinant> expected =
            naive_growth(system, integrals, start, c.block(), epsilon);
        EXPECT_EQ(test::unpacked(list), expected) << states << " states, " << epsilon;
        EXPECT_EQ(result.added, std::ssize(expected) - std::ssize(start));
        for (std::size_t i = 0; i < start.size(); ++i)
          EXPECT_EQ(test::unpacked(list)[result.row_of_old[static_cast<Index>(i)]], start[i]);
      }
  });
}

TEST(SelectedGrowth, AcceptsAnElementAtTheThreshold) {
  Integrals integrals(2, false, kHost);
  integrals.set_one(Spin::alpha, 0, 1, 0.25);
  const HeatBathTables tables(integrals, {1, 0}, 0, kHost);
  base::MultiVector c(kHost, 1, 1);
  c.block()(0, 0) = 0.5;
  const std::vector<Determinant> start = {aufbau(1, 0)};
  for (const auto& [epsilon, size] :
       {std::pair(0.125, 2), std::pair(std::nextafter(0.125, 1), 1)}) {
    SelectedList<1> list(2, {1, 0}, start, kHost);
    grow(list, tables, c.block(), {.epsilon = epsilon});
    EXPECT_EQ(list.size(), size);
  }
}

/// Repeated growth with changing coefficients and thresholds. One list remembers the threshold down
/// to which each determinant was expanded, the other forgets it.
template <int W>
void expect_same_with_memory(const SelectedSystem& system, bool complete_spin) {
  const Integrals integrals = system.integrals();
  const HeatBathTables tables = tables_of(system, integrals);
  const std::vector<Determinant> start = test::drawn_from(system.determinants(), 25, 5);
  SelectedList<W> list = list_of<W>(system, start);
  SelectedList<W> forgetful = list_of<W>(system, start);
  Index fewer = 0;
  unsigned seed = 11;
  for (const double epsilon : {0.8, 0.5, 0.5, 0.6, 0.3, 0.1}) {
    const base::MultiVector c = test::drawn_coefficients(list.size(), 2, seed++);
    const GrowthOptions options{.epsilon = epsilon, .complete_spin = complete_spin};
    const GrowthResult once = grow(list, tables, c.block(), options);
    forgetful.forget_expansions();
    const GrowthResult anew = grow(forgetful, tables, c.block(), options);
    ASSERT_EQ(test::unpacked(list), test::unpacked(forgetful)) << epsilon;
    EXPECT_LE(once.candidates, anew.candidates);
    fewer += anew.candidates - once.candidates;
    EXPECT_EQ(list.is_spin_complete(), complete_spin);
  }
  EXPECT_TRUE(fewer > 0 || system.determinants().size() < 20);
}

TEST(SelectedGrowth, IsTheSameIfExpansionsAreRemembered) {
  test::for_each_system([]<int W>(const SelectedSystem& system, std::integral_constant<int, W>) {
    expect_same_with_memory<W>(system, false);
    expect_same_with_memory<W>(system, true);
  });
}

TEST(SelectedGrowth, GeneratesNoCandidateASecondTime) {
  const SelectedSystem system{"", 7, {3, 3}, false, 7, 0};
  const HeatBathTables tables = tables_of(system, system.integrals());
  SelectedList<1> list = list_of<1>(system, test::drawn_from(system.determinants(), 50, 5));
  const base::MultiVector c = test::drawn_coefficients(list.size(), 1, 3);
  const GrowthResult first = grow(list, tables, c.block(), {.epsilon = 0.1});
  EXPECT_GT(first.candidates, first.added);
  base::MultiVector spread(kHost, list.size(), 1);
  for (Index i = 0; i < list.size(); ++i) spread.block()(i, 0) = 0;
  for (Index i = 0; i < first.row_of_old.size(); ++i)
    spread.block()(first.row_of_old[i], 0) = c.block()(i, 0);
  const GrowthResult again = grow(list, tables, spread.block(), {.epsilon = 0.1});
  EXPECT_EQ(again.candidates, 0);
  EXPECT_EQ(again.added, 0);
  for (const double epsilon :
       {0.2, 0.1})  // a larger threshold in between does not reset the record
    EXPECT_EQ(grow(list, tables, spread.block(), {.epsilon = epsilon}).candidates, 0);
}

TEST(SelectedGrowth, DoesNotDependOnThreadsOrBatches) {
  test::for_each_system([]<int W>(const SelectedSystem& system, std::integral_constant<int, W>) {
    const HeatBathTables tables = tables_of(system, system.integrals());
    const std::vector<Determinant> start = test::drawn_from(system.determinants(), 9, 5);
    const base::MultiVector c = test::drawn_coefficients(std::ssize(start), 2, 3);
    SelectedList<W> expected = list_of<W>(system, start);
    grow(expected, tables, c.block(), {.epsilon = 0.1});
    for (const int threads : {1, 2, 5})
      for (const Index bytes : {1, 1000, 30000}) {
        SelectedList<W> list = list_of<W>(system, start, base::Backend::openmp(threads));
        const GrowthResult result =
            grow(list, tables, c.block(), {.epsilon = 0.1, .candidate_bytes = bytes});
        EXPECT_TRUE(std::ranges::equal(list.determinants(), expected.determinants()));
        EXPECT_TRUE(std::ranges::equal(list.expanded_to(), expected.expanded_to()));
        if (bytes == 1) {
          EXPECT_GE(10 * result.batches, std::ssize(start));
        }
      }
  });
}

TEST(SelectedGrowth, CompletesConfigurations) {
  test::for_each_system([]<int W>(const SelectedSystem& system, std::integral_constant<int, W>) {
    const Integrals integrals = system.integrals();
    const HeatBathTables tables = tables_of(system, integrals);
    const std::vector<Determinant> all = system.determinants();
    const std::vector<Determinant> start = test::drawn_from(all, 40, 6);
    const base::MultiVector c = test::drawn_coefficients(std::ssize(start), 1, 7);
    SelectedList<W> list = list_of<W>(system, start);
    grow(list, tables, c.block(), {.epsilon = 0.4, .complete_spin = true});
    EXPECT_EQ(test::unpacked(list),
              naive_spin_completion(all, naive_growth(system, integrals, start, c.block(), 0.4)));
    EXPECT_TRUE(list.is_spin_complete());

    SelectedList<W> alone = list_of<W>(system, start);
    const auto rows = complete_spin(alone);
    ASSERT_TRUE(rows);
    EXPECT_EQ(test::unpacked(alone), naive_spin_completion(all, start));
    for (std::size_t i = 0; i < start.size(); ++i)
      EXPECT_EQ(test::unpacked(alone)[(*rows)[static_cast<Index>(i)]], start[i]);
    EXPECT_FALSE(complete_spin(alone));
  });
}

TEST(SelectedGrowth, StaysInAnIrrep) {
  const SelectedSystem system{"", 7, {3, 2}, false, 7, 0, {0, 1, 2, 3, 0, 1, 2}};
  const Integrals integrals = system.integrals();
  const HeatBathTables tables = tables_of(system, integrals);
  const std::vector<Determinant> start = {aufbau(3, 2)};
  SelectedList<1> list = list_of<1>(system, start);
  for (int round = 0; round < 6; ++round) {
    const base::MultiVector c = test::drawn_coefficients(list.size(), 1, 1);
    base::MultiVector all(kHost, list.size(), 1);
    for (Index i = 0; i < list.size(); ++i) all.block()(i, 0) = 1;
    grow(list, tables, all.block(), {.epsilon = 0});
  }
  const auto irrep = [&](const Determinant& d) {
    int label = 0;
    for (const Spin spin : {Spin::alpha, Spin::beta})
      d[spin].for_each([&](int p) { label ^= system.irreps[p]; });
    return label;
  };
  std::vector<Determinant> expected;
  for (const Determinant& one : system.determinants())
    if (irrep(one) == irrep(start[0])) expected.push_back(one);
  EXPECT_EQ(test::unpacked(list), expected);
}

TEST(SelectedLists, MergeRepeats) {
  const SelectedSystem system{"", 6, {3, 2}, false, 6, 0};
  std::vector<Determinant> start = test::drawn_from(system.determinants(), 10, 5);
  const std::vector<Determinant> expected = start;
  std::ranges::reverse(start);
  start.push_back(start[2]);
  start.insert(start.begin(), start[1]);
  start.insert(start.begin(), start[1]);
  const SelectedList<1> list = list_of<1>(system, start);
  EXPECT_EQ(test::unpacked(list), expected);
  EXPECT_EQ(list.repeats(), 3);
  EXPECT_EQ(list.row_of(PackedDeterminant<1>::of(expected[4])), 4);
  EXPECT_EQ(list.row_of(PackedDeterminant<1>::of({expected[4].beta, expected[4].alpha})), -1);
}

TEST(SelectedLists, RefuseDeterminantsOfOtherElectronsOrOrbitals) {
  const std::vector<Determinant> other = {aufbau(3, 2), aufbau(2, 3)};
  const auto error_text = [](const std::vector<Determinant>& list, int orbitals) {
    try {
      SelectedList<1>(orbitals, {3, 2}, list, kHost);
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), base::ErrorKind::bad_input);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(error_text(other, 6), ::testing::HasSubstr("determinant 2 of the list has 2 alpha"));
  EXPECT_THAT(error_text({aufbau(3, 2)}, 2), ::testing::HasSubstr("orbitals above 2"));
  EXPECT_THAT(error_text({aufbau(3, 2)}, 65), ::testing::HasSubstr("65 orbitals"));
}

TEST(SelectedGrowth, LeavesTheListAsItWasIfItFails) {
  const SelectedSystem system{"", 8, {4, 4}, false, 8, 0};
  const HeatBathTables tables = tables_of(system, system.integrals());
  const std::vector<Determinant> start = test::drawn_from(system.determinants(), 300, 5);
  base::Backend small = base::Backend::openmp(2, {.host_bytes = 40000});
  SelectedList<1> list = list_of<1>(system, start, small);
  const base::MultiVector c = test::drawn_coefficients(list.size(), 1, 3);
  const Index used = small.host_memory().used();
  EXPECT_THROW(grow(list, tables, c.block(), {.epsilon = 1e-9}), base::Error);
  EXPECT_EQ(test::unpacked(list), start);
  EXPECT_TRUE(std::ranges::all_of(list.expanded_to(), [](double t) { return t == kNotExpanded; }));
  EXPECT_EQ(small.host_memory().used(), used);
}

TEST(SelectedGrowth, ReportsInvalidRequests) {
  const SelectedSystem system{"", 6, {3, 2}, false, 6, 0};
  const Integrals integrals = system.integrals();
  const HeatBathTables tables = tables_of(system, integrals, 0.01);
  SelectedList<1> list = list_of<1>(system, test::drawn_from(system.determinants(), 9, 5));
  base::MultiVector c = test::drawn_coefficients(list.size(), 1, 3);
  EXPECT_THROW(grow(list, tables, c.block(), {.epsilon = -1}), base::Error);
  EXPECT_THROW(grow(list, tables, c.block(), {.epsilon = std::nan("")}), base::Error);
  EXPECT_THROW(grow(list, tables, c.block(), {.epsilon = 0.001}),
               base::Error);  // below that of the tables
  const base::MultiVector few = test::drawn_coefficients(list.size() - 1, 1, 3);
  EXPECT_THROW(grow(list, tables, few.block(), {.epsilon = 0.1}), base::Error);
  const HeatBathTables other(integrals, {2, 2}, 0, kHost);
  EXPECT_THROW(grow(list, other, c.block(), {.epsilon = 0.1}), base::Error);
  c.block()(2, 0) = std::nan("");
  EXPECT_THROW(grow(list, tables, c.block(), {.epsilon = 0.1}), base::Error);
}

TEST(SelectedGrowth, IsTheSameWithTablesThatOmitSmallerElements) {
  const SelectedSystem system{"", 6, {3, 3}, true, 6, 0};
  const Integrals integrals = system.integrals();
  const std::vector<Determinant> start = test::drawn_from(system.determinants(), 12, 5);
  const base::MultiVector c = test::drawn_coefficients(std::ssize(start), 1, 7);
  SelectedList<1> list = list_of<1>(system, start);
  SelectedList<1> other = list_of<1>(system, start);
  const HeatBathTables all = tables_of(system, integrals);
  const HeatBathTables some = tables_of(system, integrals, 0.1);
  EXPECT_LT(some.bytes(), all.bytes());
  grow(list, all, c.block(), {.epsilon = 0.1});
  grow(other, some, c.block(), {.epsilon = 0.1});
  EXPECT_EQ(test::unpacked(list), test::unpacked(other));
}

}  // namespace
}  // namespace cisolve::ci
