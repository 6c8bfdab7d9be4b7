#include "job/states/carried_states.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/loops.hpp"
#include "base/small_matrix.hpp"
#include "io/matrices/matrix_file.hpp"
#include "io/results/saved_orbitals.hpp"
#include "job/states/determinant_places.hpp"
#include "job/states/orbital_match.hpp"

namespace cisolve::job {
namespace {

using base::ErrorKind;
using base::fail;
using base::MultiVector;
using base::SmallMatrix;
using ci::Determinant;
using ci::Spin;
using ci::String;

constexpr double kSame = 1e-6;  // fraction of a state that may depend on undetermined choices
constexpr auto kRemedy =
    "; expected the same orbitals, or solver.follow_overlap: a file with the overlaps of the "
    "followed orbitals (rows) with those of this job (columns)";

/// The saved vectors over the rows of the space, as far as `image` maps their determinants into it.
template <class Image>
MultiVector gathered(const SavedStates& saved, const DeterminantProblem& molecule,
                     const base::Backend& host, Image image) {
  MultiVector vectors = zero_vectors(host, molecule.space.dimension(), saved.vectors.columns());
  const DeterminantRowMap find(molecule);
  for (Index k = 0; k < saved.vectors.rows(); ++k) {
    const auto [determinant, sign] = image(saved.determinants[k]);
    if (const auto place = find(determinant))
      for (int j = 0; j < vectors.columns(); ++j)
        vectors(place->row, j) = place->sign * sign * saved.vectors(k, j);
  }
  return vectors;
}

/// Renames orbital p to to[p], with a sign, in strings of ascending creators.
class OrbitalRenaming {
 public:
  OrbitalRenaming(const SignedOrder& order, const ci::Window& window,
                  const io::SavedOrbitals& saved) {
    for (std::size_t k = 0; k < saved.frozen.size(); ++k)
      set(static_cast<int>(saved.frozen[k]) - 1, window.frozen[k], 1);
    for (std::size_t k = 0; k < saved.active.size(); ++k)
      set(static_cast<int>(saved.active[k]) - 1, window.active[order.to[k]], order.sign[k]);
  }

  std::pair<Determinant, double> operator()(const Determinant& determinant) const {
    const auto [alpha, alpha_sign] = image(determinant.alpha);
    const auto [beta, beta_sign] = image(determinant.beta);
    return {{alpha, beta}, alpha_sign * beta_sign};
  }

 private:
  void set(int from, int to, double sign) {
    const auto size = static_cast<std::size_t>(from) + 1;
    if (to_.size() < size) {
      to_.resize(size, -1);
      sign_.resize(size, 0.0);
    }
    to_[from] = to;
    sign_[from] = sign;
  }

  // Each creator passes earlier ones that end up behind it.
  std::pair<String, double> image(const String& string) const {
    String found;
    double sign = 1;
    string.for_each([&](int p) {
      const bool is_known = p < std::ssize(to_) && to_[p] >= 0;
      if (!is_known) {  // outside both lists: no determinant of results has it
        sign = 0;
        return;
      }
      const int behind = (found - String::below(to_[p])).count();
      if (behind % 2 != 0) sign = -sign;
      sign *= sign_[p];
      found = found.with(to_[p]);
    });
    return {found, sign};
  }

