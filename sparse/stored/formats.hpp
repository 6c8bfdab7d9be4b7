#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sparse/stored/matrix.hpp"
#include "sparse/stored/plan.hpp"
#include "sparse/stored/rates.hpp"

namespace cisolve::sparse {

/// Predicted, of a product on a device.
using ProductSeconds = double (*)(const RowProfile& profile, const DeviceRates& device);

/// Predicted, of a product on a host by so many threads.
using HostSeconds = double (*)(const RowProfile& profile, Values values, int threads);
double streamed_product(const RowProfile& profile, Values values, int threads);

/// What is different of a format where its values are coded.
struct Coding {
  double element_bytes;  // at least
  ProductSeconds product_seconds;
};

/// All that is to be known of a storage format: a row of the one table of them.
struct Format {
  std::string_view name;
  std::vector<std::string_view> options;  // of FormatOptions that it heeds
  double element_bytes;                   // at least, of a non-zero and of a row
  double row_bytes;

  /// What it would hold; `lengths` are those of the rows.
  PlannedFormat (*plan)(const RowSource& rows, std::span<const Column> lengths,
                        const FormatOptions& options, const base::Backend& backend);
  /// Built by the backend's host, and moved where the backend is a device; or by the device from
  /// rows that its host reads.
  std::unique_ptr<SparseMatrix> (*build)(const RowSource& rows, const FormatOptions& options,
                                         const base::Backend& backend);
  /// Built by a device in its own memory; null where it cannot.
  std::unique_ptr<SparseMatrix> (*build_on_device)(const DeviceRows& rows,
                                                   const FormatOptions& options,
                                                   const base::Backend& device);

  /// Of its product on a device; null where nobody is given the format without asking for it.
  ProductSeconds product_seconds = nullptr;
  std::optional<Coding> coded = std::nullopt;  // none: it cannot hold codes
  HostSeconds host_seconds = streamed_product;
  bool sorts_into_tiles = false;  // which takes longer than to append elements to rows

  bool heeds(std::string_view option) const;
};

/// In the order in which they are told.
std::span<const Format> formats();

struct RatedFormat {
  const Format* format;
  Values values;
  double product_seconds;
};

/// Those that have something to offer for such rows on such a device, the quickest product first.
std::vector<RatedFormat> rank_formats(const RowProfile& profile, const DeviceRates& device);

/// The same options; where values are to be coded and no magnitudes are given, with those that the
/// source says.
FormatOptions with_magnitudes(const FormatOptions& options, const RowSource& rows);

/// Throws Fault::configuration with the names that there are.
const Format& format_named(std::string_view name);

}  // namespace cisolve::sparse
