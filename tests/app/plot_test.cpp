#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/json/json.hpp"
#include "app/plot/html_report.hpp"
#include "app/plot/script.hpp"
#include "app/plot/spectrum_figure.hpp"
#include "base/error.hpp"
#include "program.hpp"

// The pictures of jobs, sweeps and matrices, and the page that holds them.
namespace cisolve::test {
namespace {

using app::parse_json;
using nlohmann::json;

TEST(PlotUnits, AreTheLargestThatTheNumbersReach) {
  EXPECT_STREQ(app::fitting_unit(app::byte_units(), 5e6).name, "MiB");
  EXPECT_STREQ(app::fitting_unit(app::byte_units(), 1024).name, "KiB");
  EXPECT_STREQ(app::fitting_unit(app::byte_units(), 0).name, "bytes");
  EXPECT_STREQ(app::fitting_unit(app::time_units(), 3e-9).name, "us");
  EXPECT_STREQ(app::fitting_unit(app::time_units(), 70).name, "s");
}

constexpr const char* kStatesWithoutSpins = R"({
  "states": [{"energy": -1.5, "s2": null, "irrep": null, "converged": true},
             {"energy": -1.0, "s2": null, "irrep": null, "converged": true}],
  "s2_note": "the integrals depend on spin",
  "multiplet": {"cut": true, "note": "the last multiplet is cut: ask for 3 & more"}})";

TEST(SpectrumFigure, StatesWithoutSpinsShareOneColumnWithoutASpin) {
  const auto figure = app::spectrum_figure(parse_json(kStatesWithoutSpins, "r.json"));
  ASSERT_TRUE(figure.has_value());
  EXPECT_EQ(figure->caption.find("spin"), std::string::npos) << figure->caption;
  EXPECT_EQ(figure->script.find("mixed"), std::string::npos);
  EXPECT_EQ(figure->script.find("singlet"), std::string::npos);
}

/// Positions of a spectrum's labels by column, ascending, in units of energy.
std::vector<std::vector<double>> places_of_texts(const std::string& script) {
  std::istringstream lines(script.substr(script.find("$names << END_OF_DATA\n")));
  std::string line;
  std::getline(lines, line);
  std::map<int, std::vector<double>> columns;
  double x = 0;
  double y = 0;
  while (std::getline(lines, line) && line != "END_OF_DATA") {
    std::istringstream(line) >> x >> y;
    columns[static_cast<int>(std::lround(x))].push_back(y);
  }
  std::vector<std::vector<double>> all;
  for (auto& [column, places] : columns) all.push_back(std::move(places));
  return all;
}

json states_at(const std::vector<double>& energies, double s2) {
  json states = json::array();
  for (std::size_t j = 0; j < energies.size(); ++j)
    states.push_back({{"energy", energies[j]},
                      {"s2", s2},
                      {"irrep", 2 + static_cast<int>(j) % 2},
                      {"irrep_name", j % 2 == 0 ? "B3u" : "B2u"},
                      {"converged", true}});
  return states;
}

TEST(SpectrumFigure, LabelsOfCloseLevelsDoNotOverlap) {
  std::vector<double> many;
  for (int j = 0; j < 30; ++j) many.push_back(-9 + 1e-4 * j);
  const std::vector<std::vector<double>> spectra{
      {-107.0, -106.9801, -106.98, -106.9799, -106.7, -106.6999},  // the six of LiF
      {0, 1e-3, 1},
      {0, 1, 1.001},
      many};
  for (const std::vector<double>& energies : spectra) {
    const json record = {{"states", states_at(energies, 0)}};
    const auto figure = app::spectrum_figure(parse_json(record.dump(), "r.json"));
    ASSERT_TRUE(figure.has_value());
    const auto columns = places_of_texts(figure->script);
    ASSERT_EQ(columns.size(), 1u);
    ASSERT_EQ(columns[0].size(), energies.size());
    const std::size_t range = figure->script.find("set yrange [") + 12;
    const double lowest = std::stod(figure->script.substr(range));
    const double highest = std::stod(figure->script.substr(figure->script.find(':', range) + 1));
    // A letter is 13 pixels high; at least 60 pixels of the figure are margins.
    const double letter = 13 * (highest - lowest) / (figure->height - 60);
    for (std::size_t j = 0; j < energies.size(); ++j) {
      const double text = columns[0][j];
      if (j > 0) {
        EXPECT_GE(text - columns[0][j - 1], letter) << j;
      }
      EXPECT_GE(text, lowest);
      EXPECT_LE(text, highest);
    }
  }
}

