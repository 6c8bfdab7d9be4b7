#include "base/ranks/communicator.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace cisolve::base {

double Communicator::minimum(double value) const {
  minimum({&value, 1});
  return value;
}

bool Communicator::all_same(double value) const {
  double ends[] = {value, -value};
  minimum(ends);
  return ends[0] == -ends[1];
}

bool Communicator::all_differ(std::span<const std::byte> mine) const {
  std::set<std::vector<std::byte>> met;
  for (int r = 0; r < size(); ++r) {
    std::vector<std::byte> theirs(mine.begin(), mine.end());
    broadcast(theirs, r);
    met.insert(std::move(theirs));
  }
  return std::ssize(met) == size();
}

void OneProcess::exchange(std::span<const double> send, std::span<const Index> sent,
                          std::span<double> receive, std::span<const Index> received) const {
  require_counts(sent, 1, send.size());
  require_counts(received, 1, receive.size());
  if (sent[0] != received[0])
    fail(ErrorKind::internal, sent[0], " values are sent where ", received[0], " are expected");
  std::copy_n(send.begin(), sent[0], receive.begin());
}

void require_counts(std::span<const Index> counts, int size, std::size_t values) {
  Index total = 0;
  for (const Index count : counts) {
    if (count < 0) fail(ErrorKind::internal, count, " values are to be exchanged");
    total += count;
  }
  if (std::ssize(counts) != size || total != static_cast<Index>(values))
    fail(ErrorKind::internal, counts.size(), " counts of ", total, " values in all for ", size,
         " ranks and ", values, " values");
}

}  // namespace cisolve::base
