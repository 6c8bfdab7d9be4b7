#include "sparse/plan.hpp"

#include "sparse/build.hpp"
#include "sparse/csb.hpp"
#include "sparse/csr.hpp"
#include "sparse/hybrid.hpp"
#include "sparse/sliced.hpp"
#include "sparse/tiled.hpp"

namespace cisolve::sparse {

PlannedFormat plan_format(const RowSource& rows, std::span<const Column> lengths,
                          const FormatOptions& options, const base::Backend& backend) {
  const MatrixShape shape = rows.shape();
  const std::string& format = options.format;
  if (format == "csr") return {options, plan_csr(shape, total(lengths))};
  if (format == "csb") return {options, plan_csb(shape, total(lengths), options)};
  if (format == "tiled")
    return {options, plan_tiled(shape, total(lengths), TileGeometry::of(backend, options))};
  if (format != "hybrid") return {options, plan_sliced(lengths, options)};
  FormatOptions chosen = options;
  chosen.boundary = chosen_boundary(options, lengths, shape);
  return {chosen, plan_hybrid(rows, lengths, chosen, backend.host())};
}

std::vector<PlannedFormat> plan_formats(const RowSource& rows, std::span<const Column> lengths,
                                        const FormatOptions& options,
                                        const base::Backend& backend) {
  std::vector<PlannedFormat> plans;
  for (const std::string& format : format_names()) {
    FormatOptions named = options;
    named.format = format;
    if (format != options.format) named.block_size = kAutomatic;
    plans.push_back(plan_format(rows, lengths, named, backend));
  }
  return plans;
}

}  // namespace cisolve::sparse
