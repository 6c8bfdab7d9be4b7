#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/program.hpp"
#include "ci/hamiltonian/csf/csf_basis.hpp"
#include "ci/oracle/element.hpp"
#include "ci/properties/density.hpp"
#include "io/files/output_file.hpp"
#include "io/results/results.hpp"
#include "solver/methods/solve.hpp"
#include "solver/vectors/columns.hpp"
#include "solver/verification/verify.hpp"
#include "sparse/stored/matrix.hpp"

// The program with injected faults: the linker (--wrap; CMakeLists.txt reads the names from here)
// replaces functions of the libraries by those below. CISOLVE_TEST_HINDER selects the fault: a word
// such as `stored` for every call, or `stored:2` for the second call only.
namespace cisolve::test {
namespace {

using base::Index;

bool fails_at(const std::string& name) {
  static int calls = 0;
  const char* variable = std::getenv("CISOLVE_TEST_HINDER");
  if (variable == nullptr) return false;
  const std::string wanted = variable;
  if (wanted == name) return true;
  return wanted.starts_with(name + ":") && wanted == name + ":" + std::to_string(++calls);
}

/// The largest off-diagonal element in the first row.
struct Place {
  sparse::Column column = 0;
  double value = 0;
};

Place largest_in_first_row(const sparse::RowSource& rows) {
  sparse::Column length = 0;
  rows.count(0, {&length, 1});
  std::vector<sparse::Column> columns(length);
  std::vector<double> values(length);
  rows.fill(0, 1, columns, values);
  Place largest;
  for (std::size_t k = 0; k < columns.size(); ++k)
    if (columns[k] != 0 && std::abs(values[k]) > std::abs(largest.value))
      largest = {columns[k], values[k]};
  return largest;
}

/// Rows with some wrong elements, symmetric about the diagonal.
class WrongRows : public sparse::RowSource {
 public:
  explicit WrongRows(const sparse::RowSource& rows)
      : rows_(rows), place_(largest_in_first_row(rows)) {}

  sparse::MatrixShape shape() const override { return rows_.shape(); }
  Index grain() const override { return rows_.grain(); }
  void count(Index first, std::span<sparse::Column> lengths) const override {
    rows_.count(first, lengths);
  }
  void fill(Index first, Index last, std::span<sparse::Column> columns,
            std::span<double> values) const override {
    rows_.fill(first, last, columns, values);
    std::vector<sparse::Column> lengths(last - first);
    rows_.count(first, lengths);
    std::size_t k = 0;
    for (Index row = first; row < last; ++row)
      for (sparse::Column i = 0; i < lengths[row - first]; ++i, ++k)
        if (row != columns[k]) values[k] *= factor(row, columns[k]);
  }

 protected:
  virtual double factor(Index row, Index column) const = 0;
  Index place() const { return place_.column; }

 private:
  const sparse::RowSource& rows_;
  Place place_;
};

/// One element is a thousandth larger.
class OneWrongElement final : public WrongRows {
 public:
  using WrongRows::WrongRows;

 private:
  double factor(Index row, Index column) const override {
    return std::min(row, column) == 0 && std::max(row, column) == place() ? 1.001 : 1;
  }
};

/// One row and column are zero.
class OneLostRow final : public WrongRows {
 public:
  using WrongRows::WrongRows;

 private:
  double factor(Index row, Index column) const override {
    return row == place() || column == place() ? 0 : 1;
  }
};

/// The first diagonal element is wrong.
class WrongOperator final : public base::LinearOperator {
 public:
  explicit WrongOperator(const base::LinearOperator& matrix) : matrix_(matrix) {}

  Index rows() const override { return matrix_.rows(); }
  void apply(base::ConstBlock x, base::Block y) const override {
    matrix_.apply(x, y);
    for (int j = 0; j < x.columns; ++j) y(0, j) += 10 * x(0, j);
  }
  bool diagonal(base::Block d) const override { return matrix_.diagonal(d); }
  base::OperatorDescription description() const override { return matrix_.description(); }

