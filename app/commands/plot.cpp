#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <spdlog/spdlog.h>

#include "app/commands/commands.hpp"
#include "app/commands/common.hpp"
#include "app/commands/problem_file.hpp"
#include "app/plot/drawings.hpp"
#include "app/plot/gnuplot.hpp"
#include "app/plot/html_report.hpp"
#include "app/plot/pattern_figure.hpp"
#include "app/plot/record_file.hpp"
#include "app/plot/run_figures.hpp"
#include "app/plot/sweep_figures.hpp"
#include "app/runs/folder.hpp"
#include "base/error.hpp"
#include "io/files/plain_path.hpp"
#include "job/problem/source.hpp"

namespace cisolve::app {
namespace {

namespace fs = std::filesystem;

/// One input to draw.
struct Subject {
  std::string title;
  fs::path folder;  // receives report.html and, in plots/, the pictures
  Json record;
  std::vector<Figure> figures;
};

std::vector<Figure> figures_of(const Json& record) {
  return record["points"].items().empty() ? run_figures(record) : sweep_figures(record);
}

// JSON may be a configuration or a record.
bool is_problem(const fs::path& path) {
  if (path.extension() == ".json") return !is_record(path);
  return is_named_as_configuration(path.string()) || is_problem_file(path.string());
}

// A configuration or a matrix: its pattern, and the results of its job or sweep, if any.
Subject problem_subject(const Invocation& call, const std::string& path) {
  Invocation one = call;
  one.input = path;
  const Configuration configuration = matrix_job(one);
  const base::Backend host =
      job::open_backend(configuration.request, base::name_of(base::BackendKind::openmp));
  const bool is_job = configuration.request.origin == path;
  Subject subject{.title = job::describe_source(configuration.request),
                  .folder = is_job ? fs::path(configuration.output.directory)
                                   : fs::path(fs::path(path).stem().string() + "-plots"),
                  .record = {},
                  .figures = {}};
  if (is_job)
    if (const auto file = find_record(subject.folder)) subject.record = read_record(*file);
  subject.figures = figures_of(subject.record);
  subject.figures.push_back(
      pattern_figure(*job::open_rows(configuration.request, host), subject.title));
  return subject;
}

Subject record_subject(const fs::path& path) {
  std::optional<fs::path> file = path;
  if (fs::is_directory(path)) file = find_record(path);
  if (!file)
    base::fail(base::ErrorKind::no_input, path.native(), ": the folder holds neither run.json nor ",
               "sweep.json; expected the output.directory of a finished job or sweep");
  Subject subject{.title = path.string(),
                  .folder = file->has_parent_path() ? file->parent_path() : fs::path("."),
                  .record = read_record(*file),
                  .figures = {}};
  if (const std::string source = subject.record["problem"]["source"].text(); !source.empty())
    subject.title = source;
  subject.figures = figures_of(subject.record);
  return subject;
}

// All errors of an input are reported before anything is drawn.
Subject open_subject(const Invocation& call, const std::string& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored))
    base::fail(base::ErrorKind::no_input, path, ": no such file or folder");
  Subject subject = is_problem(path) ? problem_subject(call, path) : record_subject(path);
  if (subject.figures.empty())
    base::fail(base::ErrorKind::bad_input, subject.title,
               ": this record holds nothing to draw; expected ",
               "the record of a job with states or product:, or of a sweep");
  if (!call.output.empty()) subject.folder = call.output;
  io::require_plain_path(subject.folder, "the folder");
  return subject;
}

Json draw_subject(const Subject& subject, const Invocation& call, std::ostream& out) {
  const fs::path pictures = subject.folder / kPictures;
  const std::string page = (subject.folder / kReport).string();
  make_folder(pictures, "choose another with --output");
  require_writable(page, call.force);
  std::vector<Json> names;
  std::vector<std::string> drawn;
  for (const Figure& figure : subject.figures) {
    draw(figure, pictures, call.force);
    drawn.push_back(figure.name);
    const std::string stem = (pictures / figure.name).string();
    out << stem << ".svg\n" << stem << ".png\n";
    names.emplace_back(stem);
  }
  if (call.force) remove_other_pictures(pictures, drawn);
  write_text_file(page, html_report(subject.title, subject.record, subject.figures, pictures),
                  call.force);
  out << page << '\n';
  return Json::object({{"report", page}, {"figures", Json::array(std::move(names))}});
}

}  // namespace

CommandOutcome plot(const Invocation& call, std::ostream& out) {
  if (call.inputs.size() > 1 && !call.output.empty())
    base::fail(base::ErrorKind::usage, "--output names one folder, but ", call.inputs.size(),
               " inputs are given; expected one input, or no --output");
  std::vector<Subject> subjects;
  for (const std::string& path : call.inputs) subjects.push_back(open_subject(call, path));
  require_gnuplot();
  std::vector<Json> drawn;
  for (const Subject& subject : subjects) drawn.push_back(draw_subject(subject, call, out));
  return {ExitCode::success, record({{"drawn", Json::array(std::move(drawn))}})};
}

}  // namespace cisolve::app
