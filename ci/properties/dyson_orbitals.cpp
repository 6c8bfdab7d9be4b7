#include "ci/properties/dyson_orbitals.hpp"

#include <algorithm>
#include <optional>

#include "base/array.hpp"
#include "base/loops.hpp"

namespace cisolve::ci {
namespace {

using base::Index;

constexpr Index kPiecesOfOrbitals = 64;             // independent of the number of threads
constexpr Index kNumbersOfPieces = Index{1} << 24;  // of all sums together, if they are large

StringNumber number_in(std::span<const String> ascending, const String& string) {
  const auto found = std::ranges::lower_bound(ascending, string);
  return found != ascending.end() && *found == string
             ? static_cast<StringNumber>(found - ascending.begin())
             : -1;
}

/// For each string of `from` its number among `to`, or -1.
base::Array<StringNumber> same_strings(std::span<const String> from, std::span<const String> to,
                                       const base::Backend& host) {
  base::Array<StringNumber> numbers(host, std::ssize(from), "equal strings of two spaces");
  for (Index k = 0; k < std::ssize(from); ++k)
    numbers[k] = number_in(to, from[static_cast<std::size_t>(k)]);
  return numbers;
}

/// For each string of `more` and each of its electrons, in ascending order, the number among `to`
/// of the string without it, or -1.
base::Array<StringNumber> annihilations(const Space& more, Spin spin, std::span<const String> to) {
  const auto strings = more.strings(spin);
  const Index electrons = more.electrons(spin);
  base::Array<StringNumber> table(more.host(), std::ssize(strings) * electrons,
                                  "annihilations of electrons");
  base::for_each_chunk(std::ssize(strings), 256, more.host(), [&](Index first, Index last) {
    for (Index s = first; s < last; ++s) {
      const String& string = strings[static_cast<std::size_t>(s)];
      StringNumber* next = table.data() + s * electrons;
      for (const int q : more.occupied(spin, s)) *next++ = number_in(to, string.without(q));
    }
  });
  return table;
}

/// Sums of products of the rows of two blocks of states, per orbital.
class DysonSums {
 public:
  DysonSums(base::ConstBlock i_states, base::ConstBlock j_states, int orbitals, double* sums)
      : i_(i_states), j_(j_states), orbitals_(orbitals), sums_(sums) {}

  void add(int q, Index i_row, Index j_row, Index rows, double sign) {
    for (int j = 0; j < j_.columns; ++j)
      for (int i = 0; i < i_.columns; ++i) {
        const double* x = i_.column(i) + i_row;
        const double* y = j_.column(j) + j_row;
        double sum = 0;
        for (Index row = 0; row < rows; ++row) sum += x[row] * y[row];
        sums_[(Index{j} * i_.columns + i) * orbitals_ + q] += sign * sum;
      }
  }

 private:
  base::ConstBlock i_;
  base::ConstBlock j_;
  int orbitals_;
  double* sums_;
};

/// An alpha electron is taken out: whole lists of beta strings meet.
class AlphaElectron {
 public:
  AlphaElectron(const Space& fewer, const Space& more)
      : fewer_(fewer),
        more_(more),
        targets_(annihilations(more, Spin::alpha, fewer.strings(Spin::alpha))),
        betas_(same_strings(more.strings(Spin::beta), fewer.strings(Spin::beta), more.host())) {}

  void add(Index a, DysonSums& sums) const {
    const Index electrons = more_.electrons(Spin::alpha);
    const auto occupied = more_.occupied(Spin::alpha, a);
    for (Index k = 0; k < electrons; ++k)
      if (const StringNumber target = targets_[a * electrons + k]; target >= 0)
        add_lists(occupied[static_cast<std::size_t>(k)], target, a, k % 2 == 0 ? 1 : -1, sums);
  }

 private:
  /// Adds runs of rows whose beta strings follow one another in both lists.
  void add_lists(int q, Index target, Index a, double sign, DysonSums& sums) const {
    const auto here = more_.betas_of(a);
    const auto there = fewer_.betas_of(target);
    const Index j_row = more_.first_row(a);
    const Index i_row = fewer_.first_row(target);
    std::size_t i = 0;
    for (std::size_t j = 0; j < here.size() && i < there.size();) {
      const StringNumber wanted = betas_[here[j]];
      while (i < there.size() && there[i] < wanted) ++i;
      if (wanted < 0 || i == there.size() || there[i] != wanted) {
        ++j;
        continue;
      }
      std::size_t run = 1;
      while (j + run < here.size() && i + run < there.size() &&
             there[i + run] == betas_[here[j + run]])
        ++run;
      sums.add(q, i_row + static_cast<Index>(i), j_row + static_cast<Index>(j),
               static_cast<Index>(run), sign);
      i += run;
      j += run;
    }
  }

