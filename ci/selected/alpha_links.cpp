#include "ci/selected/alpha_links.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>

#include "base/loops.hpp"

namespace cisolve::ci {
namespace {

constexpr const char* kGroups = "determinants by alpha string";

template <int W>
Index count_alphas(std::span<const PackedDeterminant<W>> list) {
  Index count = 0;
  for (std::size_t i = 0; i < list.size(); ++i)
    if (i == 0 || list[i].alpha != list[i - 1].alpha) ++count;
  return count;
}

/// How many links and records there are to the strings with some highest orbitals.
struct LinkWork {
  Index links = 0;
  Index records = 0;
  LinkWork& operator+=(const LinkWork& other) {
    links += other.links;
    records += other.records;
    return *this;
  }
};

/// The work by the highest one, two and three alpha orbitals of the strings that links lead to.
template <int W>
class WorkByHighest {
 public:
  WorkByHighest(int orbitals, int electrons)
      : orbitals_(orbitals), levels_(std::min(electrons, orbitals <= 64 ? 3 : 2)) {
    Index size = 1;
    for (int level = 0; level <= levels_; ++level, size *= orbitals)
      work_.emplace_back(static_cast<std::size_t>(size));
  }

  int levels() const { return levels_; }
  const LinkWork& at(int level, Index place) const { return work_[level][place]; }
  Index next(Index place, int p) const { return place * orbitals_ + p; }

  void add(OrbitalBits<W> string, const LinkWork& work) {
    Index place = 0;
    for (int level = 0; level < levels_; ++level) {
      const int highest = string.last();
      string = string.flipped(highest);
      place = next(place, highest);
    }
    work_[levels_][place] += work;
  }
  void add(const WorkByHighest& other) {
    for (std::size_t i = 0; i < work_[levels_].size(); ++i)
      work_[levels_][i] += other.work_[levels_][i];
  }
  /// Sums the lower levels, once all is added.
  void sum_up() {
    for (int level = levels_; level > 0; --level)
      for (std::size_t i = 0; i < work_[level].size(); ++i)
        work_[level - 1][i / orbitals_] += work_[level][i];
  }

 private:
  int orbitals_;
  int levels_;
  std::vector<std::vector<LinkWork>> work_;  // work of each level
};

template <int W>
WorkByHighest<W> estimate_work(const ParentGroups<W>& parents, const Integrals& integrals,
                               const base::Backend& host) {
  const int n = parents.orbitals;
  const Index own = parents.electrons.beta;
  const Index singles = own * (n - own);
  const Index doubles = own * (own - 1) / 2 * ((n - own) * (n - own - 1) / 2);
  const auto all = AlphaConstraint<W>::none(n, parents.electrons.alpha);
  WorkByHighest<W> sum(n, parents.electrons.alpha);
  std::mutex guard;
  const Index grain = std::max<Index>(64, parents.groups() / (8 * host.threads()));
  base::for_each_chunk(parents.groups(), grain, host, [&](Index first, Index last) {
    WorkByHighest<W> part(n, parents.electrons.alpha);
    for (Index group = first; group < last; ++group) {
      const double least = parents.least_threshold(group);
      if (least == kNotExpanded) continue;
      const Index size = parents.size(group);
      for_each_alpha_link(integrals, parents.alphas[group], all, least,
                          [&](const OrbitalBits<W>& child, AlphaLinkKind kind) {
                            const Index each = kind == AlphaLinkKind::same ? singles + doubles
                                               : kind == AlphaLinkKind::single_excitation
                                                   ? singles + 1
                                                   : 1;
                            part.add(child, {1, size * each});
                          });
    }
    const std::lock_guard lock(guard);
    sum.add(part);
  });
  sum.sum_up();
  return sum;
}

template <int W>
class PartitionBuilder {
 public:
  PartitionBuilder(const WorkByHighest<W>& work, int orbitals, int electrons, Index most_links)
      : work_(work), electrons_(electrons), most_links_(most_links) {
    constexpr Index kParts = 256;
    constexpr Index kLeastWork = 1 << 16;  // records of a part that is not worth dividing
    most_records_ = std::max(kLeastWork, work.at(0, 0).records / kParts);
    visit(AlphaConstraint<W>::none(orbitals, electrons), 0, 0);
  }
  AlphaPartition<W> take() { return std::move(partition_); }

