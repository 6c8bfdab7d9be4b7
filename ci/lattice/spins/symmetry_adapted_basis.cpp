#include "ci/lattice/spins/symmetry_adapted_basis.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include "base/error.hpp"
#include "base/loops.hpp"
#include "ci/lattice/sectors/representatives.hpp"

namespace cisolve::ci {
namespace {

constexpr auto kOrbits = "orbits of basis states";
constexpr Index kOrbitsAtOnce = 1 << 12;
constexpr std::uint8_t kNoState = 255;
constexpr std::uint8_t kFree = 0;   // trivial stabiliser
constexpr std::uint8_t kFixed = 1;  // non-trivial stabiliser

}  // namespace

/// Finds the orbits that have states, and their kinds.
class SymmetryAdaptedBasis::Finder {
 public:
  Finder(SymmetryAdaptedBasis& basis, const base::Backend& backend)
      : basis_(basis),
        found_(find_representatives(basis.words_, *basis.sector_, *basis.orbits_, backend)),
        kinds_(basis.host(), found_.size(), kOrbits) {}

  void find() {
    Index words = 0;
    for_each_orbit([&](Index first, Index last) {
      Stabilisers known;
      Index here = 0;
      for (Index i = first; i < last; ++i) {
        const Stabiliser stabiliser = stabiliser_of(i);
        keep(stabiliser, known);
        kinds_[i] = stabiliser.operations > 1 ? kFixed : kFree;
        here += orbit_size(stabiliser);
      }
      const std::lock_guard lock(guard_);
      words += here;
      for (const auto& [key, stabiliser] : known) keep(stabiliser, all_);
    });
    require_all(words);
    number_kinds();
    const std::uint8_t free = kind_number(trivial_stabiliser());
    for_each_orbit([&](Index first, Index last) {
      for (Index i = first; i < last; ++i)
        kinds_[i] = kinds_[i] == kFree ? free : kind_number(stabiliser_of(i));
    });
    keep_orbits_with_states();
    number_rows();
  }

 private:
  // The representatives are distinct. If their orbits contain all words, none is missing, whichever
  // backend found them.
  void require_all(Index words) const {
    if (words != basis_.words_.count())
      base::fail(base::ErrorKind::internal, "orbits contain ", words, " basis states of ",
                 basis_.words_.count());
  }

  /// The order of a stabiliser and the sum of its matrices.
  struct Stabiliser {
    int operations = 0;
    std::array<double, 4> sum = {0, 0, 0, 0};

    std::array<long, 5> key() const {
      constexpr double kScale = 1e6;
      std::array<long, 5> rounded{operations};
      for (std::size_t i = 0; i < sum.size(); ++i) rounded[i + 1] = std::lround(sum[i] * kScale);
      return rounded;
    }
  };

  Index orbit_size(const Stabiliser& stabiliser) const {
    return stabiliser.operations == 0
               ? 0
               : std::ssize(basis_.sector_->operations) / stabiliser.operations;
  }

  /// The image of the projector (1/|S|) sum_S D: all, a line, or {0}.
  static OrbitKind projected(const Stabiliser& s, int dimension) {
    constexpr double kTolerance = 1e-6;
    OrbitKind kind;
    kind.operations = s.operations;
    const double count = s.operations;
    const std::array<double, 4> mean = {s.sum[0] / count, s.sum[1] / count, s.sum[2] / count,
                                        s.sum[3] / count};
    kind.states = static_cast<int>(std::lround(mean[0] + (dimension == 2 ? mean[3] : 0)));
    if (kind.states != 1 || dimension == 1) return kind;
    const bool use_first_column = mean[0] > mean[3] - kTolerance;
    const std::array<double, 2> line = {use_first_column ? mean[0] : mean[1],
                                        use_first_column ? mean[2] : mean[3]};
    const double length = std::hypot(line[0], line[1]);
    kind.vectors[0] = {line[0] / length, line[1] / length};
    return kind;
  }

  using Key = std::array<long, 5>;
  using Stabilisers = std::map<Key, Stabiliser>;

  /// Keeps the one with the smallest sum among stabilisers that are equal up to rounding, so that
  /// the result does not depend on threads.
  static void keep(const Stabiliser& stabiliser, Stabilisers& all) {
    const auto [place, is_new] = all.try_emplace(stabiliser.key(), stabiliser);
    if (!is_new && stabiliser.sum < place->second.sum) place->second = stabiliser;
  }

  template <class Work>
  void for_each_orbit(Work work) {
    base::for_each_chunk(found_.size(), kOrbitsAtOnce, basis_.host(), work);
  }

  /// The stabiliser with another operation.
  Stabiliser with(int operation, double sign, Stabiliser stabiliser) const {
    ++stabiliser.operations;
    for (std::size_t i = 0; i < stabiliser.sum.size(); ++i)
      stabiliser.sum[i] += sign * basis_.sector_->operations[operation].matrix.of[i];
    return stabiliser;
  }
  Stabiliser trivial_stabiliser() const { return with(0, 1, {}); }  // identity only