  const Space& fewer_;
  const Space& more_;
  base::Array<StringNumber> targets_;
  base::Array<StringNumber> betas_;
};

/// A beta electron is taken out of each determinant.
class BetaElectron {
 public:
  BetaElectron(const Space& fewer, const Space& more)
      : fewer_(fewer),
        more_(more),
        targets_(annihilations(more, Spin::beta, fewer.strings(Spin::beta))),
        alphas_(same_strings(more.strings(Spin::alpha), fewer.strings(Spin::alpha), more.host())),
        sign_(more.electrons(Spin::alpha) % 2 == 0 ? 1 : -1) {}

  void add(Index a, DysonSums& sums) const {
    const StringNumber alpha = alphas_[a];
    if (alpha < 0) return;
    const Index electrons = more_.electrons(Spin::beta);
    const Index list = fewer_.list_of(alpha);
    const Index i_row = fewer_.first_row(alpha);
    Index j_row = more_.first_row(a);
    for (const StringNumber b : more_.betas_of(a)) {
      const auto occupied = more_.occupied(Spin::beta, b);
      for (Index k = 0; k < electrons; ++k) {
        const StringNumber target = targets_[b * electrons + k];
        const StringNumber place = target < 0 ? -1 : fewer_.position(list, target);
        if (place >= 0)
          sums.add(occupied[static_cast<std::size_t>(k)], i_row + place, j_row, 1,
                   k % 2 == 0 ? sign_ : -sign_);
      }
      ++j_row;
    }
  }

 private:
  const Space& fewer_;
  const Space& more_;
  base::Array<StringNumber> targets_;
  base::Array<StringNumber> alphas_;
  double sign_;
};

template <class Electron>
std::vector<double> summed(const Electron& electron, base::ConstBlock i_states, const Space& more,
                           base::ConstBlock j_states) {
  const base::Backend& host = more.host();
  const Index alphas = std::ssize(more.strings(Spin::alpha));
  const Index size = Index{i_states.columns} * j_states.columns * more.orbitals();
  const Index most =
      std::clamp<Index>(kNumbersOfPieces / std::max<Index>(size, 1), 1, kPiecesOfOrbitals);
  const Index grain = std::max<Index>(1, (alphas + most - 1) / most);
  const Index pieces = (alphas + grain - 1) / grain;
  base::Array<double> sums(host, pieces * size, "the sums of Dyson orbitals");
  std::ranges::fill(sums.span(), 0.0);
  base::for_each_chunk(alphas, grain, host, [&](Index first, Index last) {
    DysonSums piece(i_states, j_states, more.orbitals(), sums.data() + first / grain * size);
    for (Index a = first; a < last; ++a) electron.add(a, piece);
  });
  std::vector<double> found(static_cast<std::size_t>(size), 0.0);
  for (Index piece = 0; piece < pieces; ++piece)
    for (Index k = 0; k < size; ++k) found[static_cast<std::size_t>(k)] += sums[piece * size + k];
  return found;
}

}  // namespace

std::optional<Spin> spin_between(const Space& fewer, const Space& more) {
  const int alpha = more.electrons(Spin::alpha) - fewer.electrons(Spin::alpha);
  const int beta = more.electrons(Spin::beta) - fewer.electrons(Spin::beta);
  if (alpha == 1 && beta == 0) return Spin::alpha;
  if (alpha == 0 && beta == 1) return Spin::beta;
  return std::nullopt;
}

std::vector<double> dyson_orbitals(const Space& fewer, base::ConstBlock i_states, const Space& more,
                                   base::ConstBlock j_states, Spin spin) {
  if (spin == Spin::alpha) return summed(AlphaElectron(fewer, more), i_states, more, j_states);
  return summed(BetaElectron(fewer, more), i_states, more, j_states);
}

}  // namespace cisolve::ci
