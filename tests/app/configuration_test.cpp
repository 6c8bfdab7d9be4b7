#include "configuration.hpp"

#include <gmock/gmock.h>

#include <set>

#include "app/config/save.hpp"
#include "app/config/schema.hpp"
#include "app/config/template.hpp"
#include "job/ranking/rank_plans.hpp"

namespace cisolve::app {
namespace {

TEST_F(ConfigurationTest, AMissingFileIsNoInput) {
  try {
    load_configuration("no/such/file.yaml", {});
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::no_input);
  }
  EXPECT_THROW(load_configuration(std::filesystem::temp_directory_path().string(), {}),
               base::Error);
}

TEST_F(ConfigurationTest, GivesWhatWasWritten) {
  const Configuration c = load(R"(
problem:
  generate: {rows: 100, reference_share: 0.25, reference_per_row: 7, density: 5e-2,
             spread: 1.5, seed: 9, symmetric: true}
storage: {format: sell-r, boundary: 12, policy: column, slice_height: 8, block_size: 64}
product: {vectors: 4, repeat: 3, seed: 5}
backend: reference
threads: 2
memory: 1.5 GiB
device_memory: 2GB
output: {directory: somewhere, vectors: true}
)");
  EXPECT_EQ(c.request.source, job::ProblemSource::generate);
  EXPECT_EQ(c.request.generate.rows, 100);
  EXPECT_EQ(c.request.generate.reference_share, 0.25);
  EXPECT_EQ(c.request.generate.reference_per_row, 7);
  EXPECT_EQ(c.request.generate.density, 0.05);
  EXPECT_EQ(c.request.generate.spread, 1.5);
  EXPECT_EQ(c.request.generate.seed, 9u);
  EXPECT_TRUE(c.request.generate.symmetric);
  EXPECT_EQ(c.request.storage.format, "sell-r");
  EXPECT_EQ(c.request.storage.boundary, 12);
  EXPECT_EQ(c.request.storage.policy, sparse::BoundaryPolicy::column);
  EXPECT_EQ(c.request.storage.slice_height, 8);
  EXPECT_EQ(c.request.storage.block_size, 64);
  EXPECT_EQ(c.request.product.vectors, 4);
  EXPECT_EQ(c.request.product.repeat, 3);
  EXPECT_EQ(c.request.product.seed, 5);
  EXPECT_EQ(c.request.backend, base::BackendKind::reference);
  EXPECT_EQ(c.request.threads, 2);
  EXPECT_EQ(c.request.memory, Index{3} << 29);
  EXPECT_EQ(c.request.device_memory, 2'000'000'000);
  EXPECT_EQ(c.output.directory, "somewhere");
  EXPECT_EQ(c.output.vectors, true);
}

// All keys, each with a value that is not its default.
constexpr const char* kEveryKey = R"(
space: {kind: ras, level: 3, electrons: [3, 2], frozen: 1, active: [2, 4, 5], irrep: 2, spin: 1.5,
        reference: "2u0", references: ["20", "u \"d"], ras1: [2], ras2: 1, holes: 1, particles: 3,
        determinants: /d.txt, alpha: /a.txt, beta: /b.txt, partition: {lowest: 7},
        symmetry: {momentum: [0, 3], inversion: odd, columns: even, rows: odd, layers: even,
                   exchange: odd, rotation: even, spin: odd}}
analysis: {correlations: none}
storage: {format: sell, boundary: 3, policy: column, slice_height: 8, block_size: 64,
          elements: precomputed, threshold: 1e-7}
solver: {method: lanczos, states: 4, tolerance: 1e-6, max_iterations: 7, seed: 3, start: random}
product: {vectors: 2, repeat: 3, seed: 4}
backend: reference
threads: 2
memory: 1234567891 B
device_memory: 3 GiB
output: {directory: "some \\ where", checkpoint: 250 ms, vectors: false, history: true,
         trexio: true}
)";

TEST_F(ConfigurationTest, IsTheSameAfterItWasSaved) {
  for (const std::string source :
       {"matrix: a.mtx\n  reference_columns: 5", "generate: {}",
        "generate: {rows: 9, reference_share: 0.5, reference_per_row: 2, density: 0.25, "
        "spread: 1.5, seed: 9, symmetric: true}",
        "fcidump: /a.fcidump\n  electrons: 3\n  ms2: -1", "trexio: /a.h5", "lattice: {}",
        "lattice: {model: heisenberg, columns: 4, rows: 3, periodic_columns: true, "
        "periodic_rows: true, t: -1, u: -1, v: 0.5, j: -2, jz: 0.5, j2: 3, t2: 4, h: 1, hx: 2, "
        "shape: cubic, layers: 2, periodic_layers: true, bonds: /b.txt}",
        "lattice: {shape: graph, bonds: ['1 2 0.5 J', [2, 3, 1e-3, Jz]]}"}) {
    const std::string text = base::concat("problem:\n  ", source, "\n");
    for (const std::string& whole : {text, text + kEveryKey}) {
      const Configuration c = load(whole);
      const Configuration again = load(configuration_text(c));
      EXPECT_EQ(again.request.source, c.request.source) << source;
      EXPECT_EQ(again.request.product.wanted, c.request.product.wanted);
      for (const Key& key : schema())
        if (!key.is_later()) {
          EXPECT_EQ(key.get(again), key.get(c)) << key.path;
        }
    }
  }
}

TEST_F(ConfigurationTest, EveryKeyMayBeAbsentAndAutoIsAValue) {
  const Configuration c = load(
      "problem: {generate: {spread: auto}}\nthreads: auto\nmemory: auto\n"
      "output: {vectors: auto}\n");
  EXPECT_EQ(c.request.threads, std::nullopt);
  EXPECT_EQ(c.request.memory, std::nullopt);
  EXPECT_EQ(c.request.generate.spread, sparse::kAutomatic);
  EXPECT_EQ(c.request.storage.format, "auto");
  EXPECT_EQ(c.output.vectors, std::nullopt);
  EXPECT_EQ(job::possible_forms(c.request, false).front().storage.format, "hybrid");
}

TEST_F(ConfigurationTest, AcceptsCommentsWindowsLinesAndAByteOrderMark) {
  EXPECT_EQ(load("\xEF\xBB\xBF# comment\r\nproblem:\r\n  generate: {}\r\nthreads: 3 # three\r\n")
                .request.threads,
            3);
}

TEST_F(ConfigurationTest, QuotedQuantitiesAndWordsAreWhatTheySay) {
  const Configuration c = load(
      with("memory: \"4 GiB\"\nthreads: 'auto'\noutput: {checkpoint: \"10 min\"}\n"
           "space: {irrep: \"any\", alpha: \"none\"}\nsweep: {memory: [\"1 GiB\", \"auto\"]}\n"));
  EXPECT_EQ(c.request.memory, Index{4} << 30);
  EXPECT_EQ(c.request.threads, std::nullopt);
  EXPECT_EQ(c.output.checkpoint, 600);
  EXPECT_TRUE(c.request.space.irrep.is_any());
  EXPECT_EQ(c.request.space.alpha.file(), "");
  const std::size_t first[] = {0};
  EXPECT_EQ(at_sweep_point(c, first).request.memory, Index{1} << 30);
  EXPECT_EQ(refusal(with("memory: \"4\"\n")).second, 78);
  EXPECT_EQ(refusal(with("output: {checkpoint: \"soon\"}\n")).second, 78);
}

TEST_F(ConfigurationTest, AJsonDocumentIsAConfiguration) {
  const std::string text = R"({
	"problem": {"fcidump": "dir\/a.fcidump", "electrons": 10},
	"space": {"kind": "ras", "ras1": [1, 2], "ras2": "all", "irrep": "any", "reference": "auto",
	          "partition": {"lowest": 7}},
	"solver": {"tolerance": 1E-7, "states": 3},
	"output": {"checkpoint": "off", "history": true, "directory": "d\u00e4"},
	"device_memory": "1.5 GiB",
	"sweep": {"storage.format": ["csr", "sell"], "storage.boundary": [0, "auto"]}
})";
  for (const bool in_one_line : {false, true}) {
    std::string whole = text;
    if (in_one_line) std::erase_if(whole, [](char x) { return x == '\n' || x == '\t'; });
    const Configuration c = load(whole);
    EXPECT_EQ(c.request.source, job::ProblemSource::fcidump);
    EXPECT_TRUE(c.request.fcidump.ends_with("dir/a.fcidump")) << c.request.fcidump;
    EXPECT_EQ(c.request.electrons, 10);
    EXPECT_EQ(c.request.space.ras1.numbers, (std::vector<Index>{1, 2}));
    EXPECT_TRUE(c.request.space.ras2.is_automatic());
    EXPECT_EQ(c.request.space.reference, "");
    EXPECT_EQ(c.request.space.partition.by, job::PartitionBy::lowest);
    EXPECT_EQ(c.request.space.partition.number, 7);
    EXPECT_EQ(c.request.solver.tolerance, 1e-7);
    EXPECT_LT(c.output.checkpoint, 0);
    EXPECT_EQ(c.output.directory, "d\xC3\xA4");
    EXPECT_EQ(c.request.device_memory, Index{3} << 29);
    EXPECT_EQ(c.sweep.axes.size(), 2u);
  }
  EXPECT_NE(refusal("{\n \"problem\": {\"generate\": {}},\n \"thread\": 2}").first.find(":3: "),
            std::string::npos);
}

