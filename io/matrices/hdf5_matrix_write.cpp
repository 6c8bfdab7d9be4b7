#include <algorithm>

#include "base/loops.hpp"
#include "base/offsets.hpp"
#include "io/files/output_file.hpp"
#include "io/hdf5/attributes.hpp"
#include "io/hdf5/dataset_writer.hpp"
#include "io/hdf5/new_file.hpp"
#include "io/matrices/hdf5_matrix.hpp"
#include "io/matrices/hdf5_matrix_schema.hpp"
#include "io/matrices/row_pieces.hpp"

namespace cisolve::io {
namespace {

using hdf5::FileContext;
using hdf5::Handle;

constexpr Index kElementsPerPiece = Index{1} << 20;

/// Creates a file with checksums of metadata, which HDF5's oldest file versions lack.
Handle create_file(const FileContext& context, const std::filesystem::path& path) {
  const Handle access = context.own(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "H5Pcreate", "/");
  context.check(H5Pset_fapl_sec2(access), "H5Pset_fapl_sec2", "/");
  context.check(H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110),
                "H5Pset_libver_bounds", "/");
  return context.own(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose,
                     "H5Fcreate", "/");
}

void write_root_attributes(const FileContext& context, hid_t file) {
  hdf5::write_attribute(context, file, "format", schema::kFormat);
  hdf5::write_attribute(context, file, "schema", schema::kVersion);
  hdf5::write_attribute(context, file, "program", "ci-solve");
  hdf5::write_attribute(context, file, "version", CISOLVE_VERSION);
  hdf5::write_attribute(context, file, "ordering", schema::kOrdering);
}

void write_shape(const FileContext& context, hid_t group, const sparse::MatrixShape& shape) {
  hdf5::write_attribute(context, group, "rows", shape.rows);
  hdf5::write_attribute(context, group, "columns_count", shape.columns);
  hdf5::write_attribute(context, group, "symmetric", Index{shape.symmetric});
  hdf5::write_attribute(context, group, "reference_columns", shape.reference_columns);
}

void write_matrix(const FileContext& context, hid_t group, const sparse::RowSource& rows,
                  hdf5::DatasetKind kind, const base::Backend& host) {
  write_shape(context, group, rows.shape());
  const base::Array<Column> lengths = sparse::row_lengths(rows, host);
  const base::Array<Index> offsets = base::offsets_from(lengths.span(), host, "row offsets");
  hdf5::DatasetWriter(context, group, "row_offsets", H5T_STD_I64LE, H5T_NATIVE_INT64, 8,
                      offsets.size(), kind)
      .append(offsets.data(), offsets.size());
  const Index nonzeros = offsets[rows.shape().rows];
  hdf5::DatasetWriter columns(context, group, "columns", H5T_STD_I32LE, H5T_NATIVE_INT32, 4,
                              nonzeros, kind);
  hdf5::DatasetWriter values(context, group, "values", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 8,
                             nonzeros, kind);
  // Rows are generated in parallel, a group of pieces at a time; HDF5 writes sequentially.
  const std::vector<RowPiece> pieces = cut_rows(lengths.span(), kElementsPerPiece);
  for (Index first = 0; first < std::ssize(pieces); first += host.threads()) {
    const Index count = std::min<Index>(host.threads(), std::ssize(pieces) - first);
    std::vector<RowBuffer> buffers;
    for (Index i = 0; i < count; ++i) buffers.emplace_back(pieces[first + i].elements, host);
    base::for_each_chunk(count, 1, host, [&](Index i, Index) {
      const RowPiece& piece = pieces[first + i];
      rows.fill(piece.first_row, piece.last_row, buffers[i].columns.span(),
                buffers[i].values.span());
    });
    for (const RowBuffer& buffer : buffers) {
      columns.append(buffer.columns.data(), buffer.columns.size());
      values.append(buffer.values.data(), buffer.values.size());
    }
  }
}

}  // namespace

void write_hdf5_matrix(const std::filesystem::path& path, const sparse::RowSource& rows,
                       const Hdf5WriteOptions& options, const base::Backend& host) {
  const hdf5::ErrorOutputOff silence;
  const FileContext context = hdf5::writing_context(path);
  OutputFile output(path, options.overwrite);
  Handle file = create_file(context, output.temporary());
  {
    const Handle group =
        context.own(H5Gcreate2(file, "matrix", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose,
                    "H5Gcreate2", "/matrix");
    write_root_attributes(context, file);
    write_matrix(context, group, rows,
                 options.compress ? hdf5::DatasetKind::compressed : hdf5::DatasetKind::checked,
                 host);
  }
  context.check(file.close(), "H5Fclose", "/");
  output.commit();
}

}  // namespace cisolve::io
