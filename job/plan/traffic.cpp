#include "job/plan/traffic.hpp"

#include <algorithm>
#include <numeric>

namespace cisolve::job {
namespace {

constexpr double kNumber = sizeof(double);

double others(std::span<const double> counts, int rank) {
  return std::accumulate(counts.begin(), counts.end(), 0.0) - counts[rank];
}

RankBytes sum(const RankBytes& one, const RankBytes& other) {
  return {one.sent + other.sent, one.received + other.received};
}

}  // namespace

Traffic operator+(const Traffic& one, const Traffic& other) {
  return {sum(one.gathered, other.gathered), sum(one.exchanged, other.exchanged),
          one.operations + other.operations};
}

Traffic operator*(double times, const Traffic& traffic) {
  const auto multiplied = [&](const RankBytes& bytes) {
    return RankBytes{times * bytes.sent, times * bytes.received};
  };
  return {multiplied(traffic.gathered), multiplied(traffic.exchanged), times * traffic.operations};
}

Traffic traffic_of_gather(std::span<const double> rows, int rank, double pieces) {
  const auto peers = static_cast<double>(rows.size() - 1);
  return {.gathered = {kNumber * peers * rows[rank], kNumber * others(rows, rank)},
          .exchanged = {},
          .operations = pieces};
}

Traffic traffic_of_swap(std::span<const FlippedStrings> strings, int rank) {
  Traffic traffic{.gathered = {}, .exchanged = {}, .operations = 1};
  for (const FlippedStrings& block : strings) {
    traffic.exchanged.sent += kNumber * block.with_list[rank] * others(block.in_list, rank);
    traffic.exchanged.received += kNumber * block.in_list[rank] * others(block.with_list, rank);
  }
  return traffic;
}

Traffic traffic_of_fetch(double needed, double given, int vectors) {
  return {.gathered = {},
          .exchanged = {kNumber * given * vectors, kNumber * needed * vectors},
          .operations = 1};
}

Traffic traffic_of_factorised(std::span<const double> rows, int rank, double pieces,
                              const SwapTraffic& flipped, int vectors) {
  Traffic one = traffic_of_gather(rows, rank, pieces);
  if (flipped.times > 0) one = one + flipped.times * traffic_of_swap(flipped.strings, rank);
  one.operations += flipped.sums;
  return vectors * one;
}

Traffic traffic_of_parity(const ParityTraffic& parity, int rank, int vectors) {
  Traffic one = traffic_of_gather(parity.rows_by_rank, rank, parity.pieces);
  one.exchanged = {kNumber * parity.sent, kNumber * parity.received};
  one.operations += 1;
  return vectors * one;
}

Traffic traffic_of_computed(std::span<const double> rows, int rank, double pieces, int vectors) {
  Traffic traffic = vectors * traffic_of_gather(rows, rank, pieces);
  traffic.operations += 1;
  return traffic;
}

Traffic traffic_of_transforms(const TransformedVectors& changed, int rank, int vectors) {
  Traffic traffic =
      vectors * (traffic_of_gather(changed.functions, rank, changed.pieces_of_functions) +
                 traffic_of_gather(changed.determinants, rank, changed.pieces));
  traffic.operations += 1;
  return traffic;
}

Network Network::of_devices(int ranks) {
  return {.ranks = ranks,
          .on_node = 8,
          .link = 280e9,
          .network = 50e9,
          .latency = 4e-5,
          .gathers_point_to_point = true};
}

double Network::internode_fraction() const {
  if (ranks <= on_node) return 0;
  return static_cast<double>(ranks - on_node) / (ranks - 1);
}

double Network::seconds(const Traffic& traffic) const {
  const double far = internode_fraction();
  const double exchanging = (1 - far) / link + far / network;
  const double gathering = gathers_point_to_point
                               ? exchanging
                               : std::max(1 / link, far / (network * std::min(ranks, on_node)));
  return latency * traffic.operations + gathering * traffic.gathered.received +
         exchanging * std::max(traffic.exchanged.sent, traffic.exchanged.received);
}

}  // namespace cisolve::job