 private:
  const base::LinearOperator& matrix_;
};

/// The first element of the first state is changed by 1e-6, and the state is normalised again.
void mix(solver::Result& result) {
  const base::Block x = result.vectors.block();
  x(0, 0) += 1e-6;
  double squares = 0;
  for (Index row = 0; row < x.rows; ++row) squares += x(row, 0) * x(row, 0);
  for (Index row = 0; row < x.rows; ++row) x(row, 0) /= std::sqrt(squares);
}

}  // namespace

#define IN_PLACE_OF(symbol, type, rightly, fails_at, ...) \
  type rightly(__VA_ARGS__) asm("__real_" symbol);        \
  type fails_at(__VA_ARGS__) asm("__wrap_" symbol)

using Matrix = std::unique_ptr<sparse::SparseMatrix>;

// clang-format off
IN_PLACE_OF("_ZN7cisolve6sparse12build_matrixERKNS0_9RowSourceERKNS0_13FormatOptionsERKNS_4base7BackendE",
            Matrix, build_rightly, build_matrix,
            const sparse::RowSource&, const sparse::FormatOptions&, const base::Backend&);
IN_PLACE_OF("_ZN7cisolve6solver5solveERKNS0_7ProblemERKNS0_7OptionsEPNS0_8ObserverEPKNS0_10CheckpointE",
            solver::Result, solve_rightly, solve,
            const solver::Problem&, const solver::Options&, solver::Observer*, const solver::Checkpoint*);
IN_PLACE_OF("_ZN7cisolve6solver6verifyERKNS0_7ProblemERKNS0_6ResultERKNS0_13VerifyOptionsE",
            solver::Verification, verify_rightly, verify,
            const solver::Problem&, const solver::Result&, const solver::VerifyOptions&);
IN_PLACE_OF("_ZN7cisolve2ci7elementERKNS0_9IntegralsERKNS0_11DeterminantES6_",
            double, element_rightly, element,
            const ci::Integrals&, const ci::Determinant&, const ci::Determinant&);
IN_PLACE_OF("_ZN7cisolve2ci6energyERKNS0_9IntegralsERKNS0_18OneParticleDensityERKNS0_18TwoParticleDensityE",
            double, energy_rightly, energy,
            const ci::Integrals&, const ci::OneParticleDensity&, const ci::TwoParticleDensity&);
IN_PLACE_OF("_ZN7cisolve2ci13dominant_rowsESt4spanIKdLm18446744073709551615EElRKNS_4base7BackendE",
            std::vector<Index>, find_dominant_rightly, find_dominant_rows,
            std::span<const double>, Index, const base::Backend&);
IN_PLACE_OF("_ZN7cisolve2io11ResultsFileC1ERKNSt10filesystem7__cxx114pathERKNS0_13StoredVectorsEb",
            void, begin_results_rightly, begin_results,
            io::ResultsFile*, const std::filesystem::path&, const io::StoredVectors&, bool);
IN_PLACE_OF("_ZN7cisolve2io10TrexioFileC1ERKNSt10filesystem7__cxx114pathERKNS0_11StoredSpaceENS_4base10BasicBlockIKdEEb",
            void, begin_trexio_rightly, begin_trexio,
            io::TrexioFile*, const std::filesystem::path&, const io::StoredSpace&, base::ConstBlock, bool);
IN_PLACE_OF("_ZN7cisolve2ci8CsfBasisC1ERKNS0_5SpaceEi",
            void, make_rightly, make_basis,
            ci::CsfBasis*, const ci::Space&, int);
IN_PLACE_OF("_ZN7cisolve2io10free_bytesERKNSt10filesystem7__cxx114pathE",
            std::optional<Index>, find_rightly, find_free_bytes,
            const std::filesystem::path&);
// clang-format on

Matrix build_matrix(const sparse::RowSource& rows, const sparse::FormatOptions& options,
                    const base::Backend& backend) {
  if (fails_at("stored")) return build_rightly(OneWrongElement(rows), options, backend);
  if (fails_at("lost")) return build_rightly(OneLostRow(rows), options, backend);
  return build_rightly(rows, options, backend);
}

solver::Result solve(const solver::Problem& problem, const solver::Options& options,
                     solver::Observer* observer, const solver::Checkpoint* start) {
  solver::Result result = solve_rightly(problem, options, observer, start);
  if (fails_at("mixed")) mix(result);
  return result;
}

solver::Verification verify(const solver::Problem& problem, const solver::Result& result,
                            const solver::VerifyOptions& options) {
  if (!fails_at("verifier")) return verify_rightly(problem, result, options);
  const WrongOperator wrong(problem.matrix);
  return verify_rightly({wrong, problem.backend}, result, options);
}

double element(const ci::Integrals& integrals, const ci::Determinant& bra,
               const ci::Determinant& ket) {
  return element_rightly(integrals, bra, ket) + (fails_at("element") ? 1e-6 : 0);
}

[[noreturn]] void find_no_room() {
  base::fail(base::ErrorKind::resources, "not enough host memory: there is none");
}

double energy(const ci::Integrals& integrals, const ci::OneParticleDensity& one,
              const ci::TwoParticleDensity& two) {
  if (fails_at("room-of-densities")) find_no_room();
  return energy_rightly(integrals, one, two) + (fails_at("density") ? 1e-6 : 0);
}

std::vector<Index> find_dominant_rows(std::span<const double> x, Index count,
                                      const base::Backend& host) {
  if (fails_at("room-of-descriptions")) find_no_room();
  return find_dominant_rightly(x, count, host);
}

[[noreturn]] void find_disk_full(const std::filesystem::path& path) {
  base::fail(base::ErrorKind::cannot_write, path.native(), ": cannot be written: the disk is full");
}

// `results` fails at once. `results-held` begins the file, reports this in the file `held`, and
// never returns.
void begin_results(io::ResultsFile* file, const std::filesystem::path& path,
                   const io::StoredVectors& vectors, bool overwrite) {
  if (fails_at("results")) find_disk_full(path);
  begin_results_rightly(file, path, vectors, overwrite);
  if (!fails_at("results-held")) return;
  std::ofstream("held") << "now\n";
  for (;;) ::pause();
}

void begin_trexio(io::TrexioFile* file, const std::filesystem::path& path,
                  const io::StoredSpace& space, base::ConstBlock vectors, bool overwrite) {
  if (fails_at("trexio")) find_disk_full(path);
  begin_trexio_rightly(file, path, space, vectors, overwrite);
}

std::optional<Index> find_free_bytes(const std::filesystem::path& folder) {
  static int asked = 0;
  if (fails_at("shrinking-disk")) return asked++ == 0 ? Index{1} << 30 : Index{4800};
  return fails_at("small-disk") ? Index{4800} : find_rightly(folder);
}

// A basis of the next spin.
void make_basis(ci::CsfBasis* basis, const ci::Space& space, int twice_spin) {
  make_rightly(basis, space, fails_at("spin") ? twice_spin + 2 : twice_spin);
}

}  // namespace cisolve::test

int main(int argc, char** argv) { return cisolve::app::run_program(argc, argv); }