TEST(SpectrumFigure, AMultipletIsOneLevelWithTheNamesOfItsIrreps) {
  json states = states_at({-1, -0.5, -0.5 + 1e-9, -0.25}, 2);
  json record = {{"states", states}};
  auto figure = app::spectrum_figure(parse_json(record.dump(), "r.json"));
  ASSERT_TRUE(figure.has_value());
  for (const char* text : {"\"1: B3u\"", "\"2, 3: B2u, B3u\"", "\"4: B2u\""})
    EXPECT_NE(figure->script.find(text), std::string::npos) << text << figure->script;
  for (json& state : states) state["irrep_name"] = nullptr;
  record = {{"states", states}};
  figure = app::spectrum_figure(parse_json(record.dump(), "r.json"));
  for (const char* text : {"\"1: irrep 2\"", "\"2, 3: irreps 3, 2\""})
    EXPECT_NE(figure->script.find(text), std::string::npos) << text << figure->script;
}

TEST(SpectrumFigure, AssumedIrrepsAreMarked) {
  json states = states_at({-1, -0.5, -0.5 + 1e-9}, 2);
  for (json& state : states) state["irrep_assumed"] = true;
  const json record = {{"states", states}};
  const auto figure = app::spectrum_figure(parse_json(record.dump(), "r.json"));
  ASSERT_TRUE(figure.has_value());
  for (const char* text : {"\"1: B3u?\"", "\"2, 3: B2u?, B3u?\""})
    EXPECT_NE(figure->script.find(text), std::string::npos) << text << figure->script;
}

TEST(HtmlReport, SaysWhyThereAreNoSpinsAndThatAMultipletIsCut) {
  const auto page = app::html_report("t", parse_json(kStatesWithoutSpins, "r.json"), {}, ".");
  EXPECT_EQ(page.find("S^2&gt;</th>"), std::string::npos);
  EXPECT_NE(page.find("&lt;S^2&gt; was not computed: the integrals depend on spin."),
            std::string::npos);
  EXPECT_NE(page.find("the last multiplet is cut: ask for 3 &amp; more."), std::string::npos);
}

class PlotTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    if (std::system("gnuplot --version >/dev/null 2>&1") != 0)
      GTEST_SKIP() << "no gnuplot here (scripts/test installs gnuplot-nox)";
  }

  void expect_picture(const std::string& stem, const std::vector<std::string>& texts) const {
    const std::string svg = read_file(file(stem + ".svg"));
    for (const std::string& text : texts)
      EXPECT_NE(svg.find(text), std::string::npos) << stem << ": " << text;
    EXPECT_EQ(read_file(file(stem + ".png")).substr(1, 3), "PNG") << stem;
  }

  static int count(const std::string& text, const std::string& part) {
    int found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
      ++found;
    return found;
  }
};

TEST_F(PlotTest, AJobHasConvergenceSpectrumWeightsAndAReport) {
  write_file(file("a.yaml"),
             "problem: {lattice: {columns: 6}}\nsolver: {states: 3, method: davidson}\n");
  ASSERT_EQ(run({"a.yaml"}).code, 0);
  const Finished finished = run({"plot", "out"});
  ASSERT_EQ(finished.code, 0) << finished.err;
  expect_picture("out/plots/convergence", {"state 3", "residual norm", "tolerance"});
  expect_picture("out/plots/spectrum", {"singlets", "triplets"});
  expect_picture("out/plots/weights", {"ududud"});
  expect_picture("out/plots/correlations", {"state 2", "site"});
  EXPECT_FALSE(exists(file("out/plots/memory.svg")));  // no product was measured
  const std::string page = read_file(file("out/report.html"));
  EXPECT_EQ(count(page, "data:image/svg+xml;base64,"), 4);
  EXPECT_EQ(count(page, "src="), 4);                         // no other file is needed
  EXPECT_NE(page.find("-3.0925653195"), std::string::npos);  // the ground state's energy
  EXPECT_NE(finished.out.find("report.html"), std::string::npos);
  // Every table scrolls on its own.
  EXPECT_EQ(count(page, "<table"), count(page, "<div class=\"wide\"><table"));
  EXPECT_NE(page.find("<td>dimension</td><td>400</td>"), std::string::npos);
  EXPECT_NE(page.find("<td>nelec</td><td>3, 3</td>"), std::string::npos);
  EXPECT_NE(page.find("<h2>Times</h2>"), std::string::npos);

  EXPECT_EQ(run({"plot", "out"}).code, 73);
  EXPECT_EQ(run({"plot", "out/run.json", "--output", "elsewhere"}).code, 0);
  EXPECT_TRUE(exists(file("elsewhere/report.html")));
  EXPECT_EQ(run({"plot", "a.yaml", "--force"}).code, 0);
  expect_picture("out/plots/pattern", {"row", "column"});
}

