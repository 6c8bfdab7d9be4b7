#include "ci/lattice/words/basis_states.hpp"

#include "base/error.hpp"
#include "ci/fock/counting/counting_number.hpp"

namespace cisolve::ci {
namespace {

constexpr int kByte = 8;
constexpr int kByteValues = 256;

Index choose(const std::vector<BigCount>& all, int some) {
  return some < std::ssize(all) ? all[some].to_index().value_or(INT64_MAX) : 0;
}

void require_possible(const ParticleNumbers& filling) {
  const auto& [sites, up, down, allows_double_occupancy] = filling;
  const auto refuse = [&](auto... words) {
    base::fail(
        base::ErrorKind::configuration, words..., "; expected 1 to ",
        filling.holds_electrons() ? kMostSpins / 2 : kMostSpins, " sites, and at most as many ",
        filling.holds_electrons() ? "electrons up, and as many down" : "spins up", " as sites");
  };
  if (sites < 1 || filling.places() > kMostSpins || (up && (*up < 0 || *up > sites)))
    refuse(up.value_or(0), " of ", sites, " spins up");
  if (!down) return;
  if (!up || *down < 0 || *down > sites) refuse(*down, " electrons down on ", sites, " sites");
  if (!allows_double_occupancy && *up + *down > sites)
    base::fail(base::ErrorKind::configuration, *up + *down, " electrons on ", sites,
               " sites without double occupation; expected at most one per site");
}

Index require_count(const ParticleNumbers& filling) {
  require_possible(filling);
  const auto count = count_words(filling);
  if (!count)
    base::fail(base::ErrorKind::resources, "the states of ", filling.sites,
               " sites are too many to be ",
               "numbered; expected fewer sites or a model that conserves ms2");
  return *count;
}

}  // namespace

SiteModel model_of(const ParticleNumbers& filling, std::span<const Term> terms) {
  return filling.holds_electrons() ? electron_model(filling.sites, terms)
                                   : spin_model(filling.sites, terms);
}

std::optional<Index> count_words(const ParticleNumbers& filling) {
  constexpr int kMostBits = 62;
  const auto& [sites, up, down, allows_double_occupancy] = filling;
  if (!up) return sites > kMostBits ? std::nullopt : std::optional(Index{1} << sites);
  if (!down) return binomials(sites)[*up].to_index();
  const int free = allows_double_occupancy ? sites : sites - *down;
  if (*up > free) return 0;
  return (binomials(sites)[*down] * binomials(free)[*up]).to_index();
}

BasisStates::BasisStates(const ParticleNumbers& filling)
    : filling_(filling), count_(require_count(filling)) {
  if (!filling.up) return;
  for (int p = 0; p < filling.sites; ++p) {
    const std::vector<BigCount> all = binomials(p);
    for (int i = 0; i <= kMostSpins; ++i) smaller_.push_back(choose(all, i));
  }
  if (filling.holds_electrons())
    ups_ = choose(
        binomials(filling.allows_double_occupancy ? filling.sites : filling.sites - *filling.down),
        *filling.up);
  else
    number_by_bytes();
}

void BasisStates::number_by_bytes() {
  const int sites = filling_.sites;
  const int up = *filling_.up;
  const auto bytes = static_cast<std::size_t>((sites + kByte - 1) / kByte);
  byte_offsets_.resize(bytes * (kMostSpins + 1) * kByteValues);
  for (int byte = 0; kByte * byte < sites; ++byte)
    for (int below = 0; below <= std::min(up, kByte * byte); ++below)
      for (int bits = 0; bits < kByteValues; ++bits) {
        Index sum = 0;
        int i = below;
        for (int b = 0; b < kByte && kByte * byte + b < sites; ++b)
          if ((bits >> b & 1) != 0 && ++i <= up) sum += view().below(kByte * byte + b, i);
        byte_offsets_[(static_cast<std::size_t>(byte) * (kMostSpins + 1) + below) * kByteValues +
                      bits] = sum;
      }
}

BasisStatesView BasisStates::view() const {
  return {.sites = filling_.sites,
          .up = filling_.up.value_or(-1),
          .down = filling_.down.value_or(-1),
          .ups = ups_,
          .allows_double_occupancy = filling_.allows_double_occupancy,
          .smaller = smaller_.data(),
          .byte_offsets = byte_offsets_.data()};
}

}  // namespace cisolve::ci
