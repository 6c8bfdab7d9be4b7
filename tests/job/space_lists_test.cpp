#include "job/problem/space_lists.hpp"
#include "job/problem/determinant_problem.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "ci/fock/spaces/spaces.hpp"
#include "job/run/run.hpp"

// Determinants and strings in memory, compared with the same ones in files.
namespace cisolve::job {
namespace {

using ci::Determinant;
using ci::PackedDeterminants;
using ci::PackedStrings;
using ci::Spin;
using ci::String;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const base::Backend kListHost = base::Backend::openmp();

PackedStrings packed(int orbitals, const std::vector<String>& strings) {
  PackedStrings packed{.words = ci::words_of_orbitals(orbitals)};
  for (const String& string : strings) packed.add(string);
  return packed;
}

GivenDeterminants in_memory(int orbitals, const std::vector<Determinant>& list) {
  PackedDeterminants given{packed(orbitals, {}), packed(orbitals, {})};
  for (const Determinant& determinant : list) {
    given.alpha.add(determinant.alpha);
    given.beta.add(determinant.beta);
  }
  return std::make_shared<const PackedDeterminants>(std::move(given));
}

GivenStrings in_memory(int orbitals, const std::vector<String>& list) {
  return std::make_shared<const PackedStrings>(packed(orbitals, list));
}

/// A file that is removed at the end of the test.
class ListFile {
 public:
  explicit ListFile(const std::string& text)
      : path_(std::filesystem::temp_directory_path() /
              ("space-list-" + std::to_string(getpid()) + "-" + std::to_string(++made))) {
    std::ofstream(path_) << text;
  }
  ListFile(const ListFile&) = delete;
  ListFile& operator=(const ListFile&) = delete;
  ~ListFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  static inline int made = 0;
  std::filesystem::path path_;
};

std::string bits_of(const String& string, int orbitals) {
  std::string text(orbitals, '0');
  string.for_each([&](int p) { text[orbitals - 1 - p] = '1'; });
  return text + "\n";
}

template <class Read>
std::string refusal_of(Read read) {
  try {
    read();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::bad_input);
    return error.what();
  }
  return "nothing was refused";
}

// One, two and four words for each string.
TEST(SpaceLists, ListsInMemoryEqualThoseOfAFile) {
  for (const int orbitals : {5, 64, 70, 256}) {
    const std::vector<Determinant> list = {
        {String::of({0, orbitals - 1}), String::of({1})},
        {String::of({0, 2}), String::of({orbitals - 1})},
        {String::of({0, orbitals - 1}), String::of({0})},
    };
    std::string text;
    for (const Determinant& determinant : list) text += ci::to_text(determinant, orbitals) + "\n";
    const ListFile file(text);
    const io::ListSector sector{orbitals, 2, 1};
    const auto read = [&](const GivenDeterminants& given) {
      return read_determinants(given, sector, kListHost).determinants();
    };
    EXPECT_EQ(read(in_memory(orbitals, list)), list);
    EXPECT_EQ(read(file.path()), list);

    const std::vector<String> strings = {String::of({1, orbitals - 1}), String::of({0, 2})};
    std::string lines;
    for (const String& string : strings) lines += bits_of(string, orbitals);
    const ListFile of_strings(lines);
    const auto sorted = [&](const GivenStrings& given) {
      std::vector<String> found = read_strings(given, Spin::alpha, sector, kListHost);
      std::ranges::sort(found);
      return found;
    };
    EXPECT_THAT(sorted(in_memory(orbitals, strings)), ElementsAre(strings[1], strings[0]));
    EXPECT_THAT(sorted(GivenStrings(of_strings.path())), ElementsAre(strings[1], strings[0]));
  }
}

TEST(SpaceLists, ImpossibleDeterminantsAreNamedByTheirIndex) {
  const io::ListSector sector{4, 2, 1};
  const Determinant right{String::of({0, 1}), String::of({0})};
  const Determinant other{String::of({0, 2}), String::of({0})};
  const auto refused = [&](const std::vector<Determinant>& list) {
    return refusal_of([&] { read_determinants(in_memory(4, list), sector, kListHost); });
  };
  EXPECT_EQ(refused({}), "the given determinants: the list is empty; expected at least one entry");
  EXPECT_EQ(refused({right, other, {right.alpha, right.alpha}, {}}),
            "the given determinants: index 2 has 2 alpha and 2 beta electrons; expected 2 and 1");
  EXPECT_EQ(refused({right, {right.alpha, String::of({4})}}),
            "the given determinants: index 1 occupies an orbital above 4");
  EXPECT_EQ(refused({right, other, right}),
            "the given determinants: index 2 repeats index 0; expected each entry once");
  const auto uneven = std::make_shared<const PackedDeterminants>(
      PackedDeterminants{packed(4, {right.alpha}), packed(4, {right.beta, right.beta})});
  EXPECT_THAT(refusal_of([&] { read_determinants(GivenDeterminants(uneven), sector, kListHost); }),
              HasSubstr("1 alpha and 2 beta strings; expected equal numbers"));
}

TEST(SpaceLists, ImpossibleStringsAreNamedByTheirIndex) {
  const io::ListSector sector{4, 2, 2};
  const auto refused = [&](const PackedStrings& strings) {
    return refusal_of([&] {
      read_strings(std::make_shared<const PackedStrings>(strings), Spin::beta, sector, kListHost);
    });
  };
  const String right = String::of({0, 3});
  EXPECT_EQ(refused(packed(4, {})),
            "the given beta strings: the list is empty; expected at least one entry");
  EXPECT_EQ(refused(packed(4, {right, String::of({1})})),
            "the given beta strings: index 1 has 1 electrons; expected 2");
  EXPECT_EQ(refused(packed(4, {right, String::of({1, 4})})),
            "the given beta strings: index 1 occupies an orbital above 4");
  EXPECT_EQ(refused(packed(4, {right, right})),
            "the given beta strings: index 1 repeats index 0; expected each entry once");
  EXPECT_EQ(refused({.words = 0}),
            "the given beta strings: 0 words for each string; expected 1 to 4");
  EXPECT_EQ(refused({.words = 5}),
            "the given beta strings: 5 words for each string; expected 1 to 4");
  EXPECT_EQ(refused({.words = 2, .bits = {9, 0, 9}}),
            "the given beta strings: 3 words; expected a multiple of 2");
}

// Whichever thread reads it, and however late.
TEST(SpaceLists, TheFirstOfManyThatIsWrongIsNamed) {
  constexpr int kMany = 40;
  std::vector<String> all;
  for (int p = 0; p < kMany; ++p)
    for (int q = 0; q < p; ++q)
      for (int r = 0; r < q; ++r)
        for (int s = 0; s < r; ++s)
          for (int t = 0; t < s; ++t) all.push_back(String::of({p, q, r, s, t}));
  ASSERT_GT(all.size(), 600'000U);
  const io::ListSector sector{kMany, 5, 5};
  EXPECT_EQ(read_strings(in_memory(kMany, all), Spin::alpha, sector, kListHost).size(), all.size());
  all[600'000] = String::of({0});
  all[400'000] = String::of({1});
  EXPECT_EQ(
      refusal_of([&] { read_strings(in_memory(kMany, all), Spin::alpha, sector, kListHost); }),
      "the given alpha strings: index 400000 has 1 electrons; expected 5");
}

/// A job over some determinants of water.
Request water(SpaceKind kind) {
  Request request;
  request.source = ProblemSource::fcidump;
  request.fcidump = std::string(CISOLVE_SOURCES) + "/tests/data/h2o_sto3g.fcidump";
  request.backend = base::BackendKind::openmp;
  request.solver.states = 2;
  request.space.kind = kind;
  return request;
}

std::vector<String> all_strings_of_water() {
  const ci::Space space = ci::full_ci({7, 5, 5}, kListHost);
  return {space.strings(Spin::alpha).begin(), space.strings(Spin::alpha).end()};
}

void expect_same(const Outcome& found, const Outcome& expected) {
  ASSERT_TRUE(found.is_good());
  ASSERT_TRUE(expected.is_good());
  EXPECT_TRUE(found.verification->passed);
  EXPECT_EQ(found.determinant_problem->space.dimension(),
            expected.determinant_problem->space.dimension());
  for (std::size_t j = 0; j < 2; ++j)
    EXPECT_EQ(found.result->states[j].energy, expected.result->states[j].energy);
}

TEST(SpaceLists, AJobOverDeterminantsInMemoryEqualsThatOverTheirFile) {
  const std::vector<String> strings = all_strings_of_water();
  std::vector<Determinant> list;
  for (std::size_t a = 0; a < strings.size(); ++a)
    for (std::size_t b = 0; b <= a; ++b) list.push_back({strings[a], strings[b]});
  for (const std::optional<Index> frozen : {0, 1}) {
    Request in_file = water(SpaceKind::list);
    in_file.space.frozen.count = frozen;
    Request held = in_file;
    std::vector<Determinant> chosen = list;
    if (frozen == 1)
      std::erase_if(chosen, [](const Determinant& d) { return !d.alpha.has(0) || !d.beta.has(0); });
    std::string lines;
    for (const Determinant& determinant : chosen) lines += ci::to_text(determinant, 7) + "\n";
    const ListFile of_chosen(lines);
    in_file.space.determinants = of_chosen.path();
    held.space.determinants = in_memory(7, chosen);
    expect_same(run(held), run(in_file));
  }
}

TEST(SpaceLists, AJobOverStringsInMemoryEqualsThatOverTheirFiles) {
  const std::vector<String> strings = all_strings_of_water();
  std::string text;
  for (const String& string : strings) text += bits_of(string, 7);
  const ListFile file(text);
  Request in_file = water(SpaceKind::product);
  in_file.space.alpha = file.path();
  in_file.space.beta = file.path();
  Request held = water(SpaceKind::product);
  held.space.alpha = in_memory(7, strings);
  held.space.beta = in_memory(7, strings);
  const Outcome found = run(held);
  expect_same(found, run(in_file));
  EXPECT_EQ(found.determinant_problem->space.dimension(), 441);
}

TEST(SpaceLists, AListInMemoryBelongsToItsKindOfSpace) {
  Request request = water(SpaceKind::fci);
  request.space.determinants = in_memory(7, std::vector<Determinant>{});
  try {
    run(request);
    FAIL() << "it was not noticed";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::configuration);
    EXPECT_THAT(error.what(), HasSubstr("space.determinants is given, but space.kind is fci"));
  }
}

}  // namespace
}  // namespace cisolve::job
