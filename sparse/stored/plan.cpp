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
  const auto of_diagonals = [](std::string_view name) {
    return name == kDiagonal || name == kCompactDiagonal;
  };
  const bool without =
      !of_diagonals(options.format) && has_too_many_diagonals(rows, lengths, backend.host());
  std::array<MemoryUse, 2> diagonals;
  if (!without) diagonals = plan_diagonals(rows, lengths, backend.host());
  std::vector<PlannedFormat> plans;
  for (const Format& format : formats()) {
    if (without && of_diagonals(format.name)) continue;
    FormatOptions named = options;
    named.format = format.name;
    if (format.name != options.format) named.block_size = kAutomatic;
    if (format.name == kDiagonal)
      plans.push_back({named, diagonals[0]});
    else if (format.name == kCompactDiagonal)
      plans.push_back({named, diagonals[1]});
    else
      plans.push_back(plan_format(rows, lengths, named, backend));
  }
  return plans;
}

}  // namespace cisolve::sparse
