#include "ci/selected/perturbation.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "base/error.hpp"
#include "base/loops.hpp"
#include "ci/selected/alpha_links.hpp"
#include "ci/selected/external_sums.hpp"
#include "ci/selected/growth.hpp"

namespace cisolve::ci {
namespace {

/// A sum over some of the external determinants.
struct PerturbationSums {
  explicit PerturbationSums(int states) : of_state(static_cast<std::size_t>(states)) {}

  std::vector<StatePerturbation> of_state;
  Index terms = 0;
  Index externals = 0;
  double smallest_gap = std::numeric_limits<double>::infinity();

  void add(const PerturbationSums& other) {
    for (std::size_t s = 0; s < of_state.size(); ++s) {
      of_state[s].energy += other.of_state[s].energy;
      of_state[s].variance += other.of_state[s].variance;
      of_state[s].spin_squared += other.of_state[s].spin_squared;
    }
    terms += other.terms;
    externals += other.externals;
    smallest_gap = std::min(smallest_gap, other.smallest_gap);
  }
};

/// H_aa of the determinants of one alpha string after the other. The energy of a beta string is a
/// quadratic form of its bits, sum_q f_q + sum_{q<q'} [(qq|q'q') - (qq'|q'q)], f being the field of
/// the alpha electrons. It is summed by electrons, or, if that takes fewer look-ups, by pairs of
/// groups of four orbitals, from tables of all 16 x 16 occupations of a pair.
class DiagonalOfAlpha {
 public:
  DiagonalOfAlpha(const HeatBathView& tables, const SpinElectrons& electrons, double core_energy)
      : tables_(tables),
        core_energy_(core_energy),
        field_(tables.orbitals),
        groups_((tables.orbitals + kGroup - 1) / kGroup) {
    const int by_electrons = electrons.beta * (electrons.beta + 1) / 2;
    if (groups_ * (groups_ + 3) / 2 >= by_electrons) groups_ = 0;
    for (int g = 0; g < groups_; ++g)
      for (int h = 0; h <= g; ++h) add_pair(g, h);
    field_of_group_.resize(static_cast<std::size_t>(groups_ * kOccupations));
  }

  template <int W>
  void set_alpha(const OrbitalBits<W>& alpha) {
    std::uint8_t occupied[OrbitalBits<W>::kOrbitals];
    const int count = alpha.write_orbitals(occupied);
    energy_ = core_energy_;
    for (int i = 0; i < count; ++i) {
      energy_ += tables_.singles[0].one[at(occupied[i])];
      const double* const same = tables_.singles[0].same + at(occupied[i]) * tables_.orbitals;
      for (int j = 0; j < i; ++j) energy_ += same[occupied[j]];
    }
    for (int q = 0; q < tables_.orbitals; ++q) {
      field_[q] = tables_.singles[1].one[at(q)];
      const double* const opposite = tables_.singles[1].other + at(q) * tables_.orbitals;
      for (int i = 0; i < count; ++i) field_[q] += opposite[occupied[i]];
    }
    for (int g = 0; g < groups_; ++g)
      for (int bits = 0; bits < kOccupations; ++bits) {
        double sum = 0;
        for (int k = 0; k < kGroup; ++k)
          if ((bits >> k & 1) != 0 && kGroup * g + k < tables_.orbitals)
            sum += field_[kGroup * g + k];
        field_of_group_[g * kOccupations + bits] = sum;
      }
  }

  template <int W>
  double of_beta(const OrbitalBits<W>& beta) const {
    return groups_ > 0 ? by_groups(beta) : by_electrons(beta);
  }

 private:
  static constexpr int kGroup = 4;  // orbitals
  static constexpr int kOccupations = 1 << kGroup;

  Index at(int p) const { return Index{p} * (tables_.orbitals + 1); }

