#include "configuration.hpp"

#include <chrono>
#include <random>

#include "app/config/document.hpp"
#include "hostile.hpp"

// Invalid configurations and texts.
namespace cisolve::app {
namespace {

struct Broken {
  std::string text;
  std::string message;  // part of it, after
};

std::string generate(const std::string& key) { return "problem:\n  generate:\n    " + key + "\n"; }

std::vector<Broken> broken_texts() {
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
      {with("threads: \"2\n"), ":2: a quoted text does not end on its line; add its closing quote"},
      {with("output:\n  directory: 'a''\nthreads: 2\n"), ":3: a quoted text does not end"},
      {with("output:\n  directory: \"a\\\\\\\"\nthreads: 2\n"), ":3: a quoted text does not end"},
      {with("output:\n  directory: \"a\\\"\nthreads: 2\n"), ":3: a quoted text does not end"},
      {with("output: {directory: |\n  a}\n"), ":2: "},
      {with("output:\n  directory: >\n    a\n"),
       ":3: a text block is not allowed; expected a value on one line"},
      {with("threads: 2: 3\n"), ":2: this is not YAML"},
      {with("%x\nthreads: 2\n"), ":2: a YAML directive"},
      {with("--- \nthreads: 2\n"), ":2: a second document begins here"},
      {with("...\n---\nthreads: 2\n"), ": a second document begins here"},
      {with("a\x04z: 1\n"), ":2: the text contains a control character (byte 4)"},
      {std::string("problem: \0", 10), ":1: the text contains a control character (byte 0)"},
      // invalid UTF-8: a lone byte, half a character, an overlong encoding
      {with("threads: 2  # caf\xe9\n"), ":2: byte 233 in a comment is not valid UTF-8"},
      {with("threads: 2\n# \xff \"\n"), ":3: byte 255 in a comment is not valid UTF-8"},
      {with("threads: 2  # it's \xff\n"), ":2: byte 255 in a comment is not valid UTF-8"},
      {with("threads: 2\n# \xe2\x82\n"), ":3: byte 226"},
      {with("threads: 2\n# \xc0\xaf\n"), ":3: byte 192"},
      {with("output: {directory: o\xff}\n"), ":2: byte 255 is not valid UTF-8; expected"},
      {with("output: {directory: \"o\"}  # \xff\n"), ":2: byte 255 in a comment"},
      {with("threads: &n 2\n"), ":2: the anchor '&n'"},
      {with("threads: *n\n"), ":2: "},
      {with("<<: {threads: 2}\n"), ":2: unknown key '<<'"},
      {with("threads: !!str 2\n"), ":2: the tag '"},
      {with("backend: !custom auto\n"), ":2: the tag '"},
      {with("? [a, b]\n: 2\n"), ":2: a list or a section is used as a key"},
      {with(": 2\n"), ":2: an entry has no key"},
      // cut within a key
      {with("space"), ":2: 'space' has no colon, as in a truncated file; expected 'KEY"},
      {with("space \n"), ":2: 'space' has no colon"},
      {with("\"space\""), ":2: "},
      {with("? space\n"), ":2: 'space' has no colon"},
      {with("threads"), ":2: 'threads' has no colon"},
      {with("threads:"), ":2: threads has no value"},
      {with("space: {kind}"), ":2: space.kind has no value"},
      // keys
      {with("thread: 2\n"), ":2: unknown key 'thread'; did you mean 'threads'?"},
      {with("sotrage: {format: csr}\n"), ":2: unknown key 'sotrage'; did you mean 'storage'?"},
      {with("storage:\n  formt: csr\n"),
       ":3: unknown key 'storage.formt'; did you mean 'storage.format'?"},
      {with("boundary: 5\n"), ":2: unknown key 'boundary'; did you mean 'storage.boundary'?"},
      {with("states: 3\n"), ":2: unknown key 'states'; did you mean 'solver.states'?"},
      {with("solver: {spin: 1}\n"),
       ":2: unknown key 'solver.spin'; did you mean 'space.spin' or 'space.symmetry.spin'?"},
      {with("storage: {xyzzy: 1}\n"), ":2: unknown key 'storage.xyzzy'; expected format, "},
      {with("xyzzy: 1\n"), ":2: unknown key 'xyzzy'; expected problem, "},
      {with("threads: 2\nthreads: 3\n"),
       ":3: key 'threads' is given twice; it was first given on line 2"},
      {with("storage: {format: csr, format: sell}\n"), ":2: key 'format' is given twice"},
      {with("storage: csr\n"), ":2: storage is a section; expected its keys, format, "},
      {with("storage: \"\"\n"), ":2: storage is a section"},
      {with("threads: {count: 2}\n"), ":2: threads is a section; expected a whole number"},
      {with("threads: [2]\n"), ":2: threads is a list; expected a whole number"},
      {with("threads:\n"),
       ":2: threads has no value; expected a whole number from 1 to 4096, or auto"},
  };
}

std::vector<Broken> broken_lists() {
  return {
      {with("space: {electrons: [5, -5]}\n"),
       ":2: space.electrons is a list; expected a list of whole numbers from 0 to 256, or auto; "
       "one "
       "entry is '-5'"},
      {with("space: {electrons: []}\n"),
       ":2: space.electrons is an empty list; expected a list of whole numbers from 0 to 256, or "
       "auto; the list needs at least one entry"},
      {with("space: {frozen: []}\n"),
       ":2: space.frozen is an empty list; expected a count of orbitals, or a list of their "
       "numbers; the list needs at least one entry"},
      {with("space: {references: []}\n"), "is an empty list; expected a list of texts"},
      {with("space: {frozen: [1, [2]]}\n"), "; one entry is a list"},
      {with("space: {frozen: [a]}\n"), ":2: space.frozen is a list"},
  };
}

std::vector<Broken> broken_values() {
  return {
      {with("threads: 010\n"),
       ":2: threads is '010'; expected a whole number from 1 to 4096, or auto; remove the leading "
       "zero"},
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
      {with("backend: gpu\n"),
       ":2: backend is 'gpu'; expected auto, reference, openmp, cuda or cuda:N"},
      {with("backend: cuda:N\n"), "expected auto, reference, openmp, cuda or cuda:N"},
      {with("backend: cuda:-1\n"), "expected auto, reference, openmp, cuda or cuda:N"},
      {with("backend: cuda:01\n"), "expected auto, reference, openmp, cuda or cuda:N"},
      {with("backend: openmp:1\n"), "expected auto, reference, openmp, cuda or cuda:N"},
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
       ":3: problem.generate.density is '.nan'; expected a number from 0 to 1"},
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
      {with("space: {irrep: 9}\n"),
       ":2: space.irrep is '9'; expected a whole number from 1 to 8, a name such as B1u, or any"},
      {with("space: {references: 20}\n"), ":2: space.references is '20'; expected a list of texts"},
      {with("space: {kind: lists}\n"), "; did you mean 'list'?"},
      {with("space: {determinants: [a]}\n"),
       ":2: space.determinants is a list; expected the path of a file, or none"},
      {with("space:\n  alhpa: a.txt\n"),
       ":3: unknown key 'space.alhpa'; did you mean 'space.alpha'?"},
      {with("storage: {elements: guessed}\n"),
       ":2: storage.elements is 'guessed'; expected auto, precomputed, coded, mixed, on-the-fly "
       "or factorised"},
      {with("storage: {threshold: -1}\n"),
       ":2: storage.threshold is '-1'; expected a number of at least 0"},
      {with("solver: {start: modle}\n"), "; did you mean 'model'?"},
  };
}

