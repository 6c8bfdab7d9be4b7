#include "base/offsets.hpp"

#include <functional>
#include <numeric>

namespace cisolve::base {

Array<Index> offsets_from(std::span<const Column> lengths, const Backend& host,
                          std::string_view what) {
  Array<Index> offsets(host, std::ssize(lengths) + 1, what);
  offsets[0] = 0;
  std::transform_inclusive_scan(lengths.begin(), lengths.end(), offsets.data() + 1, std::plus<>{},
                                [](Column length) { return Index{length}; });
  return offsets;
}

}  // namespace cisolve::base
