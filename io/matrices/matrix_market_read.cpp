#include "io/matrices/matrix_market_body.hpp"

namespace cisolve::io {

sparse::MatrixShape shape_of(const MatrixMarketInfo& info) {
  const bool symmetric = info.symmetry == MatrixMarketSymmetry::symmetric;
  return {info.rows, info.columns, info.reference_columns, symmetric};
}

sparse::Csr read_matrix_market(const std::filesystem::path& path, const base::Backend& host) {
  const MappedFile file(path);
  const MatrixMarketHeader header = parse_matrix_market_header(file);
  const MatrixMarketInfo& info = header.info;
  RowFiller rows(shape_of(info), host);
  try {
    if (info.layout == MatrixMarketLayout::array)
      fill_from_array(file, header, rows);
    else
      fill_from_coordinates(file, header, host, rows);
    file.require_unchanged();
    if (const auto twice = rows.sort_rows()) refuse_duplicate(file, header, *twice);
  } catch (const TextProblem& problem) {
    file.refuse(problem);
  }
  return rows.take();
}

}  // namespace cisolve::io