  std::vector<int> to_;
  std::vector<double> sign_;
};

double dot(const MultiVector& x, int i, const MultiVector& y, int j) {
  const base::ConstBlock a = x.block();
  const base::ConstBlock b = y.block();
  return std::inner_product(a.column(i), a.column(i) + a.rows, b.column(j), 0.0);
}

/// Largest fraction of a vector that is outside the span of `others`.
double fraction_outside(const MultiVector& vectors, const MultiVector& others) {
  MultiVector basis = MultiVector::copy_of(others.backend(), others.block(), others.backend());
  const base::Block all = basis.block();
  for (int j = 0; j < all.columns; ++j) {
    for (int pass = 0; pass < 2; ++pass)
      for (int i = 0; i < j; ++i) {
        const double overlap = dot(basis, i, basis, j);
        for (Index k = 0; k < all.rows; ++k) all(k, j) -= overlap * all(k, i);
      }
    const double norm = std::sqrt(dot(basis, j, basis, j));
    const double factor = norm > 1e-12 ? 1 / norm : 0;
    for (Index k = 0; k < all.rows; ++k) all(k, j) *= factor;
  }
  double most = 0;
  for (int j = 0; j < vectors.columns(); ++j) {
    const double whole = dot(vectors, j, vectors, j);
    if (whole < 1e-24) continue;
    double inside = 0;
    for (int i = 0; i < basis.columns(); ++i) inside += std::pow(dot(basis, i, vectors, j), 2);
    most = std::max(most, 1 - inside / whole);
  }
  return most;
}

/// Mean occupations of the active orbitals over all saved states.
std::vector<double> occupations_of(const SavedStates& saved, const io::SavedOrbitals& orbitals) {
  std::vector<double> weights(saved.determinants.size(), 0.0);
  for (int j = 0; j < saved.vectors.columns(); ++j)
    for (std::size_t k = 0; k < weights.size(); ++k)
      weights[k] += std::pow(saved.vectors(static_cast<Index>(k), j), 2);
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<double> found(orbitals.active.size(), 0.0);
  for (std::size_t k = 0; k < weights.size(); ++k)
    for (std::size_t p = 0; p < found.size(); ++p) {
      const int orbital = static_cast<int>(orbitals.active[p]) - 1;
      const Determinant& determinant = saved.determinants[k];
      const int electrons =
          int{determinant.alpha.has(orbital)} + int{determinant.beta.has(orbital)};
      found[p] += weights[k] / all * electrons;
    }
  return found;
}

ci::Integrals integrals_of(const io::SavedOrbitals& saved, const base::Backend& host) {
  const auto n = static_cast<int>(saved.active.size());
  ci::Integrals v(n, false, host);
  for (int p = 0; p < n; ++p)
    for (int q = 0; q <= p; ++q) {
      v.set_one(Spin::alpha, p, q, saved.one_electron[ci::pair_index(p, q)]);
      for (int r = 0; r < n; ++r)
        for (int s = 0; s <= r; ++s) {
          const Index left = ci::pair_index(p, q);
          const Index right = ci::pair_index(r, s);
          if (right <= left)
            v.set_two(Spin::alpha, p, q, Spin::alpha, r, s,
                      saved.two_electron[ci::pair_index(left, right)]);
        }
    }
  return v;
}

std::string note_of(const std::string& file, const SignedOrder& order) {
  Index moved = 0;
  for (int p = 0; p < std::ssize(order.to); ++p) moved += order.to[p] != p ? 1 : 0;
  const auto flipped = std::ranges::count(order.sign, -1.0);
  return base::concat("the integrals of ", file,
                      " differ from those of this job; their orbitals were matched: ", moved,
                      " changed their place and ", flipped, " their sign");
}

CarriedStates matched(const SavedStates& saved, const io::SavedOrbitals& orbitals,
                      const DeterminantProblem& molecule, const base::Backend& host) {
  const std::string& file = saved.file;
  const auto refuse = [&](const auto&... parts) {
    fail(ErrorKind::bad_input, file, ": its orbitals differ from those of this problem: ", parts...,
         kRemedy);
  };
  if (orbitals.frozen.size() != molecule.window.frozen.size() ||
      orbitals.active.size() != molecule.window.active.size())
    refuse(orbitals.frozen.size(), " are frozen and ", orbitals.active.size(), " active, not ",
           molecule.window.frozen.size(), " and ", molecule.window.active.size());
  if (orbitals.one_electron.empty() || molecule.integrals.spin_dependent())
    refuse("orbitals are matched by integrals only if at most ", kMostMatched,
           " are active and alpha and beta orbitals are the same");
  const OrbitalMatch match = match_orbitals(integrals_of(orbitals, host), molecule.integrals,
                                            occupations_of(saved, orbitals));
  const auto carried = [&](const SignedOrder& order) {
    return gathered(saved, molecule, host, OrbitalRenaming(order, molecule.window, orbitals));
  };
  CarriedStates found{carried(match.best), note_of(file, match.best)};
  for (const OrbitalMatch::Alternative& other : match.alternatives)
    if (fraction_outside(carried(other.order), found.vectors) > kSame)
      refuse("their integrals do not determine ", other.open, ", on which the states depend");
  return found;
}

// ---- by overlaps of orbitals ----

constexpr Index kMostStrings = 4000;  // strings of a spin: minors are computed for all pairs

double determinant_of(std::vector<double>& a, int n) {
  double product = 1;
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i)
      if (std::abs(a[i * n + k]) > std::abs(a[pivot * n + k])) pivot = i;
    if (a[pivot * n + k] == 0) return 0;
    if (pivot != k) {
      product = -product;
      for (int j = 0; j < n; ++j) std::swap(a[k * n + j], a[pivot * n + j]);
    }
    product *= a[k * n + k];
    for (int i = k + 1; i < n; ++i) {
      const double factor = a[i * n + k] / a[k * n + k];
      for (int j = k; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  return product;
}

/// <bra|ket> of determinants of one spin.
double overlap_of(const SmallMatrix& overlaps, const String& bra, const String& ket) {
  const std::vector<int> rows = bra.orbitals();
  const std::vector<int> columns = ket.orbitals();
  const auto n = static_cast<int>(rows.size());
  std::vector<double> block;
  block.reserve(rows.size() * rows.size());
  for (const int p : rows)
    for (const int q : columns) block.push_back(overlaps(p, q));
  return determinant_of(block, n);
}

SmallMatrix overlaps_in(const std::string& file, int orbitals, const base::Backend& host) {
  const sparse::Csr matrix = io::read_matrix(file, host);
  const auto refuse = [&](const auto&... parts) {
    fail(ErrorKind::bad_input, file, ": ", parts...,
         "; expected the overlaps of the orbitals of two ", "problems: ", orbitals, " x ",
         orbitals);
  };
  if (matrix.shape.rows != orbitals || matrix.shape.columns != orbitals)
    refuse("the matrix is ", matrix.shape.rows, " x ", matrix.shape.columns);
  SmallMatrix overlaps(orbitals, orbitals);
  std::vector<double> rows(orbitals, 0.0);
  std::vector<double> columns(orbitals, 0.0);
  for (int p = 0; p < orbitals; ++p)
    for (Index k = matrix.offsets[p]; k < matrix.offsets[p + 1]; ++k) {
      const int q = matrix.columns[k];
      overlaps(p, q) = matrix.values[k];
      rows[p] += matrix.values[k] * matrix.values[k];
      columns[q] += matrix.values[k] * matrix.values[k];
    }
  constexpr double kMost = 1 + 1e-6;  // squared norm of a projected orbital, up to rounding
  const double most = std::max(std::ranges::max(rows), std::ranges::max(columns));
  if (!(most < kMost))
    refuse("the squared overlaps of an orbital add up to ", most, ", more than 1");
  return overlaps;
}

/// The distinct strings of one spin in a list, and the number of each determinant's string.
struct StringsOf {
  StringsOf(const std::vector<Determinant>& list, Spin spin) {
    std::map<String, Index> numbers;
    for (const Determinant& determinant : list) {
      const auto [place, is_new] = numbers.try_emplace(determinant[spin], std::ssize(strings));
      if (is_new) strings.push_back(determinant[spin]);
      number.push_back(place->second);
    }
  }
  std::vector<String> strings;
  std::vector<Index> number;
};

/// x'(a', b') = sum over a, b of <a'|a> <b'|b> x(a, b), minors of the overlaps of orbitals.
MultiVector carried_by_overlaps(const SavedStates& saved, const SmallMatrix& overlaps,
                                const DeterminantProblem& molecule, const base::Backend& host) {
  const StringsOf alphas(saved.determinants, Spin::alpha);
  const StringsOf betas(saved.determinants, Spin::beta);
  const ci::Space& space = molecule.space;
  std::array<std::vector<ci::WholeString>, 2> wholes;
  for (const Spin spin : {Spin::alpha, Spin::beta})
    for (const String& inner : space.strings(spin))
      wholes[static_cast<std::size_t>(spin)].push_back(ci::whole_string(molecule.window, inner));
  const auto& [there_alpha, there_beta] = wholes;
  for (const Index strings : {std::ssize(alphas.strings), std::ssize(betas.strings),
                              std::ssize(there_alpha), std::ssize(there_beta)})
    if (strings > kMostStrings)
      fail(ErrorKind::bad_input, saved.file, ": ", strings,
           " strings of one spin are too many to be transformed by ",
           "orbital overlaps; expected at most ", kMostStrings);
  const Index here_betas = std::ssize(betas.strings);
  base::Array<double> minors(host, here_betas * std::ssize(there_beta), "overlaps of strings");
  base::for_each_chunk(std::ssize(there_beta), 1, host, [&](Index first, Index last) {
    for (Index b = first; b < last; ++b)
      for (Index from = 0; from < here_betas; ++from)
        minors[b * here_betas + from] =
            overlap_of(overlaps, betas.strings[from], there_beta[b].string);
  });
  MultiVector vectors = zero_vectors(host, space.dimension(), saved.vectors.columns());
  base::for_each_chunk(std::ssize(there_alpha), 1, host, [&](Index first, Index last) {
    std::vector<double> of_alphas(alphas.strings.size());
    std::vector<double> half(static_cast<std::size_t>(here_betas));
    for (Index a = first; a < last; ++a) {
      for (std::size_t from = 0; from < of_alphas.size(); ++from)
        of_alphas[from] = overlap_of(overlaps, alphas.strings[from], there_alpha[a].string);
      for (int j = 0; j < vectors.columns(); ++j) {
        std::ranges::fill(half, 0.0);
        for (std::size_t k = 0; k < saved.determinants.size(); ++k)
          half[betas.number[k]] +=
              of_alphas[alphas.number[k]] * saved.vectors(static_cast<Index>(k), j);
        Index row = space.first_row(a);
        for (const ci::StringNumber b : space.betas_of(a)) {
          const double* with = minors.data() + b * here_betas;
          const double sum = std::inner_product(half.begin(), half.end(), with, 0.0);
          vectors(row++, j) = there_alpha[a].odd != there_beta[b].odd ? -sum : sum;
        }
      }
    }
  });
  return vectors;
}

}  // namespace

MultiVector carry_over_same_orbitals(const SavedStates& saved, const DeterminantProblem& molecule,
                                     const base::Backend& host) {
  return gathered(saved, molecule, host,
                  [](const Determinant& same) { return std::pair(same, 1.0); });
}

CarriedStates carry_states(const Request& request, const SavedStates& saved,
                           const DeterminantProblem& molecule, const base::Backend& host) {
  if (const std::string& file = request.solver.follow_overlap; !file.empty())
    return {
        carried_by_overlaps(saved, overlaps_in(file, molecule.orbitals, host), molecule, host),
        base::concat("the states of ", saved.file, " were transformed by the overlaps in ", file)};
  const auto orbitals = io::read_saved_orbitals(saved.file);
  if (!orbitals)
    fail(ErrorKind::bad_input, saved.file,
         ": the file does not describe its orbitals, as files of earlier versions do ", "not",
         kRemedy);
  const bool are_same = orbitals->are_sites ? molecule.has_sites
                                            : !molecule.has_sites && !orbitals->digest.empty() &&
                                                  orbitals->digest == molecule.integrals_digest;
  if (are_same) return {carry_over_same_orbitals(saved, molecule, host)};
  if (orbitals->are_sites || molecule.has_sites)
    fail(ErrorKind::bad_input, saved.file, ": its orbitals are ",
         orbitals->are_sites ? "lattice sites" : "molecular orbitals",
         ", but those of this problem are not", kRemedy);
  return matched(saved, *orbitals, molecule, host);
}

}  // namespace cisolve::job
