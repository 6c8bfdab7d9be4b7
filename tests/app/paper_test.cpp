#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "program.hpp"

// bench/paper, the evaluation of the 2018 paper in one command, on matrices that are much smaller.
namespace cisolve::test {
namespace {

using nlohmann::json;

class PaperTest : public ProgramTest {};

TEST_F(PaperTest, OneCommandWritesTablesRecordsAndFigures) {
  const std::string script = configuration("../bench/paper");
  const std::string command =
      "cd " + file("").string() + " && " + script + " --program " + CISOLVE_PROGRAM +
      " --output p -- --set problem.generate.rows=600 --set problem.generate.reference_per_row=12"
      " --set problem.generate.spread=3 --set storage.boundary=12 --set sweep.repeat=1"
      " --set backend=reference >log 2>&1";
  ASSERT_EQ(std::system(command.c_str()), 0) << read_file(file("log"));

  const json formats = json::parse(read_file(file("p/formats/sweep.json")));
  ASSERT_EQ(formats["points"].size(), 40u);
  for (const std::string name : {"slices", "blocks", "vectors"})
    EXPECT_GE(json::parse(read_file(file("p/" + name + "/sweep.json")))["points"].size(), 5u);
  for (const json& point : formats["points"]) EXPECT_EQ(point["passed"], true);

  // The mean of the table is that of the records.
  double csr = 0;
  for (std::size_t i = 0; i < 40; i += 4)
    csr += formats["points"][i]["operator"]["bytes_by_formula"].get<double>() / 1048576 / 10;
  std::istringstream table(read_file(file("p/table5.txt")));
  std::string line;
  std::vector<std::string> lines;
  while (std::getline(table, line)) lines.push_back(line);
  ASSERT_EQ(lines.size(), 13u);  // a head, ten matrices, their mean and the paper's
  std::istringstream mean(lines[11]);
  std::string word;
  double value = 0;
  mean >> word >> value;
  EXPECT_EQ(word, "mean");
  EXPECT_NEAR(value, csr, 0.0051);
  if (std::system("gnuplot --version >/dev/null 2>&1") == 0) {
    EXPECT_TRUE(exists(file("p/formats/plots/memory.svg")));
    EXPECT_TRUE(exists(file("p/slices/plots/times.png")));
  }
}

}  // namespace
}  // namespace cisolve::test
