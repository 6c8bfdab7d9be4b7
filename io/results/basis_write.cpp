#include "io/results/basis_write.hpp"

#include <vector>

#include "io/hdf5/attributes.hpp"
#include "io/hdf5/dataset_writer.hpp"
#include "io/orbitals/orbital_file.hpp"

namespace cisolve::io {
namespace {

using hdf5::FileContext;
using hdf5::write_matrix;
using hdf5::write_reals;

void write_wholes(const FileContext& context, hid_t group, const char* name,
                  const std::vector<Index>& values) {
  hdf5::DatasetWriter(context, group, name, H5T_STD_I64LE, H5T_NATIVE_INT64, 8, std::ssize(values),
                      hdf5::DatasetKind::checked)
      .append(values.data(), std::ssize(values));
}

void write_state_rows(const FileContext& context, hid_t group, const char* name,
                      const std::vector<std::vector<double>>& rows) {
  if (rows.empty()) return;
  std::size_t width = 0;
  for (const auto& row : rows) width = std::max(width, row.size());
  std::vector<double> values;
  for (const auto& row : rows) {
    values.insert(values.end(), row.begin(), row.end());
    values.resize(values.size() + width - row.size());
  }
  const auto length = static_cast<Index>(width);
  hdf5::write_vectors(context, group, name,
                      {values.data(), length, static_cast<int>(rows.size()), length});
}

void write_nuclei(const FileContext& context, hid_t group, const ci::GaussianBasis& basis) {
  std::vector<Index> numbers;
  std::vector<double> charges;
  base::SmallMatrix places(static_cast<int>(basis.nuclei.size()), 3);
  for (std::size_t k = 0; k < basis.nuclei.size(); ++k) {
    numbers.push_back(basis.nuclei[k].atomic_number);
    charges.push_back(basis.nuclei[k].charge);
    for (int axis = 0; axis < 3; ++axis)
      places(static_cast<int>(k), axis) = basis.nuclei[k].place[static_cast<std::size_t>(axis)];
  }
  write_wholes(context, group, "atomic_numbers", numbers);
  write_reals(context, group, "charges", charges);
  write_matrix(context, group, "coordinates", places);
}

void write_shells(const FileContext& context, hid_t group, const ci::GaussianBasis& basis) {
  std::vector<Index> atoms;
  std::vector<Index> momenta;
  std::vector<Index> counts;
  std::vector<double> exponents;
  std::vector<double> coefficients;
  for (const ci::ContractedShell& shell : basis.shells) {
    atoms.push_back(shell.nucleus + 1);
    momenta.push_back(shell.momentum);
    counts.push_back(std::ssize(shell.exponents));
    exponents.insert(exponents.end(), shell.exponents.begin(), shell.exponents.end());
    coefficients.insert(coefficients.end(), shell.coefficients.begin(), shell.coefficients.end());
  }
  write_wholes(context, group, "shell_atoms", atoms);
  write_wholes(context, group, "shell_momenta", momenta);
  write_wholes(context, group, "shell_primitives", counts);
  write_reals(context, group, "exponents", exponents);
  write_reals(context, group, "coefficients", coefficients);
}

}  // namespace

Index bytes_of(const StoredBasis& stored) {
  const ci::MolecularOrbitals& all = *stored.orbitals;
  Index numbers = Index{1} << 16;
  for (const base::SmallMatrix* matrix :
       {&all.overlap, &all.alpha, &all.beta, &all.inactive, &all.inactive_beta})
    numbers += std::ssize(matrix->values());
  for (const auto* rows : {&stored.natural_orbitals, &stored.natural_occupations})
    for (const auto& row : *rows) numbers += std::ssize(row);
  return numbers * Index{sizeof(double)};
}

void write_basis(const FileContext& context, const hdf5::NewFile& file, const StoredBasis& stored) {
  const ci::MolecularOrbitals& all = *stored.orbitals;
  const hdf5::Handle group = file.make_group(file, "basis");
  hdf5::write_attribute(context, group, "version", kBasisVersion);
  hdf5::write_attribute(context, group, "functions",
                        all.basis.is_spherical ? "spherical" : "cartesian");
  write_nuclei(context, group, all.basis);
  write_shells(context, group, all.basis);
  write_matrix(context, group, "overlap", all.overlap);
  write_matrix(context, group, "orbitals", all.alpha);
  write_matrix(context, group, "orbitals_beta", all.beta);
  write_matrix(context, group, "inactive", all.inactive);
  write_matrix(context, group, "inactive_beta", all.inactive_beta);
  write_state_rows(context, group, "natural_orbitals", stored.natural_orbitals);
  write_state_rows(context, group, "natural_occupations", stored.natural_occupations);
}

}  // namespace cisolve::io
