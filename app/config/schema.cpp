#include "app/config/schema.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "app/config/suggest.hpp"
#include "base/error.hpp"
#include "sparse/csb.hpp"

namespace cisolve::app {
namespace {

using Kind = ValueType::Kind;
using C = Configuration;
using sparse::BoundaryPolicy;
using sparse::kAutomatic;

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

ValueType whole(double low, double high) { return {Kind::whole, low, high}; }
ValueType real(double low, double high) { return {Kind::real, low, high}; }
ValueType choice(std::vector<std::string> choices) {
  return {Kind::choice, 0, 0, std::move(choices)};
}
ValueType of(Kind kind) { return {kind}; }

ValueType format_choice() {
  std::vector<std::string> names = sparse::format_names();
  names.insert(names.begin(), "auto");
  return choice(std::move(names));
}

// Between a value of the schema and a member of the configuration.
template <class Member>
void assign(Member& member, const Value& value) {
  if constexpr (std::is_same_v<Member, BoundaryPolicy>)
    member =
        std::get<std::string>(value) == "count" ? BoundaryPolicy::count : BoundaryPolicy::column;
  else if constexpr (std::is_same_v<Member, std::string> || std::is_same_v<Member, bool>)
    member = std::get<Member>(value);
  else if (std::holds_alternative<Automatic>(value))
    member = static_cast<Member>(kAutomatic);
  else if constexpr (std::is_same_v<Member, double>)
    member = std::get<double>(value);
  else
    member = static_cast<Member>(std::get<Index>(value));
}

template <class Member>
Value as_value(const Member& member) {
  if constexpr (std::is_same_v<Member, BoundaryPolicy>)
    return std::string(member == BoundaryPolicy::count ? "count" : "column");
  else if constexpr (std::is_same_v<Member, std::string> || std::is_same_v<Member, bool>)
    return member;
  else if (member == static_cast<Member>(kAutomatic))
    return Automatic{};
  else if constexpr (std::is_same_v<Member, double>)
    return member;
  else
    return static_cast<Index>(member);
}

// A key of this version, with the member of the configuration that it sets.
template <class Slot>
Key key(std::string path, ValueType type, Slot slot, std::string help) {
  return {std::move(path), std::move(type), std::move(help),
          [slot](C& c, const Value& value) { assign(slot(c), value); },
          [slot](C c) { return as_value(slot(c)); }};
}

Key later(std::string path, ValueType type, std::string help) {
  return {std::move(path), std::move(type), std::move(help), {}, {}};
}

// clang-format off
std::vector<Key> make_schema() {
  const ValueType any = of(Kind::any);
  const ValueType path = of(Kind::path);
  const ValueType text = of(Kind::text);
  const ValueType list = of(Kind::list);
  const ValueType count = whole(0, kUnbounded);
  return {
    key("problem.matrix", path, [](C& c) -> auto& { return c.matrix; },
        "a sparse matrix from a file, .mtx (Matrix Market) or .h5"),
    key("problem.reference_columns", whole(0, base::kLargestDimension).or_automatic(), [](C& c) -> auto& { return c.reference_columns; },
        "leading columns that are the Reference region of a matrix file; auto is what the file says"),
    key("problem.generate.rows", whole(1, base::kLargestDimension), [](C& c) -> auto& { return c.generate.rows; },
        "rows of a generated matrix, and as many columns"),
    key("problem.generate.reference_share", real(0, 1), [](C& c) -> auto& { return c.generate.reference_share; },
        "share of the leading columns that make the Reference region"),
    key("problem.generate.reference_per_row", whole(0, base::kLargestDimension).or_automatic(), [](C& c) -> auto& { return c.generate.reference_per_row; },
        "non-zeros of each row in the Reference region; auto is a fifth of its columns"),
    key("problem.generate.density", real(0, 1), [](C& c) -> auto& { return c.generate.density; },
        "share of non-zeros in the Expansion Space region"),
    key("problem.generate.spread", real(0, base::kLargestDimension).or_automatic(), [](C& c) -> auto& { return c.generate.spread; },
        "standard deviation of the row lengths in the Expansion Space region; auto is that of independent elements"),
    key("problem.generate.seed", count, [](C& c) -> auto& { return c.generate.seed; },
        "another seed gives another matrix of the same kind"),
    key("problem.generate.symmetric", of(Kind::truth), [](C& c) -> auto& { return c.generate.symmetric; },
        "make it symmetric, so that it has real eigenvalues"),
    later("problem.fcidump", path, "integrals of a molecule from an FCIDUMP file"),
    later("problem.trexio", path, "a molecule from a TREXIO file"),
    later("problem.lattice", of(Kind::section), "a Hubbard chain or plane"),
    later("problem.electrons", count, "electrons, where the integral file does not say"),
    later("problem.ms2", whole(-1024, 1024), "twice the spin projection, where the file does not say"),

    later("space.kind", choice({"fci", "cas", "cis", "cid", "cisd", "cisdt", "cisdtq", "ci", "mrci", "ras", "list", "product"}),
          "the determinants that span the space"),
    later("space.level", count, "the excitation level of ci and mrci"),
    later("space.electrons", list, "alpha and beta electrons"),
    later("space.frozen", any, "doubly occupied orbitals, a count or a list"),
    later("space.active", any, "active orbitals, a count or a list"),
    later("space.irrep", count.or_automatic(), "the irreducible representation"),
    later("space.spin", any, "the total spin"),
    later("space.reference", text, "the occupation of the reference determinant"),
    later("space.references", list, "the references of mrci"),
    later("space.ras1", any, "orbitals with few holes"),
    later("space.ras2", any, "orbitals with any occupation"),
    later("space.holes", count, "most holes in ras1"),
    later("space.particles", count, "most particles in ras3"),
    later("space.determinants", path, "a file of determinants"),
    later("space.alpha", path, "a file of alpha strings"),
    later("space.beta", path, "a file of beta strings"),
    later("space.partition", any, "which determinants come first as the reference"),

    key("storage.format", format_choice(), [](C& c) -> auto& { return c.storage.format; },
        "how the matrix is stored"),
    key("storage.boundary", whole(0, base::kLargestDimension).or_automatic(), [](C& c) -> auto& { return c.storage.boundary; },
        "BOUNDARY of the hybrid format: where its ELLPACK part ends and its CSR part begins"),
    key("storage.policy", choice({"count", "column"}), [](C& c) -> auto& { return c.storage.policy; },
        "whether BOUNDARY counts the non-zeros of a row or is a column number"),
    key("storage.slice_height", whole(1, 1024), [](C& c) -> auto& { return c.storage.slice_height; },
        "rows of a slice of the sell formats"),
    key("storage.block_size", whole(1, sparse::kLargestCsbBlock).or_automatic(), [](C& c) -> auto& { return c.storage.block_size; },
        "rows and columns of a block of the csb format"),
    later("storage.elements", choice({"auto", "precomputed", "coded", "mixed", "on-the-fly"}),
          "whether matrix elements are stored or computed in each product"),
    later("storage.threshold", real(0, kUnbounded), "smaller elements are not stored"),

    later("solver.method", choice({"auto", "davidson", "lanczos", "dense"}), "the eigensolver"),
    later("solver.states", whole(1, 1000), "how many of the lowest states"),
    later("solver.tolerance", real(0, 1), "the residual norm at which a state has converged"),
    later("solver.max_iterations", whole(1, 1e9), "the most iterations"),
    later("solver.seed", count, "the seed of random start vectors"),

    key("product.vectors", whole(1, 16), [](C& c) -> auto& { return c.product.vectors; },
        "vectors that one product multiplies at once"),
    key("product.repeat", whole(1, 1'000'000), [](C& c) -> auto& { return c.product.repeat; },
        "how many times the product is timed; the median counts"),
    key("product.seed", count, [](C& c) -> auto& { return c.product.seed; },
        "the seed of the random vectors"),

    key("backend", choice({"auto", "reference", "openmp", "cuda"}), [](C& c) -> auto& { return c.backend; },
        "where it runs; auto takes the best that is there and says which"),
    key("threads", whole(1, 4096).or_automatic(), [](C& c) -> auto& { return c.threads; },
        "threads of the openmp backend"),
    key("memory", of(Kind::bytes).or_automatic(), [](C& c) -> auto& { return c.memory; },
        "the most host memory to hold; auto is what is free, less a reserve"),
    key("device_memory", of(Kind::bytes).or_automatic(), [](C& c) -> auto& { return c.device_memory; },
        "the most device memory to hold; likewise"),

    key("output.directory", of(Kind::folder), [](C& c) -> auto& { return c.output.directory; },
        "the folder that receives run.json; made when it is not there"),
    later("output.vectors", of(Kind::truth), "save the eigenvectors"),
    later("output.checkpoint", of(Kind::duration), "how often the state of the run is saved"),
    later("sweep", of(Kind::section), "run a job for each of several values of some keys"),
  };
}
// clang-format on

std::string parent_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string() : std::string(path.substr(0, dot));
}

std::string last_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return std::string(dot == std::string_view::npos ? path : path.substr(dot + 1));
}

}  // namespace

