#include "ci/properties/scattered_density.hpp"

#include <algorithm>
#include <ranges>
#include <utility>
#include <vector>

#include "ci/properties/density_parts.hpp"

namespace cisolve::ci {
namespace {

constexpr Index kSparse = 3;  // ratio of all products of strings to determinants
/// Strings scanned in the time of one search.
constexpr std::size_t kSearch = 8;
constexpr std::size_t kNotedTogether = 1024;  // beta strings; their excitations stay in cache

/// Adds the contributions of one alpha string after another; one object per thread.
class MarkedMoves {
  /// A beta excitation, or an electron that stays.
  struct Marked {
    double value;  // coefficient in the ket
    Index pair;
    Column next;  // next one with the same target; -1: none
  };

 public:
  static constexpr Index kBytes = sizeof(Marked);  // size of a marked excitation

  MarkedMoves(const Space& space, const SingleExcitations& betas, const double* bra,
              const double* ket)
      : space_(space),
        betas_(betas),
        bra_(bra),
        ket_(ket),
        orbitals_(space.orbitals()),
        first_to_(space.host(), std::ssize(space.strings(Spin::beta)),
                  "the single excitations of a string") {
    std::ranges::fill(first_to_.span(), -1);
  }

  void add(Index alpha, std::span<const SingleExcitation> moves, std::span<double> mixed) {
    const auto betas = space_.betas_of(alpha);
    const double* ket = ket_ + space_.first_row(alpha);
    for (std::size_t first = 0; first < betas.size(); first += kNotedTogether) {
      mark(betas.subspan(first, std::min(kNotedTogether, betas.size() - first)), ket + first);
      add_marked(alpha, moves, mixed);
    }
  }

 private:
  Index row(int p, int q) const {
    return (Index{p} * orbitals_ + q) * Index{orbitals_} * orbitals_;
  }

  void mark(std::span<const StringNumber> betas, const double* ket) {
    marked_.clear();
    targets_.clear();
    are_sorted_ = false;
    for (std::size_t i = 0; i < betas.size(); ++i) {
      if (ket[i] == 0) continue;
      for (const int r : space_.occupied(Spin::beta, betas[i]))
        mark(betas[i], {ket[i], Index{r} * orbitals_ + r, -1});
      for (const SingleExcitation& move : betas_.of(betas[i]))
        mark(move.target, {move.sign() * ket[i], Index{move.to} * orbitals_ + move.from, -1});
    }
  }
  void mark(StringNumber target, Marked marked) {
    Column& first = first_to_[target];
    if (first < 0) targets_.push_back(target);
    marked.next = std::exchange(first, static_cast<Column>(marked_.size()));
    marked_.push_back(marked);
  }

  void add_marked(Index alpha, std::span<const SingleExcitation> moves, std::span<double> mixed) {
    rows_.clear();
    for (const int p : space_.occupied(Spin::alpha, alpha)) rows_.push_back(row(p, p));
    add_all(alpha, 1, mixed);
    for (const SingleExcitation& move : moves) {
      if (move.to < move.from) continue;
      rows_.assign(1, row(move.to, move.from));
      add_all(move.target, move.sign(), mixed);
    }
    for (const StringNumber beta : targets_) first_to_[beta] = -1;
  }

  /// Contributions with the beta strings of an alpha string; scans the fewer of these and the
  /// targets.
  void add_all(Index alpha, double sign, std::span<double> mixed) {
    const Index list = space_.list_of(alpha);
    const auto betas = space_.list(list);
    const double* bra = bra_ + space_.first_row(alpha);
    if (betas.size() <= kSearch * targets_.size()) {
      for (std::size_t i = 0; i < betas.size(); ++i) add(betas[i], sign * bra[i], mixed);
      return;
    }
    if (!std::exchange(are_sorted_, true)) std::ranges::sort(targets_);
    for (const StringNumber beta : targets_)
      if (const StringNumber place = space_.position(list, beta); place >= 0)
        add(beta, sign * bra[place], mixed);
  }

  void add(StringNumber target, double factor, std::span<double> mixed) const {
    for (Column k = first_to_[target]; k >= 0; k = marked_[k].next)
      for (const Index row : rows_) mixed[row + marked_[k].pair] += factor * marked_[k].value;
  }

  const Space& space_;
  const SingleExcitations& betas_;
  const double* bra_;
  const double* ket_;
  Index orbitals_;
  base::Array<Column> first_to_;  // [beta string]; -1: none
  std::vector<Marked> marked_;
  std::vector<StringNumber> targets_;  // distinct target strings
  bool are_sorted_ = false;
  std::vector<Index> rows_;  // rows of the density, one for each pair of alpha orbitals
};

}  // namespace

ScatteredDensity::ScatteredDensity(const Space& space)
    : space_(space), alphas_(space, Spin::alpha), betas_(space, Spin::beta) {}

bool ScatteredDensity::suits(const Space& space) {
  const auto alphas = std::ssize(space.strings(Spin::alpha));
  const auto betas = std::ssize(space.strings(Spin::beta));
  const Index n = space.orbitals();
  const Index parts = kDensityParts * n * n * n * n;
  const Index moves = space.electrons(Spin::beta) * (n - space.electrons(Spin::beta));
  const Index noted = Index{kNotedTogether} * (moves + space.electrons(Spin::beta));
  const Index bytes = parts * Index{sizeof(double)} +
                      kDensityParts * (betas * Index{sizeof(Column)} + noted * MarkedMoves::kBytes);
  return space.dimension() <= alphas * betas / kSparse && parts <= space.dimension() * moves &&
         bytes <= density_parts_budget(space);
}

/// First alpha string of a part: half of the work is proportional to determinants, half to strings.
Index ScatteredDensity::first_of(Index part) const {
  const auto alphas = std::ssize(space_.strings(Spin::alpha));
  const double rows = static_cast<double>(space_.dimension());
  const auto weight_of_alpha = [&](Index alpha) {
    return static_cast<double>(space_.first_row(alpha)) / rows +
           static_cast<double>(alpha) / static_cast<double>(alphas);
  };
  return *std::ranges::partition_point(std::views::iota(Index{0}, alphas + 1), [&](Index alpha) {
    return weight_of_alpha(alpha) * kDensityParts < 2.0 * static_cast<double>(part);
  });
}

void ScatteredDensity::add(const double* bra, const double* ket, std::span<double> mixed) const {
  add_in_parts(space_, kDensityParts, mixed, [&](Index part, std::span<double> sum) {
    MarkedMoves marked(space_, betas_, bra, ket);
    for (Index alpha = first_of(part); alpha < first_of(part + 1); ++alpha)
      marked.add(alpha, alphas_.of(alpha), sum);
  });
}

}  // namespace cisolve::ci
