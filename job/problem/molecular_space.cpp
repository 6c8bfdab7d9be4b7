#include "job/problem/molecular_space.hpp"

#include <algorithm>
#include <sstream>

#include "base/error.hpp"
#include "ci/fock/counting/counting.hpp"
#include "ci/fock/spaces/singly_occupied.hpp"
#include "job/problem/space_lists.hpp"
#include "job/request/with_context.hpp"

namespace cisolve::job {
namespace {

using base::ErrorKind;
using base::fail;
using ci::Determinant;

ci::OrbitalChoice choice(const OrbitalSet& set) {
  if (set.numbers.empty()) return static_cast<int>(set.count.value_or(0));
  return std::vector<int>(set.numbers.begin(), set.numbers.end());
}

std::optional<ci::OrbitalChoice> optional_choice(const OrbitalSet& set) {
  if (set.is_automatic()) return std::nullopt;
  return choice(set);
}

// Each word must name every orbital: omissions would have to be guessed.
void require_every_orbital(const std::string& text, int orbitals) {
  std::istringstream words(text);
  for (std::string word; words >> word;)
    if (std::ssize(word) != orbitals)
      fail(ErrorKind::configuration, "it names ", word.size(), " orbitals; expected all ", orbitals,
           " of the problem, including frozen and inactive ones");
}

void require_electrons(const Determinant& whole, const OrbitalFrame& around) {
  const int frozen = static_cast<int>(std::ssize(around.window.frozen));
  const int alpha = around.sector.alpha_electrons + frozen;
  const int beta = around.sector.beta_electrons + frozen;
  if (whole.alpha.count() != alpha || whole.beta.count() != beta)
    fail(ErrorKind::configuration, "it has ", whole.alpha.count(), " alpha and ",
         whole.beta.count(), " beta electrons; expected ", alpha, " and ", beta);
}

Determinant reference(const Request& request, const std::string& text, const OrbitalFrame& around) {
  const std::string where =
      base::concat(request.origin, ": the reference ", text.substr(0, ci::kMostOrbitals));
  return with_context(where, [&] {
    require_every_orbital(text, around.orbitals);
    const Determinant whole = ci::parse_determinant(text, around.orbitals);
    require_electrons(whole, around);
    return ci::determinant_in(around.window, whole);
  });
}

// Impossible references are refused even if the space does not use them.
void require_references(const Request& request, const OrbitalFrame& around) {
  const Request::Space& space = request.space;
  if (!space.reference.empty()) reference(request, space.reference, around);
  for (const std::string& text : space.references) reference(request, text, around);
  if (keys_of(space.kind).needs_references && space.references.empty())
    fail(ErrorKind::configuration, request.origin, ": space.kind is ", word_of(space.kind), " and ",
         "space.references is not given; expected at least one reference");
}

std::vector<Determinant> references_of(const Request& request, const OrbitalFrame& around) {
  const Request::Space& space = request.space;
  std::vector<Determinant> references;
  const SpaceKeys keys = keys_of(space.kind);
  if (keys.references && !space.references.empty())
    for (const std::string& text : space.references)
      references.push_back(reference(request, text, around));
  else if (space.reference.empty())
    references.push_back(ci::aufbau(around.sector.alpha_electrons, around.sector.beta_electrons));
  else
    references.push_back(reference(request, space.reference, around));
  return references;
}

// Positions of orbitals of a file, ascending, among the active ones.
std::vector<int> places_in(const ci::Window& window, const std::vector<int>& orbitals) {
  std::vector<int> places;
  for (const int p : orbitals)
    places.push_back(
        static_cast<int>(std::ranges::lower_bound(window.active, p) - window.active.begin()));
  return places;
}

// ras1 and ras2 divide the active orbitals as frozen and active ones divide all; ras3 is the rest.
ci::RasLimits ras_limits(const Request& request, const ci::Window& window) {
  const Request::Space& space = request.space;
  const ci::Window parts = with_context(request.origin + ": space.ras1 and space.ras2", [&] {
    return ci::divide_orbitals(window.active, choice(space.ras1), optional_choice(space.ras2),
                               {"ras1", "ras2"});
  });
  std::vector<int> rest = window.active;
  for (const auto& part : {parts.frozen, parts.active})
    std::erase_if(rest, [&](int p) { return std::ranges::binary_search(part, p); });
  return {.ras1 = places_in(window, parts.frozen),
          .ras3 = places_in(window, rest),
          .holes = static_cast<int>(space.holes),
          .particles = static_cast<int>(space.particles)};
}

// A list belongs to one kind of space; other combinations are refused.
void require_lists(const Request& request) {
  const Request::Space& space = request.space;
  const auto check = [&](const char* key, bool is_given, SpaceKind kind) {
    if (is_given != (space.kind == kind))
      fail(ErrorKind::configuration, request.origin, ": space.", key, " is ",
           is_given ? "given, but" : "not given and", " space.kind is ", word_of(space.kind),
           is_given ? "; expected kind: " : "; expected the path of a file",
           is_given ? word_of(kind) : "");
  };
  check("determinants", !space.determinants.empty(), SpaceKind::list);
  check("alpha", !space.alpha.empty(), SpaceKind::product);
  check("beta", !space.beta.empty(), SpaceKind::product);
}

bool has_all_orbitals(const OrbitalFrame& around) {
  return std::ssize(around.window.active) == around.orbitals;
}

/// The sector of lists over all orbitals, whose determinants must be in the window.
io::ListSector list_sector(const OrbitalFrame& around) {
  const int frozen = static_cast<int>(std::ssize(around.window.frozen));
  io::ListSector sector{around.orbitals, around.sector.alpha_electrons + frozen,
                        around.sector.beta_electrons + frozen};
  if (!has_all_orbitals(around))
    sector.problem = [in = ci::InWindow(around.window)](const Determinant& determinant) {
      return in.problem(determinant);
    };
  return sector;
}

/// The determinants restricted to the active orbitals.
ci::DeterminantIndex inner_parts(const OrbitalFrame& around, ci::DeterminantIndex list,
                                 const base::Backend& host) {
  if (has_all_orbitals(around)) return list;
  const base::Reservation held(host.host_memory(), list.size() * Index{sizeof(Determinant)},
                               "the determinants of a list");
  std::vector<Determinant> determinants = list.determinants();
  for (Determinant& determinant : determinants)
    determinant = ci::determinant_in(around.window, determinant);
  return {determinants, host};
}

ci::Space listed_space(const Request& request, const OrbitalFrame& around,
                       const base::Backend& host) {
  const GivenDeterminants& given = request.space.determinants;
  const ci::DeterminantIndex list =
      inner_parts(around, read_determinants(given, list_sector(around), host), host);
  return with_context(place_of(given), ErrorKind::bad_input,
                      [&] { return ci::list_space(around.sector, list, host); });
}

std::vector<ci::String> listed_strings(const GivenStrings& given, ci::Spin spin,
                                       const OrbitalFrame& around, const base::Backend& host) {
  io::ListSector sector = list_sector(around);
  if (spin == ci::Spin::beta) sector.alpha = sector.beta;
  std::vector<ci::String> strings = read_strings(given, spin, sector, host);
  if (!has_all_orbitals(around))
    for (ci::String& string : strings)
      string = ci::determinant_in(around.window, {string, string}).alpha;
  return strings;
}

ci::Space product_of_strings(const Request& request, const OrbitalFrame& around,
                             const base::Backend& host) {
  const Request::Space& space = request.space;
  return ci::product_space(around.sector,
                           listed_strings(space.alpha, ci::Spin::alpha, around, host),
                           listed_strings(space.beta, ci::Spin::beta, around, host), host);
}

/// The references from which a selected space grows, of any irrep.
ci::Space start_of_selection(const Request& request, const OrbitalFrame& around,
                             const base::Backend& host) {
  ci::Sector sector = around.sector;
  sector.irrep.reset();
  return ci::list_space(sector, references_of(request, around), host);
}

}  // namespace

ci::Window chosen_window(const Request& request, int orbitals) {
  const Request::Space& space = request.space;
  return with_context(request.origin + ": space.frozen and space.active", [&] {
    return ci::make_window(orbitals, choice(space.frozen), optional_choice(space.active));
  });
}

ci::WindowElectrons chosen_electrons(const Request& request, const ci::Window& window, int orbitals,
                                     int alpha, int beta) {
  const bool is_whole = window.frozen.empty() && std::ssize(window.active) == orbitals;
  const char* key = !is_whole                         ? "space.frozen and space.active"
                    : request.space.electrons.empty() ? "problem.electrons"
                                                      : "space.electrons";
  return with_context(base::concat(request.origin, ": ", key),
                      [&] { return ci::electrons_in(window, alpha, beta); });
}

void require_possible_space(const Request& request, const OrbitalFrame& around) {
  if (is_single_occupied(request) && request.space.kind != SpaceKind::fci)
    fail(ErrorKind::configuration, request.origin, ": space.kind is ", word_of(request.space.kind),
         ", but the space of a t-J model is fixed: all states without doubly occupied sites; "
         "remove space.kind");
  require_lists(request);
  require_references(request, around);
}

namespace {

// Without an irrep, each string of the levels occurs with one of the other spin.
ci::StringCounts least_strings(const ci::Sector& sector, int level) {
  if (sector.irrep) return {};
  const auto count = [&](int electrons) {
    return ci::count_strings(sector.orbitals, electrons, level).to_double();
  };
  const int alpha = sector.alpha_electrons;
  const int beta = sector.beta_electrons;
  return {{count(alpha), count(beta)}, {static_cast<double>(alpha), static_cast<double>(beta)}};
}

using Levels = std::vector<int> (*)(const Request::Space&);

template <int most>
std::vector<int> up_to(const Request::Space& /*space*/) {
  return ci::levels_up_to(most);
}
std::vector<int> doubles_alone(const Request::Space& /*space*/) { return {0, 2}; }
std::vector<int> levels_of_request(const Request::Space& space) {
  return ci::levels_up_to(static_cast<int>(space.level));
}

LeastSize full_size(const Request& /*request*/, const OrbitalFrame& around) {
  return {ci::full_ci_dimension(around.sector),
          least_strings(around.sector, around.sector.orbitals)};
}
ci::Space full_space(const Request& /*request*/, const OrbitalFrame& around,
                     const base::Backend& host) {
  return ci::full_ci(around.sector, host);
}

template <Levels levels>
LeastSize excited_size(const Request& request, const OrbitalFrame& around) {
  const std::vector<int> all = levels(request.space);
  return {ci::excited_dimension_lower_bound(around.sector, references_of(request, around), all),
          least_strings(around.sector, std::ranges::max(all))};
}
template <Levels levels>
ci::Space excited_space(const Request& request, const OrbitalFrame& around,
                        const base::Backend& host) {
  return ci::excited_space(around.sector, references_of(request, around), levels(request.space),
                           host);
}

LeastSize ras_size(const Request& request, const OrbitalFrame& around) {
  return {ci::restricted_dimension(around.sector, ras_limits(request, around.window)), {}};
}
ci::Space ras_space(const Request& request, const OrbitalFrame& around, const base::Backend& host) {
  return ci::restricted_active_space(around.sector, ras_limits(request, around.window), host);
}

LeastSize unknown_size(const Request& /*request*/, const OrbitalFrame& /*around*/) { return {}; }

/// A kind of space, without its word.
struct KindOfSpace {
  SpaceKind kind;
  SpaceKeys keys;
  LeastSize (*least_size)(const Request&, const OrbitalFrame&);
  ci::Space (*build)(const Request&, const OrbitalFrame&, const base::Backend& host);
};

template <Levels levels>
constexpr KindOfSpace of_one_reference(SpaceKind kind, SpaceKeys keys = {.reference = true}) {
  return {kind, keys, excited_size<levels>, excited_space<levels>};
}

constexpr KindOfSpace kKinds[] = {
    {SpaceKind::fci, {.complete = false}, full_size, full_space},
    {SpaceKind::cas, {.complete = false}, full_size, full_space},
    of_one_reference<up_to<1>>(SpaceKind::cis),
    of_one_reference<doubles_alone>(SpaceKind::cid),
    of_one_reference<up_to<2>>(SpaceKind::cisd),
    of_one_reference<up_to<3>>(SpaceKind::cisdt),
    of_one_reference<up_to<4>>(SpaceKind::cisdtq),
    of_one_reference<levels_of_request>(SpaceKind::ci, {.reference = true, .level = true}),
    {SpaceKind::mrci,
     {.references = true, .needs_references = true, .level = true},
     excited_size<levels_of_request>,
     excited_space<levels_of_request>},
    {SpaceKind::ras, {.ras = true, .complete = false}, ras_size, ras_space},
    {SpaceKind::list, {}, unknown_size, listed_space},
    {SpaceKind::product, {}, unknown_size, product_of_strings},
    {SpaceKind::selected,
     {.reference = true, .references = true},
     unknown_size,
     start_of_selection},
};

const KindOfSpace& row_of(SpaceKind kind) {
  return *std::ranges::find(kKinds, kind, &KindOfSpace::kind);
}

}  // namespace

SpaceKeys keys_of(SpaceKind kind) { return row_of(kind).keys; }

bool is_full(const Request::Space& space) { return row_of(space.kind).build == full_space; }

LeastSize least_size(const Request& request, const OrbitalFrame& around) {
  try {
    if (is_single_occupied(request)) return {ci::singly_occupied_dimension(around.sector), {}};
    return row_of(request.space.kind).least_size(request, around);
  } catch (const base::Error&) {
    return {};
  }
}

ci::Space build_space(const Request& request, const OrbitalFrame& around,
                      const base::Backend& host) {
  require_possible_space(request, around);
  if (is_single_occupied(request)) return ci::singly_occupied_space(around.sector, host);
  return row_of(request.space.kind).build(request, around, host);
}

}  // namespace cisolve::job
