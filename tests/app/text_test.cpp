#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "app/config/suggest.hpp"
#include "app/report/shell_word.hpp"
#include "base/number.hpp"

namespace cisolve::app {
namespace {

/// Words that a shell makes of a line, each ended by '|'.
std::string words_of(const std::string& line) {
  std::unique_ptr<FILE, int (*)(FILE*)> shell(popen(("printf '%s|' " + line).c_str(), "r"), pclose);
  std::string words;
  for (int c = std::fgetc(shell.get()); c != EOF; c = std::fgetc(shell.get()))
    words += static_cast<char>(c);
  return words;
}

TEST(ShellWord, IsOneWordForAShellWhateverTheNameIs) {
  for (const std::string name :
       {"a b.yaml", "it's.yaml", "''", "", "$HOME `id` \\ \"x\"", "a;id", "a&b|c>d<e", "*?[a]", "~",
        "{a,b}", "a\tb\nc", "#a", "!a", "(a)", "=ls", "r\xc3\xa9sultats 1"}) {
    EXPECT_EQ(words_of("ci-solve " + shell_word(name) + " --force"),
              "ci-solve|" + name + "|--force|");
    EXPECT_EQ(words_of(shell_word(name + name)), name + name + "|");
  }
}

TEST(ShellWord, HasNoQuotesWithoutNeed) {
  for (const char* name : {"job.yaml", "../out/n2-a_b", "/a/b:c,d=e+f@g%h", "r\xc3\xa9sultats"})
    EXPECT_EQ(shell_word(name), name);
  EXPECT_EQ(shell_word("a b"), "'a b'");
}

TEST(ShellWord, IsNeverAnOption) {
  EXPECT_EQ(shell_word("-v.yaml"), "./-v.yaml");
  EXPECT_EQ(shell_word("--help me"), "'./--help me'");
}

TEST(Suggest, EditDistanceCountsInsertionsRemovalsReplacementsAndSwaps) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("abc", ""), 3);
  EXPECT_EQ(edit_distance("", "ab"), 2);
  EXPECT_EQ(edit_distance("format", "format"), 0);
  EXPECT_EQ(edit_distance("fromat", "format"), 1);  // a swap of neighbours
  EXPECT_EQ(edit_distance("formt", "format"), 1);
  EXPECT_EQ(edit_distance("formaat", "format"), 1);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
}

TEST(Suggest, OffersOnlyWhatIsNear) {
  const std::vector<std::string> words{"csr", "ellpack", "hybrid"};
  EXPECT_EQ(nearest("hybird", words), "hybrid");
  EXPECT_EQ(nearest("elpack", words), "ellpack");
  EXPECT_EQ(nearest("banana", words), "");
  EXPECT_EQ(did_you_mean("banana", words), "");
  EXPECT_EQ(alternatives(words), "csr, ellpack or hybrid");
}

TEST(Number, ShortestReadsBackAsTheSameBits) {
  for (const double value : {0.0, 0.1, -1.0 / 3, 5e-324, 1.7976931348623157e308, 1e22, 123456.789})
    EXPECT_EQ(std::strtod(base::shortest(value).c_str(), nullptr), value);
}

TEST(Number, IsReadableByPeople) {
  EXPECT_EQ(base::grouped(0), "0");
  EXPECT_EQ(base::grouped(999), "999");
  EXPECT_EQ(base::grouped(1000), "1,000");
  EXPECT_EQ(base::grouped(31141367), "31,141,367");
  EXPECT_EQ(base::grouped(-123456), "-123,456");
  EXPECT_EQ(base::grouped(std::numeric_limits<base::Index>::min()), "-9,223,372,036,854,775,808");
  EXPECT_EQ(base::brief(0.123456), "0.1235");
  EXPECT_EQ(base::human_seconds(0.0123), "12.3 ms");
  EXPECT_EQ(base::human_seconds(4.2e-5), "42 us");
  EXPECT_EQ(base::mebibytes(374086360), "356.76 MiB");
}

TEST(Number, NegativeZeroIsWrittenAsZero) {
  EXPECT_EQ(base::fixed(-1e-13, 10), "0.0000000000");
  EXPECT_EQ(base::fixed(-0.0, 0), "0");
  EXPECT_EQ(base::fixed(1e-13, 3), "0.000");
  EXPECT_EQ(base::fixed(-0.04, 1), "0.0");
  EXPECT_EQ(base::fixed(-0.06, 1), "-0.1");
  EXPECT_EQ(base::fixed(-10.5, 2), "-10.50");
}

}  // namespace
}  // namespace cisolve::app