std::vector<Broken> broken_sources_and_sweeps() {
  return {
      // the source
      {"threads: 2\n", ": the problem has no source"},
      {"problem: {}\n", ": the problem has no source"},
      {"problem: {matrix: a.mtx, generate: {}}\n", ": the problem has two sources"},
      {"problem: {fcidump: a.fcidump, lattice: {u: 2}}\n",
       ": the problem has two sources, fcidump and lattice"},
      {"problem: {fcidump: a.fcidump, trexio: a.h5}\n",
       ": the problem has two sources, fcidump and trexio"},
      {"problem:\n  trexoi: a.h5\n",
       ":2: unknown key 'problem.trexoi'; did you mean 'problem.trexio'?"},
      {"problem: {matrix: [a.mtx]}\n", ":1: problem.matrix is a list; expected the path of a file"},
      {with("space: {partition: lowest}\n"),
       ":2: space.partition is 'lowest'; expected reference, none, lowest: n or excitation: n, or "
       "auto"},
      {with("space: {partition: {lowest: -1}}\n"), ":2: space.partition is a section; expected"},
      {with("space: {partition: {lowest: 1, excitation: 2}}\n"),
       ":2: space.partition is a section"},
      {with("space: {knd: fci}\n"), ":2: unknown key 'space.knd'; did you mean 'space.kind'?"},
      // sweeps
      {with("sweep: [1]\n"), ":2: sweep is a section; expected its keys"},
      {with("sweep: {repeat: 0}\n"), ":2: sweep.repeat is '0'; expected a whole number from 1"},
      {with("sweep: {storage.bondary: [1]}\n"),
       ":2: sweep of storage.bondary: this key does not exist; did you mean 'storage.boundary'?"},
      {with("sweep: {storage: [1]}\n"), ":2: sweep of storage: this key does not exist"},
      {with("sweep: {output.directory: [a, b]}\n"), "all points share this key"},
      {with("sweep:\n  threads: []\n"), ":3: sweep of threads: the list is empty"},
      {with("sweep:\n  threads:\n"),
       ":3: sweep of threads: the list contains an empty value; remove it"},
      {with("sweep: {threads: [1, ~]}\n"),
       ":2: sweep of threads: the list contains an empty value; remove it"},
      {with("sweep: {threads: {from: 1, to: 4}}\n"),
       "the range is incomplete; expected {from, to, step} or {from, "},
      {with("sweep: {threads: {from: 1, to: 4, step: 1, factor: 2}}\n"), "the range is incomplete"},
      {with("sweep: {threads: {from: 1, to: 4, by: 1}}\n"), "'by' is not a key of a range"},
      {with("sweep: {threads: {from: 1, to: 4, step: 0}}\n"),
       "a step of 0 does not lead from 1 to 4"},
      {with("sweep: {threads: {from: 1, to: 4, step: -1}}\n"), "a step of -1 does not lead"},
      {with("sweep: {threads: {from: 0, to: 4, factor: 2}}\n"), "a factor of 2 does not lead"},
      {with("sweep: {threads: {from: 1, to: x, step: 1}}\n"), "sweep.threads.to is 'x'"},
      {with("sweep: {threads: {from: 1, to: 1e9, step: 1}}\n"), "more than 10000 values"},
      {with("sweep: {backend: {from: 1, to: 4, step: 1}}\n"), "only a numeric key takes a range"},
      {with("sweep: {threads: [{value: 1}]}\n"),
       "the labelled value is incomplete; expected {value: ..., label: TEXT}"},
      {with("sweep: {threads: {from: 1, to: 200, step: 1}, solver.seed: {from: 1, to: 200, step: "
            "1}}\n"),
       ": the sweep has more than 10000 points"},
      {with("output: {vectors: yes}\n"),
       ":2: output.vectors is 'yes'; expected true or false, or auto"},
      {with("output: {histroy: true}\n"), "; did you mean 'output.history'?"},
  };
}

