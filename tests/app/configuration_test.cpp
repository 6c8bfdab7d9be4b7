#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "app/cli/exit_code.hpp"
#include "app/config/load.hpp"
#include "app/config/save.hpp"
#include "app/config/schema.hpp"
#include "base/error.hpp"
#include "hostile.hpp"

namespace cisolve::app {
namespace {

class ConfigurationTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::temp_directory_path() /
            base::concat("ci-solve-configuration-", ::getpid(), ".yaml");
  }
  void TearDown() override { std::filesystem::remove(path_); }

  std::string name() const { return path_.string(); }
  Configuration load(const std::string& text, const std::vector<Override>& overrides = {}) const {
    std::ofstream(path_, std::ios::binary) << text;
    return load_configuration(path_.string(), overrides);
  }
  // The message without the file's name, and the exit code; "" and 0 where nothing was wrong.
  std::pair<std::string, int> refusal(const std::string& text,
                                      const std::vector<Override>& overrides = {}) const {
    try {
      load(text, overrides);
    } catch (const base::Error& error) {
      std::string message = error.what();
      if (message.starts_with(name())) message.erase(0, name().size());
      return {message, static_cast<int>(exit_code(error.fault()))};
    }
    return {"", 0};
  }

  std::filesystem::path path_;
};

struct Broken {
  std::string text;
  std::string message;  // a part of it, behind the file's name
};

std::string with(const std::string& lines) {
  return std::string("problem: {generate: {}}\n").append(lines);
}
std::string generate(const std::string& key) { return "problem:\n  generate:\n    " + key + "\n"; }

