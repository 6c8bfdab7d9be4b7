#include "io/orbitals/trexio_orbitals.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
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

/// Sent by the worker first.
struct TrexioBasisHeader {
  Index is_known;
  Index is_spherical;
};

// ---- in the worker ----

bool holds_all(const FileContext& context, hid_t group, std::initializer_list<const char*> names) {
  return std::ranges::all_of(names,
                             [&](const char* name) { return hdf5::holds(context, group, name); });
}

bool has_attribute_named(const FileContext& context, hid_t group, const char* name) {
  return context.check(H5Aexists(group, name), "H5Aexists", name) > 0;
}

/// Whether the file has Gaussian functions and the coefficients of the orbitals.
bool has_orbitals(const FileContext& context, hid_t file) {
  if (!holds_all(context, file, {"nucleus", "basis", "ao", "mo"})) return false;
  const auto nucleus = hdf5::open_group(context, file, "nucleus");
  const auto basis = hdf5::open_group(context, file, "basis");
  const auto ao = hdf5::open_group(context, file, "ao");
  const auto mo = hdf5::open_group(context, file, "mo");
  return hdf5::holds(context, nucleus, "nucleus_coord") &&
         hdf5::holds(context, basis, "basis_exponent") && hdf5::holds(context, ao, "ao_shell") &&
         hdf5::holds(context, mo, "mo_coefficient") &&
         has_attribute_named(context, basis, "basis_type") &&
         has_attribute_named(context, ao, "ao_cartesian") &&
         hdf5::read_text(context, basis, "basis_type", "basis").starts_with("Gaussian");
}

void send_trexio_basis(const std::string& path, const WorkerOutput& output) {
  const hdf5::ErrorOutputOff silence;
  const FileContext context{path, base::ErrorKind::bad_input,
                            "expected an undamaged TREXIO file, or one without the group basis"};
  const auto file = hdf5::open_file(context);
  if (!has_orbitals(context, file)) return output.send(TrexioBasisHeader{0, 0});
  const auto nucleus = hdf5::open_group(context, file, "nucleus");
  const auto basis = hdf5::open_group(context, file, "basis");
  const auto ao = hdf5::open_group(context, file, "ao");
  const auto mo = hdf5::open_group(context, file, "mo");
  const Index is_cartesian = hdf5::read_integer(context, ao, "ao_cartesian", "ao");
  output.send(TrexioBasisHeader{1, is_cartesian == 0});
  const ArraySender nuclei(context, nucleus, "", output);
  nuclei.send_reals("nucleus_charge", 1);
  nuclei.send_reals("nucleus_coord", 2);
  const ArraySender shells(context, basis, "", output);
  shells.send_wholes("basis_nucleus_index");
  shells.send_wholes("basis_shell_ang_mom");
  shells.send_reals("basis_shell_factor", 1);
  shells.send_wholes("basis_shell_index");
  for (const char* name : {"basis_exponent", "basis_coefficient", "basis_prim_factor"})
    shells.send_reals(name, 1);
  const ArraySender functions(context, ao, "", output);
  functions.send_wholes("ao_shell");
  functions.send_reals("ao_normalization", 1);
  const ArraySender orbitals(context, mo, "", output);
  orbitals.send_reals("mo_coefficient", 2);
  orbitals.send_wholes_if_any("mo_spin");
  const bool has_pseudopotentials = hdf5::holds(context, file, "ecp");
  const auto ecp = hdf5::open_group(context, file, has_pseudopotentials ? "ecp" : "mo");
  ArraySender(context, ecp, "", output).send_wholes_if_any("ecp_z_core");
  const bool has_integrals = hdf5::holds(context, file, "ao_1e_int");
  const auto integrals = hdf5::open_group(context, file, has_integrals ? "ao_1e_int" : "mo");
  ArraySender(context, integrals, "", output).send_reals_if_any("ao_1e_int_overlap", 2);
}

// ---- in the program ----

/// The place of each of TREXIO's functions of a shell in the order of ci::GaussianBasis.
std::vector<int> places_in_shell(int momentum, bool is_spherical) {
  if (!is_spherical) {
    std::vector<int> places(static_cast<std::size_t>((momentum + 1) * (momentum + 2) / 2));
    for (std::size_t k = 0; k < places.size(); ++k) places[k] = static_cast<int>(k);
    return places;
  }
  if (momentum == 1) return {2, 0, 1};  // z x y
  std::vector<int> places{momentum};
  for (int m = 1; m <= momentum; ++m) {
    places.push_back(momentum + m);
    places.push_back(momentum - m);
  }
  return places;
}

/// The integral of P^2 exp(-p r^2) times p^(l + 3/2), P one of TREXIO's angular functions.
double angular_norm(int momentum, bool is_spherical, int place) {
  if (is_spherical)
    return 4 * std::numbers::pi / (2 * momentum + 1) * 0.5 * std::tgamma(momentum + 1.5);
  // A monomial is the only term of the normalised function.
  const double factor =
      ci::angular_functions(momentum, false)[static_cast<std::size_t>(place)].front().factor;
  return 1 / (factor * factor);
}

