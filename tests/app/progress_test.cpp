#include <pty.h>

#include "app/report/progress_bar.hpp"
#include "program.hpp"

// The progress bar is drawn on terminals only.
namespace cisolve::test {
namespace {

class ProgressTest : public ProgramTest {
 protected:
  static constexpr const char* kErase = "\r\x1b[K";

  /// The program's output, with standard error on a pseudo terminal.
  std::string on_terminal(std::vector<std::string> arguments, const char* kind = "xterm") const {
    int master = -1;
    const pid_t child = forkpty(&master, nullptr, nullptr, nullptr);
    if (child == 0) {
      setenv("TERM", kind, 1);
      start_program(std::move(arguments));
    }
    std::string text;
    char piece[4096];
    for (auto size = read(master, piece, sizeof piece); size > 0;
         size = read(master, piece, sizeof piece))
      text.append(piece, static_cast<std::size_t>(size));
    close(master);
    int status = 0;
    waitpid(child, &status, 0);
    return text;
  }

  // Arguments of a job with one iteration, whose verification takes longer the more rows there are.
  static std::vector<std::string> matrix(int rows) {
    return {"a.yaml", "--force", "--set", "problem.generate.rows=" + std::to_string(rows)};
  }
  /// A job large enough for a progress bar to appear, found once by doubling its rows, and the
  /// terminal's content.
  struct JobOnTerminal {
    int rows = 4000;
    std::string text;
  };
  JobOnTerminal job_with_a_bar() const {
    static JobOnTerminal seen;
    while (seen.rows < 64000 && seen.text.find("verifying") == std::string::npos)
      seen.text = on_terminal(matrix(seen.rows *= 2));
    return seen;
  }
  void write_matrix() const {
    write_file(file("a.yaml"),
               "problem: {generate: {rows: 8000, density: 0.06, symmetric: true}}\n"
               "backend: reference\n"
               "solver: {states: 1, max_iterations: 1, method: davidson}\n"
               "output: {vectors: false, checkpoint: off}\n");
  }
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(ProgressTest, TheLineShowsTheTaskTheFractionAndTheTimeLeft) {
  EXPECT_EQ(app::progress_line("building csr", 1, 0.5, 12, 43),
            "building csr  [#####-----]  50 %, 12 s left");
  EXPECT_EQ(app::progress_line("verifying", 3, 0.25, 600, 80),
            "verifying, pass 3  [##########------------------------------]  25 %, 10 min left");
  EXPECT_EQ(app::progress_line("verifying", 1, 0.99, 9000, 30), "verifying  99 %, 2.5 h left");
  for (std::size_t width = 0; width < 90; ++width)
    EXPECT_LE(app::progress_line("building hybrid", 2, 0.1, 1, width).size(), width);
}

TEST_F(ProgressTest, TheBarIsErasedAtTheEnd) {
  write_matrix();
  const std::string text = job_with_a_bar().text;
  ASSERT_TRUE(contains(text, std::string(kErase) + "verifying")) << text;
  EXPECT_TRUE(contains(text, " %, ")) << text;
  EXPECT_TRUE(contains(text, " s left")) << text;
  const std::size_t last = text.rfind("left");
  EXPECT_EQ(text.substr(last + 4, 4), kErase) << text;
}

TEST_F(ProgressTest, BuildingHasABarToo) {
  std::string text;
  for (int rows = 8000; rows <= 32000 && !contains(text, "building hybrid"); rows *= 2) {
    write_file(file("a.yaml"), "problem: {generate: {rows: " + std::to_string(rows) +
                                   ", density: 0.05}}\nbackend: reference\n"
                                   "solver: {states: 0}\nproduct: {repeat: 1}\n");
    text = on_terminal({"a.yaml", "--force"});
  }
  EXPECT_TRUE(contains(text, std::string(kErase) + "building hybrid")) << text;
  EXPECT_EQ(text.substr(text.rfind("left") + 4, 4), kErase) << text;
}

TEST_F(ProgressTest, ASweepHasOneBarForAllPoints) {
  std::string text;
  for (int rows = 4000; rows <= 32000 && !contains(text, "measuring  ["); rows *= 2) {
    write_file(file("a.yaml"), "problem: {generate: {rows: " + std::to_string(rows) +
                                   ", density: 0.05}}\nbackend: reference\nsolver: {states: 0}\n"
                                   "sweep: {storage.boundary: [0, 50, 100, 200], repeat: 8}\n");
    text = on_terminal({"sweep", "a.yaml", "--force"});
  }
  EXPECT_TRUE(contains(text, std::string(kErase) + "measuring  [")) << text;
  EXPECT_FALSE(contains(text, "pass 2")) << text;
  EXPECT_EQ(text.substr(text.rfind("left") + 4, 4), kErase) << text;
}

TEST_F(ProgressTest, NoBarInPipesInQuietModeOrOnDumbTerminals) {
  write_matrix();
  const int rows = job_with_a_bar().rows;
  const Finished piped = run(matrix(rows));
  EXPECT_FALSE(contains(piped.err + piped.out, "verifying  ")) << piped.err;
  EXPECT_FALSE(contains(piped.err + piped.out, "\x1b")) << piped.err;
  auto quiet = matrix(rows);
  quiet.emplace_back("--quiet");
  EXPECT_FALSE(contains(on_terminal(quiet), kErase));
  EXPECT_FALSE(contains(on_terminal(matrix(rows), "dumb"), kErase));
}

}  // namespace
}  // namespace cisolve::test
