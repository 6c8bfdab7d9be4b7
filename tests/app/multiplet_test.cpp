#include "app/report/multiplet.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "job/states/unresolved_multiplets.hpp"

// Messages about degenerate states.
namespace cisolve::app {
namespace {

using nlohmann::json;

solver::Result result_of(const std::vector<double>& energies) {
  solver::Result result{.vectors = base::MultiVector(base::Backend::reference(), 1, 0)};
  for (const double energy : energies)
    result.states.push_back({.energy = energy, .status = solver::Status::converged});
  return result;
}

solver::Verification with_beyond(int states, bool counted) {
  solver::Verification verification;
  verification.passed = true;
  verification.beyond = {states, counted, 1e-7};
  return verification;
}

json record_of(const solver::Result& result, const solver::Verification& verification) {
  return json::parse(multiplet_record(result, verification).document());
}

TEST(Multiplet, ACutMultipletNamesTheStatesToRequest) {
  const auto result = result_of({-2, -1, -1});
  const std::string text = cut_multiplet(result, with_beyond(2, true));
  EXPECT_NE(text.find("2 more states have the energy of state 3"), std::string::npos) << text;
  EXPECT_NE(text.find("solver.states=5 includes all"), std::string::npos) << text;
  EXPECT_NE(text.find("solver.states=1 excludes it"), std::string::npos) << text;
  const json record = record_of(result, with_beyond(2, true));
  EXPECT_EQ(record["cut"], true);
  EXPECT_EQ(record["first_state"], 2);
  EXPECT_EQ(record["states_above"], 2);
  EXPECT_EQ(record["ask_for"], 5);
  EXPECT_EQ(record["note"], text);
}

TEST(Multiplet, AnUncountedMultipletGivesALowerBound) {
  const std::string text = cut_multiplet(result_of({-2}), with_beyond(1, false));
  EXPECT_NE(text.find("at least 1 more state has"), std::string::npos) << text;
  EXPECT_NE(text.find("solver.states=2 or more"), std::string::npos) << text;
  EXPECT_EQ(text.find("excludes it"), std::string::npos) << text;
}

TEST(Multiplet, ACompleteMultipletIsNotMentioned) {
  const auto result = result_of({-2, -1, -1});
  EXPECT_EQ(cut_multiplet(result, with_beyond(0, true)), "");
  EXPECT_EQ(unknown_multiplet(result, with_beyond(0, true)), "");
  EXPECT_EQ(record_of(result, with_beyond(0, true))["cut"], false);
}

TEST(Multiplet, AnUndecidedMultipletIsReportedWithTheReason) {
  auto result = result_of({-2});
  result.search = solver::SearchEnd::not_wanted;
  EXPECT_NE(unknown_multiplet(result, with_beyond(0, false)).find("solver.search is none"),
            std::string::npos);
  result.search_products = 30;
  result.search = solver::SearchEnd::out_of_products;
  EXPECT_NE(unknown_multiplet(result, with_beyond(0, false)).find("30 search products did not"),
            std::string::npos);
  result.search = solver::SearchEnd::out_of_reach;
  EXPECT_NE(unknown_multiplet(result, with_beyond(0, false)).find("converged too slowly"),
            std::string::npos);
  result.search = solver::SearchEnd::shared;
  EXPECT_NE(unknown_multiplet(result, with_beyond(0, false)).find("degenerate with the last one"),
            std::string::npos);
  result.search = solver::SearchEnd::crowded;
  EXPECT_NE(unknown_multiplet(result, with_beyond(0, false))
                .find("more states have the energy of the last one than a search can project out"),
            std::string::npos);
  result.search = solver::SearchEnd::excluded_lower;
  result.edge = -2.25;
  EXPECT_NE(unknown_multiplet(result, with_beyond(0, false)).find("none was missed below -2.25"),
            std::string::npos);
  EXPECT_TRUE(record_of(result, with_beyond(0, false))["cut"].is_null());
  result.states[0].status = solver::Status::not_converged;
  EXPECT_EQ(cut_multiplet(result, with_beyond(1, true)), "");
  EXPECT_NE(unknown_multiplet(result, with_beyond(1, true)).find("not all states"),
            std::string::npos);
}

TEST(Mixtures, AreStatesOfOneEnergyWithoutACleanSpinOrIrrep) {
  job::StateAnalysis analysis;
  analysis.states.resize(5);
  const std::vector<double> spins{0.4, 2, 0.7, 0, 2};
  for (int j = 0; j < 5; ++j) analysis.states[j].s2 = spins[j];
  const auto mixed = [&](const solver::CutMultiplet& beyond, bool has_irreps) {
    job::mark_unresolved_multiplets(result_of({-3, -2, -2, -1, 0}), beyond, has_irreps, analysis);
    std::string text;
    for (const job::StateDescription& state : analysis.states)
      text += state.is_unresolved ? '1' : '0';
    return text;
  };
  EXPECT_EQ(mixed({0, true, 1e-7}, false), "00100");  // the first stands alone
  EXPECT_EQ(mixed({1, true, 1e-7}, false), "00100");  // the last is cut, but clean
  EXPECT_EQ(mixed({1, true, 1e-7}, true), "01101");
  analysis.states[4].irrep = 2;
  EXPECT_EQ(mixed({1, true, 1e-7}, true), "01100");
  analysis.states[4].s2 = 1.1;
  EXPECT_EQ(mixed({1, true, 1e-7}, true), "01101");
  analysis.states[2].s2.reset();
  EXPECT_EQ(mixed({0, true, 1e-7}, false), "00000");
}

}  // namespace
}  // namespace cisolve::app
