#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "app/config/load.hpp"
#include "app/json/json.hpp"
#include "base/block_kernels.hpp"
#include "base/error.hpp"
#include "base/multivector.hpp"
#include "base/symmetry_projector.hpp"
#include "bench/timing.hpp"
#include "ci/hamiltonian/factorised/factorised.hpp"
#include "ci/hamiltonian/on_the_fly/computed_hamiltonian.hpp"
#include "ci/hamiltonian/on_the_fly/factories.hpp"
#include "ci/hamiltonian/on_the_fly/partly_stored.hpp"
#include "ci/oracle/oracle_operator.hpp"
#include "io/files/output_file.hpp"
#include "job/problem/source.hpp"

// bench_elements JOB.yaml ...: one product with elements stored in a format and computed on the
// fly, by all available methods. Prints a line for each and writes a record.
namespace cisolve::bench {
namespace {

using app::Json;
using base::Index;

struct Arguments {
  std::vector<std::string> jobs;
  std::vector<std::string> paths{"factorised", "blocks", "rows", "direct", "csr", "tiled"};
  std::vector<int> vectors{1, 4};
  std::string backend = "auto";
  int repeat = 9;
  bool is_pure = false;
  std::string json;
};

/// Cost of copying vectors to the host and back, if the host is to multiply.
class Copies final : public base::LinearOperator {
 public:
  Copies(Index rows, int vectors, const base::Backend& backend)
      : backend_(backend), here_(backend.host(), rows, vectors) {}

  Index rows() const override { return here_.rows(); }
  void apply(base::ConstBlock x, base::Block y) const override {
    const Index bytes = rows() * Index{sizeof(double)};
    for (int j = 0; j < x.columns; ++j) {
      base::copy_bytes(backend_, x.column(j), here_.backend(), here_.block().column(j), bytes);
      base::copy_bytes(here_.backend(), here_.block().column(j), backend_, y.column(j), bytes);
    }
  }

 private:
  base::Backend backend_;
  mutable base::MultiVector here_;
};

/// "mixed:SHARE" or "mixed:SHARE:FORMAT"
std::unique_ptr<base::LinearOperator> make_mixed(const std::string& path,
                                                 const job::DeterminantRows& rows, int vectors,
                                                 const base::Backend& backend) {
  std::istringstream words(path);
  std::string word;
  std::getline(words, word, ':');
  sparse::FormatOptions storage{
      .format = "tiled", .vectors = vectors, .share = sparse::StoredFraction()};
  if (std::getline(words, word, ':')) storage.share->elements = std::stod(word);
  if (std::getline(words, word, ':')) storage.format = word;
  return std::make_unique<ci::PartlyStoredProduct>(rows.hamiltonian(), storage, backend);
}

/// An operator by the name of its method; null if the problem does not have it.
std::unique_ptr<base::LinearOperator> make(const std::string& path,
                                           const job::DeterminantRows& rows, int vectors,
                                           const base::Backend& backend) {
  const job::DeterminantProblem& molecule = rows.determinant_problem();
  if (path == "blocks") {
    auto tables = ci::BlockTables::of(rows.hamiltonian(), backend);
    if (!tables) return nullptr;
    return backend.is_host() ? ci::by_blocks(std::move(*tables))
                             : ci::cuda::by_blocks(std::move(*tables));
  }
  if (path == "factorised")
    return ci::may_factorise(rows.hamiltonian())
               ? ci::FactorisedHamiltonian(rows.hamiltonian()).product(backend)
               : nullptr;
  if (path == "lists") {
    auto tables = ci::ListTables::of(rows.hamiltonian(), backend);
    if (!tables) return nullptr;
    return backend.is_host() ? ci::by_lists(rows.hamiltonian(), std::move(*tables))
                             : ci::cuda::by_lists(rows.hamiltonian(), std::move(*tables));
  }
  if (path == "rows")
    return backend.is_host() ? ci::by_rows(rows.hamiltonian())
                             : ci::cuda::by_rows(rows.hamiltonian(), backend);
  if (path == "copies") return std::make_unique<Copies>(rows.shape().rows, vectors, backend);
  if (path.starts_with("mixed")) return make_mixed(path, rows, vectors, backend);
  if (path == "direct" && backend.is_host())
    return std::make_unique<ci::OracleOperator>(molecule.space, molecule.integrals);
  if (path == "direct") return ci::oracle_operator_on(backend, molecule.space, molecule.integrals);
  return sparse::build_matrix(rows, {.format = path, .vectors = vectors}, backend);
}

class Measurement {
 public:
  Measurement(const Arguments& arguments, const std::string& file)
      : arguments_(arguments),
        name_(std::filesystem::path(file).stem().string()),
        configuration_(app::load_configuration(file, {})),
        backend_(base::Backend::by_name(arguments.backend, 0, {})),
        rows_(job::open_rows(configuration_.request, backend_.host())) {}

