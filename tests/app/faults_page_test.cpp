#include <algorithm>
#include <cctype>
#include <map>
#include <sstream>
#include <string_view>

#include "program.hpp"

// docs/faults.md, which names the test of each promise and the mutants that break it.
namespace cisolve::test {
namespace {

using Strings = std::vector<std::string>;

/// Runs of a test program that must fail for a mutant.
struct Notice {
  std::string program;
  std::string filter;  // gtest's filter
};

struct Row {
  std::string promise;
  Strings tests;
  Strings tests_with_device;
  Strings mutants;
  bool by_hand;  // a mutant of device.txt, planted by hand
};

Strings split(const std::string& text, const std::string& mark) {
  Strings parts;
  std::size_t begin = 0;
  for (std::size_t at; (at = text.find(mark, begin)) != std::string::npos;) {
    parts.push_back(text.substr(begin, at - begin));
    begin = at + mark.size();
  }
  parts.push_back(text.substr(begin));
  return parts;
}

/// Texts between back quotes.
Strings quoted(const std::string& text) {
  const Strings parts = split(text, "`");
  Strings words;
  for (std::size_t i = 1; i < parts.size(); i += 2) words.push_back(parts[i]);
  return words;
}

bool is_upper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }

bool names_test(const std::string& word) {
  const std::size_t dot = word.find('.');
  return dot != std::string::npos && is_upper(word[0]) && is_upper(word[dot + 1]);
}

Row row_of(const Strings& cells) {
  Row row{cells[0], {}, {}, quoted(cells[3]), cells[3].find("by hand") != std::string::npos};
  for (const std::string& part : split(cells[2], ";")) {
    const bool device = part.find("with a device") != std::string::npos;
    for (const std::string& word : quoted(part))
      if (names_test(word)) (device ? row.tests_with_device : row.tests).push_back(word);
  }
  return row;
}

std::vector<Row> rows_of_page() {
  std::istringstream page(read_file(std::string(CISOLVE_DOCS) + "/faults.md"));
  std::vector<Row> rows;
  bool is_row = false;  // below the head of a table of faults
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("| fault |") || !line.starts_with("| ")) {
      is_row = line.starts_with("| fault |");
      continue;
    }
    if (!is_row || line.starts_with("| ---")) continue;
    const Strings cells = split(line.substr(2, line.rfind(" |") - 2), " | ");
    EXPECT_EQ(cells.size(), 4u) << line;
    if (cells.size() == 4) rows.push_back(row_of(cells));
  }
  EXPECT_GT(rows.size(), 100u);
  return rows;
}

/// Each mutant by LIST/NAME, with the tests that must notice it.
std::map<std::string, std::vector<Notice>> all_mutants() {
  std::map<std::string, std::vector<Notice>> mutants;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(CISOLVE_TESTS) + "/mutants")) {
    std::istringstream list(read_file(entry.path()));
    std::string name;
    for (std::string line; std::getline(list, line);) {
      std::istringstream words(line);
      std::string first;
      words >> first;
      if (first.empty()) {
        name.clear();
      } else if (name.empty() && first.ends_with(':')) {
        name = entry.path().stem().string() + "/" + first.substr(0, first.size() - 1);
        mutants[name];
      } else if (first == "by") {
        Notice notice;
        words >> notice.program >> notice.filter;
        mutants[name].push_back(notice);
      }
    }
  }
  return mutants;
}

/// The folder of tests/ of each test, by name.
std::map<std::string, std::string> rooms_of(const Strings& tests) {
  std::map<std::string, std::string> folders;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(CISOLVE_TESTS)) {
    if (entry.path().extension() != ".cpp" && entry.path().extension() != ".cu") continue;
    const std::string source = read_file(entry.path());
    for (const std::string& test : tests) {
      const std::size_t dot = test.find('.');
      const std::string both = "(" + test.substr(0, dot) + ", " + test.substr(dot + 1) + ")";
      if (source.find(both) != std::string::npos)
        folders[test] = entry.path().parent_path().filename().string();
    }
  }
  return folders;
}

