#include "io/hdf5/attributes.hpp"
#include "io/hdf5/dataset_writer.hpp"
#include "io/hdf5/new_file.hpp"
#include "io/results/results.hpp"
#include "io/results/string_words.hpp"

namespace cisolve::io {
namespace {

using hdf5::FileContext;
using hdf5::Handle;

/// Null-terminated ASCII, as the TREXIO library expects; it cannot convert UTF-8.
void write_ascii(const FileContext& context, hid_t group, const char* name, std::string_view text) {
  const Handle type = context.own(H5Tcopy(H5T_C_S1), H5Tclose, "H5Tcopy", name);
  context.check(H5Tset_size(type, text.size() + 1), "H5Tset_size", name);
  const Handle space = context.own(H5Screate(H5S_SCALAR), H5Sclose, "H5Screate", name);
  const Handle attribute = context.own(
      H5Acreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose, "H5Acreate2", name);
  context.check(H5Awrite(attribute, type, text.data()), "H5Awrite", name);
}

void write_list(const FileContext& context, hid_t group, const StoredSpace& stored,
                const WholeStrings& strings) {
  const Index words = words_for(stored.orbitals);
  hdf5::DatasetWriter list(context, group, "determinant_list", H5T_STD_I64LE, H5T_NATIVE_INT64, 8,
                           2 * words * stored.space.dimension(), hdf5::DatasetKind::growing);
  strings.for_each_determinant([&](Index alpha, Index beta) {
    list.append(strings.words(ci::Spin::alpha, alpha).data(), words);
    list.append(strings.words(ci::Spin::beta, beta).data(), words);
  });
}

/// State 0 has no number in its name.
void write_coefficients(const FileContext& context, hid_t group, base::ConstBlock vectors,
                        const hdf5::Alteration& signs) {
  const Index piece = hdf5::chunk_of(vectors.rows);
  std::vector<double> elements;
  for (int j = 0; j < vectors.columns; ++j) {
    const std::string name =
        j == 0 ? "determinant_coefficient" : base::concat("determinant_coefficient_state_", j);
    hdf5::DatasetWriter writer(context, group, name.c_str(), H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 8,
                               vectors.rows, hdf5::DatasetKind::growing);
    for (Index row = 0; row < vectors.rows; row += piece) {
      const double* from = vectors.column(j) + row;
      elements.assign(from, from + std::min(piece, vectors.rows - row));
      if (signs) signs(row, elements);
      writer.append(elements.data(), std::ssize(elements));
    }
  }
}

void write_counts(const FileContext& context, const hdf5::NewFile& file, const StoredSpace& space,
                  Index states) {
  const Handle metadata = file.make_group(file, "metadata");
  write_ascii(context, metadata, "metadata_package_version", "2.2.3");
  if (!space.same_orbitals)
    write_ascii(context, metadata, "metadata_description",
                "alpha and beta orbitals differ: a bit of a beta string is a beta orbital");
  const auto frozen = std::ssize(space.window.frozen);
  const Handle electron = file.make_group(file, "electron");
  const Index alpha = space.space.electrons(ci::Spin::alpha) + frozen;
  const Index beta = space.space.electrons(ci::Spin::beta) + frozen;
  hdf5::write_attribute(context, electron, "electron_up_num", alpha);
  hdf5::write_attribute(context, electron, "electron_dn_num", beta);
  hdf5::write_attribute(context, electron, "electron_num", alpha + beta);
  const Handle mo = file.make_group(file, "mo");
  hdf5::write_attribute(context, mo, "mo_num", Index{space.orbitals});
  const Handle state = file.make_group(file, "state");
  hdf5::write_attribute(context, state, "state_num", states);
  hdf5::write_attribute(context, state, "state_id", Index{0});
}

}  // namespace

struct TrexioFile::Impl {
  Impl(const std::filesystem::path& path, bool overwrite, Index bytes)
      : context(hdf5::writing_context(path)), file(context, path, overwrite, bytes) {}

  FileContext context;
  hdf5::NewFile file;
};

TrexioFile::TrexioFile(const std::filesystem::path& path, const StoredSpace& space,
                       base::ConstBlock vectors, bool overwrite) {
  const hdf5::ErrorOutputOff silence;  // per thread; another thread may call commit()
  const Index bytes =
      space.space.dimension() * 8 * (2 * words_for(space.orbitals) + vectors.columns);
  impl_ = std::make_unique<Impl>(path, overwrite, bytes);
  const FileContext& context = impl_->context;
  write_counts(context, impl_->file, space, vectors.columns);
  const Handle group = impl_->file.make_group(impl_->file, "determinant");
  hdf5::write_attribute(context, group, "determinant_num", space.space.dimension());
  const WholeStrings strings(space);
  write_list(context, group, space, strings);
  write_coefficients(context, group, vectors, signs_over_all(strings));
  impl_->file.sync();
}

TrexioFile::TrexioFile(TrexioFile&&) noexcept = default;
TrexioFile::~TrexioFile() {
  const hdf5::ErrorOutputOff silence;
  impl_.reset();
}

void TrexioFile::commit() {
  const hdf5::ErrorOutputOff silence;
  impl_->file.commit();
}

}  // namespace cisolve::io