TEST_F(PlotTest, AMatrixHasAPatternWithItsReferenceRegion) {
  const std::string matrix = configuration("matrix-file.yaml");
  ASSERT_EQ(run({"plot", matrix, "--output", "p"}).code, 0);
  expect_picture("p/plots/pattern", {"Reference", "Expansion space", "image-rendering:pixelated"});
  EXPECT_EQ(read_file(file("p/report.html")).find("Made by ci-solve ."), std::string::npos);
  ASSERT_EQ(run({"plot", configuration("example.mtx")}).code, 0);
  expect_picture("example-plots/plots/pattern", {"row"});
  EXPECT_EQ(read_file(file("example-plots/plots/pattern.svg")).find("Reference"),
            std::string::npos);  // the file has no labels
}

TEST_F(PlotTest, ASweepHasCurvesAgainstNumbersAndBarsAgainstNames) {
  write_file(file("a.yaml"),
             "problem: {generate: {rows: 300}}\nsolver: {states: 0}\nstorage: {format: hybrid}\n"
             "sweep: {storage.boundary: [0, 5, 10, auto], repeat: 2}\n");
  ASSERT_EQ(run({"sweep", "a.yaml"}).code, 0);
  ASSERT_EQ(run({"plot", "out"}).code, 0);
  expect_picture("out/plots/times", {"BOUNDARY", "boundary: auto", "time of a product"});
  expect_picture("out/plots/rates", {"GFLOP/s"});
  const std::string page = read_file(file("out/report.html"));
  EXPECT_NE(page.find("<h2>Points</h2>"), std::string::npos);
  EXPECT_EQ(page.find("<th>energy</th>"), std::string::npos);  // no energies were computed

  write_file(file("b.yaml"),
             "problem: {generate: {rows: 300}}\nsolver: {states: 0}\noutput: {directory: b}\n"
             "sweep: {problem.generate.seed: [1, 2, 3], storage.format: [csr, sell], repeat: 2}\n");
  ASSERT_EQ(run({"sweep", "b.yaml"}).code, 0);
  ASSERT_EQ(run({"plot", "b"}).code, 0);
  expect_picture("b/plots/memory", {"csr", "sell", "memory (KiB)", "seed"});

  write_file(file("c.yaml"),
             "problem: {lattice: {columns: 4}}\nsolver: {states: 2}\noutput: {directory: c}\n"
             "sweep: {problem.lattice.u: [1, 2, 4], repeat: 2}\n");
  ASSERT_EQ(run({"sweep", "c.yaml"}).code, 0);
  ASSERT_EQ(run({"plot", "c"}).code, 0);
  expect_picture("c/plots/energies", {"state 2"});
  EXPECT_NE(read_file(file("c/report.html")).find("<th>energy</th>"), std::string::npos);
}

// All figures that can be drawn are removed by the cleaning code.
TEST_F(PlotTest, FiguresOfReplacedResultsAreRemoved) {
  write_file(file("a.yaml"),
             "problem: {lattice: {columns: 4}}\nsolver: {states: 2, method: davidson}\n"
             "product: {repeat: 1}\nsweep: {problem.lattice.u: [1, 2, 4], repeat: 1}\n");
  ASSERT_EQ(run({"a.yaml"}).code, 0);
  ASSERT_EQ(run({"plot", "a.yaml"}).code, 0);
  EXPECT_TRUE(exists(file("out/plots/memory.svg")));
  ASSERT_EQ(run({"a.yaml", "--force"}).code, 0);
  EXPECT_FALSE(exists(file("out/plots")));
  ASSERT_EQ(run({"sweep", "a.yaml"}).code, 0);
  ASSERT_EQ(run({"plot", "a.yaml"}).code, 0);
  EXPECT_TRUE(exists(file("out/plots/energies.svg")));
  EXPECT_TRUE(exists(file("out/plots/rates.svg")));
  ASSERT_EQ(run({"sweep", "a.yaml", "--force"}).code, 0);
  EXPECT_FALSE(exists(file("out/plots")));
  EXPECT_FALSE(exists(file("out/report.html")));
}

