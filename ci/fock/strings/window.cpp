#include "ci/fock/strings/window.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "base/error.hpp"
#include "base/number.hpp"

namespace cisolve::ci {
namespace {

using base::ErrorKind;

std::string numbers_of(const std::vector<int>& orbitals) {
  if (orbitals.back() - orbitals.front() + 1 == std::ssize(orbitals))
    return base::concat(orbitals.front() + 1, " to ", orbitals.back() + 1);
  std::string text;
  for (const int p : orbitals) text += base::concat(text.empty() ? "" : ", ", p + 1);
  return text;
}

/// Returns the choice among `from`, ascending; listed orbitals must be in `all`.
std::vector<int> chosen(const OrbitalChoice& choice, const std::vector<int>& from,
                        const std::vector<int>& all, const char* what) {
  if (const int* count = std::get_if<int>(&choice)) {
    if (*count < 0 || *count > std::ssize(from))
      base::fail(ErrorKind::configuration, base::counted(*count, base::concat(what, " orbital")),
                 "; expected 0 to ", from.size());
    return {from.begin(), from.begin() + *count};
  }
  std::vector<int> list = std::get<std::vector<int>>(choice);
  std::ranges::sort(list);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!std::ranges::binary_search(all, list[i] - 1))
      base::fail(ErrorKind::configuration, what, " orbital ", list[i], "; expected ",
                 numbers_of(all));
    if (i > 0 && list[i] == list[i - 1])
      base::fail(ErrorKind::configuration, what, " orbital ", list[i],
                 " is listed twice; expected once");
  }
  for (int& orbital : list) --orbital;
  return list;
}

/// The mean field of the frozen orbitals.
class FrozenField {
 public:
  FrozenField(const Integrals& integrals, const std::vector<int>& frozen)
      : integrals_(integrals), frozen_(frozen) {}

  /// <p|J_alpha + J_beta - K_spin|q>.
  double operator()(Spin spin, int p, int q) const {
    double sum = 0;
    for (const int f : frozen_) {
      sum += integrals_.two(spin, p, q, Spin::alpha, f, f);
      sum += integrals_.two(spin, p, q, Spin::beta, f, f);
      sum -= integrals_.two(spin, p, f, spin, f, q);
    }
    return sum;
  }

  double energy() const {
    double sum = 0;
    for (const Spin spin : {Spin::alpha, Spin::beta})
      for (const int f : frozen_) sum += integrals_.one(spin, f, f) + (*this)(spin, f, f) / 2;
    return sum;
  }

 private:
  const Integrals& integrals_;
  const std::vector<int>& frozen_;
};

void fold_one_electron(const Integrals& whole, const Window& window, Spin spin, Integrals& folded) {
  const FrozenField field(whole, window.frozen);
  const std::vector<int>& orbital = window.active;
  for (int p = 0; p < folded.orbitals(); ++p)
    for (int q = 0; q <= p; ++q)
      folded.set_one(spin, p, q,
                     whole.one(spin, orbital[p], orbital[q]) + field(spin, orbital[p], orbital[q]));
}

void copy_two_electron(const Integrals& whole, const Window& window, Spin left, Spin right,
                       Integrals& folded) {
  const std::vector<int>& orbital = window.active;
  for (int p = 0; p < folded.orbitals(); ++p)
    for (int q = 0; q <= p; ++q)
      for (int r = 0; r < folded.orbitals(); ++r)
        for (int s = 0; s <= r; ++s)
          folded.set_two(left, p, q, right, r, s,
                         whole.two(left, orbital[p], orbital[q], right, orbital[r], orbital[s]));
}

}  // namespace

Window divide_orbitals(const std::vector<int>& orbitals, const OrbitalChoice& first,
                       const std::optional<OrbitalChoice>& second, const WindowNames& names) {
  std::vector<int> left = orbitals;
  Window window;
  window.frozen = chosen(first, left, orbitals, names.first);
  std::erase_if(left, [&](int p) { return std::ranges::binary_search(window.frozen, p); });
  window.active = second ? chosen(*second, left, orbitals, names.second) : left;
  for (const int p : window.active)
    if (!std::ranges::binary_search(left, p))
      base::fail(ErrorKind::configuration, "orbital ", p + 1, " is both ", names.first, " and ",
                 names.second, "; expected each orbital in one list");
  return window;
}

