#include "io/matrices/npz_matrix.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "io/matrices/npy_array.hpp"
#include "io/matrices/row_filler.hpp"
#include "sparse/rows/build.hpp"

namespace cisolve::io {
namespace {

class NpzMatrixReader {
 public:
  NpzMatrixReader(const std::filesystem::path& path, const base::Backend& host)
      : file_(path), host_(host), entries_(read_zip_directory(file_)) {}

  sparse::Csr read() {
    const std::string format = read_format();
    const sparse::MatrixShape shape = read_shape();
    sparse::Csr matrix =
        format == "coo" ? read_coordinates(shape) : read_compressed(shape, format == "csc");
    file_.require_unchanged();
    return matrix;
  }

 private:
  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    file_.require_unchanged();
    base::fail(base::ErrorKind::bad_input, file_.path().native(), ": ", parts...);
  }

  const ZipEntry* find(const std::string& name) const {
    const auto found = std::ranges::find(entries_, name + ".npy", &ZipEntry::name);
    return found == entries_.end() ? nullptr : &*found;
  }

  NpyArray open(const std::string& name) const {
    const ZipEntry* entry = find(name);
    if (entry == nullptr)
      refuse("the array ", name, " is missing; expected a sparse matrix as ",
             "scipy.sparse.save_npz writes it");
    return {file_, *entry};
  }

  std::string read_format() const {
    if (find("format") == nullptr)
      refuse("the file holds arrays, but not a sparse matrix of SciPy; expected a file written by ",
             "scipy.sparse.save_npz(file, A); for a dense array save scipy.sparse.csr_matrix(A)");
    const std::string format = open("format").text();
    if (format != "csr" && format != "csc" && format != "coo")
      refuse("SciPy's format '", format.substr(0, 20),
             "' is not supported; expected csr, csc or coo: ", "save A.tocsr()");
    return format;
  }

  sparse::MatrixShape read_shape() const {
    const base::Array<Index> shape = open("shape").indices(base::kLargestDimension, host_);
    if (shape.size() != 2) refuse("shape: ", shape.size(), " dimensions; expected two");
    const sparse::MatrixShape result{shape[0], shape[1], 0, false};
    try {
      sparse::require_storable(result);
    } catch (const base::Error& error) {
      refuse("shape: ", error.what());
    }
    return result;
  }

  base::Array<Column> read_numbers(const std::string& name, Index dimension) const {
    NpyArray array = open(name);
    if (array.size() > 0 && dimension == 0)
      refuse(name, ": the array has elements, but the matrix has none");
    return array.columns(std::max<Index>(dimension, 1) - 1, host_);
  }

  void require_as_many(std::string_view name, Index found, Index expected) const {
    if (found != expected)
      refuse(name, ": ", found, " elements; expected ", expected, " from the other arrays");
  }

  sparse::Csr read_coordinates(const sparse::MatrixShape& shape) const {
    const base::Array<Column> rows = read_numbers("row", shape.rows);
    const base::Array<Column> columns = read_numbers("col", shape.columns);
    const base::Array<double> values = open("data").reals(host_);
    require_as_many("col", columns.size(), rows.size());
    require_as_many("data", values.size(), rows.size());
    return filled(shape, [&](const auto& take) {
      for (Index k = 0; k < values.size(); ++k) take(rows[k], columns[k], values[k]);
    });
  }

  /// Lines are rows, or columns if `by_columns`.
  sparse::Csr read_compressed(const sparse::MatrixShape& shape, bool by_columns) const {
    const Index lines = by_columns ? shape.columns : shape.rows;
    const base::Array<Column> across =
        read_numbers("indices", by_columns ? shape.rows : shape.columns);
    const base::Array<Index> offsets = open("indptr").indices(across.size(), host_);
    const base::Array<double> values = open("data").reals(host_);
    require_as_many("data", values.size(), across.size());
    require_as_many("indptr", offsets.size(), lines + 1);
    if (offsets[0] != 0 || offsets[lines] != across.size() ||
        !std::ranges::is_sorted(offsets.span()))
      refuse("indptr: the offsets do not ascend from 0 to ", across.size(),
             "; save A after A.prune()");
    return filled(shape, [&](const auto& take) {
      for (Index line = 0; line < lines; ++line)
        for (Index k = offsets[line]; k < offsets[line + 1]; ++k)
          by_columns ? take(Index{across[k]}, line, values[k])
                     : take(line, Index{across[k]}, values[k]);
    });
  }

  /// visit(take) must pass the same elements each time.
  template <class Visit>
  sparse::Csr filled(const sparse::MatrixShape& shape, Visit visit) const {
    RowFiller rows(shape, host_);
    const auto pass = [&](auto take) {
      ElementBatch batch(take);
      visit([&](Index row, Index column, double value) { batch.add(row, column, value); });
      batch.flush();
    };
    pass([&](std::span<const RowFiller::Element> elements) { rows.announce(elements); });
    rows.allocate();
    pass([&](std::span<const RowFiller::Element> elements) { rows.put(elements); });
    if (const auto twice = rows.sort_rows())
      refuse("the element at row ", twice->row, ", column ", twice->column,
             " is given twice; expected it once: save A after A.sum_duplicates()");
    return rows.take();
  }

  MappedFile file_;
  base::Backend host_;
  std::vector<ZipEntry> entries_;
};

}  // namespace

sparse::Csr read_npz_matrix(const std::filesystem::path& path, const base::Backend& host) {
  return NpzMatrixReader(path, host).read();
}

}  // namespace cisolve::io
