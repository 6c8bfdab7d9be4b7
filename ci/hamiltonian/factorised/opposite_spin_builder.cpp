#include "ci/hamiltonian/factorised/opposite_spin_builder.hpp"

#include <algorithm>
#include <numeric>

#include "base/loops.hpp"

namespace cisolve::ci {

OppositeSpinBuilder::OppositeSpinBuilder(const RowTablesView& t, const base::Backend& host)
    : t_(t),
      host_(host),
      list_of_beta_(t.betas, -1),
      place_of_beta_(t.betas, -1),
      moves_(t.beta_pairs, false),
      betas_(singles_of(t.beta, t.betas)),
      own_alphas_(t.alpha.all == t.beta.all ? Singles() : singles_of(t.alpha, t.alphas)),
      alphas_(t.alpha.all == t.beta.all ? betas_ : own_alphas_) {
  lists_.count = *std::max_element(t.list_of, t.list_of + t.alphas) + 1;
  for (Index list = 0; list < lists_.count; ++list)
    for (Index place = 0; place < size_of(list); ++place) {
      list_of_beta_[member(list, place)] = list;
      place_of_beta_[member(list, place)] = place;
    }
}

OppositeSpinBuilder::Singles OppositeSpinBuilder::singles_of(
    const RowTablesView::Connections& table, Index strings) const {
  constexpr Index kGrain = 64;
  const auto of = [&](Index string) {
    return std::span(table.all + table.offsets[string], table.all + table.offsets[string + 1]);
  };
  Singles singles{.first = std::vector<Index>(strings + 1, 0), .all = {}};
  base::for_each_chunk(strings, kGrain, host_, [&](Index begin, Index end) {
    for (Index s = begin; s < end; ++s)
      singles.first[s + 1] = std::ranges::count_if(of(s), &Connection::is_single);
  });
  std::partial_sum(singles.first.begin(), singles.first.end(), singles.first.begin());
  singles.all.resize(singles.first[strings]);
  base::for_each_chunk(strings, kGrain, host_, [&](Index begin, Index end) {
    Single* next = singles.all.data() + singles.first[begin];
    for (Index s = begin; s < end; ++s)
      for (const Connection& to : of(s))
        if (to.is_single()) *next++ = {to.target, to.pair()};
  });
  return singles;
}

void OppositeSpinBuilder::find_classes() {
  for (const Single& single : betas_.all) moves_[single.pair.pair()] = true;
  std::vector<bool> is_met;  // alpha pairs
  for (const Single& to : alphas_.all) {
    const Index pair = to.pair.pair();
    if (pair >= std::ssize(is_met)) is_met.resize(pair + 1, false);
    if (is_met[pair]) continue;
    is_met[pair] = true;
    const Index klass = t_.class_of[pair];
    if (klass >= std::ssize(has_pair_)) {
      has_pair_.resize(klass + 1, std::vector<bool>(t_.beta_pairs, false));
      adds_orbitals_.resize(klass + 1, false);
    }
    for (Index rs = 0; rs < t_.beta_pairs; ++rs)
      if (moves_[rs] && t_.mixed[pair * t_.beta_pairs + rs] != 0) has_pair_[klass][rs] = true;
    if (t_.adds_any(t_.on_alpha, pair)) adds_orbitals_[klass] = true;
  }
}

// An alpha string is its own source: its electrons contribute to beta singles (from_alpha) and to
// the diagonal (coulomb). It joins a class with all rows needed, otherwise it has its own class.
void OppositeSpinBuilder::find_self_class() {
  std::vector<bool> needed(t_.beta_pairs, false);
  for (Index rs = 0; rs < t_.beta_pairs; ++rs)
    if (moves_[rs] && t_.adds_any(t_.on_beta, rs)) needed[rs] = true;
  const auto serves = [&](const std::vector<bool>& has) {
    for (Index rs = 0; rs < t_.beta_pairs; ++rs)
      if (needed[rs] && !has[rs]) return false;
    return true;
  };
  const auto found = std::ranges::find_if(has_pair_, serves);
  self_class_ = found - has_pair_.begin();
  if (found != has_pair_.end()) {
    adds_orbitals_[self_class_] = true;
    return;
  }
  has_pair_.push_back(std::move(needed));
  adds_orbitals_.push_back(true);
}

void OppositeSpinBuilder::add_alpha(Index alpha) {
  const Index list = t_.list_of[alpha];
  std::map<Link, std::vector<OppositeSpinView::Source>> found;
  found[{self_class_, list, list}].push_back(source(alpha, Connection::kSelf));
  for (const Single& to : alphas_.of(alpha)) {
    const Link link{t_.class_of[to.pair.pair()], t_.list_of[to.target], list};
    found[link].push_back(source(to.target, to.pair.code));
  }
  for (auto& [link, sources] : found) {
    std::ranges::stable_sort(sources, {}, &OppositeSpinView::Source::half);
    const Tables tables = tables_of(link);
    if (tables.count == 0) continue;
    const Index first = std::ssize(lists_.sources);
    lists_.sources.insert(lists_.sources.end(), sources.begin(), sources.end());
    for (Index table = tables.first; table < tables.first + tables.count; ++table)
      lists_.groups.push_back(
          {first, static_cast<int>(sources.size()), static_cast<Column>(table)});
  }
  lists_.first_group.push_back(std::ssize(lists_.groups));
}

void OppositeSpinBuilder::find_own_places() {
  for (Index alpha = 0; alpha < t_.alphas; ++alpha) {
    const Index list = t_.list_of[alpha];
    const Column* begin = t_.members + t_.list_offsets[list];
    const Column* end = begin + size_of(list);
    const Column* own = std::lower_bound(begin, end, alpha);
    const bool is_there = own != end && *own == alpha;
    column_codes_.push_back(static_cast<Column>(2 * (own - begin) + (is_there ? 1 : 0)));
  }
}

OppositeSpinView::Source OppositeSpinBuilder::source(Index alpha, Column code) const {
  return {t_.first_row[alpha], code, column_codes_[alpha]};
}

const OppositeSpinBuilder::Tables& OppositeSpinBuilder::tables_of(const Link& link) {
  const auto [at, is_new] = links_.try_emplace(link);
  if (!is_new) return at->second;
  const std::vector<Column> rows = rows_of(link);
  const Index count = std::ssize(rows);
  const Index parts = (count + OppositeSpinTables::kMostRows - 1) / OppositeSpinTables::kMostRows;
  at->second = {std::ssize(lists_.tables), parts};
  for (Index part = 0; part < parts; ++part)
    add_table(link, std::span(rows).subspan(count * part / parts,
                                            count * (part + 1) / parts - count * part / parts));
  return at->second;
}

/// Rows of g that any entry of the link reads.
std::vector<Column> OppositeSpinBuilder::rows_of(const Link& link) const {
  std::vector<Column> rows;
  std::vector<bool> is_used(t_.beta_pairs, false);
  for (Index target = 0; target < size_of(link.to); ++target) {
    const Index beta = member(link.to, target);
    for (const Single& single : betas_.of(beta))
      if (list_of_beta_[single.target] == link.from) is_used[single.pair.pair()] = true;
  }
  for (Index rs = 0; rs < t_.beta_pairs; ++rs)
    if (is_used[rs] && has_pair_[link.klass][rs]) rows.push_back(static_cast<Column>(rs));
  if (link.from != link.to || !adds_orbitals_[link.klass]) return rows;
  std::vector<bool> stands(t_.orbitals, false);
  for (Index place = 0; place < size_of(link.to); ++place) {
    const std::uint8_t* q = t_.occupied[1] + member(link.to, place) * t_.electrons[1];
    for (int i = 0; i < t_.electrons[1]; ++i) stands[q[i]] = true;
  }
  for (int q = 0; q < t_.orbitals; ++q)
    if (stands[q]) rows.push_back(-1 - q);
  return rows;
}

void OppositeSpinBuilder::add_table(const Link& link, std::span<const Column> rows) {
  std::vector<Index> row_of(t_.beta_pairs + t_.orbitals, -1);  // orbitals follow pairs
  for (std::size_t row = 0; row < rows.size(); ++row)
    row_of[rows[row] >= 0 ? rows[row] : t_.beta_pairs - 1 - rows[row]] = static_cast<Index>(row);
  const ScatterTable table = ScatterTable::of(
      size_of(link.to), size_of(link.from),
      [&](Index target, const ScatterTable::Take& take) {
        visit_moves(link, target, row_of, take);
      },
      host_);
  lists_.tables.push_back({.first_row = std::ssize(lists_.rows),
                           .rows = static_cast<int>(rows.size()),
                           .columns = size_of(link.from),
                           .first_chunk = std::ssize(lists_.chunks)});
  lists_.moves_of_table.push_back(static_cast<double>(table.count));
  lists_.rows.insert(lists_.rows.end(), rows.begin(), rows.end());
  const Index begin = std::ssize(lists_.words);  // each table appends where its chunks end
  for (const Index chunk : table.chunks) lists_.chunks.push_back(begin + chunk);
  lists_.words.insert(lists_.words.end(), table.words.begin(), table.words.end());
}

void OppositeSpinBuilder::visit_moves(const Link& link, Index target,
                                      const std::vector<Index>& row_of,
                                      const ScatterTable::Take& take) const {
  const Index beta = member(link.to, target);
  for (const Single& single : betas_.of(beta)) {
    const Index row = row_of[single.pair.pair()];
    if (row >= 0 && list_of_beta_[single.target] == link.from)
      take(row, place_of_beta_[single.target], single.pair.sign() < 0);
  }
  if (link.from != link.to) return;
  const std::uint8_t* q = t_.occupied[1] + beta * t_.electrons[1];
  for (int i = 0; i < t_.electrons[1]; ++i)
    if (const Index row = row_of[t_.beta_pairs + q[i]]; row >= 0) take(row, target, false);
}

Index OppositeSpinBuilder::most_sources() const {
  constexpr double kFew = 0.1;
  for (const Index most : OppositeSpinTables::kMostSources) {
    Index added = 0;
    for (const OppositeSpinView::Group& group : lists_.groups) added += (group.sources - 1) / most;
    if (static_cast<double>(added) <= kFew * static_cast<double>(lists_.groups.size())) return most;
  }
  return OppositeSpinTables::kMostSources.back();
}

void OppositeSpinBuilder::divide_groups() {
  const Index most = most_sources();
  std::vector<OppositeSpinView::Group> divided;
  std::vector<Index> first_group = {0};
  for (Index alpha = 0; alpha < t_.alphas; ++alpha) {
    for (Index g = lists_.first_group[alpha]; g < lists_.first_group[alpha + 1]; ++g) {
      const OppositeSpinView::Group& group = lists_.groups[g];
      const Index parts = (group.sources + most - 1) / most;
      for (Index part = 0; part < parts; ++part) {
        const Index begin = group.sources * part / parts;
        const Index end = group.sources * (part + 1) / parts;
        divided.push_back({group.first_source + begin, static_cast<int>(end - begin), group.table});
      }
    }
    first_group.push_back(std::ssize(divided));
  }
  lists_.groups = std::move(divided);
  lists_.first_group = std::move(first_group);
}

OppositeSpinTables::Lists OppositeSpinBuilder::build() {
  find_classes();
  find_self_class();
  find_own_places();
  for (Index alpha = 0; alpha < t_.alphas; ++alpha) add_alpha(alpha);
  divide_groups();
  return std::move(lists_);
}

}  // namespace cisolve::ci
