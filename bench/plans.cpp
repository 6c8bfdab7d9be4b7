#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <set>

#include "app/config/load.hpp"
#include "app/config/suggest.hpp"
#include "app/json/json.hpp"
#include "base/block_kernels.hpp"
#include "base/error.hpp"
#include "base/multivector.hpp"
#include "bench/timing.hpp"
#include "io/files/output_file.hpp"
#include "job/methods/prepare.hpp"
#include "job/problem/source.hpp"
#include "job/ranking/rank_plans.hpp"
#include "job/request/elements.hpp"

// bench_plans JOB.yaml ...: every plan of each problem with predicted and measured times, and the
// ratio of `elements: auto` to the best of them. Prints a line for each and writes a record.
namespace cisolve::bench {
namespace {

using app::Json;
using base::Index;

struct Arguments {
  std::vector<std::string> jobs;
  std::vector<std::string> elements{"precomputed", "coded", "on-the-fly", "factorised"};
  std::vector<int> vectors{1, 4};
  std::string backend = "auto";
  int repeat = 5;
  std::string json;
};

struct Measured {
  job::Plan plan;
  double product = 0;
  double making = 0;

  double whole() const { return making + job::kAssumedProducts * product; }
};

Json profile_record(const sparse::RowProfile& profile) {
  return Json::object({{"rows", profile.rows},
                       {"columns", profile.columns},
                       {"mean", profile.mean},
                       {"deviation", profile.deviation},
                       {"longest", profile.longest},
                       {"fill", profile.fill},
                       {"scatter", profile.scatter},
                       {"tile_parts", profile.tile_parts},
                       {"values", profile.values},
                       {"values_beside", profile.off_diagonal_values}});
}

Json work_record(const ci::ComputedCost& work) {
  return Json::object({{"by_blocks", work.by_blocks},
                       {"moves", work.moves},
                       {"streams", work.streams},
                       {"copies", work.copies},
                       {"largest", work.largest},
                       {"table_bytes", work.bytes},
                       {"connections", work.walk.connections},
                       {"candidates", work.walk.candidates},
                       {"pairs", work.walk.pairs},
                       {"look_ups", work.walk.look_ups},
                       {"together", work.walk.together},
                       {"has_all_betas", work.walk.has_all_betas}});
}

class Problem {
 public:
  Problem(const Arguments& arguments, const std::string& file, const base::Backend& backend)
      : arguments_(arguments),
        name_(std::filesystem::path(file).stem().string()),
        request_(app::load_configuration(file, {}).request),
        backend_(backend),
        rows_(job::open_rows(request_, backend_.host())) {
    request_.backend = backend_.kind();
  }

  void run(std::vector<Json>& records) {
    for (const int vectors : arguments_.vectors) {
      request_.solver.states = vectors;
      counts_ = known();
      std::vector<Measured> all;
      for (const std::string& word : arguments_.elements) {
        const job::ElementPath elements = path_of(word);
        auto ranked = plans(elements);
        if (elements != job::ElementPath::precomputed)
          ranked.resize(1);  // the plan of a job that names the path
        for (const job::Plan& plan : ranked) take(plan, all, records);
      }
      if (!all.empty()) compare(all, records);
    }
  }

 private:
  static constexpr double kLongSetup = 6;  // seconds

  job::MatrixEstimate known() const {
    job::MatrixEstimate counts;
    const auto profile =
        sparse::sample_profile(*rows_, job::vectors_at_once(request_), backend_.host());
    counts.rows = static_cast<double>(profile.rows);
    counts.nonzeros = profile.nonzeros();
    counts.profile = profile;
    job::Request computing = request_;
    computing.elements.path = job::ElementPath::automatic;
    job::draft_products(computing, rows_, std::nullopt).write_costs(backend_, counts);
    return counts;
  }

  static job::ElementPath path_of(const std::string& word) {
    const auto path = job::choice_named<job::ElementPath>(word);
    if (!path)
      base::fail(base::ErrorKind::usage, "--elements ", word, "; expected ",
                 app::alternatives(job::words_of<job::ElementPath>()));
    return *path;
  }

  std::vector<job::Plan> plans(job::ElementPath elements) const {
    job::Request request = request_;
    request.elements.path = elements;
    job::MatrixEstimate counts = counts_;
    if (elements == job::ElementPath::automatic && counts.nonzeros < job::kLeastElements)
      counts.work.reset();
    return job::rank_plans(request, counts, job::Resources::of(backend_, {}));
  }

