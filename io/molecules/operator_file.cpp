#include "io/molecules/operator_file.hpp"

#include <cmath>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "io/files/mapped_file.hpp"
#include "io/files/worker.hpp"
#include "io/hdf5/attributes.hpp"
#include "io/hdf5/dataset_reader.hpp"

namespace cisolve::io {
namespace {

using ci::OneElectronOperator;
using ci::OneElectronOperators;
using ci::Spin;
using hdf5::DatasetReader;
using hdf5::FileContext;

constexpr Index kMostOperators = 64;
constexpr std::size_t kLongestWords = 8192;  // bytes of a list of names
constexpr double kOtherOrbitals = 1e-6;      // Hartree: h_pq that differ by more are others
constexpr const char* kOneElectron = "one_electron";
constexpr const char* kOneElectronBeta = "one_electron_beta";

/// Sent by the worker first.
struct OperatorFileHeader {
  Index orbitals;
  Index has_beta;
  Index operators;
};

/// Sent before the texts and numbers of each operator.
struct OperatorHeader {
  Index components;
  Index antisymmetric;
  Index has_beta;
  Index has_origin;
  Index has_core_charge;
  double core_charge;
};

std::vector<std::string> words_in(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// ---- in the worker ----

bool has_attribute(const FileContext& context, hid_t object, const char* name,
                   const std::string& where) {
  return context.check(H5Aexists(object, name), "H5Aexists", where) > 0;
}

/// A list of one or more names.
std::string read_names(const FileContext& context, hid_t object, const char* name,
                       const std::string& where, Index most) {
  std::string text = hdf5::read_text(context, object, name, where);
  const auto count = std::ssize(words_in(text));
  if (text.size() > kLongestWords || count < 1 || count > most)
    context.refuse(where, "the attribute ", name, " has ", count, " names; expected 1 to ", most,
                   ", separated by spaces");
  return text;
}

void send_text(const WorkerOutput& output, const std::string& text) {
  output.send(std::ssize(text));
  output.send(std::span<const char>(text));
}

/// Sends an n by n matrix.
void send_matrix(const FileContext& context, hid_t group, const std::string& name,
                 const std::string& where, Index n, const WorkerOutput& output) {
  if (!hdf5::holds(context, group, name.c_str()))
    context.refuse(where, "is missing; ", context.remedy);
  const DatasetReader matrix(context, group, name.c_str(), {hdf5::float64_elements()}, 2);
  if (matrix.rows() != n || matrix.columns() != n)
    context.refuse(where, matrix.rows(), " by ", matrix.columns(), " elements; expected ", n,
                   " by ", n, ", as many orbitals as /", kOneElectron, " has");
  matrix.send(output);
}

/// Sends a list of as many values as are expected, or as many zeros if it may be missing.
void send_list(const FileContext& context, hid_t group, const char* name, const std::string& where,
               Index expected, bool required, const WorkerOutput& output) {
  if (!hdf5::holds(context, group, name)) {
    if (required)
      context.refuse(where,
                     "is missing; expected for each component what nuclei and closed shells "
                     "outside of the orbitals contribute");
    return output.send(
        std::span<const double>(std::vector<double>(static_cast<std::size_t>(expected))));
  }
  const DatasetReader list(context, group, name, hdf5::float64_elements());
  if (list.size() != expected) context.refuse(where, list.size(), " values; expected ", expected);
  list.send(output);
}

void send_operator(const FileContext& context, hid_t file, const std::string& name, Index n,
                   const WorkerOutput& output) {
  const std::string where = "/" + name;
  if (!hdf5::holds(context, file, name.c_str()))
    context.refuse(where, "is missing, but the attribute operators of the file names it; ",
                   context.remedy);
  const auto group = hdf5::open_group(context, file, name.c_str());
  const std::string components =
      read_names(context, group, "components", where, ci::kMostComponents);
  const std::vector<std::string> words = words_in(components);
  const std::string symmetry = hdf5::read_text(context, group, "symmetry", where);
  if (symmetry != "symmetric" && symmetry != "antisymmetric")
    context.refuse(where, "the attribute symmetry is '", symmetry.substr(0, 40),
                   "'; expected 'symmetric' or 'antisymmetric'");
  const auto count = std::ssize(words);
  OperatorHeader header{.components = count,
                        .antisymmetric = symmetry == "antisymmetric" ? 1 : 0,
                        .has_beta = hdf5::holds(context, group, (words[0] + "_beta").c_str()),
                        .has_origin = hdf5::holds(context, group, "origin"),
                        .has_core_charge = has_attribute(context, group, "core_charge", where),
                        .core_charge = 0};
  if (header.has_core_charge != 0)
    header.core_charge = hdf5::read_real(context, group, "core_charge", where);
  output.send(header);
  send_text(output, components);
  send_text(output, hdf5::read_text(context, group, "unit", where));
  send_text(output, has_attribute(context, group, "origin_note", where)
                        ? hdf5::read_text(context, group, "origin_note", where)
                        : std::string());
  send_list(context, group, "constants", where + "/constants", count, header.antisymmetric == 0,
            output);
  send_list(context, group, "origin", where + "/origin", 3, false, output);
  for (const std::string& word : words)
    for (const char* ending : {"", "_beta"})
      if (*ending == '\0' || header.has_beta != 0)
        send_matrix(context, group, base::concat(word, ending),
                    base::concat(where, "/", word, ending), n, output);
}

void send_operators(const std::string& path, const WorkerOutput& output) {
  const hdf5::ErrorOutputOff silence;
  const FileContext context{path, base::ErrorKind::bad_input,
                            "expected an undamaged file of operators as docs/properties.md "
                            "describes it"};
  const auto file = hdf5::open_file(context);
  hdf5::require_schema(context, file, kOperatorsFormat, 1);
  const std::string names = read_names(context, file, "operators", "/", kMostOperators);
  send_text(output, names);
  if (!hdf5::holds(context, file, kOneElectron))
    context.refuse("/one_electron", "is missing; expected the one-electron integrals, which tell ",
                   "that the orbitals are the same");
  const DatasetReader one(context, file, kOneElectron, {hdf5::float64_elements()}, 2);
  const Index n = one.rows();
  if (n < 1 || n > ci::kMostOrbitals || one.columns() != n)
    context.refuse("/one_electron", n, " by ", one.columns(), " elements; expected 1 to ",
                   ci::kMostOrbitals, " orbitals by as many");
  const bool has_beta = hdf5::holds(context, file, kOneElectronBeta);
  const std::vector<std::string> list = words_in(names);
  output.send(OperatorFileHeader{n, has_beta ? 1 : 0, std::ssize(list)});
  one.send(output);
  if (has_beta) send_matrix(context, file, kOneElectronBeta, "/one_electron_beta", n, output);
  for (const std::string& name : list) send_operator(context, file, name, n, output);
}

// ---- in the program ----

class OperatorReader {
 public:
  OperatorReader(const std::filesystem::path& path, const ci::Integrals& integrals)
      : path_(path.native()),
        integrals_(integrals),
        worker_(path_, kWorkerMemory,
                [this](const WorkerOutput& output) { send_operators(path_, output); }) {}

  OneElectronOperators read() {
    const std::vector<std::string> names = words_in(received_text());
    const auto header = worker_.receive<OperatorFileHeader>();
    n_ = static_cast<int>(header.orbitals);
    if (n_ != integrals_.orbitals())
      refuse(": /one_electron: ", n_, " orbitals, but the integrals have ", integrals_.orbitals(),
             kRemedy);
    if ((header.has_beta != 0) != integrals_.spin_dependent())
      refuse(": ", header.has_beta != 0 ? "/one_electron_beta: orbitals" : "no orbitals",
             " of beta electrons, but the integrals are ",
             integrals_.spin_dependent() ? "" : "not ", "spin-dependent", kRemedy);
    require_same_orbitals(Spin::alpha, "/one_electron");
    if (header.has_beta != 0) require_same_orbitals(Spin::beta, "/one_electron_beta");
    OneElectronOperators operators;
    for (const std::string& name : names) operators.push_back(received_operator(name));
    ci::require_sound(operators, n_, integrals_.spin_dependent(), path_);
    return operators;
  }

 private:
  static constexpr const char* kRemedy =
      "; expected the operators of the same orbitals, written with the integrals";

  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    base::fail(base::ErrorKind::bad_input, path_, parts...);
  }

  std::string received_text() {
    const auto bytes = worker_.receive<Index>();
    if (bytes < 0 || bytes > Index{1} << 20)
      refuse(": a text of ", bytes, " bytes; expected an undamaged file");
    std::string text(static_cast<std::size_t>(bytes), '\0');
    worker_.receive(std::span<char>(text));
    return text;
  }

  base::SmallMatrix received_matrix() {
    base::SmallMatrix matrix(n_, n_);
    std::vector<double> row(static_cast<std::size_t>(n_));
    for (int p = 0; p < n_; ++p) {
      worker_.receive(std::span(row));
      for (int q = 0; q < n_; ++q) matrix(p, q) = row[static_cast<std::size_t>(q)];
    }
    return matrix;
  }

  void require_same_orbitals(Spin spin, const char* where) {
    const base::SmallMatrix h = received_matrix();
    for (int p = 0; p < n_; ++p)
      for (int q = 0; q < n_; ++q)
        if (!(std::abs(h(p, q) - integrals_.one(spin, p, q)) <= kOtherOrbitals))  // false for NaN
          refuse(": ", where, ": element ", p + 1, " ", q + 1, " is ", h(p, q),
                 ", and that of the integrals is ", integrals_.one(spin, p, q), kRemedy);
  }

  OneElectronOperator received_operator(const std::string& name) {
    const auto header = worker_.receive<OperatorHeader>();
    OneElectronOperator found{.name = name,
                              .components = words_in(received_text()),
                              .unit = received_text(),
                              .antisymmetric = header.antisymmetric != 0,
                              .constants = {},
                              .alpha = {}};
    found.origin_note = received_text();
    found.constants.resize(static_cast<std::size_t>(header.components));
    worker_.receive(std::span(found.constants));
    std::array<double, 3> origin{};
    worker_.receive(std::span<double>(origin));
    if (header.has_origin != 0) found.origin = origin;
    if (header.has_core_charge != 0) found.core_charge = header.core_charge;
    for (Index c = 0; c < header.components; ++c) {
      found.alpha.push_back(received_matrix());
      if (header.has_beta != 0) found.beta.push_back(received_matrix());
    }
    return found;
  }

  std::string path_;
  const ci::Integrals& integrals_;
  Worker worker_;
  int n_ = 0;
};

}  // namespace

ci::OneElectronOperators read_operators(const std::filesystem::path& path,
                                        const ci::Integrals& integrals) {
  require_regular_file(path);
  return OperatorReader(path, integrals).read();
}

}  // namespace cisolve::io