  /// Interactions of the orbitals of two groups, each pair once.
  void add_pair(int g, int h) {
    for (int left = 0; left < kOccupations; ++left)
      for (int right = 0; right < kOccupations; ++right) {
        double sum = 0;
        for (int i = 0; i < kGroup; ++i)
          for (int j = 0; j < (g == h ? i : kGroup); ++j) {
            const int p = kGroup * g + i;
            const int q = kGroup * h + j;
            if ((left >> i & 1) != 0 && (right >> j & 1) != 0 && p < tables_.orbitals &&
                q < tables_.orbitals)
              sum += tables_.singles[1].same[at(p) * tables_.orbitals + q];
          }
        pairs_.push_back(sum);
      }
  }

  template <int W>
  double by_groups(const OrbitalBits<W>& beta) const {
    constexpr int kInWord = 64 / kGroup;
    int bits[W * kInWord];
    double energy = energy_;
    const double* pair = pairs_.data();
    for (int g = 0; g < groups_; ++g) {
      bits[g] = static_cast<int>(beta.words[g / kInWord] >> (kGroup * (g % kInWord)) &
                                 (kOccupations - 1));
      energy += field_of_group_[g * kOccupations + bits[g]];
      for (int h = 0; h <= g; ++h, pair += kOccupations * kOccupations)
        energy += pair[bits[g] * kOccupations + bits[h]];
    }
    return energy;
  }

  template <int W>
  double by_electrons(const OrbitalBits<W>& beta) const {
    std::uint8_t occupied[OrbitalBits<W>::kOrbitals];
    const int count = beta.write_orbitals(occupied);
    double energy = energy_;
    for (int i = 0; i < count; ++i) {
      energy += field_[occupied[i]];
      const double* const same = tables_.singles[1].same + at(occupied[i]) * tables_.orbitals;
      for (int j = 0; j < i; ++j) energy += same[occupied[j]];
    }
    return energy;
  }

  const HeatBathView& tables_;
  double core_energy_;
  double energy_ = 0;                   // energy of the core and the alpha electrons
  std::vector<double> field_;           // f_q
  int groups_;                          // 0: by electrons
  std::vector<double> pairs_;           // one per pair of groups
  std::vector<double> field_of_group_;  // sums of f_q
};

/// The problem, which all threads read.
template <int W>
struct PerturbationProblem {
  const ParentGroups<W>& parents;
  const Integrals& integrals;
  const HeatBathView& tables;
  std::span<const double> energies;
  const PerturbationOptions& options;
  Index most_externals;
  const ExternalVisitor<W>& visitor;
};

/// The work of one thread: sums over the external determinants whose alpha strings fulfil a
/// constraint.
template <int W>
class AlphaStringWorker {
  using Bits = OrbitalBits<W>;

 public:
  explicit AlphaStringWorker(const PerturbationProblem<W>& problem)
      : problem_(problem),
        parents_(problem.parents),
        tables_(problem.tables),
        states_(problem.parents.states),
        sums_(states_, problem.most_externals),
        diagonal_(problem.tables, problem.parents.electrons, problem.integrals.core_energy()) {}

  void run(const AlphaConstraint<W>& constraint, PerturbationSums& total) {
    if (!collect_links(constraint)) {
      for (int p = 0; p < constraint.lowest; ++p)
        run(constraint.with_next(p, parents_.electrons.alpha), total);
      return;
    }
    std::ranges::sort(links_);
    for (auto first = links_.begin(); first != links_.end();) {
      const auto last = std::find_if(first, links_.end(),
                                     [&](const Link& link) { return link.child != first->child; });
      process(first->child, {first, last}, total);
      first = last;
    }
  }

 private:
  static constexpr std::uint64_t kMostParts = std::uint64_t{1} << 32;

  struct Link {
    Bits child;
    Index group;  // group of the parents
    friend auto operator<=>(const Link&, const Link&) = default;
  };

