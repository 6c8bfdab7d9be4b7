#include "ci/oracle/oracle_operator.hpp"

#include <algorithm>
#include <numeric>

#include "base/loops.hpp"
#include "base/ranks/work_distribution.hpp"
#include "ci/oracle/oracle_row.hpp"
#include "ci/oracle/oracle_walk.hpp"
#include "ci/oracle/work_chunks.hpp"

namespace cisolve::ci {
namespace {

constexpr Index kGroup = 16;  // alpha strings per batch, which share the work on beta strings
constexpr int kChunks = 64;   // tasks per thread
constexpr Index kRows = 64;   // rows per task in multiply_rows
constexpr auto kOrder = "the order of alpha strings";

/// The number of bits of `count`: monotonic and fits a byte.
std::uint8_t magnitude(StringNumber count) {
  return static_cast<std::uint8_t>(std::bit_width(static_cast<std::uint32_t>(count)));
}

Index members_of(const Space& space) {
  Index count = 0;
  for (Index list = 0; list < space.lists(); ++list) count += std::ssize(space.list(list));
  return count;
}

}  // namespace

OracleOperator::OracleOperator(const Space& space, const Integrals& integrals, double threshold)
    : integrals_(integrals),
      threshold_(threshold),
      screen_(space, integrals_, threshold),
      alphas_(space.strings(Spin::alpha), space.host()),
      betas_(space.strings(Spin::beta), space.host()),
      first_row_(space.host(), alphas_.size() + 1, "the rows of alpha strings"),
      list_of_(space.host(), alphas_.size(), "the lists of alpha strings"),
      first_member_(space.host(), space.lists() + 1, "the lists of beta strings"),
      members_(space.host(), members_of(space), "the lists of beta strings"),
      reach_(space.host(), betas_.size(), "the reach of beta strings"),
      least_reach_(space.host(), space.lists(), "the reach of alpha strings"),
      beta_energies_(space.host(), betas_.size(), "the energies of beta strings"),
      groups_{{space.host(), 0, kOrder}, {space.host(), 0, kOrder}, {}},
      moves_(found_moves(space)),
      mixed_(screen_, integrals_, space.host()) {
  groups_ = grouped(0, alphas_.size());
  for (Index b = 0; b < betas_.size(); ++b)
    beta_energies_[b] = energy_of(integrals_, Spin::beta, betas_[b]);
}

BetaSingles OracleOperator::found_moves(const Space& space) {
  fill_lists(space);
  fill_reach();
  return {betas_, reach_.span(), screen_, integrals_.orbitals(), space.host()};
}

void OracleOperator::fill_lists(const Space& space) {
  first_member_[0] = 0;
  for (Index list = 0; list < space.lists(); ++list) {
    std::ranges::copy(space.list(list), members_.data() + first_member_[list]);
    first_member_[list + 1] = first_member_[list] + std::ssize(space.list(list));
  }
  first_row_[0] = 0;
  for (Index a = 0; a < alphas_.size(); ++a) {
    list_of_[a] = space.list_of(a);
    first_row_[a + 1] = first_row_[a] + std::ssize(betas_of(a));
  }
}

void OracleOperator::fill_reach() {
  std::vector<StringNumber> count(betas_.size(), 0);
  std::vector<StringNumber> alphas(least_reach_.size(), 0);
  for (const StringNumber list : list_of_.span()) ++alphas[list];
  for (Index list = 0; list < least_reach_.size(); ++list)
    for (const StringNumber beta : members(list)) count[beta] += alphas[list];
  std::ranges::transform(count, reach_.data(), magnitude);
  for (Index list = 0; list < least_reach_.size(); ++list) {
    least_reach_[list] = UINT8_MAX;
    for (const StringNumber beta : members(list))
      least_reach_[list] = std::min(least_reach_[list], reach_[beta]);
  }
}

/// Longest lists first, for load balance.
OracleOperator::Groups OracleOperator::grouped(Index first_alpha, Index last_alpha) const {
  base::Array<StringNumber> alphas(first_row_.backend(), last_alpha - first_alpha, kOrder);
  std::iota(alphas.data(), alphas.data() + alphas.size(), static_cast<StringNumber>(first_alpha));
  std::ranges::sort(alphas.span(), {}, [&](StringNumber a) {
    return std::tuple(-std::ssize(betas_of(a)), list_of_[a], a);
  });
  std::vector<Index> begins;
  for (Index i = 0; i < alphas.size(); ++i)
    if (begins.empty() || i - begins.back() == kGroup ||
        list_of_[alphas[i]] != list_of_[alphas[i - 1]])
      begins.push_back(i);
  begins.push_back(alphas.size());
  auto copied = base::Array<Index>::copy_of(begins, alphas.backend(), kOrder);
  Groups groups{std::move(alphas), std::move(copied), {}};
  groups.chunks = chunks_of(groups);
  return groups;
}

/// Divides groups into chunks of work, since in a scattered list a few strings have most of it.
std::vector<Index> OracleOperator::chunks_of(const Groups& groups) const {
  const base::Backend& host = first_row_.backend();
  std::vector<double> work(groups.begins.size() - 1);
  base::for_each_chunk(std::ssize(work), 64, host, [&](Index first, Index last) {
    for (Index g = first; g < last; ++g) {
      const auto strings = static_cast<double>(groups.begins[g + 1] - groups.begins[g]);
      const bool are_alike = least_reach_.size() == 1;
      work[g] = are_alike ? strings : strings * work_of(groups.order[groups.begins[g]]);
    }
  });
  return work_chunks(work, Index{kChunks} * host.threads());
}

/// Dominated by opposite-spin doubles, which start from the shorter of the two lists.
double OracleOperator::work_of(Index alpha) const {
  const StringOccupation side(Spin::alpha, alphas_[alpha], integrals_.orbitals());
  const auto own = std::ssize(betas_of(alpha));
  Index work = own;
  const auto asks = [&](int p, int q) { return screen_.has_mixed(ExcitationScreen::pair(p, q)); };
  for_each_found_single(alphas_, side, asks, [&](int, int, StringNumber target, bool) {
    work += std::min(own, std::ssize(betas_of(target)));
  });
  return static_cast<double>(work);
}

base::Layout OracleOperator::row_layout(int ranks) const {
  std::vector<double> work(alphas_.size());
  std::vector<Index> rows(alphas_.size());
  for (Index a = 0; a < alphas_.size(); ++a) {
    work[a] = work_of(a);
    rows[a] = std::ssize(betas_of(a));
  }
  return base::distribute_work(work, rows, ranks);
}

// The result of a row does not depend on the other alpha strings of its batch.
void OracleOperator::keep_rows(Index first, Index count) {
  const auto starts = first_row_.span();
  const auto alpha_of = [&](Index row) {
    return std::ranges::lower_bound(starts, row) - starts.begin();
  };
  groups_ = grouped(alpha_of(first), alpha_of(first + count));
  first_kept_ = first;
}

template <int kColumns>
void OracleOperator::multiply(base::ConstBlock x, base::Block y, bool reports) const {
  const base::Backend& host = first_row_.backend();
  const std::vector<Index>& chunks = groups_.chunks;
  // Each task has its own OracleWalk, with two numbers per beta string.
  base::for_each_chunk(std::ssize(chunks) - 1, 1, host, [&](Index first, Index last) {
    OracleWalk<kColumns> walk(*this, x, y);
    Index done = 0;
    for (Index g = chunks[first]; g < chunks[last]; ++g) {
      const auto alphas = groups_.order.span().subspan(groups_.begins[g],
                                                       groups_.begins[g + 1] - groups_.begins[g]);
      walk.walk(alphas);
      done += std::ssize(alphas) * std::ssize(betas_of(alphas.front()));
    }
    if (reports) report_rows(done);
  });
}

void OracleOperator::apply(base::ConstBlock x, base::Block y) const {
  for (int j = 0; j < x.columns;) {
    const int left = x.columns - j;
    const int now = left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
    const bool reports = now == left;
    const base::ConstBlock from = x.slice(j, now);
    const base::Block to = y.slice(j, now);
    if (now == 8) multiply<8>(from, to, reports);
    if (now == 4) multiply<4>(from, to, reports);
    if (now == 2) multiply<2>(from, to, reports);
    if (now == 1) multiply<1>(from, to, reports);
    j += now;
  }
}

template <class Vector>
void OracleOperator::multiply_some(std::span<const Index> rows, const Vector& x,
                                   std::span<double> values) const {
  base::for_each_chunk(std::ssize(rows), kRows, first_row_.backend(), [&](Index first, Index last) {
    OracleRow row(*this, x);
    for (Index i = first; i < last; ++i) values[i] = row.times_vector(rows[i]);
  });
}

void OracleOperator::multiply_rows(std::span<const Index> rows, const double* x,
                                   std::span<double> values) const {
  multiply_some(rows, x, values);
}

bool OracleOperator::multiply_rows_of_random(std::span<const Index> rows,
                                             const base::RandomVector& x,
                                             std::span<double> values) const {
  multiply_some(rows, x, values);
  return true;
}

bool OracleOperator::diagonal(base::Block d) const {
  Index row = 0;
  for (Index a = 0; a < alphas_.size(); ++a) {
    const double own = integrals_.core_energy() + energy_of(integrals_, Spin::alpha, alphas_[a]);
    for (const StringNumber beta : betas_of(a)) {
      double value = own + beta_energies_[beta];
      betas_[beta].for_each(
          [&](int q) { value += other_part(integrals_, Spin::beta, q, q, alphas_[a]); });
      d(row++, 0) = value;
    }
  }
  return true;
}

base::OperatorDescription OracleOperator::description() const {
  return {"direct",
          screen_.bytes() + alphas_.bytes() + betas_.bytes() + first_row_.bytes() +
              list_of_.bytes() + first_member_.bytes() + members_.bytes() + reach_.bytes() +
              least_reach_.bytes() + beta_energies_.bytes() + groups_.order.bytes() +
              groups_.begins.bytes() + moves_.bytes() + mixed_.bytes(),
          0, 0};
}

}  // namespace cisolve::ci