/// Assembles orbitals from the arrays of a TREXIO file, which it receives in their order.
class TrexioOrbitals {
 public:
  TrexioOrbitals(const std::string& path, Worker& worker, bool is_spherical,
                 const base::Backend& host)
      : arrays_(path, worker, host) {
    found_.basis.is_spherical = is_spherical;
  }

  ci::MolecularOrbitals read() {
    std::vector<double> charges = arrays_.reals();
    const base::SmallMatrix places = arrays_.matrix();
    read_shells();
    read_functions();
    const base::SmallMatrix coefficients = arrays_.matrix();
    const std::vector<Index> spins = arrays_.wholes();
    const std::vector<Index> replaced = arrays_.wholes();
    const base::SmallMatrix overlap = arrays_.matrix();
    take_nuclei(charges, places, replaced);
    take_overlap(overlap);
    take_orbitals(coefficients, spins);
    return std::move(found_);
  }

 private:
  void read_shells() {
    const std::vector<Index> atoms = arrays_.wholes();
    const std::vector<Index> momenta = arrays_.wholes();
    const std::vector<double> factors = arrays_.reals();
    const std::vector<Index> of_shells = arrays_.wholes();
    const std::vector<double> exponents = arrays_.reals();
    const std::vector<double> coefficients = arrays_.reals();
    const std::vector<double> prim_factors = arrays_.reals();
    if (momenta.size() != atoms.size() || factors.size() != atoms.size())
      arrays_.refuse("basis_shell_ang_mom: ", momenta.size(), " elements; expected ", atoms.size(),
                     ", as many as basis_nucleus_index and basis_shell_factor");
    if (exponents.size() != of_shells.size() || coefficients.size() != of_shells.size() ||
        prim_factors.size() != of_shells.size())
      arrays_.refuse("basis_exponent: ", exponents.size(), " elements; expected ", of_shells.size(),
                     ", as many as basis_shell_index, basis_coefficient and basis_prim_factor");
    for (std::size_t s = 0; s < atoms.size(); ++s)
      found_.basis.shells.push_back({.nucleus = arrays_.small(atoms[s], "basis_nucleus_index"),
                                     .momentum = arrays_.small(momenta[s], "basis_shell_ang_mom")});
    for (std::size_t k = 0; k < of_shells.size(); ++k) {
      const Index s = of_shells[k];
      if (s < 0 || s >= std::ssize(atoms))
        arrays_.refuse("basis_shell_index: element ", k, " is ", s, "; expected 0 to ",
                       std::ssize(atoms) - 1);
      ci::ContractedShell& shell = found_.basis.shells[static_cast<std::size_t>(s)];
      if (shell.exponents.size() == ci::kMostGaussians)
        arrays_.refuse("basis_shell_index: shell ", s, " has more than ", ci::kMostGaussians,
                       " Gaussians; expected at most as many");
      shell.exponents.push_back(exponents[k]);
      shell.coefficients.push_back(factors[static_cast<std::size_t>(s)] * prim_factors[k] *
                                   coefficients[k]);
    }
  }

  /// Takes the norms of the functions, and weights of exponentials to coefficients of normalised
  /// Gaussians.
  void read_functions() {
    const std::vector<Index> of_functions = arrays_.wholes();
    const std::vector<double> factors = arrays_.reals();
    const std::vector<int> first = first_functions();
    const auto count = static_cast<std::size_t>(first.back());
    if (of_functions.size() != count || factors.size() != count)
      arrays_.refuse("ao_shell: ", of_functions.size(), " elements, and ao_normalization has ",
                     factors.size(), "; expected ", count, ", as the shells have functions");
    for (std::size_t s = 0; s < found_.basis.shells.size(); ++s) {
      ci::ContractedShell& shell = found_.basis.shells[s];
      const double power = shell.momentum + 1.5;
      double radial = 0;
      for (std::size_t k = 0; k < shell.exponents.size(); ++k)
        for (std::size_t l = 0; l < shell.exponents.size(); ++l)
          radial += shell.coefficients[k] * shell.coefficients[l] /
                    std::pow(shell.exponents[k] + shell.exponents[l], power);
      for (std::size_t k = 0; k < shell.exponents.size(); ++k)
        shell.coefficients[k] /= std::pow(2 * shell.exponents[k], power / 2);
      const auto begin = static_cast<std::size_t>(first[s]);
      for (const int place : places_in_shell(shell.momentum, found_.basis.is_spherical)) {
        const std::size_t function = place_of_.size();
        if (of_functions[function] != static_cast<Index>(s))
          arrays_.refuse("ao_shell: element ", function, " is ", of_functions[function],
                         "; expected ", s, ": functions in the order of the shells");
        place_of_.push_back(begin + static_cast<std::size_t>(place));
        const double norm = angular_norm(shell.momentum, found_.basis.is_spherical, place);
        norms_.push_back(factors[function] * std::sqrt(norm * radial));
      }
    }
  }

