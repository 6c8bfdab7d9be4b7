#include "ci/spins/spin_words.hpp"

#include "base/error.hpp"
#include "ci/counting/counting_number.hpp"

namespace cisolve::ci {
namespace {

constexpr int kByte = 8;
constexpr int kByteValues = 256;

Index choose(const std::vector<BigCount>& all, int some) {
  return some < std::ssize(all) ? all[some].to_index().value_or(INT64_MAX) : 0;
}

Index require_count(int sites, std::optional<int> up) {
  if (sites < 1 || sites > kMostSpins || (up && (*up < 0 || *up > sites)))
    base::fail(base::Fault::configuration, up.value_or(0), " of ", sites,
               " spins up; expected 1 to ", kMostSpins, " spins, and no more of them up");
  const auto count = count_words(sites, up);
  if (!count)
    base::fail(base::Fault::resources, "the states of ", sites,
               " spins cannot be numbered; expected fewer sites or a model that keeps ms2");
  return *count;
}

}  // namespace

std::optional<Index> count_words(int sites, std::optional<int> up) {
  constexpr int kMostBits = 62;
  if (!up) return sites > kMostBits ? std::nullopt : std::optional(Index{1} << sites);
  return binomials(sites)[*up].to_index();
}

SpinWords::SpinWords(int sites, std::optional<int> up)
    : sites_(sites), up_(up), count_(require_count(sites, up)) {
  if (!up) return;
  for (int p = 0; p < sites; ++p) {
    const std::vector<BigCount> all = binomials(p);
    for (int i = 0; i <= kMostSpins; ++i) smaller_.push_back(choose(all, i));
  }
  const auto bytes = static_cast<std::size_t>((sites + kByte - 1) / kByte);
  shares_.resize(bytes * (kMostSpins + 1) * kByteValues);
  for (int byte = 0; kByte * byte < sites; ++byte)
    for (int below = 0; below <= std::min(*up, kByte * byte); ++below)
      for (int bits = 0; bits < kByteValues; ++bits) {
        Index sum = 0;
        int i = below;
        for (int b = 0; b < kByte && kByte * byte + b < sites; ++b)
          if ((bits >> b & 1) != 0 && ++i <= *up) sum += view().below(kByte * byte + b, i);
        shares_[(static_cast<std::size_t>(byte) * (kMostSpins + 1) + below) * kByteValues + bits] =
            sum;
      }
}

}  // namespace cisolve::ci
