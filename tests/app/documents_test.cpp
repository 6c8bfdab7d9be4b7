#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/commands/command_help.hpp"
#include "app/config/json_schema.hpp"
#include "app/config/schema.hpp"
#include "program.hpp"

// Generated documents: the schema, the reference page, the manual and the completion.
namespace cisolve::test {
namespace {

using app::CommandHelp;
using app::Key;
using app::program_help;
using app::schema;
using nlohmann::json;

std::string document(const std::string& name) { return std::string(CISOLVE_DOCS) + "/" + name; }

const json& schema_of(const json& whole, std::string path) {
  const json* at = &whole;
  while (!path.empty()) {
    const std::string name = path.substr(0, path.find('.'));
    path.erase(0, std::min(path.size(), name.size() + 1));
    at = &(*at)["properties"][name];
  }
  return *at;
}

TEST(Documents, AreWrittenByThisVersion) {
  EXPECT_EQ(read_file(document("configuration.schema.json")), app::configuration_json_schema())
      << "run: ci-solve schema --output docs/configuration.schema.json --force";
  EXPECT_EQ(read_file(document("configuration.md")), app::configuration_reference())
      << "run: ci-solve schema --markdown --output docs/configuration.md --force";
}

TEST(Documents, TheSchemaHasEveryKeyWithItsHelpAndItsDefault) {
  const json whole = json::parse(app::configuration_json_schema());
  for (const Key& key : schema()) {
    if (key.is_later()) continue;
    const json known = schema_of(whole, key.path);
    EXPECT_EQ(known["description"], key.help) << key.path;
    EXPECT_EQ(known.contains("default"), !key.fallback().empty()) << key.path;
  }
  EXPECT_EQ(whole["additionalProperties"], false);
  EXPECT_EQ(schema_of(whole, "solver.states")["minimum"], 0);
  EXPECT_EQ(schema_of(whole, "solver.states")["default"], 1);
  EXPECT_EQ(schema_of(whole, "problem.lattice.model")["enum"],
            json({"hubbard", "t-j", "heisenberg"}));
  EXPECT_EQ(schema_of(whole, "threads")["anyOf"][1]["enum"], json({"auto"}));
}

// Every key is set by a test or an example; otherwise it could break unnoticed.
TEST(Documents, EveryKeyIsUsedBySomeTest) {
  std::string texts;
  for (const char* folder : {CISOLVE_TESTS, CISOLVE_CONFIGS})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      const std::string extension = entry.path().extension().string();
      if (entry.path().filename() != "configuration_test.cpp" &&
          (extension == ".cpp" || extension == ".yaml"))
        texts += read_file(entry.path());
    }
  for (const Key& key : schema()) {
    if (key.is_later()) continue;
    std::string option = "--" + key.path.substr(key.path.rfind('.') + 1);
    std::ranges::replace(option, '_', '-');
    const std::string name = key.path.substr(key.path.rfind('.') + 1) + ":";
    EXPECT_TRUE(texts.find(key.path) != std::string::npos ||
                texts.find(name) != std::string::npos || texts.find(option) != std::string::npos)
        << key.path;
  }
}

void expect_named(const CommandHelp& command, const std::string& manual) {
  if (command.commands.empty()) {
    EXPECT_NE(manual.find(".SS \"" + command.name + "\""), std::string::npos) << command.name;
    EXPECT_NE(command.examples.find("ci-solve " + command.name), std::string::npos) << command.name;
  }
  for (const CommandHelp& inner : command.commands) expect_named(inner, manual);
}

TEST(Documents, TheManualDescribesEveryCommandWithAnExample) {
  const CommandHelp program = program_help();
  EXPECT_GE(program.commands.size(), 8u);
  const std::string manual = app::manual_page(program);
  for (const CommandHelp& command : program.commands) expect_named(command, manual);
  EXPECT_TRUE(manual.starts_with(".TH CI\\-SOLVE 1"));
  for (const char* part : {"\\-\\-set", "\\-\\-force", "Exit codes", "quickstart.yaml"})
    EXPECT_NE(manual.find(part), std::string::npos) << part;
}

class CompletionTest : public ProgramTest {
 protected:
  // The completions that bash offers for the last word.
  std::string offers(const std::string& words, int last) const {
    write_file(file("complete.bash"), "source " + file("completion.bash").string() +
                                          "\nCOMP_WORDS=(" + words +
                                          ")\nCOMP_CWORD=" + std::to_string(last) +
                                          "\n_ci_solve\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n");
    const std::string out = file("offers.txt").string();
    const std::string command = "bash " + file("complete.bash").string() + " >" + out;
    EXPECT_EQ(std::system(command.c_str()), 0);
    return read_file(out);
  }
};

TEST_F(CompletionTest, BashCompletesCommandsOptionsAndKeys) {
  ASSERT_EQ(run({"completion", "bash", "--output", "completion.bash"}).code, 0);
  EXPECT_EQ(offers("ci-solve che", 1), "check\n");
  EXPECT_EQ(offers("ci-solve matrix gen", 2), "generate\n");
  EXPECT_EQ(offers("ci-solve check a.yaml --fo", 3), "--force\n");
  EXPECT_EQ(offers("ci-solve matrix product a.mtx --ba", 4), "--backend\n--backends\n");
  EXPECT_EQ(offers("ci-solve a.yaml --set solver.st", 3),
            "solver.states=\nsolver.start=\nsolver.start_from=\n");
}

TEST_F(CompletionTest, BashCompletesTheValuesOfKeys) {
  ASSERT_EQ(run({"completion", "bash", "--output", "completion.bash"}).code, 0);
  const std::string kinds = offers("ci-solve a.yaml --set space.kind =", 4);
  EXPECT_TRUE(kinds.starts_with("fci\ncas\n")) << kinds;
  EXPECT_EQ(offers("ci-solve a.yaml --set space.kind = cisdt", 5), "cisdt\ncisdtq\n");
  EXPECT_EQ(offers("ci-solve a.yaml --set solver.method=la", 3), "solver.method=lanczos\n");
  EXPECT_EQ(offers("ci-solve a.yaml --set output.vectors = ''", 5), "true\nfalse\nauto\n");
  EXPECT_EQ(offers("ci-solve a.yaml --set backend = cu", 5), "cuda\ncuda:\n");
  EXPECT_EQ(offers("ci-solve a.yaml --set solver.states = ''", 5), "\n");
  EXPECT_EQ(offers("ci-solve matrix product a.mtx --backend ref", 5), "reference\n");
  write_file(file("start.h5"), "");
  EXPECT_EQ(offers("ci-solve a.yaml --set solver.start_from = " + file("sta").string(), 5),
            file("start.h5").string() + "\n");
}

TEST_F(CompletionTest, ZshTakesItsScript) {
  ASSERT_EQ(run({"completion", "zsh", "--output", "_ci-solve"}).code, 0);
  EXPECT_TRUE(read_file(file("_ci-solve")).starts_with("#compdef ci-solve\n"));
  EXPECT_EQ(run({"completion", "fish"}).code, 2);
  if (std::system("command -v zsh >/dev/null") != 0) GTEST_SKIP() << "there is no zsh";
  EXPECT_EQ(std::system(("zsh -n " + file("_ci-solve").string()).c_str()), 0);
}

}  // namespace
}  // namespace cisolve::test
