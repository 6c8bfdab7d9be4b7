#include "job/plan/cards.hpp"

#include <algorithm>
#include <array>

namespace cisolve::job {
namespace {

constexpr Index kGiB = Index{1} << 30;
constexpr Index kMiB = Index{1} << 20;

constexpr std::array kCards{Card{"h100",
                                 79 * kGiB,
                                 {.bytes = 2.9e12,
                                  .multiply_adds = 1.6e13,
                                  .cache_bytes = 50 * kMiB,
                                  .multiprocessors = 132}},
                            Card{"h200",
                                 139 * kGiB,
                                 {.bytes = 4.28e12,
                                  .multiply_adds = 1.6e13,
                                  .cache_bytes = 60 * kMiB,
                                  .multiprocessors = 132}}};

}  // namespace

std::optional<Card> card_named(const std::string& name) {
  const auto* found = std::ranges::find(kCards, name, &Card::name);
  return found == kCards.end() ? std::nullopt : std::optional(*found);
}

std::string card_names() {
  std::string names;
  for (const Card& card : kCards) names += (names.empty() ? "" : ", ") + std::string(card.name);
  return names;
}

}  // namespace cisolve::job
