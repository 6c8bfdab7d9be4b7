#pragma once

#include "sparse/rows/device_rows.hpp"
#include "sparse/rows/row_source.hpp"

namespace cisolve::sparse {

/// Base for a source that modifies another one, inner(), owned or referenced by the derived class.
/// Everything that is not overridden is forwarded, device rows included.
class ForwardedRows : public RowSource {
 public:
  MatrixShape shape() const override { return inner().shape(); }
  Index grain() const override { return inner().grain(); }
  void count(Index first, std::span<Column> lengths) const override {
    inner().count(first, lengths);
  }
  void fill(Index first, Index last, std::span<Column> columns,
            std::span<double> values) const override {
    inner().fill(first, last, columns, values);
  }
  std::vector<double> common_magnitudes(Index most) const override {
    return inner().common_magnitudes(most);
  }
  std::unique_ptr<DeviceRows> on(const base::Backend& device) const override {
    return inner().on(device);
  }

 protected:
  virtual const RowSource& inner() const = 0;
};

}  // namespace cisolve::sparse