// Names in a record are untrusted; none may be executed.
TEST_F(PlotTest, NothingInARecordIsExecuted) {
  const std::string touch = "touch " + file("pwned").string();
  const std::string name = "`" + touch + "` \" . system('" + touch + "') . \"\nEND_OF_DATA\n\\";
  json record = {{"schema", 1}, {"program", "ci-solve"}, {"sweep", json::array()}};
  record["sweep"].push_back({{"key", name}, {"values", {name, "b"}}});
  record["points"].push_back(
      {{"number", 1}, {"values", {{name, name}}}, {"product", {{"median_s", 1}, {"gflops", 1}}}});
  std::filesystem::create_directory(file("d"));
  write_file(file("d/sweep.json"), record.dump());
  EXPECT_EQ(run({"plot", "d"}).code, 0);
  EXPECT_FALSE(exists(file("pwned")));
  EXPECT_TRUE(exists(file("d/plots/times.svg")));
  json job = {{"schema", 1}, {"program", "ci-solve"}, {"problem", {{"source", "<b>" + name}}}};
  job["states"].push_back({{"energy", 1}, {"dominant", {{{"determinant", name}, {"weight", 1}}}}});
  write_file(file("run.json"), job.dump());
  EXPECT_EQ(run({"plot", "run.json"}).code, 0);
  EXPECT_FALSE(exists(file("pwned")));
  EXPECT_EQ(read_file(file("report.html")).find("<b>"), std::string::npos);
}

TEST_F(PlotTest, LabelsOfCloseLevelsAreDrawnApart) {
  const json record = {
      {"schema", 1},
      {"program", "ci-solve"},
      {"states", states_at({-107.0, -106.9801, -106.98, -106.9799, -106.7, -106.6999}, 0)}};
  write_file(file("run.json"), record.dump());
  ASSERT_EQ(run({"plot", "run.json"}).code, 0);
  const std::string svg = read_file(file("plots/spectrum.svg"));
  std::vector<double> heights;
  for (const char* name : {"B2u", "B3u"})
    for (std::size_t at = svg.find(name); at != std::string::npos; at = svg.find(name, at + 1)) {
      const std::size_t place = svg.rfind("translate(", at);
      heights.push_back(std::stod(svg.substr(svg.find(',', place) + 1)));
    }
  std::sort(heights.begin(), heights.end());
  ASSERT_EQ(heights.size(), 6u);
  for (std::size_t j = 1; j < heights.size(); ++j) EXPECT_GE(heights[j] - heights[j - 1], 13);
}

/// Replaces gnuplot and records its folder, arguments and input.
class GnuplotNote : public PlotTest {
 protected:
  void SetUp() override {
    PlotTest::SetUp();
    if (IsSkipped()) return;
    std::filesystem::create_directory(file("bin"));
    const std::string note = file("note").string();
    write_file(file("bin/gnuplot"),
               "#!/bin/sh\n{ pwd; echo \"$@\"; cat; } >>" + note + "\necho a picture\n");
    std::filesystem::permissions(file("bin/gnuplot"), std::filesystem::perms::owner_all);
    path_ = std::getenv("PATH");
    setenv("PATH", (file("bin").string() + ":" + path_).c_str(), 1);
  }
  void TearDown() override {
    if (!path_.empty()) setenv("PATH", path_.c_str(), 1);
    PlotTest::TearDown();
  }

 private:
  std::string path_;
};

/// The part of a script outside quotation marks, within which no line may end.
std::string unquoted(const std::string& script) {
  std::string rest;
  char quote = 0;
  for (const char c : script) {
    if (quote == 0 && (c == '"' || c == '\''))
      quote = c;
    else if (quote != 0)
      quote = c == quote ? '\0' : quote;
    else
      rest += c;
    EXPECT_FALSE(quote != 0 && c == '\n') << rest;
  }
  return rest;
}

