#include <algorithm>

#include "transcript.hpp"

// Every block of a guide in docs/how-to is executed, compared or found in a source.
namespace cisolve::test {
namespace {

namespace fs = std::filesystem;

const std::string kRoot = std::string(CISOLVE_DOCS) + "/..";

std::vector<std::string> guides() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(std::string(CISOLVE_DOCS) + "/how-to"))
    if (entry.path().extension() == ".md") names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

std::string trimmed(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(' ');
  return begin == std::string::npos ? "" : line.substr(begin);
}

/// The first line of an input names its file: "# excited.yaml" or "// sparse/formats/csr.hpp".
std::string named_file(const Fence& fence, const std::string& mark) {
  if (fence.lines.empty() || !fence.lines[0].starts_with(mark + " ")) return "";
  return fence.lines[0].substr(mark.size() + 1);
}

/// Lines of a block of C++ stand in the file that its first line names; "..." stands for any lines.
void expect_excerpt(const Fence& fence) {
  const std::string name = named_file(fence, "//");
  ASSERT_TRUE(fs::is_regular_file(fs::path(kRoot) / name)) << name;
  Lines source = lines_of(read_file(fs::path(kRoot) / name));
  std::ranges::transform(source, source.begin(), trimmed);
  auto at = source.begin();
  bool may_skip = true;
  for (std::size_t i = 1; i < fence.lines.size(); ++i) {
    const std::string line = trimmed(fence.lines[i]);
    if (line == "..." || line == "// ...") {
      may_skip = true;
      continue;
    }
    const auto found = may_skip ? std::find(at, source.end(), line) : at;
    ASSERT_TRUE(found != source.end() && *found == line) << name << " does not have: " << line;
    at = found + 1;
    may_skip = false;
  }
}

class HowToTest : public TranscriptTest, public ::testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    TranscriptTest::SetUp();
    fs::create_directories(file("tests"));
    fs::create_directory_symlink(CISOLVE_DATA, file("tests/data"));
#ifdef CISOLVE_MPIEXEC
    write_script("mpirun",
                 "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
                 "OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none\n"
                 "exec " CISOLVE_MPIEXEC " \"$@\"\n");
#endif
  }

  void expect_console(const Fence& fence) const {
    for (const Step& step : steps_of(fence)) {
      const std::string program = step.command.substr(0, step.command.find(' '));
#ifdef CISOLVE_MPIEXEC
      const bool is_ours = program == "ci-solve" || program == "mpirun";
#else
      const bool is_ours = program == "ci-solve";
#endif
      if (is_ours) {
        expect_shown(step, said_by(step));
      } else {  // tests/python runs the scripts; the others need what a test does not have
        EXPECT_TRUE(program == "python" || program == "mpirun" || program == "sbatch")
            << step.command;
      }
    }
  }
};

TEST_P(HowToTest, ShowsWhatTheProgramSays) {
  for (const Fence& fence :
       fences_of(read_file(fs::path(CISOLVE_DOCS) / "how-to" / (GetParam() + ".md")))) {
    if (fence.language == "yaml") {
      const std::string name = named_file(fence, "#");
      ASSERT_TRUE(name.ends_with(".yaml")) << "an input begins with '# NAME.yaml'";
      std::string text;
      for (const std::string& line : fence.lines) text += line + '\n';
      write_file(file(name), text);
    } else if (fence.language == "console") {
      expect_console(fence);
    } else if (fence.language == "cpp") {
      expect_excerpt(fence);
    } else {  // tests/python runs Python; "text" is input of other programs
      EXPECT_TRUE(fence.language == "python" || fence.language == "text") << fence.language;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Guides, HowToTest, ::testing::ValuesIn(guides()), [](const auto& guide) {
  std::string name = guide.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(Transcript, ComparesOfMeasuredValuesTheirKindAlone) {
  EXPECT_TRUE(is_same("csr 20 ms 39.9 % ok", "csr 317 us 5.1 % ok", true));
  EXPECT_FALSE(is_same("csr 20 ms 39.9 % ok", "csb 20 ms 39.9 % ok", true));
  EXPECT_FALSE(is_same("csr 20 ms 39.9 % ok", "csr 20 ms 39.9 % WRONG", true));
  EXPECT_FALSE(is_same("csr 20 ms", "csr 21 ms"));
}

TEST(Transcript, ReadsExitCodesAndMeasuredBlocks) {
  const auto fences = fences_of(
      "a\n```console\n$ ci-solve a\nb\n$ echo $?\n3\n$ ci-solve c\n```\n"
      "<!-- measured -->\n```console\n$ ci-solve d\n```\n");
  ASSERT_EQ(fences.size(), 2u);
  const auto steps = steps_of(fences[0]);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].output, Lines{"b"});
  EXPECT_EQ(steps[0].exit_code, 3);
  EXPECT_EQ(steps[1].exit_code, 0);
  EXPECT_FALSE(steps[1].is_measured);
  EXPECT_TRUE(steps_of(fences[1])[0].is_measured);
}

}  // namespace
}  // namespace cisolve::test