  void take(const job::Plan& plan, std::vector<Measured>& all, std::vector<Json>& records) {
    const bool known = std::ranges::any_of(
        all, [&](const Measured& other) { return other.plan.text() == plan.text(); });
    if (known || !plan.fits() || plan.on_device == backend_.is_host()) return;
    if (slow_.contains(plan.text())) return;
    try {
      all.push_back(measured(plan));
    } catch (const base::Error& error) {
      std::cout << name_ << ' ' << plan.text() << ": " << error.what() << "\n" << std::flush;
      return;
    }
    if (all.back().making > kLongSetup) slow_.insert(plan.text());
    report(all.back(), records);
  }

  Measured measured(const job::Plan& plan) const {
    const int vectors = job::vectors_at_once(request_);
    const base::Stopwatch watch;
    const auto prepared = job::prepare_product(rows_, plan, backend_);
    backend_.synchronize();
    Measured found{plan, 0, watch.seconds()};
    base::MultiVector x(backend_, prepared.product->rows(), vectors);
    base::MultiVector y(backend_, prepared.product->rows(), vectors);
    base::block_kernels(backend_).randomise(backend_, 1, x.block());
    found.product = least_seconds(backend_, arguments_.repeat,
                                  [&] { prepared.product->apply(x.block(), y.block()); });
    return found;
  }

  void report(const Measured& found, std::vector<Json>& records) const {
    const job::Plan& plan = found.plan;
    const double predicted = plan.product_seconds.value_or(std::nan(""));
    std::cout << name_ << ' ' << request_.solver.states << " vectors, " << plan.text() << ": "
              << 1e3 * found.product << " ms, predicted " << 1e3 * predicted << " ("
              << predicted / found.product << "), made in " << found.making << " s, predicted "
              << plan.setup_seconds.value_or(std::nan("")) << "\n"
              << std::flush;
    records.push_back(Json::object(
        {{"problem", name_},
         {"vectors", request_.solver.states},
         {"plan", plan.text()},
         {"elements", std::string(job::word_of(plan.elements()))},
         {"product_s", found.product},
         {"predicted_product_s", plan.product_seconds ? Json(predicted) : Json()},
         {"making_s", found.making},
         {"predicted_making_s", plan.setup_seconds ? Json(*plan.setup_seconds) : Json()},
         {"profile", profile_record(*counts_.profile)},
         {"work", counts_.work ? work_record(*counts_.work) : Json()}}));
  }

  void compare(const std::vector<Measured>& all, std::vector<Json>& records) const {
    const auto ranked = plans(job::ElementPath::automatic);
    const std::string chosen = ranked[job::first_fitting(ranked)].text();
    const auto best = std::ranges::min_element(all, {}, &Measured::whole);
    const auto taken =
        std::ranges::find_if(all, [&](const Measured& one) { return one.plan.text() == chosen; });
    if (taken == all.end()) return;
    const double ratio = taken->whole() / best->whole();
    std::cout << name_ << ' ' << request_.solver.states << " vectors: auto takes " << chosen
              << ", the best is " << best->plan.text() << ", ratio " << ratio << "\n"
              << std::flush;
    records.push_back(Json::object({{"problem", name_},
                                    {"vectors", request_.solver.states},
                                    {"auto", chosen},
                                    {"best", best->plan.text()},
                                    {"whole_s", taken->whole()},
                                    {"best_whole_s", best->whole()}}));
  }

  const Arguments& arguments_;
  std::string name_;
  job::Request request_;
  base::Backend backend_;
  job::ProblemRows rows_;
  job::MatrixEstimate counts_;
  std::set<std::string> slow_;  // plans that are not measured again with more vectors
};

void run(const Arguments& arguments) {
  std::vector<Json> records;
  for (const std::string& file : arguments.jobs) {
    const base::Backend backend = base::Backend::by_name(arguments.backend, 0, {});
    Problem(arguments, file, backend).run(records);
    if (arguments.json.empty()) continue;
    io::OutputFile out(arguments.json, true);
    out.append(Json::object({{"benchmark", "plans"},
                             {"backend", std::string(backend.name())},
                             {"on", backend.description()},
                             {"products", job::kAssumedProducts},
                             {"repeat", arguments.repeat},
                             {"plans", Json::array(records)}})
                   .document() +
               "\n");
    out.commit();
  }
}

}  // namespace
}  // namespace cisolve::bench

int main(int argc, char** argv) try {
  cisolve::bench::Arguments arguments;
  CLI::App app("What plans take, beside what was predicted");
  app.add_option("jobs", arguments.jobs, "configurations")->required();
  app.add_option("--elements", arguments.elements)->delimiter(',');
  app.add_option("--vectors", arguments.vectors, "vectors at once")->delimiter(',');
  app.add_option("--backend", arguments.backend);
  app.add_option("--repeat", arguments.repeat);
  app.add_option("--json", arguments.json, "write the record there");
  CLI11_PARSE(app, argc, argv);
  cisolve::bench::run(arguments);
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
