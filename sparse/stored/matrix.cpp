#include "sparse/stored/matrix.hpp"

#include "base/text.hpp"
#include "sparse/stored/formats.hpp"

namespace cisolve::sparse {

base::OperatorDescription SparseMatrix::description() const {
  const Index vectors = (shape().rows + shape().columns) * Index{sizeof(double)};
  const Index held = memory().held;
  return {display_name(format(), values()), held, held + vectors, 2 * nonzeros()};
}

std::string display_name(std::string_view format, ValueEncoding values) {
  return base::concat(format, values == ValueEncoding::coded ? ", coded values" : "");
}

const std::vector<std::string>& format_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const Format& format : formats()) list.emplace_back(format.name);
    return list;
  }();
  return names;
}

std::unique_ptr<SparseMatrix> build_matrix(const RowSource& rows, const FormatOptions& options,
                                           const base::Backend& backend) {
  const Format& format = format_named(options.format);
  const FormatOptions known = with_magnitudes(options, rows);
  if (!backend.is_host() && format.build_on_device != nullptr)
    if (const auto device_rows = rows.on(backend))
      return format.build_on_device(*device_rows, known, backend);
  return format.build(rows, known, backend);
}

}  // namespace cisolve::sparse