std::vector<Broken> broken_configurations() {
  return {
      // not one document of keys and values
      {"", ": the configuration is empty"},
      {"# nothing but a comment\n", ": the configuration is empty"},
      {"just a text\n", ":1: expected sections and keys"},
      {"- a\n- b\n", ":1: expected sections and keys"},
      {"~\n", ":1: expected sections and keys"},
      {"problem: {generate: {}\n", "this is not YAML"},
      {"problem: [1, 2\n", "this is not YAML"},
      {"problem:\n\t- x\n", ":2: "},
      {with("threads: \"2\n"), ":2: a quotation that does not end in its line"},
      {with("output:\n  directory: 'a''\nthreads: 2\n"), ":3: a quotation that does not end"},
      {with("output:\n  directory: \"a\\\\\\\"\nthreads: 2\n"),
       ":3: a quotation that does not end"},
      {with("output:\n  directory: \"a\\\"\nthreads: 2\n"), ":3: a quotation that does not end"},
      {with("output: {directory: |\n  a}\n"), ":2: "},
      {with("output:\n  directory: >\n    a\n"), ":3: a text block; expected a value in one line"},
      {with("threads: 2: 3\n"), ":2: this is not YAML"},
      {with("%x\nthreads: 2\n"), ":2: a YAML directive"},
      {with("--- \nthreads: 2\n"), ":2: a second document begins here"},
      {with("...\n---\nthreads: 2\n"), ": a second document begins here"},
      {with("a\x04z: 1\n"), ":2: a control character (byte 4)"},
      {std::string("problem: \0", 10), ":1: a control character (byte 0)"},
      {with("threads: &n 2\n"), ":2: anchor '&n'"},
      {with("threads: *n\n"), ":2: "},
      {with("<<: {threads: 2}\n"), ":2: unknown key '<<'"},
      {with("threads: !!str 2\n"), ":2: tag '"},
      {with("backend: !custom auto\n"), ":2: tag '"},
      {with("? [a, b]\n: 2\n"), ":2: a list or a section as a key"},
      {with(": 2\n"), ":2: an entry without a key"},
      // keys
      {with("thread: 2\n"), ":2: unknown key 'thread'; did you mean 'threads'?"},
      {with("sotrage: {format: csr}\n"), ":2: unknown key 'sotrage'; did you mean 'storage'?"},
      {with("storage:\n  formt: csr\n"),
       ":3: unknown key 'storage.formt'; did you mean 'storage.format'?"},
      {with("boundary: 5\n"), ":2: unknown key 'boundary'; did you mean 'storage.boundary'?"},
      {with("storage: {xyzzy: 1}\n"), ":2: unknown key 'storage.xyzzy'; expected format, "},
      {with("xyzzy: 1\n"), ":2: unknown key 'xyzzy'; expected problem, "},
      {with("threads: 2\nthreads: 3\n"),
       ":3: key 'threads' is given twice; it was first given in line 2"},
      {with("storage: {format: csr, format: sell}\n"), ":2: key 'format' is given twice"},
      {with("storage: csr\n"), ":2: storage is a section; expected its keys, format, "},
      {with("storage:\n"), ":2: storage is a section"},
      {with("threads: {count: 2}\n"), ":2: threads is a section; expected a whole number"},
      {with("threads: [2]\n"), ":2: threads is a list; expected a whole number"},
      {with("threads:\n"),
       ":2: threads has no value; expected a whole number from 1 to 4096, or auto"},
      // values
      {with("threads: 010\n"),
       ":2: threads is '010'; expected a whole number from 1 to 4096, or auto; decimal"},
      {with("threads: 0x10\n"), ":2: threads is '0x10'"},
      {with("threads: 0o10\n"), ":2: threads is '0o10'"},
      {with("threads: 1_000\n"), ":2: threads is '1_000'"},
      {with("threads: 2.0\n"), ":2: threads is '2.0'"},
      {with("threads: 2x\n"), ":2: threads is '2x'"},
      {with("threads: 0\n"), ":2: threads is '0'; expected a whole number from 1 to 4096"},
      {with("threads: -1\n"), ":2: threads is '-1'"},
      {with("threads: 99999999999999999999\n"), ":2: threads is '99999999999999999999'"},
      {with("threads: \"2\"\n"),
       ":2: threads is the text \"2\"; expected a whole number from 1 to 4096, or auto; remove the "
       "quotes"},
      {with("threads: yes\n"), ":2: threads is 'yes'"},
      {with("backend: gpu\n"), ":2: backend is 'gpu'; expected auto, reference, openmp or cuda"},
      {with("backend: opemp\n"), "; did you mean 'openmp'?"},
      {with("storage: {format: hybird}\n"), "; did you mean 'hybrid'?"},
      {with("storage: {policy: auto}\n"), ":2: storage.policy is 'auto'; expected count or column"},
      {with("memory: 8\n"),
       ":2: memory is '8'; expected a size with its unit, such as 8 GiB, or auto"},
      {with("memory: 8 gigs\n"), ":2: memory is '8 gigs'"},
      {with("memory: -8 GiB\n"), ":2: memory is '-8 GiB'"},
      {with("memory: 0 GiB\n"), ":2: memory is '0 GiB'"},
      {with("memory: 99999999 TiB\n"), ":2: memory is '99999999 TiB'"},
      {with("memory: .inf\n"), ":2: memory is '.inf'"},
      {with("product: {vectors: 17}\n"),
       ":2: product.vectors is '17'; expected a whole number from 1 to 16"},
      {with("output: {directory: \"\"}\n"), ":2: output.directory is the text \"\""},
      {generate("density: .nan"),
       ":3: problem.generate.density is '.nan'; expected a finite number from 0 to 1"},
      {generate("density: nan"), ":3: problem.generate.density is 'nan'"},
      {generate("density: inf"), ":3: problem.generate.density is 'inf'"},
      {generate("density: 1e999"), ":3: problem.generate.density is '1e999'"},
      {generate("density: 1.5"), ":3: problem.generate.density is '1.5'"},
      {generate("density: 0,5"), ":3: problem.generate.density is '0,5'"},
      {generate("density: auto"), ":3: problem.generate.density is 'auto'"},
      {generate("rows: 2147483648"), ":3: problem.generate.rows is '2147483648'"},
      {generate("rows: 1e3"), ":3: problem.generate.rows is '1e3'"},
      {generate("symmetric: yes"),
       ":3: problem.generate.symmetric is 'yes'; expected true or false"},
      {generate("symmetric: 1"), ":3: problem.generate.symmetric is '1'"},
      {with("solver: {states: -1}\n"),
       ":2: solver.states is '-1'; expected a whole number from 0 to 1000"},
      {with("solver: {tolerance: 0}\n"), ":2: solver.tolerance is '0'"},
      {with("solver: {method: lanzcos}\n"), "; did you mean 'lanczos'?"},
      {with("output: {checkpoint: 10}\n"),
       ":2: output.checkpoint is '10'; expected a time with its unit, such as 10 min, or off"},
      {with("output: {checkpoint: auto}\n"), ":2: output.checkpoint is 'auto'"},
      {with("space: {electrons: 5}\n"),
       ":2: space.electrons is '5'; expected a list of whole numbers from 0 to 256, or auto"},
      {with("space: {electrons: [5, -5]}\n"), ":2: space.electrons is a list; expected"},
      {with("space: {frozen: []}\n"),
       ":2: space.frozen is a list; expected a count of orbitals, or a list of their numbers"},
      {with("space: {frozen: [a]}\n"), ":2: space.frozen is a list"},
      {with("space: {irrep: 9}\n"),
       ":2: space.irrep is '9'; expected a whole number from 1 to 8, or any"},
      {with("space: {references: 20}\n"), ":2: space.references is '20'; expected a list of texts"},
      // the source
      {"threads: 2\n", ": the problem has no source"},
      {"problem: {}\n", ": the problem has no source"},
      {"problem: {matrix: a.mtx, generate: {}}\n", ": the problem has two sources"},
      {"problem: {fcidump: a.fcidump, lattice: {u: 2}}\n",
       ": the problem has two sources, fcidump and lattice"},
      {"problem: {matrix: [a.mtx]}\n", ":1: problem.matrix is a list; expected the path of a file"},
      // what other versions will know
      {"problem:\n  trexio: h2o.h5\n", ":2: problem.trexio is not in this version ("},
      {with("space: {spin: 1}\n"), ":2: space.spin is not in this version ("},
      {with("space: {knd: fci}\n"), ":2: unknown key 'space.knd'; did you mean 'space.kind'?"},
      {with("storage: {elements: auto}\n"), ":2: storage.elements is not in this version ("},
      // sweeps
      {with("sweep: [1]\n"), ":2: sweep is a section; expected its keys"},
      {with("sweep: {repeat: 0}\n"), ":2: sweep.repeat is '0'; expected a whole number from 1"},
      {with("sweep: {storage.bondary: [1]}\n"),
       ":2: sweep of storage.bondary: there is no such key; did you mean 'storage.boundary'?"},
      {with("sweep: {storage: [1]}\n"), ":2: sweep of storage: there is no such key"},
      {with("sweep: {output.directory: [a, b]}\n"), "the points have it in common"},
      {with("sweep:\n  threads: []\n"), ":3: sweep of threads: the list is empty"},
      {with("sweep:\n  threads:\n"), ":3: sweep of threads: an empty value in the list"},
      {with("sweep: {threads: [1, ~]}\n"), ":2: sweep of threads: an empty value in the list"},
      {with("sweep: {threads: {from: 1, to: 4}}\n"), "a range is {from, to, step} or {from, "},
      {with("sweep: {threads: {from: 1, to: 4, step: 1, factor: 2}}\n"), "a range is {from, to, "},
      {with("sweep: {threads: {from: 1, to: 4, by: 1}}\n"), "'by' is no part of a range"},
      {with("sweep: {threads: {from: 1, to: 4, step: 0}}\n"),
       "a step of 0 never leads from 1 to 4"},
      {with("sweep: {threads: {from: 1, to: 4, step: -1}}\n"), "a step of -1 never leads"},
      {with("sweep: {threads: {from: 0, to: 4, factor: 2}}\n"), "a factor of 2 never leads"},
      {with("sweep: {threads: {from: 1, to: x, step: 1}}\n"), "sweep.threads.to is 'x'"},
      {with("sweep: {threads: {from: 1, to: 1e9, step: 1}}\n"), "more than 10000 values"},
      {with("sweep: {backend: {from: 1, to: 4, step: 1}}\n"), "only numbers have ranges"},
      {with("sweep: {threads: [{value: 1}]}\n"), "a labelled value is {value: ..., label: TEXT}"},
      {with("sweep: {threads: {from: 1, to: 200, step: 1}, solver.seed: {from: 1, to: 200, step: "
            "1}}\n"),
       ": the sweep has more than 10000 points"},
      {with("output: {vectors: true}\n"), ":2: output.vectors is not in this version ("},
  };
}