bool fits(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty();
  if (pattern[0] == '*')
    return fits(pattern.substr(1), name) || (!name.empty() && fits(pattern, name.substr(1)));
  return !name.empty() && pattern[0] == name[0] && fits(pattern.substr(1), name.substr(1));
}

/// A test of several parameters is "Instance/Suite.Name/parameter".
bool chooses(const Notice& notice, const std::string& test, const std::string& room) {
  if (!notice.program.starts_with(room + "_")) return false;
  if (notice.filter.empty()) return true;
  for (const std::string& pattern : split(notice.filter, ":"))
    if (fits(pattern, test) || fits(pattern, "/" + test + "/")) return true;
  return false;
}

class FaultsPageTest : public ::testing::Test {
 protected:
  FaultsPageTest() {
    Strings tests;
    for (const Row& row : rows_)
      for (const Strings* some : {&row.tests, &row.tests_with_device})
        tests.insert(tests.end(), some->begin(), some->end());
    rooms_ = rooms_of(tests);
  }

  bool is_broken(const std::string& test, const Strings& mutants) const {
    for (const std::string& mutant : mutants)
      if (notices(test, mutant)) return true;
    return false;
  }

  bool notices(const std::string& test, const std::string& mutant) const {
    const auto found = mutants_.find(mutant);
    if (found == mutants_.end() || !rooms_.contains(test)) return false;
    for (const Notice& notice : found->second)
      if (chooses(notice, test, rooms_.at(test))) return true;
    return false;
  }

  const std::vector<Row> rows_ = rows_of_page();
  const std::map<std::string, std::vector<Notice>> mutants_ = all_mutants();
  std::map<std::string, std::string> rooms_;
};

// A removed test must not be named.
TEST_F(FaultsPageTest, EveryTestExists) {
  EXPECT_GT(rooms_.size(), 100u);
  for (const Row& row : rows_) {
    EXPECT_FALSE(row.tests.empty()) << row.promise;
    for (const Strings& tests : {row.tests, row.tests_with_device})
      for (const std::string& test : tests) EXPECT_TRUE(rooms_.contains(test)) << test;
  }
}

// Each test in the page needs a mutant, which shows that it can fail.
TEST_F(FaultsPageTest, EveryTestHasAMutantThatItMustDetect) {
  for (const Row& row : rows_) {
    for (const std::string& test : row.tests)
      EXPECT_TRUE(is_broken(test, row.mutants)) << row.promise << ": " << test;
    for (const std::string& test : row.tests_with_device)
      EXPECT_TRUE(row.by_hand || is_broken(test, row.mutants)) << row.promise << ": " << test;
  }
}

TEST_F(FaultsPageTest, EveryMutantExistsAndNamesATestOfItsRow) {
  for (const Row& row : rows_) {
    EXPECT_FALSE(row.mutants.empty()) << row.promise;
    Strings tests = row.tests;
    tests.insert(tests.end(), row.tests_with_device.begin(), row.tests_with_device.end());
    for (const std::string& mutant : row.mutants) {
      EXPECT_TRUE(mutants_.contains(mutant)) << row.promise << ": " << mutant;
      EXPECT_TRUE(std::ranges::any_of(
          tests, [&](const std::string& test) { return notices(test, mutant); }))
          << row.promise << ": " << mutant;
    }
  }
}

TEST_F(FaultsPageTest, FiltersAreInterpretedAsByGoogleTest) {
  const auto is_chosen = [](const char* filter, const char* test) {
    return chooses({"io_x", filter}, test, "io");
  };
  EXPECT_TRUE(is_chosen("", "A.B"));
  EXPECT_TRUE(is_chosen("A.*", "A.B"));
  EXPECT_TRUE(is_chosen("C.D:A.B", "A.B"));
  EXPECT_TRUE(is_chosen("*A.B/*", "A.B"));
  EXPECT_FALSE(is_chosen("A.B", "A.BC"));
  EXPECT_FALSE(is_chosen("A.*:C.B", "C.D"));
  EXPECT_FALSE(chooses({"app_x", ""}, "A.B", "io"));
}

}  // namespace
}  // namespace cisolve::test