std::vector<Broken> broken_configurations() {
  std::vector<Broken> all = broken_texts();
  for (auto* more : {broken_values, broken_sources_and_sweeps, broken_lists})
    for (Broken& one : more()) all.push_back(std::move(one));
  return all;
}

TEST_F(ConfigurationTest, EveryBrokenConfigurationIsRefusedWithItsPlaceAndWhatWasExpected) {
  for (const Broken& broken : broken_configurations()) {
    const auto [message, code] = refusal(broken.text);
    EXPECT_EQ(code, 78) << broken.text;
    EXPECT_NE(message.find(broken.message), std::string::npos)
        << broken.text << "\nsays     " << message << "\nexpected " << broken.message;
  }
}

// Configurations as `init` writes them, with all keys commented out.
TEST_F(ConfigurationTest, ASectionMayBeEmpty) {
  for (const char* section : {"space:", "space :\n", "\"space\":\n", "space: ~\n", "space: {}\n",
                              "space:\n  # kind: fci\n", "space:\nsolver:\n"})
    EXPECT_EQ(refusal(with(section)).first, "") << section;
}

TEST_F(ConfigurationTest, NoMessageIsMuchLongerThanItsLine) {
  const std::string word(200'000, 'x');
  const auto between = [&](const char* before, const char* after) {
    return with(std::string(before).append(word).append(after));
  };
  for (const std::string& text : {between("", ""), between("", ": 1\n"), between("threads: ", "\n"),
                                  between("threads: \"", "\"\n")}) {
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
  // The parser's own limit is higher and is not relied upon.
  EXPECT_NE(
      refusal(repeat("- ", 100'000)).first.find("nested too deeply; expected at most 16 levels"),
      std::string::npos);
}

// Mutated valid texts are accepted or refused, never anything else.
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
      ASSERT_EQ(error.kind(), base::ErrorKind::configuration) << text;
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

}  // namespace
}  // namespace cisolve::app
