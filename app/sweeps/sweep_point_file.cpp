#include "app/sweeps/sweep_point_file.hpp"

#include <limits>

#include "base/error.hpp"
#include "io/files/sha256.hpp"
#include "job/methods/methods.hpp"

namespace cisolve::app {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

Json numbers(const std::vector<double>& values) {
  return Json::array({values.begin(), values.end()});
}

std::vector<double> numbers(const Json& values) {
  std::vector<double> all;
  for (const Json& value : values.items()) all.push_back(value.number().value_or(kNoNumber));
  return all;
}

double real(const Json& value) { return value.number().value_or(kNoNumber); }
Index whole(const Json& value) { return static_cast<Index>(value.number().value_or(0)); }
bool truth(const Json& value) { return value.truth().value_or(false); }

Json form_record(const job::ProductForm& form) {
  const sparse::FormatOptions& storage = form.storage;
  return Json::object({{"elements", std::string(job::word_of(form.method->elements))},
                       {"format", storage.format},
                       {"boundary", storage.boundary},
                       {"by_column", storage.policy == sparse::BoundaryPolicy::column},
                       {"coded", storage.values == sparse::ValueEncoding::coded},
                       {"slice_height", storage.slice_height},
                       {"block_size", storage.block_size},
                       {"vectors", storage.vectors},
                       {"share", storage.share ? Json(storage.share->elements) : Json()},
                       {"share_bytes", storage.share ? Json(storage.share->bytes) : Json()}});
}

std::optional<sparse::StoredFraction> fraction_of(const Json& record) {
  if (!record["share"].number()) return std::nullopt;
  return sparse::StoredFraction{real(record["share"]), whole(record["share_bytes"])};
}

sparse::FormatOptions storage_of(const Json& record) {
  return {.format = record["format"].text(),
          .boundary = whole(record["boundary"]),
          .policy = truth(record["by_column"]) ? sparse::BoundaryPolicy::column
                                               : sparse::BoundaryPolicy::count,
          .slice_height = whole(record["slice_height"]),
          .block_size = whole(record["block_size"]),
          .values =
              truth(record["coded"]) ? sparse::ValueEncoding::coded : sparse::ValueEncoding::plain,
          .vectors = static_cast<int>(whole(record["vectors"])),
          .share = fraction_of(record)};
}

job::ProductForm form_of(const Json& record) {
  const auto elements = job::choice_named<job::ElementPath>(record["elements"].text());
  return {&job::method_of(elements.value_or(job::ElementPath::precomputed)), storage_of(record)};
}

Json stored_record(const std::optional<job::StoredPart>& stored) {
  if (!stored) return {};
  return Json::object(
      {{"rows", stored->rows}, {"nonzeros", stored->nonzeros}, {"bytes", stored->bytes}});
}

std::optional<job::StoredPart> stored_of(const Json& record) {
  if (!record["rows"].number()) return std::nullopt;
  return job::StoredPart{whole(record["rows"]), whole(record["nonzeros"]), whole(record["bytes"])};
}

// The record of a measured product without its times, which are computed from the samples.
Json measured_record(const job::MeasuredProduct& product) {
  return Json::object({{"format", product.format},
                       {"backend", product.backend},
                       {"boundary", product.boundary},
                       {"nonzeros", product.nonzeros},
                       {"by_formula", product.memory.by_formula},
                       {"held", product.memory.held},
                       {"padding", product.memory.padding},
                       {"vectors", product.vectors},
                       {"build_s", product.build_seconds},
                       {"built_by", product.built_by},
                       {"stored", stored_record(product.stored)},
                       {"passed", product.check.passed},
                       {"max_error", product.check.max_error},
                       {"worst_row", product.check.worst_row}});
}

job::MeasuredProduct measured_of(const Json& record, const job::Samples& samples) {
  return {.format = record["format"].text(),
          .backend = record["backend"].text(),
          .boundary = whole(record["boundary"]),
          .nonzeros = whole(record["nonzeros"]),
          .memory = {.by_formula = whole(record["by_formula"]),
                     .held = whole(record["held"]),
                     .padding = whole(record["padding"])},
          .vectors = static_cast<int>(whole(record["vectors"])),
          .build_seconds = real(record["build_s"]),
          .built_by = record["built_by"].text(),
          .stored = stored_of(record["stored"]),
          .times = samples.summary(),
          .check = {.passed = truth(record["passed"]),
                    .max_error = real(record["max_error"]),
                    .worst_row = whole(record["worst_row"])}};
}

}  // namespace

std::string stored_point(const SweepPoint& point, const Json& matrix) {
  const std::string text = Json::object({{"matrix", matrix},
                                         {"storage", form_record(point.form)},
                                         {"product", measured_record(point.product)},
                                         {"seconds", numbers(point.samples.seconds())},
                                         {"cpu_seconds", numbers(point.samples.cpu_seconds())},
                                         {"threads", point.threads},
                                         {"energies", numbers(point.energies)},
                                         {"solved", point.solved},
                                         {"measured", point.measured},
                                         {"finished", point.finished},
                                         {"code", static_cast<int>(point.code)},
                                         {"reason", point.reason}})
                               .document();
  return io::sha256(text) + "\n" + text;
}

bool is_whole_point(std::string_view text) {
  const std::size_t end = text.find('\n');
  return end != std::string_view::npos && io::sha256(text.substr(end + 1)) == text.substr(0, end);
}

Json restore_point(std::string_view text, const std::string& origin, SweepPoint& point) {
  if (!is_whole_point(text))
    base::fail(base::ErrorKind::bad_input, origin,
               ": the file is damaged: the digest in its first line does not match ",
               "the other lines");
  const Json record = parse_json(text.substr(text.find('\n') + 1), origin);
  const std::vector<double> seconds = numbers(record["seconds"]);
  const std::vector<double> cpu = numbers(record["cpu_seconds"]);
  for (std::size_t i = 0; i < std::min(seconds.size(), cpu.size()); ++i)
    point.samples.add(seconds[i], cpu[i]);
  point.form = form_of(record["storage"]);
  point.product = measured_of(record["product"], point.samples);
  point.threads = static_cast<int>(whole(record["threads"]));
  point.energies = numbers(record["energies"]);
  point.solved = truth(record["solved"]);
  point.measured = truth(record["measured"]);
  point.finished = truth(record["finished"]);
  point.earlier_run = true;
  point.fail(static_cast<ExitCode>(whole(record["code"])), record["reason"].text());
  return record["matrix"];
}

}  // namespace cisolve::app
