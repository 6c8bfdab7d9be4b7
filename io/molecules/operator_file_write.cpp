#include <span>
#include <string>

#include "io/hdf5/attributes.hpp"
#include "io/hdf5/new_file.hpp"
#include "io/molecules/fcidump_write.hpp"
#include "io/molecules/operator_file.hpp"
#include "io/results/basis_write.hpp"

namespace cisolve::io {
namespace {

using base::SmallMatrix;
using hdf5::write_attribute;
using hdf5::write_matrix;
using hdf5::write_reals;

std::string joined_names(std::span<const std::string> names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " ") + name;
  return text;
}

void write_operator(const hdf5::FileContext& context, const hdf5::NewFile& file,
                    const ci::OneElectronOperator& one) {
  const hdf5::Handle group = file.make_group(file, one.name.c_str());
  write_attribute(context, group, "components", joined_names(one.components));
  write_attribute(context, group, "unit", one.unit);
  write_attribute(context, group, "symmetry", one.antisymmetric ? "antisymmetric" : "symmetric");
  if (!one.origin_note.empty()) write_attribute(context, group, "origin_note", one.origin_note);
  if (one.core_charge) write_attribute(context, group, "core_charge", *one.core_charge);
  if (!one.antisymmetric) write_reals(context, group, "constants", one.constants);
  if (one.origin) write_reals(context, group, "origin", *one.origin);
  for (std::size_t c = 0; c < one.components.size(); ++c)
    write_matrix(context, group, one.components[c].c_str(), one.alpha[c]);
}

}  // namespace

void write_operators(const std::filesystem::path& path, const ci::OneElectronOperators& operators,
                     const ci::Integrals& integrals,
                     const std::shared_ptr<const ci::MolecularOrbitals>& orbitals, bool overwrite) {
  const hdf5::ErrorOutputOff silence;
  const hdf5::FileContext context = hdf5::writing_context(path);
  const int n = integrals.orbitals();
  Index matrices = 1;
  std::vector<std::string> names;
  for (const ci::OneElectronOperator& one : operators) {
    matrices += std::ssize(one.alpha);
    names.push_back(one.name);
  }
  Index bytes = matrices * n * n * Index{sizeof(double)};
  if (orbitals) bytes += bytes_of(StoredBasis{.orbitals = orbitals});
  hdf5::NewFile file(context, path, overwrite, bytes);
  write_attribute(context, file, "format", kOperatorsFormat);
  write_attribute(context, file, "schema", Index{1});
  write_attribute(context, file, "operators", joined_names(names));
  SmallMatrix h(n, n);
  for (int p = 0; p < n; ++p)
    for (int q = 0; q < n; ++q) h(p, q) = integrals.one(ci::Spin::alpha, p, q);
  write_matrix(context, file, "one_electron", h);
  for (const ci::OneElectronOperator& one : operators) write_operator(context, file, one);
  if (orbitals) write_basis(context, file, {.orbitals = orbitals});
  file.commit();
}

}  // namespace cisolve::io
