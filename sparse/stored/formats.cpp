#include "sparse/stored/formats.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.hpp"
#include "sparse/rows/build.hpp"
#include "sparse/stored/stored_matrix.hpp"

namespace cisolve::sparse {
namespace {

using Lengths = std::span<const Column>;
using Matrix = std::unique_ptr<SparseMatrix>;
using base::Backend;

constexpr double kElement = sizeof(double) + sizeof(Column);
constexpr double kCodedElement = 1 + sizeof(Column);
constexpr double kTiledElement = sizeof(double) + 2;  // 16 bits per column
constexpr double kCodedTiledElement = 4;              // 16 per column, 16 per value
/// Bytes per element of a symmetric matrix without stored columns.
constexpr double kHalfHeld = sizeof(double) / 2.0;
constexpr double kOffset = sizeof(Index);

PlannedFormat csr_plan(const RowSource& rows, Lengths lengths, const FormatOptions& options,
                       const Backend& backend) {
  return {options, plan_csr(rows.shape(), lengths, backend)};
}
Matrix csr_build(const RowSource& rows, const FormatOptions& /*options*/, const Backend& backend) {
  return place_on(build_csr(rows, backend.host()), backend);
}
Matrix csr_on_device(const DeviceRows& rows, const FormatOptions& /*options*/,
                     const Backend& device) {
  return keep_on(build_csr(rows), device);
}

PlannedFormat sliced_plan(const RowSource& /*rows*/, Lengths lengths, const FormatOptions& options,
                          const Backend& /*backend*/) {
  return {options, plan_sliced(lengths, options)};
}
Matrix sliced_build(const RowSource& rows, const FormatOptions& options, const Backend& backend) {
  return place_on(build_sliced(rows, options, backend.host()), backend);
}
Matrix sliced_on_device(const DeviceRows& rows, const FormatOptions& options,
                        const Backend& device) {
  return keep_on(build_sliced(rows, options), device);
}

PlannedFormat sell_plan(const RowSource& rows, Lengths lengths, const FormatOptions& options,
                        const Backend& backend) {
  if (options.values == ValueEncoding::plain) return sliced_plan(rows, lengths, options, backend);
  return {options, plan_coded_sliced(lengths, options)};
}
Matrix sell_build(const RowSource& rows, const FormatOptions& options, const Backend& backend) {
  if (options.values == ValueEncoding::coded)
    if (auto coded = build_coded_sliced(rows, options, backend.host()))
      return place_on(std::move(*coded), backend);
  return sliced_build(rows, options, backend);
}
Matrix sell_on_device(const DeviceRows& rows, const FormatOptions& options, const Backend& device) {
  if (options.values == ValueEncoding::coded)
    if (auto coded = build_coded_sliced(rows, options)) return keep_on(std::move(*coded), device);
  return sliced_on_device(rows, options, device);
}

PlannedFormat csb_plan(const RowSource& rows, Lengths lengths, const FormatOptions& options,
                       const Backend& /*backend*/) {
  return {options, plan_csb(rows.shape(), total(lengths), options)};
}
Matrix csb_build(const RowSource& rows, const FormatOptions& options, const Backend& backend) {
  return place_on(build_csb(rows, options, backend.host()), backend);
}

PlannedFormat hybrid_plan(const RowSource& rows, Lengths lengths, const FormatOptions& options,
                          const Backend& backend) {
  FormatOptions chosen = options;
  chosen.boundary = chosen_boundary(options, lengths, rows.shape());
  return {chosen, plan_hybrid(rows, lengths, chosen, backend.host())};
}
Matrix hybrid_build(const RowSource& rows, const FormatOptions& options, const Backend& backend) {
  return place_on(build_hybrid(rows, options, backend.host()), backend);
}
Matrix hybrid_on_device(const DeviceRows& rows, const FormatOptions& options,
                        const Backend& device) {
  return keep_on(build_hybrid(rows, options), device);
}

PlannedFormat tiled_plan(const RowSource& rows, Lengths lengths, const FormatOptions& options,
                         const Backend& backend) {
  return {options,
          plan_tiled(rows, lengths, TileGeometry::of(backend, with_magnitudes(options, rows)),
                     backend.host())};
}
Matrix tiled_build(const RowSource& rows, const FormatOptions& options, const Backend& backend) {
  const TileGeometry geometry = TileGeometry::of(backend, options);
  if (backend.is_host()) return place_on(build_tiled(rows, geometry, backend), backend);
  return keep_on(build_tiled_on_device(rows, geometry, backend), backend);
}
Matrix tiled_on_device(const DeviceRows& rows, const FormatOptions& options,
                       const Backend& device) {
  return keep_on(build_tiled(rows, TileGeometry::of(device, options)), device);
}

PlannedFormat diagonal_plan(const RowSource& rows, Lengths lengths, const FormatOptions& options,
                            const Backend& backend) {
  return {options, plan_diagonal(rows, lengths, options, backend.host())};
}
Matrix diagonal_build(const RowSource& rows, const FormatOptions& options, const Backend& backend) {
  return place_on(build_diagonal(rows, options, backend.host()), backend);
}

/// Coded values cost a byte look-up per element.
double sell_product(const RowProfile& profile, ValueEncoding values, int threads) {
  return streamed_seconds_on_host(profile, values == ValueEncoding::coded ? 1 : 0, threads);
}
double tiled_product(const RowProfile& profile, ValueEncoding /*values*/, int threads) {
  return tiled_seconds_on_host(profile, threads);
}

}  // namespace

double streamed_product(const RowProfile& profile, ValueEncoding /*values*/, int threads) {
  return streamed_seconds_on_host(profile, 0, threads);
}

std::span<const Format> formats() {
  static const Format table[] = {
      {"csr", {}, kElement, kOffset, csr_plan, csr_build, csr_on_device, csr_seconds},
      {"ellpack", {}, kElement, 0, sliced_plan, sliced_build, sliced_on_device},
      {"ellpack-r", {}, kElement, 0, sliced_plan, sliced_build, sliced_on_device},
      {"sell",
       {"slice_height", "values"},
       kElement,
       0,
       sell_plan,
       sell_build,
       sell_on_device,
       sliced_seconds,
       Coding{kCodedElement, coded_sliced_seconds},
       sell_product},
      {"sell-r", {"slice_height"}, kElement, 0, sliced_plan, sliced_build, sliced_on_device},
      {"csb", {"block_size"}, kElement, 0, csb_plan, csb_build, nullptr},
      {"hybrid",
       {"boundary", "policy"},
       kElement,
       kOffset,
       hybrid_plan,
       hybrid_build,
       hybrid_on_device},
      {"tiled",
       {"block_size", "values"},
       kTiledElement,
       0,
       tiled_plan,
       tiled_build,
       tiled_on_device,
       tiled_seconds,
       Coding{kCodedTiledElement, coded_tiled_seconds},
       tiled_product,
       true},
      {kDiagonal, {}, kHalfHeld, 0, diagonal_plan, diagonal_build, nullptr, diagonal_seconds},
      {kCompactDiagonal, {}, kHalfHeld, 0, diagonal_plan, diagonal_build, nullptr},
  };
  return table;
}

FormatOptions with_magnitudes(const FormatOptions& options, const RowSource& rows) {
  FormatOptions known = options;
  if (options.values == ValueEncoding::coded && options.magnitudes.empty())
    known.magnitudes = rows.common_magnitudes(kMostMagnitudes);
  return known;
}

bool Format::accepts(std::string_view option) const {
  return std::ranges::find(options, option) != options.end();
}

std::vector<RatedFormat> rank_formats(const RowProfile& profile, const DeviceRates& device) {
  std::vector<RatedFormat> list;
  const auto rate = [&](const Format& format, ValueEncoding values, ProductSeconds seconds) {
    if (seconds == nullptr) return;
    const RatedFormat rated{&format, values, seconds(profile, device)};
    if (std::isfinite(rated.product_seconds)) list.push_back(rated);
  };
  for (const Format& format : formats()) {
    // Coded first: of equally fast variants the smaller one is preferred.
    if (format.coded) rate(format, ValueEncoding::coded, format.coded->product_seconds);
    rate(format, ValueEncoding::plain, format.product_seconds);
  }
  std::ranges::stable_sort(list, {}, &RatedFormat::product_seconds);
  return list;
}

const Format& format_named(std::string_view name) {
  std::string names;
  for (const Format& format : formats()) {
    if (format.name == name) return format;
    names += base::concat(names.empty() ? "" : ", ", format.name);
  }
  base::fail(base::ErrorKind::configuration, "unknown storage format '", name,
             "'; expected one of ", names);
}

}  // namespace cisolve::sparse
