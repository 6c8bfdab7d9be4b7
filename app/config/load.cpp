#include "app/config/load.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <utility>

#include "app/config/document.hpp"
#include "app/config/schema.hpp"
#include "app/config/suggest.hpp"
#include "app/config/version.hpp"
#include "base/error.hpp"
#include "io/files/plain_path.hpp"

namespace cisolve::app {
namespace {

using base::ErrorKind;
using base::fail;

// Reads a document by the schema into a configuration.
class Reader {
 public:
  explicit Reader(Configuration& target) : target_(target) {}

  void read_file(const DocumentNode& root, const std::string& file) {
    directory_ = std::filesystem::path(file).parent_path();
    read_text(root, file);
  }

  void read_text(const DocumentNode& root, const std::string& origin) {
    origin_ = origin;
    if (root.kind != DocumentNode::Kind::map)
      fail(ErrorKind::configuration, place(origin, root.line),
           "expected sections and keys, such as 'problem:'");
    read_section(root, "");
  }

  void read_override(const Override& given) {
    origin_ = given.origin;
    directory_.clear();
    read_entry(value_of(given), given.key);
  }

  void read_value_of(const SweepAxis& axis, const SweepValue& value) {
    origin_ = axis.origin;
    directory_ = axis.directory;
    read_entry(value.value, axis.key);
  }

  bool has(std::string_view path) const { return given_.contains(std::string(path)); }

 private:
  DocumentNode value_of(const Override& given) const {
    DocumentNode value;
    if (given.value.empty()) return value;
    if (given.yaml) {
      value = parse_document(given.value, origin_ + " " + given.key);
      value.line = 0;
    } else {
      value.kind = DocumentNode::Kind::scalar;
      value.text = given.value;
    }
    return value;
  }

  void read_section(const DocumentNode& section, const std::string& path) {
    for (const DocumentNode& entry : section.children)
      read_entry(entry, path.empty() ? entry.key : path + "." + entry.key);
  }

  void read_entry(const DocumentNode& entry, const std::string& path) {
    const std::string where = place(origin_, entry.line);
    constexpr std::string_view sweep = "sweep.";
    if (path.starts_with(sweep) && find_key(path) == nullptr)
      return read_axis(entry, path.substr(sweep.size()), where);
    if (is_section(path)) {
      if (is_empty_section(entry, path)) return;
      given_.insert(path);
      if (entry.kind != DocumentNode::Kind::map)
        fail(ErrorKind::configuration, where, path, " is a section; expected its keys, ",
             alternatives(names_in(path)));
      return read_section(entry, path);
    }
    const Key* key = find_key(path);
    if (key == nullptr)
      fail(ErrorKind::configuration, where, "unknown key '", path, "'", suggestion(path));
    if (key->is_later())
      fail(ErrorKind::configuration, where, path, " is not available in this version (", kVersion,
           "): ", key->help, "; remove the key");
    Value value = read_value(key->type, entry, path, where);
    if (key->type.names_file()) resolve(value, base::concat(where, path));
    key->set(target_, value);
    if (std::holds_alternative<Automatic>(value))
      target_.given.erase(path);
    else
      target_.given.insert_or_assign(path, where);
    for (std::size_t end = path.size(); end != std::string::npos; end = path.rfind('.', end - 1))
      given_.insert(path.substr(0, end));  // the key and the sections around it
  }

  // A section that holds only comments has no content, but may name the problem's source.
  bool is_empty_section(const DocumentNode& entry, const std::string& path) {
    if (entry.kind != DocumentNode::Kind::null || entry.line == 0) return false;
    if (path.starts_with("problem")) given_.insert(path);
    return true;
  }

  // The list of values of a swept key, or a section of such keys.
  void read_axis(const DocumentNode& entry, const std::string& path, const std::string& where) {
    const Key* key = find_key(path);
    if (is_section(path) && entry.kind == DocumentNode::Kind::map) {
      for (const DocumentNode& child : entry.children)
        read_entry(child, base::concat("sweep.", path, ".", child.key));
      return;
    }
    if (key == nullptr || key->is_later())
      fail(ErrorKind::configuration, where, "sweep of ", path, ": this key does not exist",
           suggestion(path));
    if (!can_be_swept(path))
      fail(ErrorKind::configuration, where, "sweep of ", path,
           ": all points share this key; expected a key of the problem, its space, storage, ",
           "solver, product or backend");
    SweepAxis axis{path, read_sweep_values(path, entry, where), origin_, directory_};
    std::vector<SweepAxis>& axes = target_.sweep.axes;
    const auto earlier = std::ranges::find(axes, path, &SweepAxis::key);
    if (earlier == axes.end())
      axes.push_back(std::move(axis));
    else
      *earlier = std::move(axis);
  }

  // Paths in a file are relative to that file, on the command line to the working directory.
  void resolve(Value& path, const std::string& name) const {
    auto* text = std::get_if<std::string>(&path);
    if (text == nullptr) return;
    *text = (directory_ / *text).lexically_normal().string();
    io::require_plain_path(*text, name);
  }

