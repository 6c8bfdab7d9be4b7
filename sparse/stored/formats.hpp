#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sparse/rows/device_rows.hpp"
#include "sparse/stored/matrix.hpp"
#include "sparse/stored/plan.hpp"
#include "sparse/stored/rates.hpp"

namespace cisolve::sparse {

/// Predicted time of a product on a device.
using ProductSeconds = double (*)(const RowProfile& profile, const DeviceRates& device);

/// Predicted time of a product on a host with this number of threads.
using HostSeconds = double (*)(const RowProfile& profile, ValueEncoding values, int threads);
double streamed_product(const RowProfile& profile, ValueEncoding values, int threads);

/// Properties of a format with coded values that differ from plain ones.
struct Coding {
  double element_bytes;  // lower bound
  ProductSeconds product_seconds;
};

/// Description of a storage format: a row of the table formats().
struct Format {
  std::string_view name;
  std::vector<std::string_view> options;  // members of FormatOptions that apply
  double element_bytes;                   // lower bounds, per non-zero and per row
  double row_bytes;

  /// Memory of the format; `lengths` are the row lengths.
  PlannedFormat (*plan)(const RowSource& rows, std::span<const Column> lengths,
                        const FormatOptions& options, const base::Backend& backend);
  /// Builds on the backend's host and moves the result to a device; or lets the device build from
  /// rows that its host reads.
  std::unique_ptr<SparseMatrix> (*build)(const RowSource& rows, const FormatOptions& options,
                                         const base::Backend& backend);
  /// Builds in a device's memory; null if a device cannot.
  std::unique_ptr<SparseMatrix> (*build_on_device)(const DeviceRows& rows,
                                                   const FormatOptions& options,
                                                   const base::Backend& device);

  /// time of a product on a device; null if the format is never chosen automatically
  ProductSeconds product_seconds = nullptr;
  std::optional<Coding> coded = std::nullopt;  // nullopt: values cannot be coded
  HostSeconds host_seconds = streamed_product;
  bool sorts_into_tiles =
      false;  // building sorts elements, which takes longer than appending to rows

  bool accepts(std::string_view option) const;
};

/// All formats, in the order of display.
std::span<const Format> formats();

struct RatedFormat {
  const Format* format;
  ValueEncoding values;
  double product_seconds;
};

/// Formats that suit such rows on such a device, the fastest product first.
std::vector<RatedFormat> rank_formats(const RowProfile& profile, const DeviceRates& device);

/// Returns the options; if values are to be coded and no magnitudes are given, adds the source's.
FormatOptions with_magnitudes(const FormatOptions& options, const RowSource& rows);

/// Throws ErrorKind::configuration listing the valid names.
const Format& format_named(std::string_view name);

}  // namespace cisolve::sparse
