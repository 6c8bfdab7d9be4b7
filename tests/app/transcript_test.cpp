#include "transcript.hpp"

// Transcripts in the documents match the program's output.
namespace cisolve::test {
namespace {

TEST_F(TranscriptTest, TheReadmeShowsTheOutputOfTheProgram) {
  if (std::system("gnuplot --version >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "no gnuplot here, which the README draws with";
  EXPECT_EQ(follow(std::string(CISOLVE_DOCS) + "/../README.md"), 3);
}

TEST_F(TranscriptTest, TheTutorialShowsTheOutputOfTheProgram) {
  if (std::system("gnuplot --version >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "no gnuplot here, which the tutorial draws with";
  std::filesystem::copy_file(configuration("n2_stretched.fcidump"), file("n2.fcidump"));
  EXPECT_EQ(follow(std::string(CISOLVE_DOCS) + "/tutorial.md"), 11);
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