// Neither folder names nor texts in a record are executed, even in place of a number.
TEST_F(GnuplotNote, UserTextReachesScriptsOnlyWithinQuotationMarks) {
  const std::string evil =
      "PWN' \"; system(\"PWN\") # `PWN` @PWN\n!PWN\nEND_OF_DATA\n!PWN\n$(PWN) \\";
  json job = {{"schema", 1}, {"program", "ci-solve"}, {"problem", {{"source", evil}}}};
  for (int j = 0; j < 2; ++j)
    job["states"].push_back({{"energy", j},
                             {"s2", 0},
                             {"irrep", evil},
                             {"irrep_name", evil},
                             {"dominant", {{{"determinant", evil}, {"weight", 1}}}},
                             {"spin_correlations", {{evil, 1, 2}}}});
  job["history"] = {{"iteration", {evil, 2}},
                    {"energies", {{1, 2}, {evil, 1}}},
                    {"residuals", {{1, 2}, {evil, 1}}},
                    {"searching", {false, evil}},
                    {"tolerance", evil}};
  job["memory"].push_back({{"format", evil}, {"bytes", 1}, {"bytes_by_formula", evil}});
  json sweep = {{"schema", 1}, {"program", "ci-solve"}};
  for (const char* name : {"a.", ""})
    sweep["sweep"].push_back({{"key", name + evil}, {"values", {evil, "2", "3", "4"}}});
  for (const char* value : {"2", "3", "4"})
    sweep["points"].push_back({{"number", evil},
                               {"values", {{"a." + evil, value}, {evil, evil}}},
                               {"energies", {1, evil}},
                               {"operator", {{"bytes", 10}, {"boundary", evil}}},
                               {"product", {{"median_s", 1}, {"spread_s", evil}, {"gflops", 1}}}});
  const std::string folder = "PWN'`touch PWN`$(touch PWN)\"@PWN;!PWN #";
  std::filesystem::create_directory(file(folder));
  for (const auto& [name, record] :
       {std::pair<const char*, json&>("run.json", job), {"sweep.json", sweep}}) {
    write_file(file(folder) / name, record.dump());
    const Finished drawn = run({"plot", folder + "/" + name, "--force"});
    EXPECT_EQ(drawn.code, 0) << drawn.err;
  }
  const std::string note = read_file(file("note"));
  EXPECT_NE(note.find("set terminal svg"), std::string::npos);
  EXPECT_NE(note.find("PWN"), std::string::npos);  // the label of the format
  EXPECT_EQ(note.find('`'), std::string::npos);
  EXPECT_EQ(note.find("\\\""), std::string::npos);
  EXPECT_EQ(unquoted(note).find("PWN"), std::string::npos) << unquoted(note);
  EXPECT_EQ(note.find(file("x").parent_path().filename()), std::string::npos);  // no path at all
  EXPECT_NE(note.find("/\n--default-settings -\n"), std::string::npos);
}

/// Whether gnuplot is installed or not.
class PlotRefusal : public ProgramTest {};

TEST_F(PlotRefusal, FiguresThatCannotBeDrawnAreRefusedWithTheReason) {
  EXPECT_EQ(run({"plot", "nowhere"}).code, 66);
  std::filesystem::create_directory(file("empty"));
  const Finished empty = run({"plot", "empty"});
  EXPECT_EQ(empty.code, 66);
  EXPECT_NE(empty.err.find("neither run.json nor sweep.json"), std::string::npos) << empty.err;
  write_file(file("run.json"), "{\"schema\": 1}");
  EXPECT_EQ(run({"plot", "run.json"}).code, 65);
  write_file(file("run.json"), "{\"schema\": 1, \"program\": \"ci-solve\"}");
  const Finished nothing = run({"plot", "run.json"});
  EXPECT_EQ(nothing.code, 65);
  EXPECT_NE(nothing.err.find("nothing to draw"), std::string::npos) << nothing.err;
  EXPECT_EQ(run({"plot", "run.json", "run.json", "--output", "p"}).code, 2);
  EXPECT_EQ(run({"plot"}).code, 2);
}

TEST_F(PlotRefusal, WithoutGnuplotTheRemedyIsNamed) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", file("").c_str(), 1);
  const Finished finished = run({"plot", configuration("example.mtx")});
  // Errors of an input are reported first, as with gnuplot installed.
  const Finished second = run({"plot", configuration("example.mtx"), "nowhere"});
  write_file(file("run.json"), "{\"schema\": 1, \"program\": \"ci-solve\"}");
  const Finished nothing = run({"plot", "run.json"});
  const Finished control = run({"plot", configuration("example.mtx"), "--output", "a\nb"});
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(finished.code, 69);
  EXPECT_NE(finished.err.find("apt-get install gnuplot-nox"), std::string::npos) << finished.err;
  EXPECT_EQ(second.code, 66) << second.err;
  EXPECT_EQ(nothing.code, 65) << nothing.err;
  EXPECT_EQ(control.code, 78) << control.err;
  EXPECT_FALSE(exists(file("example-plots")));
}

}  // namespace
}  // namespace cisolve::test
