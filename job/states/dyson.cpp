#include "job/states/dyson.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "ci/fock/spaces/spaces.hpp"
#include "ci/properties/dyson_orbitals.hpp"
#include "io/files/mapped_file.hpp"
#include "io/molecules/determinant_list.hpp"
#include "io/results/saved_orbitals.hpp"
#include "io/results/saved_vectors.hpp"

namespace cisolve::job {
namespace {

using base::ErrorKind;
using base::fail;
using base::MultiVector;
using ci::Determinant;
using ci::Spin;
using ci::String;

constexpr auto kSameIntegrals =
    "; expected a job with the same integral file and another number of electrons "
    "('space: {electrons: [ALPHA, BETA]}', or problem.electrons and problem.ms2)";

/// States over determinants of all orbitals of a problem, creators ascending in each string.
struct WholeStates {
  ci::Space space;
  MultiVector vectors;  // in canonical order
};

/// Signs of the strings of one spin between the active and the whole order of creators.
struct WholeStrings {
  WholeStrings(const DeterminantProblem& molecule, Spin spin) {
    for (const String& inner : molecule.space.strings(spin)) {
      const ci::WholeString whole = ci::whole_string(molecule.window, inner);
      strings.push_back(whole.string);
      odd.push_back(whole.odd);
    }
  }
  bool has_odd() const { return std::ranges::find(odd, true) != odd.end(); }