  /// False if there are too many, of a constraint that may be refined.
  bool collect_links(const AlphaConstraint<W>& constraint) {
    links_.clear();
    const auto most = static_cast<std::size_t>(problem_.options.links_at_once);
    for (Index group = 0; group < parents_.groups(); ++group) {
      const double least = parents_.least_threshold(group);
      // Without coefficients they have no terms, but they are not external either.
      for_each_alpha_link(problem_.integrals, parents_.alphas[group], constraint, least,
                          [&](const Bits& child, AlphaLinkKind) {
                            links_.push_back({child, group});
                          });
      if (links_.size() > most && constraint.may_be_refined()) return false;
    }
    return true;
  }

  /// All external determinants of one alpha string, in 1, 2, 4, ... parts until each part fits.
  void process(const Bits& child, std::span<const Link> links, PerturbationSums& total) {
    diagonal_.set_alpha(child);
    for (std::uint64_t parts = 1;; parts *= 2) {
      PerturbationSums sums(states_);
      bool fits = true;
      for (std::uint64_t part = 0; part < parts && fits; ++part)
        fits = add_part(child, links, parts, part, sums);
      if (fits) return total.add(sums);
      if (parts >= kMostParts)
        base::fail(base::ErrorKind::internal, parts, " passes do not divide ", sums_.size(),
                   " external determinants of an alpha string");
    }
  }

  bool add_part(const Bits& child, std::span<const Link> links, std::uint64_t parts,
                std::uint64_t part, PerturbationSums& sums) {
    sums_.clear(parts, part);
    terms_ = 0;
    for (const Link& link : links)
      if (parents_.alphas[link.group] == child)
        for (Index i = parents_.begins[link.group]; i < parents_.begins[link.group + 1]; ++i)
          sums_.find_or_add(parents_.betas[i]);
    internals_ = sums_.size();
    for (const Link& link : links) {
      add_link(child, link.group);
      if (sums_.is_full()) return false;
    }
    if (problem_.options.spin_squared) add_spin_flips(child, links);
    add_up(child, sums);
    return true;
  }

  void add_term(const Bits& beta, double element, Index parent) {
    const Index entry = sums_.find_or_add(beta);
    if (entry < 0) return;
    ++terms_;
    sums_.add_to(entry, element, parents_.coefficients_of(parent));
  }

  void add_link(const Bits& child, Index group) {
    const Bits& parent = parents_.alphas[group];
    const Bits from = parent - child;
    switch (from.count()) {
      case 0: return add_same_alpha(group);
      case 1: return add_alpha_single(group, from.first(), (child - parent).first());
      default: return add_alpha_double(group, from, child - parent);
    }
  }

  void add_same_alpha(Index group) {
    std::uint8_t alpha[Bits::kOrbitals];
    const int alphas = parents_.alphas[group].write_orbitals(alpha);
    for (Index i = parents_.begins[group]; i < parents_.begins[group + 1]; ++i) {
      const double least = parents_.thresholds[i];
      if (least == kNotExpanded) break;
      const Bits& beta = parents_.betas[i];
      std::uint8_t occupied[Bits::kOrbitals];
      const int count = beta.write_orbitals(occupied);
      add_beta_singles(i, beta, {alpha, static_cast<std::size_t>(alphas)},
                       {occupied, static_cast<std::size_t>(count)});
      add_beta_doubles(i, beta, {occupied, static_cast<std::size_t>(count)});
    }
  }

  void add_beta_singles(Index i, const Bits& beta, std::span<const std::uint8_t> alpha,
                        std::span<const std::uint8_t> occupied) {
    const HeatBathView::SingleSpin& table = tables_.singles[1];
    const double least = parents_.thresholds[i];
    const int n = tables_.orbitals;
    for (const int q : occupied)
      for (int k = 0; k < n - 1; ++k) {
        const int s = table.by_bounds[Index{q} * (n - 1) + k];
        if (table.bounds[Index{q} * n + s] < least) break;
        if (beta.has(s)) continue;
        const double value =
            tables_.single_value(Spin::beta, occupied.data(), static_cast<int>(occupied.size()),
                                 alpha.data(), static_cast<int>(alpha.size()), q, s);
        if (std::abs(value) < least || value == 0) continue;
        add_term(beta.flipped(q).flipped(s), beta.is_odd(q, s) ? -value : value, i);
      }
  }