  /// The stabiliser of an orbit; without operations if the word is not a representative, or not
  /// above the previous one.
  Stabiliser stabiliser_of(Index orbit) const {
    if (orbit > 0 && found_[orbit - 1] >= found_[orbit]) return {};
    Stabiliser stabiliser;
    const SymmetryOrbits& orbits = *basis_.orbits_;
    const auto add = [&](int operation) {
      const double sign = orbits.changes_sign(operation, found_[orbit]) ? -1 : 1;
      stabiliser = with(operation, sign, stabiliser);
    };
    return orbits.visit_stabiliser(found_[orbit], add) ? stabiliser : Stabiliser{};
  }

  std::uint8_t kind_number(const Stabiliser& stabiliser) const {
    const auto number = numbers_.find(stabiliser.key());
    return number == numbers_.end() ? kNoState : number->second;
  }

  void number_kinds() {
    constexpr std::size_t kMostKinds = kNoState;
    basis_.kinds_.clear();
    for (const auto& [key, stabiliser] : all_) {
      const OrbitKind kind = projected(stabiliser, basis_.sector_->dimension);
      if (kind.states == 0) continue;
      if (basis_.kinds_.size() == kMostKinds)
        base::fail(base::ErrorKind::resources, "space.symmetry: more than ", kMostKinds,
                   " kinds of orbits; expected fewer symmetries");
      numbers_[key] = static_cast<std::uint8_t>(basis_.kinds_.size());
      basis_.kinds_.push_back(kind);
    }
  }

  void keep_orbits_with_states() {
    const Index orbits = kinds_.size() - std::ranges::count(kinds_.span(), kNoState);
    const bool has_several_kinds = basis_.kinds_.size() > 1;
    if (orbits == kinds_.size()) {
      basis_.representatives_ = std::move(found_);
      if (has_several_kinds) basis_.kind_of_ = std::move(kinds_);
      return;
    }
    basis_.representatives_ = base::Array<BasisState>(basis_.host(), orbits, kOrbits);
    basis_.kind_of_ =
        base::Array<std::uint8_t>(basis_.host(), has_several_kinds ? orbits : 0, kOrbits);
    for (Index i = 0, orbit = 0; i < kinds_.size(); ++i) {
      if (kinds_[i] == kNoState) continue;
      basis_.representatives_[orbit] = found_[i];
      if (has_several_kinds) basis_.kind_of_[orbit] = kinds_[i];
      ++orbit;
    }
  }

  void number_rows() {
    const Index orbits = basis_.representatives_.size();
    const auto has_one = [](const OrbitKind& kind) { return kind.states == 1; };
    basis_.dimension_ = orbits;
    if (std::ranges::all_of(basis_.kinds_, has_one)) return;
    basis_.first_rows_ = base::Array<Index>(basis_.host(), orbits + 1, "rows of orbits");
    basis_.first_rows_[0] = 0;
    for (Index i = 0; i < orbits; ++i)
      basis_.first_rows_[i + 1] = basis_.first_rows_[i] + basis_.kind(i).states;
    basis_.dimension_ = basis_.first_rows_[orbits];
  }

  SymmetryAdaptedBasis& basis_;
  base::Array<BasisState> found_;
  base::Array<std::uint8_t> kinds_;  // first kFree or kFixed, then a kind or kNoState
  Stabilisers all_;
  std::map<Key, std::uint8_t> numbers_;  // numbers of kinds with states
  std::mutex guard_;
};

SymmetryAdaptedBasis::SymmetryAdaptedBasis(BasisStates words, std::optional<SymmetrySector> sector,
                                           const base::Backend& backend)
    : words_(std::move(words)),
      sector_(std::move(sector)),
      representatives_(backend.host(), 0, kOrbits),
      kind_of_(backend.host(), 0, kOrbits),
      first_rows_(backend.host(), 0, kOrbits),
      dimension_(words_.count()) {
  if (!sector_) {
    if (words_.filling().holds_electrons())
      base::fail(base::ErrorKind::internal, "electrons without a sector have no rows here");
    return;
  }
  orbits_ = std::make_unique<const SymmetryOrbits>(*sector_, host());
  Finder(*this, backend).find();
  // Independent check: the dimension of the sector by characters and cycles alone.
  const double counted = sector_dimension(*sector_, words_.filling());
  if (std::abs(counted - static_cast<double>(dimension_)) > 0.5)
    base::fail(base::ErrorKind::internal, "orbits have ", dimension_,
               " symmetry-adapted states, but the characters give ", counted);
}

Index SymmetryAdaptedBasis::orbit_of(Index row) const {
  if (first_rows_.size() == 0) return row;
  return std::ranges::upper_bound(first_rows_.span(), row) - first_rows_.span().begin() - 1;
}

}  // namespace cisolve::ci