  std::vector<String> strings;  // ascending, as the active ones
  std::vector<bool> odd;
};

/// Changes the signs of the rows whose strings are odd.
void change_signs(const ci::Space& space, const WholeStrings& alphas, const WholeStrings& betas,
                  MultiVector& vectors) {
  const base::Block all = vectors.block();
  for (Index a = 0; a < std::ssize(alphas.strings); ++a) {
    Index row = space.first_row(a);
    for (const ci::StringNumber b : space.betas_of(a)) {
      if (alphas.odd[static_cast<std::size_t>(a)] != betas.odd[static_cast<std::size_t>(b)])
        for (int j = 0; j < all.columns; ++j) all(row, j) = -all(row, j);
      ++row;
    }
  }
}

WholeStates whole_states(const DeterminantProblem& molecule, const base::ConstBlock& vectors) {
  const ci::Space& inner = molecule.space;
  const base::Backend& host = inner.host();
  const WholeStrings alphas(molecule, Spin::alpha);
  const WholeStrings betas(molecule, Spin::beta);
  ci::Space::Parts parts{.orbitals = molecule.orbitals,
                         .alphas = alphas.strings,
                         .betas = betas.strings,
                         .list_of = {},
                         .lists = {},
                         .references = {}};
  for (Index a = 0; a < std::ssize(alphas.strings); ++a) parts.list_of.push_back(inner.list_of(a));
  for (Index l = 0; l < inner.lists(); ++l) {
    const auto list = inner.list(l);
    parts.lists.emplace_back(list.begin(), list.end());
  }
  WholeStates found{ci::Space(std::move(parts), host), MultiVector::copy_of(host, vectors, host)};
  if (alphas.has_odd() || betas.has_odd()) change_signs(inner, alphas, betas, found.vectors);
  return found;
}

void require_same_integrals(const std::string& file, const DeterminantProblem& molecule) {
  if (!io::is_hdf5(file))
    fail(ErrorKind::bad_input, file,
         ": not a results file; expected the results.h5 of a job with one electron fewer or more");
  const auto orbitals = io::read_saved_orbitals(file);
  if (!orbitals)
    fail(ErrorKind::bad_input, file,
         ": the file does not describe its orbitals, as files without vectors and of earlier "
         "versions do not",
         "; expected results of a job with 'output.vectors: true'");
  if (orbitals->are_sites || molecule.has_sites)
    fail(ErrorKind::bad_input, file,
         ": the terms of two lattices cannot be compared; expected results of a molecule for Dyson "
         "orbitals of a molecule");
  const bool are_same = !orbitals->digest.empty() && orbitals->digest == molecule.integrals_digest;
  if (!are_same)
    fail(ErrorKind::bad_input, file, ": its integrals differ from those of this job",
         kSameIntegrals);
}

std::string electrons_text(int alpha, int beta) {
  return base::concat(alpha, " alpha and ", beta, " beta electrons");
}

/// The space of a results file; its determinants are in canonical order there, too.
ci::Space read_space(const std::string& file, const DeterminantProblem& molecule,
                     const base::Backend& host) {
  const io::ListSector any{
      .orbitals = molecule.orbitals, .alpha = io::kAsFirst, .beta = io::kAsFirst};
  const std::vector<Determinant> list = io::read_determinants(file, any, host);
  if (!std::ranges::is_sorted(list))
    fail(ErrorKind::bad_input, file,
         ": its determinants are not in canonical order; expected undamaged results");
  ci::Space space = ci::list_space(
      {molecule.orbitals, list.front().alpha.count(), list.front().beta.count()}, list, host);
  const int frozen = static_cast<int>(std::ssize(molecule.window.frozen));
  const int alpha = molecule.space.electrons(Spin::alpha) + frozen;
  const int beta = molecule.space.electrons(Spin::beta) + frozen;
  const int more_alpha = space.electrons(Spin::alpha) - alpha;
  const int more_beta = space.electrons(Spin::beta) - beta;
  if (std::abs(more_alpha) + std::abs(more_beta) != 1)
    fail(ErrorKind::bad_input, file, ": its states have ",
         electrons_text(space.electrons(Spin::alpha), space.electrons(Spin::beta)),
         ", those of this job ", electrons_text(alpha, beta),
         "; expected one electron fewer or more");
  return space;
}

std::vector<double> differences(const std::vector<double>& ours, const std::vector<double>& others,
                                bool others_have_fewer) {
  std::vector<double> found;
  for (const double our : ours)
    for (const double other : others)
      found.push_back(others_have_fewer ? other - our : our - other);
  return found;
}

}  // namespace

void require_dyson_partner(const Request& request, const DeterminantProblem& molecule,
                           const base::Backend& host) {
  const std::string& file = request.analysis.dyson;
  if (file.empty()) return;
  require_same_integrals(file, molecule);
  read_space(file, molecule, host);
}

void add_dyson_orbitals(const DeterminantProblem& molecule, const Request& request,
                        const solver::Result& result, StateAnalysis& analysis) {
  const std::string& file = request.analysis.dyson;
  if (file.empty()) return;
  const base::Backend& host = molecule.space.host();
  require_same_integrals(file, molecule);
  const WholeStates here = whole_states(molecule, result.vectors.block());
  const ci::Space there = read_space(file, molecule, host);
  const MultiVector saved = io::read_saved_vectors(file, host);
  std::vector<double> others = io::read_saved_energies(file);
  if (saved.rows() != there.dimension() || std::ssize(others) != saved.columns())
    fail(ErrorKind::bad_input, file, ": ", saved.columns(), " vectors of ", saved.rows(),
         " elements, but ", others.size(), " energies and ", there.dimension(),
         " determinants; expected undamaged results");
  const auto lost = ci::spin_between(there, here.space);
  const auto gained = ci::spin_between(here.space, there);
  const bool others_have_fewer = lost.has_value();
  // The orbitals, their copy for the results and the one for tables.
  host.host_memory().require(3 * here.vectors.columns() * saved.columns() * molecule.orbitals *
                                 static_cast<base::Index>(sizeof(double)),
                             "Dyson orbitals");
  const Spin spin = others_have_fewer ? *lost : *gained;
  const base::ConstBlock ours = std::as_const(here.vectors).block();
  const base::ConstBlock theirs = saved.block();
  const std::vector<double> values =
      others_have_fewer ? ci::dyson_orbitals(there, theirs, here.space, ours, spin)
                        : ci::dyson_orbitals(here.space, ours, there, theirs, spin);
  io::StoredDyson found{.source = file,
                        .spin = spin == Spin::alpha ? "alpha" : "beta",
                        .others_have_fewer = others_have_fewer,
                        .other_energies = others};
  std::vector<double> energies;
  for (const solver::State& state : result.states) energies.push_back(state.energy);
  found.energies = differences(energies, others, others_have_fewer);
  const auto n = static_cast<std::size_t>(molecule.orbitals);
  for (std::size_t i = 0; i < energies.size(); ++i)
    for (std::size_t j = 0; j < others.size(); ++j) {
      const std::size_t pair = others_have_fewer ? i * others.size() + j : j * energies.size() + i;
      const auto first = values.begin() + static_cast<std::ptrdiff_t>(pair * n);
      std::vector<double>& orbital =
          found.orbitals.emplace_back(first, first + static_cast<std::ptrdiff_t>(n));
      double square = 0;
      for (const double value : orbital) square += value * value;
      found.pole_strengths.push_back(square);
    }
  analysis.dyson = std::move(found);
}

}  // namespace cisolve::job
