#include "ci/fock/spaces/space.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/random.hpp"
#include "ci/fock/spaces/determinant_index.hpp"
#include "ci/fock/spaces/partition.hpp"
#include "ci/fock/spaces/spaces.hpp"
#include "tests/ci/hosts.hpp"

namespace cisolve::ci {
namespace {

using test::kHost;

/// All determinants of a sector, built without string tables.
std::vector<Determinant> everything(const Sector& sector) {
  std::vector<Determinant> all;
  const auto bits = [](unsigned mask) {
    String string;
    for (int p = 0; p < 10; ++p)
      if ((mask >> p & 1) != 0) string = string.with(p);
    return string;
  };
  const unsigned end = 1U << sector.orbitals;
  for (unsigned a = 0; a < end; ++a)
    for (unsigned b = 0; b < end; ++b)
      if (std::popcount(a) == sector.alpha_electrons && std::popcount(b) == sector.beta_electrons)
        all.push_back({bits(a), bits(b)});
  return all;
}

/// Checks that a space holds exactly the determinants with is_in, in canonical order.
template <class IsIn>
void expect_space(const Space& space, const Sector& sector, IsIn&& is_in) {
  Index row = 0;
  for (const Determinant& determinant : everything(sector)) {
    if (!is_in(determinant)) {
      ASSERT_FALSE(space.row_of(determinant).has_value());
      continue;
    }
    ASSERT_LT(row, space.dimension());
    ASSERT_EQ(space.determinant(row), determinant);
    ASSERT_EQ(space.row_of(determinant), row);
    ++row;
  }
  ASSERT_EQ(row, space.dimension());
}

template <class Work>
std::string refusal(base::ErrorKind fault, Work&& work) {
  try {
    work();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), fault) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return {};
}

TEST(Space, FullCiHoldsAllDeterminantsInCanonicalOrder) {
  for (const Sector& sector : {Sector{6, 3, 2}, Sector{4, 0, 4}, Sector{1, 1, 1}, Sector{3, 0, 0}})
    expect_space(full_ci(sector, kHost), sector, [](const Determinant&) { return true; });
}

TEST(Space, IrrepKeepsItsDeterminantsOnly) {
  const std::vector<int> irreps = {0, 1, 2, 3, 0, 5};
  Index sum = 0;
  for (int irrep = 0; irrep < 8; ++irrep) {
    const Sector sector{6, 3, 2, irreps, irrep};
    const Space space = full_ci(sector, kHost);
    expect_space(space, sector, [&](const Determinant& d) {
      return (irrep_of(d.alpha, irreps) ^ irrep_of(d.beta, irreps)) == irrep;
    });
    sum += space.dimension();
  }
  EXPECT_EQ(sum, 300);
}

TEST(Space, ExcitedSpacesHoldTheirLevels) {
  const Sector sector{7, 3, 2};
  const std::vector<Determinant> references = {parse_determinant("22u", 7)};
  for (const std::vector<int>& levels :
       {std::vector{0}, std::vector{0, 1}, std::vector{0, 2}, std::vector{0, 1, 2, 3, 4, 5}})
    expect_space(excited_space(sector, references, levels, kHost), sector,
                 [&](const Determinant& d) {
                   const int level = excitation_level(references[0], d);
                   return std::ranges::find(levels, level) != levels.end();
                 });
}

TEST(Space, RemembersItsReferences) {
  const std::vector<Determinant> references = {parse_determinant("2u2", 7),
                                               parse_determinant("22u", 7)};
  const Space space = excited_space({7, 3, 2}, references, levels_up_to(1), kHost);
  EXPECT_EQ(space.references(), references);
  EXPECT_TRUE(full_ci({7, 3, 2}, kHost).references().empty());
}

TEST(Space, ManyReferencesAreAUnion) {
  const Sector sector{7, 3, 2};
  const std::vector<Determinant> references = {
      parse_determinant("22u", 7), parse_determinant("2u2", 7), parse_determinant("uu0000 ", 7)};
  EXPECT_THROW(excited_space(sector, references, levels_up_to(1), kHost), base::Error);
  const std::span<const Determinant> two(references.data(), 2);
  expect_space(excited_space(sector, two, levels_up_to(2), kHost), sector,
               [&](const Determinant& d) {
                 return excitation_level(two[0], d) <= 2 || excitation_level(two[1], d) <= 2;
               });
}

// A string near one reference may be too far from another to be labelled by it.
TEST(Space, DistantReferencesReachNoFarther) {
  const Sector sector{7, 3, 2};
  const std::vector<Determinant> far = {parse_determinant("22u", 7),
                                        parse_determinant("0000u22", 7)};
  for (const int level : {0, 1, 2})
    expect_space(
        excited_space(sector, far, levels_up_to(level), kHost), sector, [&](const Determinant& d) {
          return excitation_level(far[0], d) <= level || excitation_level(far[1], d) <= level;
        });
}

TEST(Space, RestrictedActiveSpacesCountHolesAndParticlesOfBothSpins) {
  const Sector sector{7, 3, 3};
  for (int holes = 0; holes <= 4; ++holes)
    for (int particles = 0; particles <= 3; ++particles) {
      const Space space =
          restricted_active_space(sector, {{0, 1}, {5, 6}, holes, particles}, kHost);
      const String ras1 = String::of({0, 1});
      const String ras3 = String::of({5, 6});
      expect_space(space, sector, [&](const Determinant& d) {
        return (ras1 - d.alpha).count() + (ras1 - d.beta).count() <= holes &&
               (ras3 & d.alpha).count() + (ras3 & d.beta).count() <= particles;
      });
    }
}

TEST(Space, ListKeepsItsDeterminantsInAnyOrder) {
  const Sector sector{7, 3, 3};
  std::vector<Determinant> picked;
  for (const Determinant& d : everything(sector))
    if (base::mix(d.alpha.words()[0], d.beta.words()[0]) % 5 == 0) picked.push_back(d);
  const std::vector<Determinant> sorted = picked;
  std::ranges::reverse(picked);
  expect_space(list_space(sector, picked, kHost), sector,
               [&](const Determinant& d) { return std::ranges::binary_search(sorted, d); });
}

TEST(Space, ProductHoldsEveryPair) {
  const Sector sector{5, 2, 1};
  const std::vector<String> alphas = {String::of({3, 4}), String::of({0, 1})};
  const std::vector<String> betas = {String::of({2}), String::of({0}), String::of({4})};
  expect_space(product_space(sector, alphas, betas, kHost), sector, [&](const Determinant& d) {
    return std::ranges::find(alphas, d.alpha) != alphas.end() &&
           std::ranges::find(betas, d.beta) != betas.end();
  });
}

TEST(Space, RefusesRepeatsAndWrongElectronsByNumber) {
  const Sector sector{4, 2, 1};
  const Determinant a = parse_determinant("2u", 4);
  const Determinant b = parse_determinant("u2", 4);
  const Determinant odd = parse_determinant("22", 4);
  const auto list = [&](std::vector<Determinant> determinants) {
    return refusal(base::ErrorKind::bad_input, [&] { list_space(sector, determinants, kHost); });
  };
  EXPECT_NE(list({a, b, a}).find("determinant 3 repeats determinant 1"), std::string::npos);
  EXPECT_NE(list({a, b, odd}).find("determinant 3 has 2 beta electrons; expected 1"),
            std::string::npos);
  EXPECT_NE(list({}).find("no determinant"), std::string::npos);
  const Determinant beyond{String::of({0, 4}), String::of({0})};
  EXPECT_NE(list({a, beyond}).find("determinant 2 occupies an orbital above number 4"),
            std::string::npos);
  EXPECT_NE(list({{beyond.beta.with(1), String::of({200})}}).find("above number 4"),
            std::string::npos);
  const std::vector<String> twice = {String::of({0, 1}), String::of({0, 1})};
  const std::vector<String> one = {String::of({0})};
  refusal(base::ErrorKind::bad_input, [&] { product_space(sector, twice, one, kHost); });
  refusal(base::ErrorKind::bad_input, [&] { product_space(sector, one, one, kHost); });
}

TEST(Space, RefusesListedDeterminantsOfAnotherIrrepByNumber) {
  const std::vector<int> irreps = {0, 1, 2, 0};
  const Determinant mirror = parse_determinant("ud", 4);   // irrep 1, from both strings
  const Determinant other = parse_determinant("u0d", 4);   // irrep 2
  const Determinant twice = parse_determinant("0u0d", 4);  // irrep 1
  const Sector sector{4, 1, 1, irreps, 1};
  EXPECT_EQ(list_space(sector, std::vector{mirror, twice}, kHost).dimension(), 2);
  const std::string refused = refusal(base::ErrorKind::bad_input, [&] {
    list_space(sector, std::vector{mirror, twice, other}, kHost);
  });
  EXPECT_NE(refused.find("determinant 3 does not have the requested irrep"), std::string::npos)
      << refused;
  const std::string first = refusal(base::ErrorKind::bad_input, [&] {
    list_space({4, 1, 1, irreps, 2}, std::vector{twice, mirror}, kHost);
  });
  EXPECT_NE(first.find("determinant 1 does not have the requested irrep: it has 2, expected 3"),
            std::string::npos)
      << first;
  for (const int irrep : {0, 2, 3})
    refusal(base::ErrorKind::bad_input, [&] {
      list_space({4, 1, 1, irreps, irrep}, std::vector{mirror}, kHost);
    });
}

TEST(Space, RefusesImpossibleRequests) {
  refusal(base::ErrorKind::bad_input, [] { full_ci({4, 5, 0}, kHost); });
  refusal(base::ErrorKind::bad_input, [] { full_ci({257, 1, 1}, kHost); });
  refusal(base::ErrorKind::bad_input, [] { full_ci({4, 2, 2, {}, 1}, kHost); });
  refusal(base::ErrorKind::bad_input, [] {
    full_ci({2, 1, 1, {0, 0}, 3}, kHost);
  });  // matches no determinant
  refusal(base::ErrorKind::bad_input, [] {
    restricted_active_space({4, 2, 2}, {{0, 4}, {}, 1, 1}, kHost);
  });
  refusal(base::ErrorKind::bad_input, [] {
    restricted_active_space({4, 2, 2}, {{0}, {0}, 1, 1}, kHost);
  });
}

TEST(Space, RefusesMoreThanTheBudgetBeforeItAllocates) {
  const base::Backend small = base::Backend::openmp(1, {Index{1} << 20, 0});
  refusal(base::ErrorKind::resources, [&] { full_ci({256, 128, 128}, small); });
  refusal(base::ErrorKind::resources, [&] { full_ci({24, 12, 12}, small); });
}

TEST(Space, DimensionsBeyondAnyMatrixAreCounted) {
  EXPECT_EQ(full_ci({18, 9, 9}, kHost).dimension(), 2363904400);
}

TEST(Partition, PutsTheReferenceFirstAndKeepsTheOrder) {
  const Sector sector{5, 2, 2};
  const std::vector<Determinant> references = {parse_determinant("0022", 5),
                                               parse_determinant("22", 5)};
  const Space space = excited_space(sector, references, levels_up_to(2), kHost);
  const Partition partition = Partition::of(space, references);
  EXPECT_EQ(partition.reference(), 2);
  EXPECT_EQ(space.determinant(partition.canonical(0)), references[1]);
  EXPECT_EQ(space.determinant(partition.canonical(1)), references[0]);
  for (Index stored = 0; stored < space.dimension(); ++stored) {
    EXPECT_EQ(partition.stored(partition.canonical(stored)), stored);
    if (stored == 0 || stored == 2) continue;  // first row of a region
    EXPECT_LT(partition.canonical(stored - 1), partition.canonical(stored));
  }
}

TEST(Partition, CountsExcitationsAndLowestElements) {
  const Space space = full_ci({4, 2, 2}, kHost);
  EXPECT_EQ(Partition::by_excitation(space, aufbau(2, 2), 1).reference(), 9);
  std::vector<double> diagonal(36, 1.0);
  diagonal[20] = -1;
  const Partition lowest = Partition::of_lowest(space, diagonal, 3);
  EXPECT_EQ(lowest.reference(), 3);
  EXPECT_EQ(lowest.canonical(0), 0);
  EXPECT_EQ(lowest.canonical(1), 1);
  EXPECT_EQ(lowest.canonical(2), 20);
  EXPECT_THROW(Partition::of_lowest(space, diagonal, 37), base::Error);
}

// More determinants than a stored matrix has columns.
TEST(LargeSpace, CountsItsDeterminantsByIndex) {
  const Space space = full_ci({18, 9, 9}, base::Backend::openmp(2, {.host_bytes = 1 << 28}));
  constexpr Index strings = 48620;
  ASSERT_EQ(space.dimension(), strings * strings);
  ASSERT_GT(space.dimension(), base::kLargestDimension);
  for (const Index row : {Index{0}, base::kLargestDimension - 1, base::kLargestDimension,
                          base::kLargestDimension + 1, space.dimension() - 1}) {
    const Space::Place place = space.place_of(row);
    EXPECT_EQ(place.alpha, row / strings);
    EXPECT_EQ(place.beta, row % strings);
    EXPECT_EQ(space.row_of(space.determinant(row)), row);
  }
}

TEST(DeterminantText, ReadsOccupationsAndBits) {
  const Determinant d = parse_determinant(" 2ud0\r", 5);
  EXPECT_EQ(d.alpha, String::of({0, 1}));
  EXPECT_EQ(d.beta, String::of({0, 2}));
  EXPECT_EQ(parse_determinant("00011\t00101", 5), d);
  EXPECT_EQ(to_text(d, 5), "2ud00");
  EXPECT_EQ(parse_determinant(to_text(d, 200), 200), d);
}

TEST(DeterminantText, RefusesWhatItDoesNotKnow) {
  for (const char* text : {"", "2x", "222222", "0101 0121", "1 1 1", "2ud\xff"})
    refusal(base::ErrorKind::bad_input, [&] { parse_determinant(text, 5); });
}

// Lists too large for a position table are searched: for strings absent from a list, below its
// first and above its last one, too.
TEST(Space, LongListsDistinguishNeighbouringStrings) {
  const Space all = full_ci({15, 5, 7}, kHost);
  const auto alphas = all.strings(Spin::alpha);
  const auto betas = all.strings(Spin::beta);
  ASSERT_GT(std::ssize(alphas) * std::ssize(betas), Index{1} << 24);
  Space::Parts parts{.orbitals = 15,
                     .alphas = {alphas.begin(), alphas.end()},
                     .betas = {betas.begin(), betas.end()},
                     .list_of = {},
                     .lists = {},
                     .references = {}};
  for (StringNumber a = 0; a < std::ssize(alphas); ++a) {
    const StringNumber first = 1 + 2 * a;
    parts.list_of.push_back(a);
    parts.lists.push_back({first, first + 2, first + 3, first + 400});
  }
  const Space space(parts, kHost);
  for (Index a = 0; a < std::ssize(alphas); ++a) {
    const auto& list = parts.lists[a];
    const auto expect_place = [&](Index beta) {
      const auto found = std::ranges::find(list, beta);
      const bool is_in = found != list.end();
      ASSERT_EQ(space.position(a, beta), is_in ? found - list.begin() : -1) << a << ' ' << beta;
      const std::optional<Index> row = space.row_of({alphas[a], betas[beta]});
      ASSERT_EQ(row.value_or(-1), is_in ? 4 * a + (found - list.begin()) : -1);
    };
    for (const StringNumber member : list)
      for (const int step : {-1, 0, 1}) expect_place(member + step);
    expect_place(0);
    expect_place(std::ssize(betas) - 1);
  }
}

TEST(SpaceMemory, OfAListCountsItsOrderItsStringsAndItsTable) {
  const Space full = full_ci({8, 4, 4}, kHost);
  std::vector<Determinant> list;
  for (Index row = 0; row < full.dimension(); row += 3) list.push_back(full.determinant(row));
  const base::Backend host = base::Backend::openmp(2);
  const DeterminantIndex order(list, kHost);
  const Space space = list_space({8, 4, 4}, order, host);
  // Each alpha string with its own list, and the map that shares equal lists.
  const Index lists = std::ssize(list) * Index{2 * sizeof(Column)} +
                      70 * Index{sizeof(String) + 2 * sizeof(std::vector<Column>)};
  EXPECT_GE(host.memory().peak() - host.memory().used(), lists);
  const base::Backend tight = base::Backend::openmp(2, {.host_bytes = lists});
  EXPECT_THROW(list_space({8, 4, 4}, order, tight), base::Error);
  // The order, and the strings of each determinant.
  const Index entries = std::ssize(list) * Index{sizeof(DeterminantIndex::Entry)};
  const Index numbers = std::ssize(list) * Index{2 * sizeof(StringNumber)};
  const base::Backend little = base::Backend::openmp(2, {.host_bytes = entries + numbers});
  EXPECT_THROW(DeterminantIndex(list, little), base::Error);
  EXPECT_EQ(little.memory().used(), 0);
  EXPECT_EQ(tight.memory().used(), 0);
}

TEST(SpaceMemory, OfFullCiCountsItsStringsWhileTheyAreSorted) {
  const base::Backend host = base::Backend::openmp(2);
  const Space space = full_ci({12, 6, 6}, host);
  EXPECT_GE(host.memory().peak() - host.memory().used(), Index{2 * sizeof(String)} * 924);
}

}  // namespace
}  // namespace cisolve::ci