std::string Key::fallback() const { return is_later() ? "" : written(type, get(Configuration{})); }

const std::vector<Key>& schema() {
  static const std::vector<Key> keys = make_schema();
  return keys;
}

const Key* find_key(std::string_view path) {
  const auto found = std::ranges::find(schema(), path, &Key::path);
  return found == schema().end() ? nullptr : &*found;
}

std::vector<std::string> names_in(std::string_view section) {
  const std::string prefix = section.empty() ? "" : std::string(section) + ".";
  std::vector<std::string> names;
  for (const Key& key : schema()) {
    if (!key.path.starts_with(prefix)) continue;
    std::string name = key.path.substr(prefix.size());
    name = name.substr(0, name.find('.'));
    if (names.empty() || names.back() != name) names.push_back(std::move(name));
  }
  return names;
}

bool is_section(std::string_view path) {
  const std::string prefix = std::string(path) + ".";
  return std::ranges::any_of(schema(),
                             [&](const Key& key) { return key.path.starts_with(prefix); });
}

std::string suggestion(std::string_view unknown_path) {
  const std::string section = parent_of(unknown_path);
  const std::string name = last_of(unknown_path);
  const std::string prefix = section.empty() ? "" : section + ".";
  const std::vector<std::string> siblings = names_in(section);
  if (const std::string sibling = nearest(name, siblings); !sibling.empty())
    return base::concat("; did you mean '", prefix, sibling, "'?");
  for (const Key& key : schema())  // the right name in the wrong section
    if (last_of(key.path) == name) return base::concat("; did you mean '", key.path, "'?");
  if (siblings.empty()) return base::concat("; there is no section '", section, "'");
  return base::concat("; expected ", alternatives(siblings));
}

}  // namespace cisolve::app
