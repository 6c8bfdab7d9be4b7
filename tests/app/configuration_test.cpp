#include "configuration.hpp"

#include <set>

#include "app/config/save.hpp"
#include "app/config/schema.hpp"

namespace cisolve::app {
namespace {

TEST_F(ConfigurationTest, AMissingFileIsNoInput) {
  try {
    load_configuration("no/such/file.yaml", {});
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.fault(), base::Fault::no_input);
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
output: {directory: somewhere}
)");
  EXPECT_EQ(c.source, ProblemSource::generate);
  EXPECT_EQ(c.generate.rows, 100);
  EXPECT_EQ(c.generate.reference_share, 0.25);
  EXPECT_EQ(c.generate.reference_per_row, 7);
  EXPECT_EQ(c.generate.density, 0.05);
  EXPECT_EQ(c.generate.spread, 1.5);
  EXPECT_EQ(c.generate.seed, 9u);
  EXPECT_TRUE(c.generate.symmetric);
  EXPECT_EQ(c.storage.format, "sell-r");
  EXPECT_EQ(c.storage.boundary, 12);
  EXPECT_EQ(c.storage.policy, sparse::BoundaryPolicy::column);
  EXPECT_EQ(c.storage.slice_height, 8);
  EXPECT_EQ(c.storage.block_size, 64);
  EXPECT_EQ(c.product.vectors, 4);
  EXPECT_EQ(c.product.repeat, 3);
  EXPECT_EQ(c.product.seed, 5);
  EXPECT_EQ(c.backend, "reference");
  EXPECT_EQ(c.threads, 2);
  EXPECT_EQ(c.memory, Index{3} << 29);
  EXPECT_EQ(c.device_memory, 2'000'000'000);
  EXPECT_EQ(c.output.directory, "somewhere");
}

// All keys of this version, each with a value that is not its default.
constexpr const char* kEveryKey = R"(
space: {kind: ras, level: 3, electrons: [3, 2], frozen: 1, active: [2, 4, 5], irrep: 2, spin: 1.5,
        reference: "2u0", references: ["20", "u \"d"], ras1: [2], ras2: 1, holes: 1, particles: 3,
        determinants: /d.txt, alpha: /a.txt, beta: /b.txt, partition: {lowest: 7}}
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
        "periodic_rows: true, t: -1, u: -1, v: 0.5, j: -2}"}) {
    const std::string text = base::concat("problem:\n  ", source, "\n");
    for (const std::string& whole : {text, text + kEveryKey}) {
      const Configuration c = load(whole);
      const Configuration again = load(configuration_text(c));
      EXPECT_EQ(again.source, c.source) << source;
      EXPECT_EQ(again.product.wanted, c.product.wanted);
      for (const Key& key : schema())
        if (!key.is_later()) {
          EXPECT_EQ(key.get(again), key.get(c)) << key.path;
        }
    }
  }
}

TEST_F(ConfigurationTest, EveryKeyMayBeAbsentAndAutoIsAValue) {
  const Configuration c =
      load("problem: {generate: {spread: auto}}\nthreads: auto\nmemory: auto\n");
  EXPECT_EQ(c.threads, sparse::kAutomatic);
  EXPECT_EQ(c.memory, sparse::kAutomatic);
  EXPECT_EQ(c.generate.spread, sparse::kAutomatic);
  EXPECT_EQ(c.storage.format, "auto");
  EXPECT_EQ(chosen_storage(c, base::Backend::reference()).format, "hybrid");
}

TEST_F(ConfigurationTest, AcceptsCommentsWindowsLinesAndAByteOrderMark) {
  EXPECT_EQ(
      load("\xEF\xBB\xBF# comment\r\nproblem:\r\n  generate: {}\r\nthreads: 3 # three\r\n").threads,
      3);
}

TEST_F(ConfigurationTest, QuotationsAreTexts) {
  EXPECT_EQ(load("problem: {generate: {}}\noutput:\n  directory: \"a \\\"b\"\n").output.directory,
            "a \"b");
  EXPECT_EQ(load("'problem': {\"generate\": {}}\noutput: {directory: 'it''s'}\n").output.directory,
            "it's");
}

TEST_F(ConfigurationTest, PathsInAFileAreSeenFromThatFile) {
  EXPECT_EQ(load("problem: {matrix: sub/../a.mtx}\n").matrix,
            (path_.parent_path() / "a.mtx").string());
  EXPECT_EQ(load("problem: {matrix: /a.mtx}\n").matrix, "/a.mtx");
  EXPECT_EQ(load("problem: {matrix: a.mtx}\n", {{"--set", "problem.matrix", "b.mtx", true}}).matrix,
            "b.mtx");
  const Configuration c = load("problem: {trexio: a.h5}\nspace: {alpha: a.txt, beta: none}\n");
  EXPECT_EQ(c.trexio, (path_.parent_path() / "a.h5").string());
  EXPECT_EQ(c.space.alpha, (path_.parent_path() / "a.txt").string());
  EXPECT_EQ(c.space.beta, "");
}

TEST_F(ConfigurationTest, OverridesAreCheckedLikeTheFile) {
  const auto set = [](const std::string& text) { return std::vector{parse_override(text)}; };
  const std::string text = with("threads: 2\n");
  EXPECT_EQ(load(text, set("threads=5")).threads, 5);
  EXPECT_EQ(load(text, set("storage={format: csr, boundary: 7}")).storage.boundary, 7);
  EXPECT_EQ(load(text, set("problem.matrix=a.mtx")).source, ProblemSource::matrix);
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