  void run(std::vector<Json>& records) {
    const auto* rows = rows_.determinants();
    if (rows == nullptr) base::fail(base::ErrorKind::usage, name_, " has no determinants");
    const base::Stopwatch watch;
    const ci::ComputedCost work = ci::ComputedHamiltonian(rows->hamiltonian()).work();
    std::cout << name_ << " work: " << work.moves << " moves, " << work.streams << " streams, "
              << work.copies << " copies, largest " << work.largest << ", " << work.bytes
              << " bytes, found in " << watch.seconds() << " s" << std::endl;
    for (const std::string& path : arguments_.paths)
      for (const int vectors : arguments_.vectors) {
        try {
          if (auto record = measure(path, *rows, vectors)) records.push_back(std::move(*record));
        } catch (const base::Error& error) {
          std::cout << name_ << " " << path << ": " << error.what() << std::endl;
        }
      }
  }

 private:
  std::optional<Json> measure(const std::string& path, const job::DeterminantRows& rows,
                              int vectors) {
    const base::Stopwatch watch;
    const auto product = make(path, rows, vectors, backend_);
    if (product == nullptr) return std::nullopt;
    backend_.synchronize();
    const double set_up = watch.seconds();
    base::MultiVector x(backend_, product->rows(), vectors);
    base::MultiVector y(backend_, product->rows(), vectors);
    base::block_kernels(backend_).randomise(backend_, 1, x.block());
    const auto* projector = base::SymmetryProjector::of(*product);
    if (arguments_.is_pure && projector != nullptr) projector->project_symmetry(1, x.block());
    const double seconds =
        median_seconds(backend_, arguments_.repeat, [&] { product->apply(x.block(), y.block()); });
    const Index bytes = product->description().bytes_held;
    std::cout << name_ << ' ' << product->rows() << ' ' << path << ' ' << vectors
              << " vectors: set up " << set_up << " s, product " << 1e3 * seconds << " ms, "
              << bytes << " bytes" << std::endl;
    return Json::object({{"problem", name_},
                         {"rows", product->rows()},
                         {"backend", std::string(backend_.name())},
                         {"path", path},
                         {"vectors", vectors},
                         {"pure", arguments_.is_pure},
                         {"set_up_s", set_up},
                         {"product_s", seconds},
                         {"bytes", bytes},
                         {"work", path == "factorised" ? work_of_factors(rows) : Json()}});
  }

  /// Inputs of the prediction of a factorised product.
  Json work_of_factors(const job::DeterminantRows& rows) const {
    const ci::FactorisedCost work = ci::FactorisedHamiltonian(rows.hamiltonian()).work(backend_);
    return Json::object({{"multiplications", work.multiplications},
                         {"moves", work.moves},
                         {"tiles", work.tiles},
                         {"chunks", work.chunks},
                         {"longest", work.longest}});
  }

  const Arguments& arguments_;
  std::string name_;
  app::Configuration configuration_;
  base::Backend backend_;
  job::ProblemRows rows_;
};

void run(const Arguments& arguments) {
  std::vector<Json> records;
  for (const std::string& file : arguments.jobs) {
    Measurement(arguments, file).run(records);
    if (arguments.json.empty()) continue;
    io::OutputFile out(arguments.json, true);
    out.append(Json::object({{"benchmark", "elements"},
                             {"repeat", arguments.repeat},
                             {"products", Json::array(records)}})
                   .document() +
               "\n");
    out.commit();
  }
}

}  // namespace
}  // namespace cisolve::bench

int main(int argc, char** argv) try {
  cisolve::bench::Arguments arguments;
  CLI::App app("Products with stored elements beside those with computed ones");
  app.add_option("jobs", arguments.jobs, "configurations")->required();
  app.add_option("--paths", arguments.paths,
                 "factorised, blocks, lists, rows, direct, copies, mixed:SHARE:FORMAT or formats")
      ->delimiter(',');
  app.add_option("--vectors", arguments.vectors, "vectors at once")->delimiter(',');
  app.add_option("--backend", arguments.backend);
  app.add_option("--repeat", arguments.repeat);
  app.add_flag("--pure", arguments.is_pure,
               "vectors of one symmetry, where products with these cost less");
  app.add_option("--json", arguments.json, "write the record there");
  CLI11_PARSE(app, argc, argv);
  cisolve::bench::run(arguments);
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
