#include "io/orbitals/orbital_file.hpp"

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/files/mapped_file.hpp"
#include "io/files/worker.hpp"
#include "io/hdf5/attributes.hpp"
#include "io/hdf5/dataset_reader.hpp"
#include "io/orbitals/received_arrays.hpp"

namespace cisolve::io {
namespace {

using hdf5::FileContext;

constexpr const char* kBasis = "basis";

/// Sends the basis and the orbitals of a file of operators.
class BasisSender {
 public:
  BasisSender(const FileContext& context, hid_t file, const WorkerOutput& output)
      : context_(context),
        group_(hdf5::open_group(context, file, kBasis)),
        arrays_(context, group_, "/basis/", output) {}

  void send(const WorkerOutput& output) const {
    if (const Index version = hdf5::read_integer(context_, group_, "version", "/basis");
        version != kBasisVersion)
      context_.refuse("/basis", "the attribute version is ", version, "; expected ", kBasisVersion,
                      ", or a newer version of this program");
    const std::string functions = hdf5::read_text(context_, group_, "functions", "/basis");
    if (functions != "spherical" && functions != "cartesian")
      context_.refuse("/basis", "the attribute functions is '", functions.substr(0, 40),
                      "'; expected 'spherical' or 'cartesian'");
    output.send(Index{functions == "spherical"});
    arrays_.send_wholes("atomic_numbers");
    arrays_.send_reals("charges", 1);
    arrays_.send_reals("coordinates", 2);
    for (const char* name : {"shell_atoms", "shell_momenta", "shell_primitives"})
      arrays_.send_wholes(name);
    arrays_.send_reals("exponents", 1);
    arrays_.send_reals("coefficients", 1);
    arrays_.send_reals("overlap", 2);
    arrays_.send_reals("orbitals", 2);
    for (const char* name : {"inactive", "orbitals_beta", "inactive_beta"})
      arrays_.send_reals_if_any(name, 2);
  }

 private:
  const FileContext& context_;
  hdf5::Handle group_;
  ArraySender arrays_;
};

void send_basis(const std::string& path, const WorkerOutput& output) {
  const hdf5::ErrorOutputOff silence;
  const FileContext context{path, base::ErrorKind::bad_input,
                            "expected an undamaged group of a basis as docs/properties.md "
                            "describes it, or none"};
  const auto file = hdf5::open_file(context);
  const bool has_basis = hdf5::holds(context, file, kBasis);
  output.send(Index{has_basis});
  if (has_basis) BasisSender(context, file, output).send(output);
}

/// Assembles what BasisSender sends.
ci::MolecularOrbitals received_orbitals(const std::string& path, Worker& worker,
                                        const base::Backend& host) {
  const ArrayReceiver arrays(path, worker, host);
  ci::MolecularOrbitals found;
  found.basis.is_spherical = worker.receive<Index>() != 0;
  const std::vector<Index> numbers = arrays.wholes();
  const std::vector<double> charges = arrays.reals();
  const base::SmallMatrix places = arrays.matrix();
  if (charges.size() != numbers.size() || places.rows() != std::ssize(numbers) ||
      (places.rows() > 0 && places.columns() != 3))
    arrays.refuse("/basis: ", numbers.size(), " atomic numbers, ", charges.size(), " charges and ",
                  places.rows(), " by ", places.columns(),
                  " coordinates; expected as many, and three coordinates of each atom");
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const auto row = static_cast<int>(k);
    found.basis.nuclei.push_back(
        {.atomic_number = arrays.small(numbers[k], "/basis/atomic_numbers"),
         .charge = charges[k],
         .place = {places(row, 0), places(row, 1), places(row, 2)}});
  }
  const std::vector<Index> atoms = arrays.wholes();
  const std::vector<Index> momenta = arrays.wholes();
  const std::vector<Index> counts = arrays.wholes();
  const std::vector<double> exponents = arrays.reals();
  const std::vector<double> coefficients = arrays.reals();
  if (momenta.size() != atoms.size() || counts.size() != atoms.size())
    arrays.refuse("/basis: ", atoms.size(), " shell_atoms, ", momenta.size(), " shell_momenta and ",
                  counts.size(), " shell_primitives; expected as many");
  std::size_t next = 0;
  for (std::size_t s = 0; s < atoms.size(); ++s) {
    if (counts[s] < 1 || static_cast<std::size_t>(counts[s]) > exponents.size() - next ||
        coefficients.size() != exponents.size())
      arrays.refuse("/basis/shell_primitives: shell ", s + 1, " has ", counts[s],
                    " Gaussians, and ", exponents.size(), " exponents and ", coefficients.size(),
                    " coefficients are there; expected at least one, and as many of both as all "
                    "shells have");
    const auto end = next + static_cast<std::size_t>(counts[s]);
    const auto part = [&](const std::vector<double>& values) {
      return std::vector<double>(values.begin() + static_cast<std::ptrdiff_t>(next),
                                 values.begin() + static_cast<std::ptrdiff_t>(end));
    };
    found.basis.shells.push_back({.nucleus = arrays.small(atoms[s], "/basis/shell_atoms") - 1,
                                  .momentum = arrays.small(momenta[s], "/basis/shell_momenta"),
                                  .exponents = part(exponents),
                                  .coefficients = part(coefficients)});
    next = end;
  }
  if (next != exponents.size())
    arrays.refuse("/basis/exponents: ", exponents.size(), " exponents; expected ", next,
                  ", as shell_primitives counts them");
  found.overlap = arrays.matrix();
  found.alpha = arrays.matrix();
  found.inactive = arrays.matrix();
  found.beta = arrays.matrix();
  found.inactive_beta = arrays.matrix();
  return found;
}

}  // namespace

std::optional<ci::MolecularOrbitals> read_orbitals(const std::filesystem::path& path, int orbitals,
                                                   bool spin_dependent, const base::Backend& host) {
  require_regular_file(path);
  const std::string& name = path.native();
  Worker worker(name, kWorkerMemory, [&](const WorkerOutput& output) { send_basis(name, output); });
  if (worker.receive<Index>() == 0) return std::nullopt;
  return ci::checked(received_orbitals(name, worker, host), orbitals, spin_dependent,
                     name + ": /basis", host);
}

}  // namespace cisolve::io
