#include "program.hpp"

// Control characters in paths from any source, and other invalid words.
namespace cisolve::test {
namespace {

namespace fs = std::filesystem;

class PathsTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    fs::copy(configuration("example.mtx"), file("a.mtx"));
  }

  void expect_refused(const std::vector<std::string>& words, int code = 78) const {
    const auto before = names();
    const Finished finished = run(words);
    EXPECT_EQ(finished.code, code) << finished.err;
    EXPECT_NE(finished.err.find("control character (byte "), std::string::npos) << finished.err;
    EXPECT_EQ(names(), before);
  }
  // All files and folders but those with the program's output.
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(file("")))
      if (!entry.path().filename().native().starts_with("std")) all.push_back(entry.path());
    std::sort(all.begin(), all.end());
    return all;
  }
  void configure(const std::string& rest) const {
    write_file(file("a.yaml"), "problem: {matrix: a.mtx}\n" + rest);
  }
};

TEST_F(PathsTest, AControlCharacterInAConfigurationIs78) {
  for (const char* escape : {"\\n", "\\t", "\\0", "\\x7f"})
    for (const char* command : {"plot", "check", "sweep", ""}) {
      configure(std::string("output: {directory: \"o") + escape + "!touch PWNED" + escape +
                "#\"}\n");
      std::vector<std::string> words{"a.yaml"};
      if (*command != '\0') words.insert(words.begin(), command);
      expect_refused(words);
      write_file(file("a.yaml"), std::string("problem: {matrix: \"a") + escape + ".mtx\"}\n");
      expect_refused(words);
    }
}

TEST_F(PathsTest, AControlCharacterOnTheCommandLineIs78) {
  configure("");
  for (const std::string evil : {"o\n!touch PWNED\n#", "a\x1b[2J", "a\x7f", "a\tb"}) {
    expect_refused({"plot", "a.yaml", "--output", evil});
    expect_refused({"a.yaml", "--json", evil});
    expect_refused({evil});
    expect_refused({"plot", "a.yaml", evil});
    expect_refused({"init", "a.mtx", "--output", evil});
    expect_refused({"matrix", "convert", "a.mtx", evil + ".h5"});
    expect_refused({"matrix", "product", "a.mtx", evil});
    expect_refused({"matrix", "apply", "a.mtx", "--x", evil});
    expect_refused({"resume", evil});
    expect_refused({"matrix", "info", evil});
  }
  expect_refused({"a.yaml", "--set", "output.directory=\"a\\nb\""});
}

TEST_F(PathsTest, AControlCharacterBehindALinkIs78) {
  configure("");
  fs::create_directory(file("a\nb"));
  fs::copy(file("a.mtx"), file("a\nb/a.mtx"));
  fs::create_directory_symlink("a\nb", file("out"));
  expect_refused({"a.yaml"});
  expect_refused({"plot", "a.yaml"});
  expect_refused({"a.yaml", "--set", "output.directory=out/below"});
  fs::remove(file("out"));
  fs::create_symlink("a\nb/none", file("link"));  // a link to nothing so far
  expect_refused({"a.yaml", "--json", "link"});
  fs::create_symlink("a\nb/a.mtx", file("m.mtx"));
  expect_refused({"matrix", "info", "m.mtx"});
  expect_refused({"a.yaml", "--set", "problem.matrix=m.mtx"});
}

TEST_F(PathsTest, AControlCharacterInTheWorkingDirectoryOrTheEnvironmentIs78) {
  configure("");
  const fs::path here = file("o\n!touch PWNED\n#");
  fs::create_directory(here);
  const auto code = [](const std::string& command) {
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  const std::string plain = "cd '" + file("").string() + "' && ";
  const std::string program = std::string(CISOLVE_PROGRAM) + " ";
  const std::string quiet = " >'" + file("said").string() + "' 2>&1";
  EXPECT_EQ(code("cd '" + here.string() + "' && " + program + "plot ../a.mtx" + quiet), 78);
  EXPECT_EQ(code("cd '" + here.string() + "' && " + program + "'" + file("a.yaml").string() + "'" +
                 quiet),
            78);
  EXPECT_TRUE(fs::is_empty(here));
  for (const char* variable : {"XDG_CACHE_HOME", "HOME"})
    EXPECT_EQ(code(plain + "unset XDG_CACHE_HOME; export " + variable +
                   "=\"$(printf '/a\\nb')\"; " + program + "a.yaml" + quiet),
              78)
        << variable;
  EXPECT_EQ(code(plain + "mkfifo p.mtx; export TMPDIR='" + here.string() + "'; " + program +
                 "matrix convert a.mtx p.mtx" + quiet),
            78);
  EXPECT_FALSE(exists(file("PWNED")));
}

// Otherwise it would only be found when the job is resumed.
TEST_F(PathsTest, AControlCharacterInAnyOtherValueIs78) {
  write_file(file("a.yaml"), "problem: {lattice: {columns: 4}}\nspace: {reference: \"ud\\e\"}\n");
  expect_refused({"a.yaml"});
  write_file(file("a.yaml"),
             "problem: {lattice: {columns: 4}}\n"
             "sweep: {problem.lattice.u: [{value: 2, label: \"a\\eb\"}, 3]}\n");
  expect_refused({"sweep", "a.yaml"});
}

TEST_F(PathsTest, WordsThatAreNoValuesAre2) {
  configure("");
  for (const char* number : {"nan", "inf", "-1", "0", "x", ""})
    for (const char* option : {"--link", "--network", "--latency"})
      EXPECT_EQ(run({"check", "a.yaml", "--ranks", "2", option, number}).code, 2) << number;
  EXPECT_EQ(run({"check", "a.yaml", "--ranks", "2", "--link", "2.5e2"}).code, 0);
  const Finished nowhere = run({"a.yaml", "--json", ""});
  EXPECT_EQ(nowhere.code, 2) << nowhere.err;
  EXPECT_NE(nowhere.err.find("--json"), std::string::npos) << nowhere.err;
  EXPECT_FALSE(exists(file("out")));
}

}  // namespace
}  // namespace cisolve::test
