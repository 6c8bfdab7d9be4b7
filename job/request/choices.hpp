#pragma once

#include "ci/fock/integrals/point_group.hpp"
#include "ci/fock/models/lattice.hpp"
#include "ci/lattice/sectors/wanted_symmetry.hpp"
#include "job/request/choice.hpp"
#include "solver/task/options.hpp"
#include "sparse/formats/options.hpp"
#include "sparse/generate/generator.hpp"

// The enums of a request, with the words that users write for their values.
namespace cisolve::job {

template <>
struct Words<sparse::GeneratedPattern> {
  using enum sparse::GeneratedPattern;
  static constexpr std::array<std::string_view, 3> all = {name_of(ci), name_of(banded),
                                                          name_of(diagonals)};
};

/// Whether an integral file must have one-electron integrals: without them it may have been cut.
enum class OneElectronIntegrals { required, none };

template <>
struct Words<OneElectronIntegrals> {
  static constexpr std::array<std::string_view, 2> all = {"required", "none"};
};

/// Whether a TREXIO file must have a nucleus_repulsion: without it, it may have been damaged.
enum class NucleusRepulsion { required, none };

template <>
struct Words<NucleusRepulsion> {
  static constexpr std::array<std::string_view, 2> all = {"required", "none"};
};

template <>
struct Words<ci::IrrepNumbering> {
  static constexpr std::array<std::string_view, 2> all = {"molpro", "pyscf"};
};

enum class LatticeModel { hubbard, t_j, heisenberg };

template <>
struct Words<LatticeModel> {
  static constexpr std::array<std::string_view, 3> all = {"hubbard", "t-j", "heisenberg"};
};

template <>
struct Words<ci::LatticeType> {
  static constexpr std::array<std::string_view, 5> all = {"square", "cubic", "triangular",
                                                          "honeycomb", "kagome"};
};

template <>
struct Words<ci::LatticeParity> {
  static constexpr std::array<std::string_view, 2> all = {"even", "odd"};
};

enum class SpaceKind {
  fci,
  cas,
  cis,
  cid,
  cisd,
  cisdt,
  cisdtq,
  ci,
  mrci,
  ras,
  list,
  product,
  selected
};

template <>
struct Words<SpaceKind> {
  static constexpr std::array<std::string_view, 13> all = {
      "fci", "cas",  "cis", "cid",  "cisd",    "cisdt",   "cisdtq",
      "ci",  "mrci", "ras", "list", "product", "selected"};
};

/// The perturbation of a selected space by all determinants outside of it.
enum class PerturbationKind { automatic, deterministic, none };

template <>
struct Words<PerturbationKind> {
  static constexpr std::array<std::string_view, 3> all = {"auto", "deterministic", "none"};
};

/// Determinants that are added to a space: none, or the missing spin couplings of open shells.
enum class Completion { none, spin };

template <>
struct Words<Completion> {
  static constexpr std::array<std::string_view, 2> all = {"none", "spin"};
};

/// Rule for the determinants that come first in the stored matrix. Two rules take a number n: the n
/// lowest diagonal elements, at most n excitations from the reference.
enum class PartitionBy { automatic, reference, none, lowest, excitation };

template <>
struct Words<PartitionBy> {
  static constexpr std::array<std::string_view, 5> all = {"auto", "reference", "none", "lowest",
                                                          "excitation"};
};

constexpr bool takes_number(PartitionBy rule) {
  return rule == PartitionBy::lowest || rule == PartitionBy::excitation;
}

/// The source of matrix elements in each product.
enum class ElementPath {
  automatic,
  precomputed,  // every element is stored
  coded,        // every element is stored, as a code of a few values
  mixed,        // stored for some rows, computed for the others
  on_the_fly,   // computed in each product
  factorised,   // replaced by string matrices
};

template <>
struct Words<ElementPath> {
  static constexpr std::array<std::string_view, 6> all = {"auto",  "precomputed", "coded",
                                                          "mixed", "on-the-fly",  "factorised"};
};

template <>
struct Words<solver::Method> {
  static constexpr std::array<std::string_view, 4> all = {"auto", "davidson", "lanczos", "dense"};
};

template <>
struct Words<solver::SearchEffort> {
  static constexpr std::array<std::string_view, 3> all = {"auto", "none", "full"};
};

template <>
struct Words<solver::StartKind> {
  static constexpr std::array<std::string_view, 3> all = {"auto", "model", "random"};
};

template <>
struct Words<solver::BasisStorage> {
  static constexpr std::array<std::string_view, 2> all = {"full", "staged"};
};

template <>
struct Words<sparse::BoundaryPolicy> {
  static constexpr std::array<std::string_view, 2> all = {"count", "column"};
};

/// Fraction of the states' products that is computed a second time.
enum class VerificationEffort { automatic, whole, sample };

template <>
struct Words<VerificationEffort> {
  static constexpr std::array<std::string_view, 3> all = {"auto", "whole", "sample"};
};

/// Density matrices of states: up to those of two particles.
enum class Densities { automatic, none, one, two };

template <>
struct Words<Densities> {
  static constexpr std::array<std::string_view, 4> all = {"auto", "none", "one", "two"};
};

/// Entropies of orbitals and pairs of orbitals.
enum class Entropies { none, all };

template <>
struct Words<Entropies> {
  static constexpr std::array<std::string_view, 2> all = {"none", "all"};
};

/// Orbitals of states or transitions that are computed if asked for.
enum class AnalysedOrbitals { none, transition };

template <>
struct Words<AnalysedOrbitals> {
  static constexpr std::array<std::string_view, 2> all = {"none", "transition"};
};

/// Correlations between the sites of a lattice.
enum class Correlations { automatic, none, all };

template <>
struct Words<Correlations> {
  static constexpr std::array<std::string_view, 3> all = {"auto", "none", "all"};
};

}  // namespace cisolve::job