TEST_F(ConfigurationTest, EveryBrokenOneIsRefusedWithItsPlaceAndWhatWasExpected) {
  for (const Broken& broken : broken_configurations()) {
    const auto [message, code] = refusal(broken.text);
    EXPECT_EQ(code, 78) << broken.text;
    EXPECT_NE(message.find(broken.message), std::string::npos)
        << broken.text << "\nsays     " << message << "\nexpected " << broken.message;
  }
}

TEST_F(ConfigurationTest, NoMessageIsMuchLongerThanItsLine) {
  const std::string word(200'000, 'x');
  const auto between = [&](const char* before, const char* after) {
    return with(std::string(before).append(word).append(after));
  };
  for (const std::string& text :
       {between("", ": 1\n"), between("threads: ", "\n"), between("threads: \"", "\"\n")}) {
    const auto [message, code] = refusal(text);
    EXPECT_EQ(code, 78);
    EXPECT_LT(message.size(), 1000u);
  }
}

TEST_F(ConfigurationTest, HostileTextsAreRefusedAtOnce) {
  const auto repeat = [](const std::string& part, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += part;
    return text;
  };
  const std::vector<std::string> texts{
      test::alias_bomb(),           repeat("[", 100'000),
      repeat("{a: ", 50'000),       repeat("- ", 100'000),
      repeat("? ", 100'000),        repeat("[a: ", 50'000),
      repeat("{? ", 50'000),        repeat("[[],", 50'000),
      repeat("a: ", 80'000),        repeat("!a ", 80'000),
      repeat("&a ", 80'000),        repeat("'", 200'000),
      repeat("\"\\n", 80'000),      std::string("a: |\n").append(repeat(" x\n", 80'000)),
      repeat("k", 250'000),         repeat("x\n", 100'000),
      repeat("---\n", 60'000),      repeat("#\n", 100'000),
      repeat("%TAG ! x\n", 20'000), repeat("[", 2'000'000),
  };
  for (const std::string& text : texts) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(refusal(text).second, 78) << text.substr(0, 40);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    EXPECT_LT(spent.count(), 1.0) << text.substr(0, 40);
  }
}

// Whatever is done to a good text, it is taken or refused; nothing else.
TEST(Document, SurvivesRandomChanges) {
  const std::string good =
      "# a comment\nproblem:\n  generate: {rows: 100, density: 5e-2, seed: 9}\n"
      "storage: {format: 'sell-r', boundary: auto}\noutput:\n  directory: \"some where\"\n";
  const std::string pieces = "[]{}:,-?&*!|>'\"%@`#~ \n\r\t\\0a\x80\xff\xef\xbb\xbf";
  std::mt19937 random(1);
  int taken = 0;
  int refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text = good;
    for (std::size_t changes = 1 + random() % 4; changes > 0; --changes) {
      const std::size_t at = random() % text.size();
      if (random() % 3 == 0)
        text.erase(at, 1 + random() % 5);
      else
        text.insert(at, 1, pieces[random() % pieces.size()]);
    }
    try {
      parse_document(text, "fuzz");
      ++taken;
    } catch (const base::Error& error) {
      ASSERT_EQ(error.fault(), base::Fault::configuration) << text;
      ++refused;
    }
  }
  EXPECT_GT(taken, 1000);
  EXPECT_GT(refused, 1000);
}

TEST_F(ConfigurationTest, ManyKeysAreRefusedAtOnce) {
  std::string text;
  for (int i = 0; i < 30'000; ++i) text.append("k").append(std::to_string(i)).append(":\n");
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(refusal(text).second, 78);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  EXPECT_LT(spent.count(), 1.0);
}

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
space: {kind: ras, level: 3, electrons: [3, 2], frozen: 1, active: [2, 4, 5], irrep: 2,
        reference: "2u0", references: ["20", "u \"d"], ras1: [2], ras2: 1, holes: 1, particles: 3}
storage: {format: sell, boundary: 3, policy: column, slice_height: 8, block_size: 64}
solver: {method: lanczos, states: 4, tolerance: 1e-6, max_iterations: 7, seed: 3}
product: {vectors: 2, repeat: 3, seed: 4}
backend: reference
threads: 2
memory: 1234567891 B
device_memory: 3 GiB
output: {directory: "some \\ where", checkpoint: 250 ms}
)";

TEST_F(ConfigurationTest, IsTheSameAfterItWasSaved) {
  for (const std::string source :
       {"matrix: a.mtx\n  reference_columns: 5", "generate: {}",
        "generate: {rows: 9, reference_share: 0.5, reference_per_row: 2, density: 0.25, "
        "spread: 1.5, seed: 9, symmetric: true}",
        "fcidump: /a.fcidump\n  electrons: 3\n  ms2: -1", "lattice: {}",
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
  EXPECT_EQ(chosen_storage(c).format, "hybrid");
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