  /// As GaussianBasis::first_functions(), of shells that are not checked yet.
  std::vector<int> first_functions() const {
    for (const ci::ContractedShell& shell : found_.basis.shells)
      if (shell.momentum < 0 || shell.momentum > ci::kHighestMomentum)
        arrays_.refuse("basis_shell_ang_mom: angular momentum ", shell.momentum, "; expected 0 to ",
                       ci::kHighestMomentum);
    return found_.basis.first_functions();
  }

  void take_nuclei(const std::vector<double>& charges, const base::SmallMatrix& places,
                   const std::vector<Index>& replaced) {
    if (places.rows() != std::ssize(charges) || places.columns() != 3 ||
        (!replaced.empty() && replaced.size() != charges.size()))
      arrays_.refuse("nucleus_coord: ", places.rows(), " by ", places.columns(),
                     " elements; expected ", charges.size(), " by 3, and ecp_z_core of as many");
    for (std::size_t k = 0; k < charges.size(); ++k) {
      const auto row = static_cast<int>(k);
      const double core = replaced.empty() ? 0 : static_cast<double>(replaced[k]);
      const double number = std::clamp(charges[k] + core, -1.0, 1e6);
      found_.basis.nuclei.push_back(
          {.atomic_number = std::isfinite(number) ? static_cast<int>(std::lround(number)) : -1,
           .charge = charges[k],
           .place = {places(row, 0), places(row, 1), places(row, 2)}});
    }
  }

  void take_overlap(const base::SmallMatrix& given) {
    if (given.rows() == 0) return;
    const int n = static_cast<int>(norms_.size());
    if (given.rows() != n || given.columns() != n)
      arrays_.refuse("ao_1e_int_overlap: ", given.rows(), " by ", given.columns(),
                     " elements; expected ", n, " by as many");
    for (int k = 0; k < n; ++k) norms_[static_cast<std::size_t>(k)] = std::sqrt(given(k, k));
    found_.overlap = base::SmallMatrix(n, n);
    const auto at = [&](int k) { return static_cast<int>(place_of_[static_cast<std::size_t>(k)]); };
    for (int p = 0; p < n; ++p)
      for (int q = 0; q < n; ++q)
        found_.overlap(at(p), at(q)) = given(p, q) / (norms_[static_cast<std::size_t>(p)] *
                                                      norms_[static_cast<std::size_t>(q)]);
  }

  void take_orbitals(const base::SmallMatrix& rows, const std::vector<Index>& spins) {
    const int n = static_cast<int>(norms_.size());
    if (rows.columns() != n || (!spins.empty() && std::ssize(spins) != rows.rows()))
      arrays_.refuse("mo_coefficient: ", rows.rows(), " by ", rows.columns(),
                     " elements; expected orbitals by ", n, " functions, and mo_spin of as many");
    std::array<std::vector<int>, 2> of_spin;
    for (int i = 0; i < rows.rows(); ++i) {
      const Index spin = spins.empty() ? 0 : spins[static_cast<std::size_t>(i)];
      of_spin[spin == 1 ? 1 : 0].push_back(i);
    }
    found_.alpha = columns_of(rows, of_spin[0]);
    found_.beta = columns_of(rows, of_spin[1]);
  }

  base::SmallMatrix columns_of(const base::SmallMatrix& rows,
                               const std::vector<int>& orbitals) const {
    base::SmallMatrix columns(static_cast<int>(norms_.size()), static_cast<int>(orbitals.size()));
    for (std::size_t k = 0; k < norms_.size(); ++k)
      for (std::size_t i = 0; i < orbitals.size(); ++i)
        columns(static_cast<int>(place_of_[k]), static_cast<int>(i)) =
            norms_[k] * rows(orbitals[i], static_cast<int>(k));
    return columns;
  }

  ArrayReceiver arrays_;
  ci::MolecularOrbitals found_;
  std::vector<std::size_t> place_of_ = {};  // of each function, in ci::GaussianBasis
  std::vector<double> norms_ = {};          // of each function
};

}  // namespace

std::optional<ci::MolecularOrbitals> read_trexio_orbitals(const std::filesystem::path& path,
                                                          int orbitals, bool spin_dependent,
                                                          const base::Backend& host) {
  require_regular_file(path);
  const std::string& name = path.native();
  Worker worker(name, kWorkerMemory,
                [&](const WorkerOutput& output) { send_trexio_basis(name, output); });
  const auto header = worker.receive<TrexioBasisHeader>();
  if (header.is_known == 0) return std::nullopt;
  return ci::checked(TrexioOrbitals(name, worker, header.is_spherical != 0, host).read(), orbitals,
                     spin_dependent, name + ": groups basis, ao and mo", host);
}

}  // namespace cisolve::io