  void add_beta_doubles(Index i, const Bits& beta, std::span<const std::uint8_t> occupied) {
    const HeatBathView::SameSpin& table = tables_.same_spin[1];
    const double least = parents_.thresholds[i];
    for (std::size_t b = 1; b < occupied.size(); ++b)
      for (std::size_t a = 0; a < b; ++a) {
        const int p = occupied[a];
        const int q = occupied[b];
        const Index list = HeatBathView::pair_of(p, q);
        const Bits without = beta.flipped(p).flipped(q);
        for (Index k = table.begins[list]; k < table.begins[list + 1]; ++k) {
          const double value = table.values[k];
          if (std::abs(value) < least) break;
          const int r = table.targets[k] & 255;
          const int s = table.targets[k] >> 8;
          if (beta.has(r) || beta.has(s)) continue;
          const bool odd = beta.is_odd(p, r) != beta.flipped(p).flipped(r).is_odd(q, s);
          add_term(without.flipped(r).flipped(s), odd ? -value : value, i);
        }
      }
  }

  void add_alpha_single(Index group, int p, int r) {
    const Bits& alpha = parents_.alphas[group];
    const double sign = alpha.is_odd(p, r) ? -1 : 1;
    const Index pair = Index{p} * tables_.orbitals + r;
    const double bound = tables_.singles[0].bounds[pair];
    const double largest = tables_.opposite_spin.largest[pair];
    std::uint8_t occupied[Bits::kOrbitals];
    const int alphas = alpha.write_orbitals(occupied);
    for (Index i = parents_.begins[group]; i < parents_.begins[group + 1]; ++i) {
      const double least = parents_.thresholds[i];
      if (least == kNotExpanded || std::max(bound, largest) < least) break;
      const Bits& beta = parents_.betas[i];
      std::uint8_t of_beta[Bits::kOrbitals];
      const int count = beta.write_orbitals(of_beta);
      if (bound >= least) {
        const double value =
            tables_.single_value(Spin::alpha, occupied, alphas, of_beta, count, p, r);
        if (std::abs(value) >= least && value != 0) add_term(beta, sign * value, i);
      }
      if (largest >= least)
        for (int j = 0; j < count; ++j)
          add_opposite_spin(i, beta, HeatBathView::unordered_pair(p, r), of_beta[j], sign);
    }
  }

  void add_opposite_spin(Index i, const Bits& beta, Index pair, int q, double sign) {
    const HeatBathView::OppositeSpin& table = tables_.opposite_spin;
    const double least = parents_.thresholds[i];
    const Index list = pair * tables_.orbitals + q;
    const Index end = table.begins[list + 1];
    const Bits without = beta.flipped(q);
    for (Index k = table.begins[list]; k < end; ++k) {
      const double value = table.values[k];
      if (std::abs(value) < least) break;
      const int s = table.targets[k];
      if (beta.has(s)) continue;
      add_term(without.flipped(s), (beta.is_odd(q, s) ? -sign : sign) * value, i);
    }
  }

  void add_alpha_double(Index group, const Bits& from, const Bits& to) {
    const Bits& alpha = parents_.alphas[group];
    const int p = from.first();
    const int q = from.last();
    const int r = to.first();
    const int s = to.last();
    double value = problem_.integrals.two(Spin::alpha, p, r, Spin::alpha, q, s) -
                   problem_.integrals.two(Spin::alpha, p, s, Spin::alpha, q, r);
    const double size = std::abs(value);
    if (alpha.is_odd(p, r) != alpha.flipped(p).flipped(r).is_odd(q, s)) value = -value;
    for (Index i = parents_.begins[group]; i < parents_.begins[group + 1]; ++i) {
      if (size < parents_.thresholds[i]) break;
      add_term(parents_.betas[i], value, i);
    }
  }