 private:
  void visit(const AlphaConstraint<W>& constraint, int level, Index place) {
    const LinkWork& work = work_.at(level, place);
    if (work.links == 0) return;
    if (level == work_.levels() || (work.links <= most_links_ && work.records <= most_records_)) {
      partition_.constraints.push_back(constraint);
      partition_.work.push_back(work.records);
      return;
    }
    for (int p = 0; p < constraint.lowest; ++p)
      visit(constraint.with_next(p, electrons_), level + 1, work_.next(place, p));
  }

  const WorkByHighest<W>& work_;
  int electrons_;
  Index most_links_;
  Index most_records_ = 0;
  AlphaPartition<W> partition_;
};

}  // namespace

template <int W>
ParentGroups<W>::ParentGroups(const SelectedList<W>& list, base::ConstBlock c,
                              std::span<const double> by_row)
    : orbitals(list.orbitals()),
      electrons(list.electrons()),
      states(c.columns),
      alphas(list.host(), count_alphas(list.determinants()), kGroups),
      begins(list.host(), alphas.size() + 1, kGroups),
      betas(list.host(), list.size(), kGroups),
      thresholds(list.host(), list.size(), kGroups),
      coefficients(list.host(), list.size() * states, kGroups) {
  const auto all = list.determinants();
  Index group = 0;
  for (Index row = 0; row < list.size(); ++row)
    if (row == 0 || all[row].alpha != all[row - 1].alpha) {
      alphas[group] = all[row].alpha;
      begins[group++] = row;
    }
  begins[group] = list.size();
  constexpr Index kGrain = 256;
  base::for_each_chunk(groups(), kGrain, list.host(), [&](Index first, Index last) {
    std::vector<Index> rows;
    for (Index g = first; g < last; ++g) {
      rows.resize(static_cast<std::size_t>(size(g)));
      std::iota(rows.begin(), rows.end(), begins[g]);
      std::ranges::stable_sort(rows, {}, [&](Index row) { return by_row[row]; });
      for (std::size_t k = 0; k < rows.size(); ++k) {
        const Index parent = begins[g] + static_cast<Index>(k);
        betas[parent] = all[rows[k]].beta;
        thresholds[parent] = by_row[rows[k]];
        for (int s = 0; s < states; ++s) coefficients[parent * states + s] = c(rows[k], s);
      }
    }
  });
}

template <int W>
Index ParentGroups<W>::bytes(Index determinants, int states) {
  return determinants * (2 * Index{sizeof(OrbitalBits<W>)} + 24 + 8 * Index{states});
}

template <int W>
AlphaPartition<W> partition_by_alpha(const ParentGroups<W>& parents, const Integrals& integrals,
                                     Index most_links, const base::Backend& host) {
  const WorkByHighest<W> work = estimate_work(parents, integrals, host);
  return PartitionBuilder<W>(work, parents.orbitals, parents.electrons.alpha, most_links).take();
}

template struct ParentGroups<1>;
template struct ParentGroups<2>;
template struct ParentGroups<4>;
template AlphaPartition<1> partition_by_alpha(const ParentGroups<1>&, const Integrals&, Index,
                                              const base::Backend&);
template AlphaPartition<2> partition_by_alpha(const ParentGroups<2>&, const Integrals&, Index,
                                              const base::Backend&);
template AlphaPartition<4> partition_by_alpha(const ParentGroups<4>&, const Integrals&, Index,
                                              const base::Backend&);

}  // namespace cisolve::ci
