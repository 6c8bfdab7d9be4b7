#include "app/report/records.hpp"

#include "app/report/sites.hpp"
#include "app/report/tables.hpp"
#include "job/methods/methods.hpp"
#include "job/problem/source.hpp"

namespace cisolve::app {
namespace {

Json boundary_of(const std::string& format, Index boundary) {
  return has_boundary(format) ? Json(boundary) : Json();
}

Json region_record(const sparse::RegionStatistics& region) {
  return Json::object({{"columns", region.columns},
                       {"nonzeros", region.nonzeros},
                       {"sparsity", region.sparsity},
                       {"mean_row", region.mean_row},
                       {"shortest_row", region.shortest_row},
                       {"longest_row", region.longest_row}});
}

Json symmetry_record(const job::DeterminantProblem& molecule) {
  const ci::IrrepNames& irreps = molecule.irreps;
  if (irreps.numbering.empty()) return {};
  std::vector<Json> items;
  for (const int label : ci::generated_labels(molecule.integrals.irreps()))
    items.push_back(
        Json::object({{"irrep", label + 1},
                      {"name", irreps.names.empty() ? Json() : Json(irreps.names[label])}}));
  std::vector<Json> orbitals;
  for (const int label : irreps.orbitals) orbitals.emplace_back(label + 1);
  return Json::object({{"numbering", irreps.numbering},
                       {"assumed", irreps.assumed},
                       {"found", irreps.found},
                       {"left_out", irreps.left_out},
                       {"neglected", irreps.neglected},
                       {"group", irreps.group.empty() ? Json() : Json(irreps.group)},
                       {"irreps", Json::array(std::move(items))},
                       {"orbitals", Json::array(std::move(orbitals))}});
}

Json problem_record(const Configuration& configuration, const job::DeterminantProblem& molecule) {
  return Json::object({{"source", job::describe_source(configuration.request)},
                       {"dialect", molecule.dialect},
                       {"norb", molecule.orbitals},
                       {"nelec", Json::array({molecule.alpha, molecule.beta})},
                       {"core_energy", molecule.core_energy},
                       {"integrals_of_rounding", molecule.noise},
                       {"symmetry", symmetry_record(molecule)}});
}

Json space_record(const sparse::MatrixShape& shape) {
  return Json::object({{"kind", "matrix"},
                       {"dimension", shape.columns},
                       {"reference", shape.reference_columns},
                       {"expansion", shape.columns - shape.reference_columns}});
}

Json space_record(const Configuration& configuration, const job::DeterminantProblem& molecule) {
  const std::optional<double> spin = configuration.request.space.spin;
  const Index reference = molecule.partition ? molecule.partition->reference() : 0;
  return Json::object({{"kind", std::string(job::word_of(configuration.request.space.kind))},
                       {"dimension", molecule.space.dimension()},
                       {"irrep", molecule.irrep ? Json(*molecule.irrep + 1) : Json()},
                       {"spin", spin ? Json(*spin) : Json()},
                       {"added", molecule.added},
                       {"frozen", std::ssize(molecule.window.frozen)},
                       {"active", std::ssize(molecule.window.active)},
                       {"reference", reference},
                       {"expansion", molecule.space.dimension() - reference}});
}

}  // namespace

Json problem_record(const Configuration& configuration, const sparse::MatrixShape& shape) {
  std::vector<Json::Member> members{{"source", job::describe_source(configuration.request)},
                                    {"rows", shape.rows},
                                    {"columns", shape.columns},
                                    {"reference_columns", shape.reference_columns},
                                    {"symmetric", shape.symmetric}};
  if (configuration.request.source == job::ProblemSource::generate) {
    const sparse::GeneratorOptions options = job::generator_options(configuration.request);
    members.emplace_back("generate",
                         Json::object({{"rows", options.rows},
                                       {"reference_share", options.reference_share},
                                       {"reference_per_row", options.reference_per_row},
                                       {"density", options.density},
                                       {"spread", options.spread},
                                       {"seed", static_cast<Index>(options.seed)},
                                       {"symmetric", options.symmetric},
                                       {"pattern", std::string(sparse::name_of(options.pattern))},
                                       {"diagonals", options.diagonals}}));
  }
  return Json::object(std::move(members));
}

std::vector<Json::Member> problem_members(const Configuration& configuration,
                                          const sparse::MatrixShape& shape,
                                          const job::DeterminantProblem* molecule,
                                          const job::SiteProblemRows* spins) {
  if (spins != nullptr)
    return {{"problem",
             spin_problem_record(job::describe_source(configuration.request), spins->problem())},
            {"space", spin_space_record(configuration.request, spins->problem())}};
  if (molecule != nullptr)
    return {{"problem", problem_record(configuration, *molecule)},
            {"space", space_record(configuration, *molecule)}};
  return {{"problem", problem_record(configuration, shape)}, {"space", space_record(shape)}};
}

Json fallbacks_record(std::span<const job::Fallback> fallbacks) {
  std::vector<Json> items;
  for (const job::Fallback& step : fallbacks)
    items.push_back(Json::object({{"from", step.from}, {"to", step.to}, {"reason", step.reason}}));
  return Json::array(std::move(items));
}

Json backend_record(const base::Backend& backend, const char* reason) {
  std::vector<Json::Member> members{
      {"name", backend.name()}, {"device", backend.description()}, {"threads", backend.threads()}};
  if (reason != nullptr) members.emplace_back("reason", reason);
  return Json::object(std::move(members));
}

Json statistics_record(const sparse::Statistics& statistics) {
  return Json::object({{"reference", region_record(statistics.reference)},
                       {"expansion", region_record(statistics.expansion)},
                       {"whole", region_record(statistics.whole)},
                       {"longest_row_number", statistics.longest_row_index + 1},
                       {"average_deviation", statistics.average_deviation},
                       {"average_deviation_percent", statistics.average_deviation_percent}});
}

Json plans_record(std::span<const job::Plan> plans) {
  std::vector<Json> items;
  for (const job::Plan& plan : plans)
    items.push_back(
        Json::object({{"elements", std::string(job::word_of(plan.elements()))},
                      {"format", plan.stores() ? Json(plan.storage.format) : Json()},
                      {"on", plan.on_device ? "device" : "host"},
                      {"matrix_bytes", plan.demand.matrix},
                      {"vectors_bytes", plan.demand.vectors},
                      {"staged_bytes", plan.solving.staged},
                      {"limit_bytes", plan.limit},
                      {"fits", plan.fits()},
                      {"product_s", plan.product_seconds ? Json(*plan.product_seconds) : Json()},
                      {"making_s", plan.setup_seconds ? Json(*plan.setup_seconds) : Json()},
                      {"reason", plan.reason}}));
  return Json::array(std::move(items));
}

Json memory_record(std::span<const sparse::PlannedFormat> formats) {
  std::vector<Json> items;
  for (const sparse::PlannedFormat& planned : formats)
    items.push_back(
        Json::object({{"format", planned.options.format},
                      {"boundary", boundary_of(planned.options.format, planned.options.boundary)},
                      {"bytes_by_formula", planned.memory.by_formula},
                      {"bytes", planned.memory.held},
                      {"padding", planned.memory.padding}}));
  return Json::array(std::move(items));
}

Json operator_record(const job::MeasuredProduct& product, const sparse::FormatOptions& storage,
                     job::ElementPath elements) {
  const bool hybrid = has_boundary(product.format);
  const bool is_computed = !job::method_of(elements).stores;
  std::vector<Json::Member> members{
      {"path", std::string(job::word_of(elements))},
      {"format", is_computed ? Json() : Json(product.format)},
      {"boundary", boundary_of(product.format, product.boundary)},
      {"policy", hybrid ? Json(std::string(job::word_of(storage.policy))) : Json()},
      {"built_by", product.built_by},
      {"nonzeros", product.nonzeros > 0 || !is_computed ? Json(product.nonzeros) : Json()},
      {"bytes", product.memory.held},
      {"bytes_by_formula", product.memory.by_formula},
      {"padding", product.memory.padding}};
  if (const auto& stored = product.stored)
    members.emplace_back("stored", Json::object({{"rows", stored->rows},
                                                 {"nonzeros", stored->nonzeros},
                                                 {"bytes", stored->bytes}}));
  return Json::object(std::move(members));
}

Json product_record(const job::MeasuredProduct& product, const job::Request::Product& how) {
  return Json::object({{"vectors", product.vectors},
                       {"repeat", how.repeat},
                       {"median_s", product.times.median},
                       {"fastest_s", product.times.fastest},
                       {"spread_s", product.times.spread},
                       {"cpu_s", product.times.cpu},
                       {"gflops", product.gflops()},
                       {"gbytes_per_s", product.gbytes()}});
}

Json verification_record(const job::ProductCheck& check) {
  return Json::object({{"passed", check.passed},
                       {"max_error", check.max_error},
                       {"worst_row", check.worst_row + 1}});
}

}  // namespace cisolve::app
