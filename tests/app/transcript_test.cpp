#include <cmath>
#include <cstdlib>
#include <sstream>

#include "program.hpp"

// Transcripts in the documents match the program's output. Commands after "$ ci-solve" are run in
// the order of the page; a line "..." stands for any lines.
namespace cisolve::test {
namespace {

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& text) {
  std::istringstream stream(text);
  Lines lines;
  for (std::string line; std::getline(stream, line);) {
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(line);
  }
  return lines;
}

struct Step {
  std::string command;  // without the prompt
  Lines output;
};

std::vector<Step> steps_of(const std::string& page) {
  std::vector<Step> steps;
  bool inside = false;
  for (const std::string& line : lines_of(page)) {
    if (line.starts_with("```")) {
      inside = line == "```console";
    } else if (inside && line.starts_with("$ ")) {
      steps.push_back({line.substr(2), {}});
    } else if (inside && !steps.empty()) {
      steps.back().output.push_back(line);
    }
  }
  return steps;
}

bool is_determinant(const std::string& word) {
  return word.size() > 5 && word.find_first_not_of("2ud0") == std::string::npos;
}

// Words must match; numbers within the job's tolerance. The order of determinants of equal weight
// is arbitrary.
bool is_same_word(const std::string& shown, const std::string& said) {
  if (shown == said) return true;
  if (is_determinant(shown)) return is_determinant(said) && shown.size() == said.size();
  char* end = nullptr;
  const double a = std::strtod(shown.c_str(), &end);
  const std::string rest = end;
  if (end == shown.c_str() || shown.find('.') == std::string::npos) return false;
  const double b = std::strtod(said.c_str(), &end);
  if (end == said.c_str() || rest != end) return false;
  if (shown.find("e-") != std::string::npos)
    return std::abs(b) < 2e-8;  // noise below the tolerance
  return std::abs(a - b) < 2e-8;
}

bool is_same(const std::string& shown, const std::string& said) {
  std::istringstream left(shown);
  std::istringstream right(said);
  std::string a;
  std::string b;
  while (left >> a) {
    if (!(right >> b)) return false;
    const bool comma = a.ends_with(',') || a.ends_with(';');
    if (comma && (!b.ends_with(a.back()))) return false;
    if (comma) {
      a.pop_back();
      b.pop_back();
    }
    if (!is_same_word(a, b)) return false;
  }
  return !(right >> b);
}

class TranscriptTest : public ProgramTest {
 protected:
  // Uses the backend of the pages, whatever the machine has.
  void SetUp() override {
    ProgramTest::SetUp();
    std::filesystem::create_directory(file("bin"));
    write_file(file("bin/ci-solve"), std::string("#!/bin/sh\ncase $1 in *.yaml | check) set -- "
                                                 "\"$@\" --set backend=openmp --set threads=2;; "
                                                 "esac\nexec ") +
                                         CISOLVE_PROGRAM + " \"$@\"\n");
    std::filesystem::permissions(file("bin/ci-solve"), std::filesystem::perms::owner_all);
    std::filesystem::create_directory_symlink(CISOLVE_CONFIGS, file("configs"));
  }

  Lines said_by(const std::string& command) const {
    const std::string line = "cd " + file("").string() + " && PATH=" + file("bin").string() +
                             ":$PATH; " + command + " >said 2>errors";
    EXPECT_EQ(std::system(line.c_str()), 0) << command << '\n' << read_file(file("errors"));
    return lines_of(read_file(file("said")));
  }

  // Each shown line follows the one before at once, or, after "...", somewhere.
  static void expect_shown(const Step& step, const Lines& said) {
    std::size_t at = 0;
    bool may_skip = false;
    for (const std::string& shown : step.output) {
      if (shown == "...") {
        may_skip = true;
        continue;
      }
      const std::size_t before = at;
      while (may_skip && at < said.size() && !is_same(shown, said[at])) ++at;
      const bool found = at < said.size() && is_same(shown, said[at]);
      EXPECT_TRUE(found) << step.command << "\nshows: " << shown
                         << "\nsaid:  " << (before < said.size() ? said[before] : "nothing more");
      if (!found) return;
      ++at;
      may_skip = false;
    }
  }

  int follow(const std::string& page) const {
    int commands = 0;
    for (const Step& step : steps_of(read_file(page))) {
      if (!step.command.starts_with("ci-solve ")) continue;
      ++commands;
      expect_shown(step, said_by(step.command));
    }
    return commands;
  }
};

TEST_F(TranscriptTest, TheReadmeShowsWhatTheProgramSays) {
  EXPECT_EQ(follow(std::string(CISOLVE_DOCS) + "/../README.md"), 1);
}

TEST_F(TranscriptTest, TheTutorialShowsWhatTheProgramSays) {
  if (std::system("gnuplot --version >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "no gnuplot here, which the tutorial draws with";
  std::filesystem::copy_file(configuration("n2_stretched.fcidump"), file("n2.fcidump"));
  EXPECT_EQ(follow(std::string(CISOLVE_DOCS) + "/tutorial.md"), 11);
}

TEST_F(TranscriptTest, ThePageOfPropertiesShowsWhatTheProgramSays) {
  for (const auto& [from, to] :
       {std::pair(".fcidump", ".fcidump"), {".orbitals.h5", ".operators.h5"}})
    std::filesystem::copy_file(std::string(CISOLVE_DATA) + "/lih_sto3g" + from,
                               file(std::string("lih") + to));
  EXPECT_EQ(follow(std::string(CISOLVE_DOCS) + "/properties.md"), 2);
}

TEST(Transcript, ComparesWordsExactlyAndNumbersByTheirMeaning) {
  EXPECT_TRUE(is_same("1  -1.500000000001  8e-09 1.5e-09", "1 -1.500000000002 8e-09 2.5e-10"));
  EXPECT_FALSE(is_same("1  -1.5000001", "1  -1.5000002"));
  EXPECT_FALSE(is_same("14,400 x 14,400", "14,401 x 14,400"));
  EXPECT_FALSE(is_same("1.5 MiB", "1.5 GiB"));
  EXPECT_FALSE(is_same("converged", "converged and more"));
  EXPECT_FALSE(is_same("residual 1.5e-09", "residual 1.5e-07"));
  EXPECT_TRUE(is_same("0.2465 2222222000, 0.1", "0.2465 2222220200, 0.1"));
}

}  // namespace
}  // namespace cisolve::test