  Configuration& target_;
  std::string origin_;
  std::filesystem::path directory_;
  std::set<std::string> given_;
};

constexpr std::array kSources{
    std::pair{std::string_view("matrix"), job::ProblemSource::matrix},
    std::pair{std::string_view("generate"), job::ProblemSource::generate},
    std::pair{std::string_view("fcidump"), job::ProblemSource::fcidump},
    std::pair{std::string_view("trexio"), job::ProblemSource::trexio},
    std::pair{std::string_view("lattice"), job::ProblemSource::lattice},
};

// If only the sweep names a source, its first value completes the configuration.
bool take_source_from_sweep(Configuration& configuration) {
  for (const auto& [name, meant] : kSources)
    for (const SweepAxis& axis : configuration.sweep.axes) {
      if (!axis.key.starts_with(base::concat("problem.", name))) continue;
      Reader(configuration).read_value_of(axis, axis.values.front());
      configuration.request.source = meant;
      return true;
    }
  return false;
}

void require_few_points(const Configuration& configuration) {
  Index points = 1;
  for (const SweepAxis& axis : configuration.sweep.axes) {
    points *= std::ssize(axis.values);
    if (points > kMostSweepPoints)
      fail(ErrorKind::configuration, configuration.request.origin, ": the sweep has more than ",
           kMostSweepPoints, " points; expected fewer values");
  }
}

// A source on the command line overrides the file's; two in one place are an error.
bool read_source(const Reader& reader, std::string_view origin, job::ProblemSource& source) {
  std::string_view found;
  for (const auto& [name, meant] : kSources) {
    if (!reader.has(base::concat("problem.", name))) continue;
    if (!found.empty())
      fail(ErrorKind::configuration, origin, ": the problem has two sources, ", found, " and ",
           name, "; expected exactly one");
    found = name;
    source = meant;
  }
  return !found.empty();
}

Configuration completed(Configuration configuration, bool has_source,
                        const std::vector<Override>& overrides) {
  Reader reader(configuration);
  for (const Override& given : overrides) reader.read_override(given);
  has_source |= read_source(reader, "the command line", configuration.request.source);
  require_few_points(configuration);
  if (!has_source && !take_source_from_sweep(configuration))
    fail(ErrorKind::configuration, configuration.request.origin,
         ": the problem has no source; expected ",
         "'fcidump: FILE', 'trexio: FILE', 'matrix: FILE', 'lattice: {...}' or 'generate: {...}' "
         "under 'problem:'");
  configuration.request.product.wanted |= reader.has("product");
  return configuration;
}

// Line numbers are omitted for texts of one line.
void forget_lines(DocumentNode& node) {
  node.line = 0;
  for (DocumentNode& child : node.children) forget_lines(child);
}

}  // namespace

Override parse_override(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    fail(ErrorKind::usage, "--set ", text, " names no key and value; expected KEY=VALUE, such as ",
         "--set storage.format=csr");
  return {"--set", text.substr(0, equals), text.substr(equals + 1), true};
}

Configuration load_configuration(const std::string& file, const std::vector<Override>& overrides) {
  Configuration configuration;
  configuration.request.origin = file;
  Reader reader(configuration);
  const std::string text = read_configuration_text(file);
  const DocumentNode root = parse_document(text, file);
  require_utf8(text, file);
  reader.read_file(root, file);
  const bool has_source = read_source(reader, file, configuration.request.source);
  configuration.request.product.wanted = reader.has("product");
  return completed(std::move(configuration), has_source, overrides);
}

Configuration configuration_of_text(const std::string& text, const std::string& origin,
                                    std::optional<job::ProblemSource> in_memory,
                                    const std::vector<Override>& overrides) {
  Configuration configuration;
  configuration.request.origin = origin;
  Reader reader(configuration);
  DocumentNode root = parse_document(text, origin);
  if (text.find('\n') == std::string::npos) forget_lines(root);
  reader.read_text(root, origin);
  const bool has_source = read_source(reader, origin, configuration.request.source);
  if (in_memory) {
    if (has_source)
      fail(ErrorKind::configuration, origin,
           ": the problem has two sources, one in memory and one ",
           "in the configuration; expected exactly one");
    configuration.request.source = *in_memory;
  }
  configuration.request.product.wanted = reader.has("product");
  return completed(std::move(configuration), has_source || in_memory, overrides);
}

Configuration make_configuration(job::ProblemSource source,
                                 const std::vector<Override>& overrides) {
  Configuration configuration;
  configuration.request.origin = "the command line";
  configuration.request.source = source;
  return completed(std::move(configuration), true, overrides);
}

Configuration at_sweep_point(const Configuration& configuration,
                             std::span<const std::size_t> chosen) {
  Configuration point = configuration;
  point.sweep.axes.clear();
  Reader reader(point);
  const std::vector<SweepAxis>& axes = configuration.sweep.axes;
  for (std::size_t i = 0; i < axes.size(); ++i)
    reader.read_value_of(axes[i], axes[i].values[chosen[i]]);
  read_source(reader, "the sweep", point.request.source);
  point.request.tries_boundaries =
      std::ranges::count(axes, "storage.boundary", &SweepAxis::key) > 0;
  return point;
}

}  // namespace cisolve::app
