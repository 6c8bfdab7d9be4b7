#include "sparse/stored/plan.hpp"

#include "sparse/diagonal/diagonal.hpp"
#include "sparse/stored/formats.hpp"

namespace cisolve::sparse {

PlannedFormat plan_format(const RowSource& rows, std::span<const Column> lengths,
                          const FormatOptions& options, const base::Backend& backend) {
  return format_named(options.format).plan(rows, lengths, options, backend);
}

std::vector<PlannedFormat> plan_formats(const RowSource& rows, std::span<const Column> lengths,
                                        const FormatOptions& options,
                                        const base::Backend& backend) {
  const auto [diagonal, compact] = plan_diagonals(rows, lengths, backend.host());
  std::vector<PlannedFormat> plans;
  for (const Format& format : formats()) {
    FormatOptions named = options;
    named.format = format.name;
    if (format.name != options.format) named.block_size = kAutomatic;
    if (format.name == kDiagonal)
      plans.push_back({named, diagonal});
    else if (format.name == kCompactDiagonal)
      plans.push_back({named, compact});
    else
      plans.push_back(plan_format(rows, lengths, named, backend));
  }
  return plans;
}

}  // namespace cisolve::sparse
