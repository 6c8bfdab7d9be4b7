#include "app/config/schema.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "app/config/suggest.hpp"
#include "base/error.hpp"
#include "ci/integrals/integrals.hpp"
#include "sparse/formats/csb.hpp"
#include "sparse/stored/matrix.hpp"

namespace cisolve::app {
namespace {

using Kind = ValueType::Kind;
using C = Configuration;
using sparse::BoundaryPolicy;
using sparse::kAutomatic;

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

constexpr double kLargestReal = std::numeric_limits<double>::max();

ValueType whole(double low, double high) { return {Kind::whole, low, high}; }
ValueType real(double low, double high) { return {Kind::real, low, high}; }
ValueType choice(std::vector<std::string> choices) {
  return {Kind::choice, 0, 0, std::move(choices)};
}
ValueType of(Kind kind) { return {kind}; }

ValueType path() { return of(Kind::path); }
ValueType text() { return of(Kind::text); }
ValueType orbitals() { return {Kind::orbitals, 0, ci::kMostOrbitals}; }
ValueType anything() { return real(-kLargestReal, kLargestReal); }
ValueType count() { return whole(0, kUnbounded); }

ValueType format_choice() {
  std::vector<std::string> names = sparse::format_names();
  names.insert(names.begin(), "auto");
  return choice(std::move(names));
}

// Between a value of the schema and a member of the configuration.
void assign(job::OrbitalSet& member, const Value& value) {
  member = {};
  if (const Index* count = std::get_if<Index>(&value)) member.count = *count;
  if (const auto* numbers = std::get_if<std::vector<Index>>(&value)) member.numbers = *numbers;
}

void assign(std::optional<Index>& member, const Value& value) {
  member.reset();
  if (const Index* number = std::get_if<Index>(&value)) member = *number;
}

void assign(std::optional<bool>& member, const Value& value) {
  member.reset();
  if (const bool* truth = std::get_if<bool>(&value)) member = *truth;
}

template <class Member>
void assign(Member& member, const Value& value) {
  if (std::holds_alternative<Automatic>(value)) {
    if constexpr (std::is_arithmetic_v<Member>)
      member = static_cast<Member>(kAutomatic);
    else
      member = Member();
  } else if constexpr (std::is_same_v<Member, BoundaryPolicy>) {
    member =
        std::get<std::string>(value) == "count" ? BoundaryPolicy::count : BoundaryPolicy::column;
  } else if constexpr (std::is_integral_v<Member> && !std::is_same_v<Member, bool>) {
    member = static_cast<Member>(std::get<Index>(value));
  } else {
    member = std::get<Member>(value);
  }
}

Value as_value(const job::OrbitalSet& member, bool /*has_word*/) {
  if (!member.numbers.empty()) return member.numbers;
  return member.count == kAutomatic ? Value(Automatic{}) : Value(member.count);
}

Value as_value(const std::optional<Index>& member, bool /*has_word*/) {
  return member ? Value(*member) : Value(Automatic{});
}

Value as_value(const std::optional<bool>& member, bool /*has_word*/) {
  return member ? Value(*member) : Value(Automatic{});
}

// `has_word`: the type knows a word, such as auto, beside its numbers, texts or lists.
template <class Member>
Value as_value(const Member& member, bool has_word) {
  if constexpr (std::is_same_v<Member, BoundaryPolicy>)
    return std::string(member == BoundaryPolicy::count ? "count" : "column");
  else if constexpr (std::is_arithmetic_v<Member> && !std::is_same_v<Member, bool>) {
    if (has_word && member == static_cast<Member>(kAutomatic)) return Automatic{};
    if constexpr (std::is_same_v<Member, double>) return member;
    return static_cast<Index>(member);
  } else {
    if constexpr (!std::is_same_v<Member, bool>)
      if (has_word && member.empty()) return Automatic{};
    return member;
  }
}

// A key of this version, with the member of the configuration that it sets.
template <class Slot>
Key key(std::string path, ValueType type, Slot slot, std::string help) {
  const bool has_word = !type.word.empty();
  return {std::move(path), std::move(type), std::move(help),
          [slot](C& c, const Value& value) { assign(slot(c), value); },
          [slot, has_word](C c) { return as_value(slot(c), has_word); }};
}

// clang-format off
std::vector<Key> problem_keys() {
  return {
    key("problem.matrix", path(), [](C& c) -> auto& { return c.matrix; },
        "a sparse matrix from a file: .mtx (Matrix Market), .h5, or .npz of SciPy"),
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
    key("problem.generate.seed", count(), [](C& c) -> auto& { return c.generate.seed; },
        "another seed gives another matrix of the same kind"),
    key("problem.generate.symmetric", of(Kind::truth), [](C& c) -> auto& { return c.generate.symmetric; },
        "make it symmetric, so that it has real eigenvalues"),
    key("problem.generate.pattern", choice({"ci", "banded", "diagonals"}), [](C& c) -> auto& { return c.generate.pattern; },
        "a matrix like that of a CI, full diagonals beside the main one, or full diagonals anywhere"),
    key("problem.generate.diagonals", whole(1, base::kLargestDimension), [](C& c) -> auto& { return c.generate.diagonals; },
        "diagonals of pattern banded or diagonals, the main one among them"),
    key("problem.fcidump", path(), [](C& c) -> auto& { return c.fcidump; },
        "integrals of a molecule from an FCIDUMP file"),
    key("problem.trexio", path(), [](C& c) -> auto& { return c.trexio; },
        "integrals of a molecule from a TREXIO file with HDF5 back end"),
    key("problem.lattice.model", choice({"hubbard", "heisenberg"}), [](C& c) -> auto& { return c.lattice.model; },
        "electrons that hop and repel each other, or spins 1/2 that are coupled"),
    key("problem.lattice.columns", whole(1, ci::kMostOrbitals), [](C& c) -> auto& { return c.lattice.columns; },
        "sites of a row"),
    key("problem.lattice.rows", whole(1, ci::kMostOrbitals), [](C& c) -> auto& { return c.lattice.rows; },
        "rows of sites; 1 is a chain"),
    key("problem.lattice.periodic_columns", of(Kind::truth), [](C& c) -> auto& { return c.lattice.periodic_columns; },
        "join the ends of each row"),
    key("problem.lattice.periodic_rows", of(Kind::truth), [](C& c) -> auto& { return c.lattice.periodic_rows; },
        "join the ends of each column"),
    key("problem.lattice.t", anything(), [](C& c) -> auto& { return c.lattice.t; },
        "hopping between neighbours"),
    key("problem.lattice.u", anything(), [](C& c) -> auto& { return c.lattice.u; },
        "repulsion on a site"),
    key("problem.lattice.v", anything(), [](C& c) -> auto& { return c.lattice.v; },
        "repulsion between neighbours"),
    key("problem.lattice.j", anything(), [](C& c) -> auto& { return c.lattice.j; },
        "coupling of neighbouring spins, antiferromagnetic where it is positive"),
    key("problem.electrons", whole(0, 2 * ci::kMostOrbitals).or_automatic(), [](C& c) -> auto& { return c.electrons; },
        "electrons, where the integral file does not say; as many as sites of a lattice"),
    key("problem.ms2", whole(-ci::kMostOrbitals, ci::kMostOrbitals).or_automatic(), [](C& c) -> auto& { return c.ms2; },
        "twice the spin projection, where the file does not say"),
  };
}

std::vector<Key> space_keys() {
  return {
    key("space.kind", choice({"fci", "cas", "cis", "cid", "cisd", "cisdt", "cisdtq", "ci", "mrci", "ras", "list", "product"}), [](C& c) -> auto& { return c.space.kind; },
        "the determinants that span the space"),
    key("space.level", whole(0, 2 * ci::kMostOrbitals), [](C& c) -> auto& { return c.space.level; },
        "the excitation level of ci and mrci"),
    key("space.electrons", ValueType{Kind::wholes, 0, ci::kMostOrbitals}.or_automatic(), [](C& c) -> auto& { return c.space.electrons; },
        "alpha and beta electrons, the frozen ones included; auto is what the problem says"),
    key("space.frozen", orbitals(), [](C& c) -> auto& { return c.space.frozen; },
        "doubly occupied orbitals: how many of the lowest, or which"),
    key("space.active", orbitals().or_word("all"), [](C& c) -> auto& { return c.space.active; },
        "active orbitals: how many after the frozen ones, or which; the rest stays empty"),
    key("space.irrep", whole(1, 8).or_word("any"), [](C& c) -> auto& { return c.space.irrep; },
        "the irreducible representation of all states, from 1: as ORBSYM of Molpro has it, or that of PySCF plus 1; where a file names none, as they are found from integrals that vanish"),
    key("space.spin", real(0, ci::kMostOrbitals).or_word("any"), [](C& c) -> auto& { return c.space.spin; },
        "the total spin S of all states, such as 0, 0.5 or 1; the space must hold all spins of each open shell, or be completed (space.complete)"),
    key("space.complete", choice({"none", "spin"}), [](C& c) -> auto& { return c.space.complete; },
        "spin adds the missing couplings of open shells, so that a truncated space of an open shell is closed under S^2 and has states of a spin"),
    key("space.reference", text().or_automatic(), [](C& c) -> auto& { return c.space.reference; },
        "the occupation of the reference determinant over all orbitals; auto fills the lowest ones"),
    key("space.references", of(Kind::texts).or_automatic(), [](C& c) -> auto& { return c.space.references; },
        "the references of mrci"),
    key("space.ras1", orbitals(), [](C& c) -> auto& { return c.space.ras1; },
        "active orbitals with few holes: how many of the lowest, or which"),
    key("space.ras2", orbitals().or_word("all"), [](C& c) -> auto& { return c.space.ras2; },
        "orbitals with any occupation: how many after ras1, or which; the rest is ras3"),
    key("space.holes", whole(0, 2 * ci::kMostOrbitals), [](C& c) -> auto& { return c.space.holes; },
        "most holes in ras1, both spins together"),
    key("space.particles", whole(0, 2 * ci::kMostOrbitals), [](C& c) -> auto& { return c.space.particles; },
        "most electrons in ras3, both spins together"),
    key("space.determinants", path().or_word("none"), [](C& c) -> auto& { return c.space.determinants; },
        "the determinants of kind list: a text, an HDF5 or a TREXIO file, over all orbitals"),
    key("space.alpha", path().or_word("none"), [](C& c) -> auto& { return c.space.alpha; },
        "the alpha strings of kind product: bits, one string a line, orbital 1 at the right"),
    key("space.beta", path().or_word("none"), [](C& c) -> auto& { return c.space.beta; },
        "its beta strings, likewise; every alpha string goes with every beta string"),
    key("space.partition", ValueType{Kind::rule, 0, base::kLargestDimension, {"reference", "none", "lowest: n", "excitation: n"}}.or_automatic(), [](C& c) -> auto& { return c.space.partition; },
        "which determinants come first in the stored matrix, as its Reference region: the references of the space, none, the n with the lowest diagonal elements, or those at most n excitations from the reference; auto is the references for mrci and none else"),
  };
}

std::vector<Key> storage_keys() {
  return {
    key("storage.format", format_choice(), [](C& c) -> auto& { return c.storage.format; },
        "how the matrix is stored"),
    key("storage.boundary", whole(0, base::kLargestDimension).or_automatic(), [](C& c) -> auto& { return c.storage.boundary; },
        "BOUNDARY of the hybrid format: where its ELLPACK part ends and its CSR part begins"),
    key("storage.policy", choice({"count", "column"}), [](C& c) -> auto& { return c.storage.policy; },
        "whether BOUNDARY counts the non-zeros of a row or is a column number"),
    key("storage.slice_height", whole(1, 1024), [](C& c) -> auto& { return c.storage.slice_height; },
        "rows of a slice of the sell formats"),
    key("storage.block_size", whole(1, sparse::kLargestCsbBlock).or_automatic(), [](C& c) -> auto& { return c.storage.block_size; },
        "rows and columns of a block of the csb format; columns of a tile of the tiled one, an even number"),
    key("storage.elements", choice({"auto", "precomputed", "coded", "mixed", "on-the-fly", "factorised"}), [](C& c) -> auto& { return c.elements.path; },
        "where matrix elements come from in each product: precomputed ones are stored, coded ones likewise as numbers of the few values that they have, on-the-fly ones are computed from determinants and integrals, and mixed are stored for the rows that cost most to compute, computed for the others; factorised ones are not made at all, for string matrices are multiplied in their place (full CI, one irrep, products of lists); auto takes what is done sooner, and what fits"),
    key("storage.share", real(0, 1).or_automatic(), [](C& c) -> auto& { return c.elements.share; },
        "of all elements, how many mixed ones store at most; auto is as many as there is memory for"),
    key("storage.threshold", real(0, kUnbounded), [](C& c) -> auto& { return c.elements.threshold; },
        "elements of at most this size are left out of the matrix, but for the diagonal"),
  };
}

std::vector<Key> solver_keys() {
  return {
    key("solver.method", choice({"auto", "davidson", "lanczos", "dense"}), [](C& c) -> auto& { return c.solver.method; },
        "the eigensolver; auto is dense for small matrices, lanczos for two states or more where no row dominates"),
    key("solver.states", whole(0, 1000), [](C& c) -> auto& { return c.solver.states; },
        "how many states, the lowest unless solver.follow says which; 0 reports on the matrix and its product alone"),
    key("solver.tolerance", real(1e-15, 1), [](C& c) -> auto& { return c.solver.tolerance; },
        "the residual norm at which a state has converged"),
    key("solver.max_iterations", whole(1, 1e9), [](C& c) -> auto& { return c.solver.max_iterations; },
        "the most iterations of a run, each a block of products or, of Lanczos, one; a job that was resumed counts "
        "anew"),
    key("solver.search", choice({"auto", "none", "full"}), [](C& c) -> auto& { return c.solver.search; },
        "products that look for states that were missed: at most the larger of 40 and half of those of the solution, none, or as many as it takes to be sure"),
    key("solver.seed", count(), [](C& c) -> auto& { return c.solver.seed; },
        "the seed of random start vectors"),
    key("solver.start", choice({"auto", "model", "random"}), [](C& c) -> auto& { return c.solver.start; },
        "start vectors: the lowest states of a small model space, or random ones"),
    key("solver.start_from", path().or_word("none"), [](C& c) -> auto& { return c.solver.start_from; },
        "start vectors from a file: results.h5 of another job, over any space of the same orbitals that shares determinants, or a text list of determinants"),
    key("solver.follow", path().or_word("none"), [](C& c) -> auto& { return c.solver.follow; },
        "in place of the lowest states those that overlap most with the vectors of a file: results.h5 of another job, as for solver.start_from, or a text list of determinants"),
    key("solver.follow_state", whole(1, 1000).or_word("all"), [](C& c) -> auto& { return c.solver.follow_state; },
        "which of the file's states, or determinants, is followed; all are followed together, by the weight in what they span"),
    key("solver.model_size", whole(0, 4000), [](C& c) -> auto& { return c.solver.model_size; },
        "how many of the lowest determinants form the model space, whose exact block gives start vectors and a preconditioner; 0 is none"),
    key("solver.verification", choice({"auto", "whole", "sample"}), [](C& c) -> auto& { return c.solver.verification; },
        "how much of the states' products is taken a second time, by a path that shares nothing with the first: all rows, or where string matrices multiply a seeded sample of them; auto samples where all would take more than a fifth of the solution"),
  };
}

std::vector<Key> analysis_keys() {
  return {
    key("analysis.densities", choice({"auto", "none", "one", "two"}), [](C& c) -> auto& { return c.analysis.densities; },
        "density matrices of each state, for natural occupations (one) and to recompute its energy (two); auto is two unless that would cost more than the solution"),
    key("analysis.determinants", whole(0, 1000), [](C& c) -> auto& { return c.analysis.determinants; },
        "how many of its dominant determinants are told of each state"),
  };
}

std::vector<Key> product_keys() {
  return {
    key("product.vectors", whole(1, 16), [](C& c) -> auto& { return c.product.vectors; },
        "vectors that one product multiplies at once"),
    key("product.repeat", whole(1, 1'000'000), [](C& c) -> auto& { return c.product.repeat; },
        "how many times the product is timed; the median counts"),
    key("product.seed", count(), [](C& c) -> auto& { return c.product.seed; },
        "the seed of the random vectors"),
  };
}

std::vector<Key> machine_keys() {
  return {
    key("backend", choice({"auto", "reference", "openmp", "cuda", "cuda:N"}), [](C& c) -> auto& { return c.backend; },
        "where it runs; auto takes the best that is there and says which, cuda is the first device, cuda:1 the next"),
    key("threads", whole(1, 4096).or_automatic(), [](C& c) -> auto& { return c.threads; },
        "threads of the openmp backend"),
    key("memory", of(Kind::bytes).or_automatic(), [](C& c) -> auto& { return c.memory; },
        "the most host memory to hold; auto is what is free, less a reserve"),
    key("device_memory", of(Kind::bytes).or_automatic(), [](C& c) -> auto& { return c.device_memory; },
        "the most device memory to hold; likewise"),
    key("rates", choice({"auto", "built-in"}), [](C& c) -> auto& { return c.rates; },
        "what plans are ranked by: auto takes the rates that `ci-solve devices --calibrate` has measured on this machine, where it has, and else those that are built in"),
  };
}

std::vector<Key> output_keys() {
  return {
    key("output.directory", of(Kind::folder), [](C& c) -> auto& { return c.output.directory; },
        "the folder that receives run.json, results.h5 and the checkpoints; made when it is not there"),
    key("output.vectors", of(Kind::truth).or_automatic(), [](C& c) -> auto& { return c.output.vectors; },
        "save the eigenvectors and the determinants in results.h5; auto does up to 1 GiB, or half of what is free there, and tells what it leaves out"),
    key("output.history", of(Kind::truth), [](C& c) -> auto& { return c.output.history; },
        "write the iterations as history.csv, too"),
    key("output.trexio", of(Kind::truth), [](C& c) -> auto& { return c.output.trexio; },
        "write the determinants and their coefficients as states.trexio.h5, too"),
    key("output.checkpoint", ValueType{Kind::duration, 0, kUnbounded}.or_word("off"), [](C& c) -> auto& { return c.output.checkpoint; },
        "how often the state of the run is saved, so that it can be resumed; 0 s is each iteration"),
    key("sweep.repeat", whole(1, 1'000'000), [](C& c) -> auto& { return c.sweep.repeat; },
        "how many times the product of each point is timed; beside it stand the swept keys with their lists"),
  };
}
// clang-format on

std::vector<Key> make_schema() {
  std::vector<Key> keys;
  for (auto* section : {problem_keys, space_keys, storage_keys, solver_keys, analysis_keys,
                        product_keys, machine_keys, output_keys})
    for (Key& key : section()) keys.push_back(std::move(key));
  return keys;
}

}  // namespace

std::string Key::fallback() const { return is_later() ? "" : written(type, get(Configuration{})); }

const std::vector<Key>& schema() {
  static const std::vector<Key> keys = make_schema();
  return keys;
}

}  // namespace cisolve::app