  /// <a|S^2|psi> of the external determinants that have couplings: S_- S_+ exchanges the spins of
  /// two open shells, alpha p -> r and beta r -> p, with a factor -1.
  void add_spin_flips(const Bits& child, std::span<const Link> links) {
    spin_.assign(static_cast<std::size_t>(sums_.size() * states_), 0);
    for (const Link& link : links) {
      const Bits& alpha = parents_.alphas[link.group];
      const Bits from = alpha - child;
      if (from.count() != 1) continue;
      const int p = from.first();
      const int r = (child - alpha).first();
      const double sign = alpha.is_odd(p, r) ? 1 : -1;
      for (Index i = parents_.begins[link.group]; i < parents_.begins[link.group + 1]; ++i) {
        const Bits& beta = parents_.betas[i];
        if (parents_.thresholds[i] == kNotExpanded) break;
        if (!beta.has(r) || beta.has(p)) continue;
        const Index entry = sums_.find(beta.flipped(r).flipped(p));
        if (entry < internals_) continue;
        for (int s = 0; s < states_; ++s)
          spin_[entry * states_ + s] +=
              (beta.is_odd(r, p) ? -sign : sign) * parents_.coefficients_of(i)[s];
      }
    }
  }

  void add_up(const Bits& child, PerturbationSums& sums) {
    found_betas_.clear();
    found_couplings_.clear();
    found_diagonal_.clear();
    for (Index entry = internals_; entry < sums_.size(); ++entry) {
      const Bits beta = sums_.beta(entry);
      const double diagonal = diagonal_.of_beta(beta);
      for (int s = 0; s < states_; ++s) {
        const double coupling = sums_.sum(entry, s);
        const double gap = diagonal - problem_.energies[s];
        const double amplitude = coupling == 0 ? 0 : -coupling / gap;
        StatePerturbation& state = sums.of_state[s];
        state.energy += coupling * amplitude;
        state.variance += coupling * coupling;
        if (problem_.options.spin_squared)
          state.spin_squared += 2 * amplitude * spin_[entry * states_ + s];
        sums.smallest_gap = std::min(sums.smallest_gap, gap);
        if (problem_.visitor) found_couplings_.push_back(coupling);
      }
      if (!problem_.visitor) continue;
      found_betas_.push_back(beta);
      found_diagonal_.push_back(diagonal);
    }
    sums.terms += terms_;
    sums.externals += sums_.size() - internals_;
    if (!found_betas_.empty())
      problem_.visitor({child, found_betas_, found_couplings_, found_diagonal_});
  }