std::string refusal_of_text(const std::string& text, std::optional<job::ProblemSource> in_memory) {
  try {
    configuration_of_text(text, "the request", in_memory, {});
  } catch (const base::Error& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST_F(ConfigurationTest, ATextInMemoryIsAConfiguration) {
  const auto from_text =
      configuration_of_text("problem: {fcidump: a.fcidump}\nsolver: {states: 2}", "the request", {},
                            {{"a keyword", "solver.states", "4", true}});
  EXPECT_EQ(from_text.request.fcidump, "a.fcidump");
  EXPECT_EQ(from_text.request.solver.states, 4);  // overrides win over the text
  const auto in_memory =
      configuration_of_text("{}", "the request", job::ProblemSource::integrals, {});
  EXPECT_EQ(in_memory.request.source, job::ProblemSource::integrals);
}

TEST_F(ConfigurationTest, TheNumberOfARuleMayHaveASign) {
  for (const char* rule : {"lowest: 3", "lowest: +3", "{lowest: 3}"}) {
    const auto c = configuration_of_text("problem: {fcidump: a.fcidump}", "the request", {},
                                         {{"a keyword", "space.partition", rule, true}});
    EXPECT_EQ(c.request.space.partition.by, job::PartitionBy::lowest) << rule;
    EXPECT_EQ(c.request.space.partition.number, 3) << rule;
  }
}

TEST_F(ConfigurationTest, ATextIsRefusedWithItsLineWhereItHasSeveral) {
  using ::testing::StartsWith;
  EXPECT_THAT(refusal_of_text("{problm: {}}", {}), StartsWith("the request: unknown key 'problm'"));
  EXPECT_THAT(refusal_of_text("threads: 1\nproblm: {}", {}),
              StartsWith("the request:2: unknown key 'problm'"));
  EXPECT_THAT(refusal_of_text("threads: 1", {}), StartsWith("the request: the problem has no"));
  EXPECT_THAT(refusal_of_text("problem: {matrix: a.mtx}", job::ProblemSource::integrals),
              StartsWith("the request: the problem has two sources, one in memory"));
}

TEST_F(ConfigurationTest, ASectionWithoutKeysSetsNothing) {
  const Configuration c = load(with("storage:\nproduct:\nspace:\n  # kind: cis\nthreads: 2\n"));
  EXPECT_FALSE(c.request.product.wanted);
  EXPECT_EQ(c.request.threads, 2);
  EXPECT_EQ(load("problem:\n  lattice:\n    # u: 2\n").request.source, job::ProblemSource::lattice);
  EXPECT_EQ(refusal("problem:\n").second, 78);
  EXPECT_EQ(refusal(with(""), {parse_override("storage=")}).second, 78);
}

// Line numbers of commented keys.
std::vector<std::size_t> commented_lines(const std::string& text) {
  std::vector<std::size_t> places;
  for (std::size_t at = text.find("# "); at != std::string::npos; at = text.find("# ", at + 1))
    if (const std::size_t end = text.find_last_of('\n', at);
        text.find_first_not_of(' ', end == std::string::npos ? 0 : end + 1) == at)
      places.push_back(at);
  return places;
}

TEST_F(ConfigurationTest, EveryLineOfATemplateMayBeUncommented) {
  for (const Override& source :
       {Override{"", "problem.fcidump", "/a.fcidump"}, Override{"", "problem.trexio", "/a.h5"},
        Override{"", "problem.matrix", "/a.mtx"}, Override{"", "problem.lattice.columns", "4"},
        Override{"", "problem.generate.rows", "40"}}) {
    const Configuration c = make_configuration(job::ProblemSource::generate, {source});
    const std::string text = commented_configuration(c, {source.key, "solver.states"});
    const std::vector<std::size_t> places = commented_lines(text);
    EXPECT_GT(places.size(), 20u) << text;
    for (const std::size_t place : places) {
      std::string one = text;
      one.replace(place, 2, "");
      EXPECT_EQ(refusal(one), (std::pair<std::string, int>("", 0))) << text.substr(place, 100);
    }
    EXPECT_EQ(refusal(text), (std::pair<std::string, int>("", 0)));
    std::string whole = text;
    for (auto place = places.rbegin(); place != places.rend(); ++place) whole.erase(*place, 2);
    const auto [message, code] = refusal(whole);
    EXPECT_EQ(code, 0) << message << whole;
    const Configuration read = load(whole);
    for (const Key& key : schema())
      if (!key.is_later()) {
        EXPECT_EQ(key.get(read), key.get(load(text))) << key.path;
      }
  }
}

TEST_F(ConfigurationTest, QuotationsAreTexts) {
  EXPECT_EQ(load("problem: {generate: {}}\noutput:\n  directory: \"a \\\"b\"\n").output.directory,
            "a \"b");
  EXPECT_EQ(load("'problem': {\"generate\": {}}\noutput: {directory: 'it''s'}\n").output.directory,
            "it's");
}

TEST_F(ConfigurationTest, PathsInAFileAreRelativeToThatFile) {
  EXPECT_EQ(load("problem: {matrix: sub/../a.mtx}\n").request.matrix,
            (path_.parent_path() / "a.mtx").string());
  EXPECT_EQ(load("problem: {matrix: /a.mtx}\n").request.matrix, "/a.mtx");
  EXPECT_EQ(load("problem: {matrix: a.mtx}\n", {{"--set", "problem.matrix", "b.mtx", true}})
                .request.matrix,
            "b.mtx");
  const Configuration c = load("problem: {trexio: a.h5}\nspace: {alpha: a.txt, beta: none}\n");
  EXPECT_EQ(c.request.trexio, (path_.parent_path() / "a.h5").string());
  EXPECT_EQ(c.request.space.alpha.file(), (path_.parent_path() / "a.txt").string());
  EXPECT_EQ(c.request.space.beta.file(), "");
}

// Linux allows such names; the configuration kept for resuming contains them.
TEST_F(ConfigurationTest, NamesOfFilesMayHoldAnyByteWithinQuotationMarks) {
  const std::string name = (path_.parent_path() / "caf\xe9.mtx").string();
  EXPECT_EQ(load("problem: {matrix: \"caf\xe9.mtx\"}  # caf\xc3\xa9\n").request.matrix, name);
  EXPECT_EQ(load("problem:\n  matrix: 'caf\xe9.mtx'\n").request.matrix, name);
  EXPECT_EQ(
      load(with("threads: 2\n"), {{"--set", "problem.matrix", "caf\xe9.mtx", true}}).request.matrix,
      "caf\xe9.mtx");
}

TEST_F(ConfigurationTest, OverridesAreCheckedLikeTheFile) {
  const auto set = [](const std::string& text) { return std::vector{parse_override(text)}; };
  const std::string text = with("threads: 2\n");
  EXPECT_EQ(load(text, set("threads=5")).request.threads, 5);
  EXPECT_EQ(load(text, set("storage={format: csr, boundary: 7}")).request.storage.boundary, 7);
  EXPECT_EQ(load(text, set("problem.matrix=a.mtx")).request.source, job::ProblemSource::matrix);
  EXPECT_EQ(refusal(text, set("threads=010")).second, 78);
  EXPECT_EQ(refusal(text, set("threads=")).second, 78);
  EXPECT_EQ(refusal(text, set("threads=[")).second, 78);
  EXPECT_NE(refusal(text, set("thread=1"))
                .first.find("--set: unknown key 'thread'; did you mean 'threads'?"),
            std::string::npos);
  EXPECT_EQ(refusal(text, set("solver.states=-2")).second, 78);
  EXPECT_THROW(parse_override("threads"), base::Error);
  EXPECT_THROW(parse_override("=2"), base::Error);
}

TEST(Schema, NamesEachKeyOnceWithHelpAndADefaultThatItAccepts) {
  std::set<std::string> seen;
  for (const Key& key : schema()) {
    EXPECT_TRUE(seen.insert(key.path).second) << key.path;
    EXPECT_FALSE(key.help.empty()) << key.path;
    EXPECT_FALSE(is_section(key.path)) << key.path;
    if (key.is_later() || key.type.kind == ValueType::Kind::path) continue;
    DocumentNode node;
    node.kind = DocumentNode::Kind::scalar;
    node.text = key.fallback();
    EXPECT_NO_THROW(read_value(key.type, node, key.path, "")) << key.path << " " << key.fallback();
  }
}

}  // namespace
}  // namespace cisolve::app