Window make_window(int orbitals, const OrbitalChoice& frozen,
                   const std::optional<OrbitalChoice>& active) {
  std::vector<int> all(orbitals);
  std::iota(all.begin(), all.end(), 0);
  Window window = divide_orbitals(all, frozen, active, {});
  if (window.active.empty())
    base::fail(ErrorKind::configuration, "no active orbitals are left of ",
               base::counted(orbitals, "orbital"),
               "; expected fewer frozen, or at least one active");
  return window;
}

WindowElectrons electrons_in(const Window& window, int alpha, int beta) {
  const auto frozen = static_cast<int>(std::ssize(window.frozen));
  const auto active = static_cast<int>(std::ssize(window.active));
  for (const int electrons : {alpha, beta})
    if (electrons < frozen || electrons - frozen > active)
      base::fail(ErrorKind::configuration, base::counted(electrons, "electron"),
                 " of one spin with ", frozen, " frozen and ",
                 base::counted(active, "active orbital"), "; expected ", frozen, " to ",
                 frozen + active);
  return {alpha - frozen, beta - frozen};
}

std::string InWindow::problem(const Determinant& determinant) const {
  for (const String& string : {determinant.alpha, determinant.beta}) {
    for (const int p : (frozen_ - string).orbitals())
      return base::concat(" has a hole in the frozen orbital ", p + 1,
                          "; expected frozen orbitals to be doubly occupied");
    for (const int p : (string - inside_).orbitals())
      return base::concat(" has an electron in orbital ", p + 1,
                          ", which is neither frozen nor active; expected it to be empty");
  }
  return {};
}

Determinant determinant_in(const Window& window, const Determinant& determinant) {
  const std::string problem = InWindow(window).problem(determinant);
  if (!problem.empty()) base::fail(ErrorKind::bad_input, "a determinant", problem);
  Determinant inner;
  for (std::size_t i = 0; i < window.active.size(); ++i) {
    const auto p = static_cast<int>(i);
    if (determinant.alpha.has(window.active[i])) inner.alpha = inner.alpha.with(p);
    if (determinant.beta.has(window.active[i])) inner.beta = inner.beta.with(p);
  }
  return inner;
}

WholeString whole_string(const Window& window, const String& inner) {
  const String frozen = String::of(window.frozen);
  String all = frozen;
  int passed = 0;
  inner.for_each([&](int i) {
    all = all.with(window.active[i]);
    passed += (frozen - String::below(window.active[i])).count();
  });
  return {all, passed % 2 != 0};
}

WholeDeterminant whole_determinant(const Window& window, const Determinant& inner) {
  const WholeString alpha = whole_string(window, inner.alpha);
  const WholeString beta = whole_string(window, inner.beta);
  return {{alpha.string, beta.string}, alpha.odd == beta.odd ? 1.0 : -1.0};
}

Integrals fold_frozen_core(const Integrals& integrals, const Window& window,
                           const base::Backend& host) {
  const auto active = static_cast<int>(std::ssize(window.active));
  Integrals folded(active, integrals.spin_dependent(), host);
  folded.set_core_energy(integrals.core_energy() + FrozenField(integrals, window.frozen).energy());
  fold_one_electron(integrals, window, Spin::alpha, folded);
  copy_two_electron(integrals, window, Spin::alpha, Spin::alpha, folded);
  if (integrals.spin_dependent()) {
    fold_one_electron(integrals, window, Spin::beta, folded);
    copy_two_electron(integrals, window, Spin::beta, Spin::beta, folded);
    copy_two_electron(integrals, window, Spin::alpha, Spin::beta, folded);
  }
  std::vector<int> irreps;
  for (const int p : window.active) irreps.push_back(integrals.irreps()[p]);
  folded.set_irreps(std::move(irreps));
  return folded;
}

}  // namespace cisolve::ci
