#include "ci/oracle/sampled_lengths.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/loops.hpp"
#include "base/random.hpp"
#include "ci/fock/spaces/strings_with_fewer_electrons.hpp"
#include "ci/oracle/string_occupation.hpp"

namespace cisolve::ci {
namespace {

constexpr double kWork = 8e6;  // excitations tried for all sampled rows
constexpr double kFewestRows = 16;
constexpr double kMostRows = 2048;

struct ExcitationCounts {
  double singles;
  double doubles;
};

ExcitationCounts excitations_of(const Space& space, Spin spin) {
  const double n = space.electrons(spin);
  const double m = space.orbitals() - n;
  return {n * m, n * (n - 1) / 2 * (m * (m - 1) / 2)};
}

/// The number of single and double excitations of a determinant, in or out of the space.
double moves_of_a_row(const Space& space) {
  const ExcitationCounts alpha = excitations_of(space, Spin::alpha);
  const ExcitationCounts beta = excitations_of(space, Spin::beta);
  return 1 + alpha.singles + alpha.doubles + beta.singles + beta.doubles +
         alpha.singles * beta.singles;
}

/// Counts the elements of one row: tries each excitation and looks up its target.
class RowCount {
 public:
  RowCount(const Space& space, const Integrals& integrals, double threshold, Index row)
      : space_(space),
        integrals_(integrals),
        threshold_(threshold),
        place_(space.place_of(row)),
        alpha_(Spin::alpha, space.strings(Spin::alpha)[place_.alpha], space.orbitals()),
        beta_(Spin::beta, space.strings(Spin::beta)[place_.beta], space.orbitals()) {}

  Index count() {
    move_beta();
    move_alpha();
    return count_;
  }

 private:
  struct Single {
    int from;
    int to;
    Index beta;
  };

  bool keeps(double value) const { return std::abs(value) > threshold_; }

  Index find(Spin spin, const String& string) const {
    const auto all = space_.strings(spin);
    const auto found = std::ranges::lower_bound(all, string);
    return found != all.end() && *found == string ? found - all.begin() : -1;
  }

  bool has(Index alpha, Index beta) const {
    return space_.position(space_.list_of(alpha), beta) >= 0;
  }

  void add(bool is_there) { count_ += is_there ? 1 : 0; }

  void move_beta() {
    for_each_single(beta_, [&](int p, int q, const String& to, bool) {
      const Index target = find(Spin::beta, to);
      if (target < 0) return;
      singles_.push_back({p, q, target});
      add(has(place_.alpha, target) &&
          keeps(own_part(integrals_, Spin::beta, beta_.string, p, q) +
                other_part(integrals_, Spin::beta, p, q, alpha_.string)));
    });
    for_each_double(integrals_, beta_, [&](const String& to, double value) {
      if (!keeps(value)) return;
      const Index target = find(Spin::beta, to);
      add(target >= 0 && has(place_.alpha, target));
    });
  }

  void move_alpha() {
    for_each_single(alpha_, [&](int p, int q, const String& to, bool) {
      const Index target = find(Spin::alpha, to);
      if (target < 0) return;
      add(has(target, place_.beta) &&
          keeps(own_part(integrals_, Spin::alpha, alpha_.string, p, q) +
                other_part(integrals_, Spin::alpha, p, q, beta_.string)));
      for (const Single& single : singles_)
        add(keeps(integrals_.two(Spin::alpha, p, q, Spin::beta, single.from, single.to)) &&
            has(target, single.beta));
    });
    for_each_double(integrals_, alpha_, [&](const String& to, double value) {
      if (!keeps(value)) return;
      const Index target = find(Spin::alpha, to);
      add(target >= 0 && has(target, place_.beta));
    });
  }

  const Space& space_;
  OracleIntegrals integrals_;
  double threshold_;
  Space::Place place_;
  StringOccupation alpha_;
  StringOccupation beta_;
  std::vector<Single> singles_;  // single excitations of the beta string within the space
  Index count_ = 1;              // the diagonal
};

/// The k-th of `rows` sampled rows: a random row of the k-th of `rows` equal intervals, so that no
/// period of the order biases the sample.
Index row_of(Index k, Index rows, Index all) {
  constexpr std::uint64_t seed = 0x5eed;
  const double within = base::unit_interval(base::mix(seed, static_cast<std::uint64_t>(k)));
  const double place = (static_cast<double>(k) + within) / static_cast<double>(rows);
  return rows == all ? k : std::min(all - 1, static_cast<Index>(place * static_cast<double>(all)));
}

SampledLengths described(const std::vector<double>& lengths, Index all) {
  const auto rows = static_cast<double>(lengths.size());
  SampledLengths sample{.rows = std::ssize(lengths)};
  for (const double length : lengths) sample.mean += length / rows;
  if (sample.rows == all || sample.rows < 2) return sample;
  double squares = 0;
  for (const double length : lengths) squares += (length - sample.mean) * (length - sample.mean);
  sample.error = std::sqrt(squares / (rows - 1) / rows);
  return sample;
}

}  // namespace

double SampledLengths::lower_bound(Index all_rows) const {
  constexpr double errors = 6;
  return static_cast<double>(all_rows) * std::max(1.0, mean - errors * error);
}

StringCounts strings_of(const Space& space) {
  StringCounts counts;
  for (const Spin spin : {Spin::alpha, Spin::beta}) {
    const auto s = static_cast<std::size_t>(spin);
    counts.strings[s] = static_cast<double>(space.strings(spin).size());
    counts.electrons[s] = space.electrons(spin);
  }
  return counts;
}

double string_bytes(const StringCounts& counts) {
  double bytes = 0;
  for (std::size_t s = 0; s < counts.strings.size(); ++s)
    bytes += counts.strings[s] * (sizeof(String) + counts.electrons[s]);
  return bytes;
}

double connection_search_bytes(const StringCounts& counts) {
  double bytes = 0;  // the spins are searched one after the other
  for (std::size_t s = 0; s < counts.strings.size(); ++s)
    bytes = std::max(
        bytes, StringsWithFewerElectrons::bytes(counts.strings[s], counts.electrons[s], 1) +
                   StringsWithFewerElectrons::bytes(counts.strings[s], counts.electrons[s], 2));
  return bytes;
}

double longest_row(const Space& space) {
  return std::min(moves_of_a_row(space), static_cast<double>(space.dimension()));
}

SampledLengths sample_rows(const Space& space, const Integrals& integrals, double threshold) {
  const Index all = space.dimension();
  const double affordable = std::clamp(kWork / moves_of_a_row(space), kFewestRows, kMostRows);
  const Index rows = std::min(all, static_cast<Index>(affordable));
  std::vector<double> lengths(rows);
  base::for_each_chunk(rows, 1, space.host(), [&](Index first, Index last) {
    for (Index k = first; k < last; ++k)
      lengths[k] =
          static_cast<double>(RowCount(space, integrals, threshold, row_of(k, rows, all)).count());
  });
  return described(lengths, all);
}

}  // namespace cisolve::ci
