#include "job/products/wishes.hpp"

#include "base/ranks/agreement.hpp"

namespace cisolve::job {

Asked told(const base::Communicator& ranks, const Asked& by_first) {
  double words[] = {static_cast<double>(by_first.wish), static_cast<double>(by_first.count),
                    by_first.share, by_first.at_home ? 1.0 : 0.0};
  ranks.broadcast(std::span<double>(words), 0);
  return {static_cast<Wish>(words[0]), static_cast<base::Index>(words[1]), words[2], words[3] != 0};
}

void serve(const base::Communicator& ranks, const std::function<void(const Asked&)>& help) {
  for (Asked asked = told(ranks, {}); asked.wish != Wish::end; asked = told(ranks, {})) {
    try {
      help(asked);
    } catch (const base::Agreed&) {
      continue;  // all threw it, and the first knows what to do
    }
  }
}

}  // namespace cisolve::job
