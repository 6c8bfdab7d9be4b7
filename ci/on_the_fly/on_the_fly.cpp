#include "ci/on_the_fly/on_the_fly.hpp"

#include "ci/on_the_fly/block_builder.hpp"
#include "ci/on_the_fly/ways.hpp"
#include "ci/on_the_fly/work.hpp"

namespace cisolve::ci {

Operator computed_product(const HamiltonianRows& h, const base::Backend& backend) {
  const bool here = backend.is_host();
  if (auto blocks = BlockTables::of(h, backend))
    return here ? by_blocks(std::move(*blocks)) : cuda::by_blocks(std::move(*blocks));
  if (auto lists = ListTables::of(h, backend))
    return here ? by_lists(h, std::move(*lists)) : cuda::by_lists(h, std::move(*lists));
  return here ? by_rows(h) : cuda::by_rows(h, backend);
}

std::unique_ptr<base::LinearOperator> on_the_fly(const HamiltonianRows& h,
                                                 const base::Backend& backend) {
  return computed_product(h, backend);
}

ProductWork work_on_the_fly(const HamiltonianRows& h) {
  if (!BlockBuilder::may_serve(h.space())) return {};
  BlockBuilder builder(h);
  return builder.find() ? builder.work() : ProductWork{};
}

}  // namespace cisolve::ci
