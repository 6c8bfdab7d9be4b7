#include "app/report/multiplet.hpp"

#include "app/report/states.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "job/states/unresolved_multiplets.hpp"

namespace cisolve::app {
namespace {

using solver::CutMultiplet;
using solver::Result;
using solver::Verification;

bool has_states(const Result& result) { return result.converged() && !result.states.empty(); }

bool is_cut(const Result& result, const Verification& verification) {
  return has_states(result) && verification.beyond.states > 0;
}

bool is_whole(const Result& result, const Verification& verification) {
  return has_states(result) && verification.beyond.counted && verification.beyond.states == 0;
}

Index whole_number(const Result& result, const CutMultiplet& beyond) {
  return std::ssize(result.states) + beyond.states;
}

}  // namespace

std::string cut_multiplet(const Result& result, const Verification& verification) {
  if (!is_cut(result, verification)) return {};
  const CutMultiplet& beyond = verification.beyond;
  const auto last = std::ssize(result.states);
  const Index whole = whole_number(result, beyond);
  const int before = job::first_of_last_energy(result, beyond.width);
  std::string text = base::concat(
      "the last multiplet is cut: ", beyond.counted ? "" : "at least ", beyond.states,
      beyond.states == 1 ? " more state has" : " more states have", " the energy of state ", last,
      " within ", base::brief(beyond.width), "; solver.states=", whole,
      beyond.counted ? " includes all of it" : " or more may include all of it");
  if (before > 0) text += base::concat(", solver.states=", before, " excludes it");
  return text;
}

std::string unknown_multiplet(const Result& result, const Verification& verification) {
  if (is_cut(result, verification) || is_whole(result, verification)) return {};
  if (!has_states(result))
    return "it is unknown whether the last multiplet is cut: not all states were found";
  if (result.near)
    return "it is unknown whether the last multiplet is cut: states farther from solver.near are "
           "not "
           "searched for";
  return base::concat("it is unknown whether another state has the energy of state ",
                      std::ssize(result.states), ": ", completeness_reason(result, verification));
}

Json multiplet_record(const Result& result, const Verification& verification) {
  const CutMultiplet& beyond = verification.beyond;
  const bool cut = is_cut(result, verification);
  const bool known = cut || is_whole(result, verification);
  const std::string note =
      cut ? cut_multiplet(result, verification) : unknown_multiplet(result, verification);
  return Json::object(
      {{"cut", known ? Json(cut) : Json()},
       {"first_state", cut ? Json(job::first_of_last_energy(result, beyond.width) + 1) : Json()},
       {"states_above", known ? Json(beyond.states) : Json()},
       {"all_counted", known && beyond.counted},
       {"ask_for", cut ? Json(whole_number(result, beyond)) : Json()},
       {"width", beyond.width},
       {"note", note.empty() ? Json() : Json(note)}});
}

}  // namespace cisolve::app