  const PerturbationProblem<W>& problem_;
  const ParentGroups<W>& parents_;
  const HeatBathView& tables_;
  int states_;
  ExternalSums<W> sums_;
  DiagonalOfAlpha diagonal_;
  std::vector<Link> links_;
  Index internals_ = 0;  // the first sums belong to determinants of the list
  Index terms_ = 0;
  std::vector<double> spin_;  // <a|S^2|psi> of the sums
  std::vector<Bits> found_betas_;
  std::vector<double> found_couplings_;
  std::vector<double> found_diagonal_;
};

/// The number of strings, or `most` if there are more.
Index strings_up_to(int orbitals, int electrons, Index most) {
  double count = 1;
  for (int k = 1; k <= electrons; ++k) count *= static_cast<double>(orbitals - electrons + k) / k;
  return count + 1 < static_cast<double>(most) ? static_cast<Index>(count + 0.5) : most;
}

template <int W>
Index worker_bytes(const PerturbationOptions& options, int states, Index externals) {
  return options.links_at_once * Index{sizeof(OrbitalBits<W>) + 8} +
         ExternalSums<W>::bytes(states, externals) + externals * 8 * Index{W + 3 * states + 1};
}

void check_perturbation(base::ConstBlock coefficients, std::span<const double> energies,
                        const PerturbationOptions& options) {
  if (std::ssize(energies) != coefficients.columns)
    base::fail(base::ErrorKind::bad_input, energies.size(), " energies for ", coefficients.columns,
               " states; expected one per state");
  for (const double energy : energies)
    if (!std::isfinite(energy))
      base::fail(base::ErrorKind::bad_input, "a variational energy of ", energy,
                 "; expected a finite number");
  if (options.links_at_once < 1 || options.externals_at_once < 1 ||
      options.externals_at_once > INT32_MAX)
    base::fail(base::ErrorKind::bad_input, options.links_at_once, " links and ",
               options.externals_at_once, " external determinants per pass; expected 1 to ",
               INT32_MAX);
}

/// The number of threads that the host has and its budget holds, at least one.
int workers_within(const base::Backend& host, Index bytes, Index tasks) {
  const Index fit = host.host_memory().left() / std::max<Index>(bytes, 1);
  return static_cast<int>(
      std::clamp<Index>(std::min<Index>(fit, tasks), 1, std::max(1, host.threads())));
}

/// The sum over all parts of a partition, in their order; threads take the largest first.
template <int W>
PerturbationSums sum_over(const AlphaPartition<W>& partition, const PerturbationProblem<W>& problem,
                          int workers) {
  const auto parts = std::ssize(partition.constraints);
  std::vector<Index> order(static_cast<std::size_t>(parts));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater(), [&](Index part) { return partition.work[part]; });
  std::vector<PerturbationSums> of_part(order.size(), PerturbationSums(problem.parents.states));
  std::atomic<Index> next{0};
  base::for_each_chunk(workers, 1, workers, [&](Index, Index) {
    AlphaStringWorker<W> worker(problem);
    for (Index k = next++; k < parts; k = next++)
      worker.run(partition.constraints[order[k]], of_part[order[k]]);
  });
  PerturbationSums total(problem.parents.states);
  for (const PerturbationSums& part : of_part) total.add(part);
  return total;
}

}  // namespace

template <int W>
PerturbationResult perturb(const SelectedList<W>& list, const HeatBathTables& tables,
                           base::ConstBlock coefficients, std::span<const double> energies,
                           const PerturbationOptions& options, const ExternalVisitor<W>& visitor) {
  check_perturbation(coefficients, energies, options);
  const base::Backend& host = list.host();
  const auto thresholds = expansion_thresholds(list, tables, coefficients, options.epsilon);
  const ParentGroups<W> parents(list, coefficients, thresholds.span());
  const AlphaPartition<W> partition =
      partition_by_alpha(parents, tables.integrals(), options.links_at_once, host);
  const HeatBathView view = tables.view();
  const Index externals =
      strings_up_to(list.orbitals(), list.electrons().beta, options.externals_at_once);
  const PerturbationProblem<W> problem{parents, tables.integrals(), view,   energies,
                                       options, externals,          visitor};
  const Index bytes = worker_bytes<W>(options, coefficients.columns, externals);
  const int workers = workers_within(host, bytes, std::ssize(partition.constraints));
  const base::Reservation held(host.host_memory(), workers * bytes,
                               "the external determinants of a perturbation");
  PerturbationSums total = sum_over(partition, problem, workers);
  return {std::move(total.of_state), total.terms, total.externals, total.smallest_gap, workers};
}

template PerturbationResult perturb(const SelectedList<1>&, const HeatBathTables&, base::ConstBlock,
                                    std::span<const double>, const PerturbationOptions&,
                                    const ExternalVisitor<1>&);
template PerturbationResult perturb(const SelectedList<2>&, const HeatBathTables&, base::ConstBlock,
                                    std::span<const double>, const PerturbationOptions&,
                                    const ExternalVisitor<2>&);
template PerturbationResult perturb(const SelectedList<4>&, const HeatBathTables&, base::ConstBlock,
                                    std::span<const double>, const PerturbationOptions&,
                                    const ExternalVisitor<4>&);

}  // namespace cisolve::ci
