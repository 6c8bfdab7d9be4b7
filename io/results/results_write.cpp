#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

#include "io/files/sha256.hpp"
#include "io/hdf5/attributes.hpp"
#include "io/hdf5/dataset_writer.hpp"
#include "io/hdf5/new_file.hpp"
#include "io/results/basis_write.hpp"
#include "io/results/results.hpp"
#include "io/results/space_write.hpp"

namespace cisolve::io {
namespace {

using hdf5::FileContext;
using hdf5::Handle;
using hdf5::write_attribute;

constexpr Index kSchema = 1;
constexpr Index kSchemaOfStrings = 2;  // readers of schema 1 would search for determinants

template <class Value>
void write_numbers(const FileContext& context, hid_t group, const char* name,
                   const std::vector<Value>& values) {
  constexpr bool real = std::is_same_v<Value, double>;
  static_assert(real || std::is_same_v<Value, Index>);
  const auto size = std::ssize(values);
  hdf5::DatasetWriter(context, group, name, real ? H5T_IEEE_F64LE : H5T_STD_I64LE,
                      real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64, 8, size,
                      hdf5::DatasetKind::checked)
      .append(values.data(), size);
}

/// Collects one member of each item.
template <class Value, class Item, class Member>
std::vector<Value> column(const std::vector<Item>& items, Member Item::*member) {
  std::vector<Value> values;
  for (const Item& item : items) values.push_back(static_cast<Value>(item.*member));
  return values;
}

void write_root(const FileContext& context, hid_t file, Index schema) {
  write_attribute(context, file, "format", "ci-solve results");
  write_attribute(context, file, "schema", schema);
  write_attribute(context, file, "program", "ci-solve");
  write_attribute(context, file, "version", CISOLVE_VERSION);
  write_attribute(context, file, "units", "Hartree, core energy included, for a molecule");
  write_attribute(context, file, "ordering",
                  "determinants by alpha string, then by beta string; alpha creators to the left "
                  "of beta ones, orbitals ascending");
}

void write_provenance(const FileContext& context, const hdf5::NewFile& file,
                      const Provenance& provenance) {
  const Handle group = file.make_group(file, "provenance");
  hdf5::write_text(context, group, "configuration", provenance.configuration);
  hdf5::write_text(context, group, "input", provenance.input);
  write_attribute(context, group, "input_sha256", sha256(provenance.input));
  write_attribute(context, group, "backend", provenance.backend);
  write_attribute(context, group, "device", provenance.device);
  write_attribute(context, group, "threads", provenance.threads);
  write_attribute(context, group, "started", provenance.started);
  write_attribute(context, group, "finished", provenance.finished);
  const Handle seconds = file.make_group(group, "seconds");
  for (const auto& [phase, spent] : provenance.seconds)
    write_attribute(context, seconds, phase.c_str(), spent);
}

void write_states(const FileContext& context, hid_t group, const StoredResults& results) {
  write_attribute(context, group, "method", results.method);
  write_attribute(context, group, "dimension", results.dimension);
  write_attribute(context, group, "iterations", results.iterations);
  write_attribute(context, group, "products", results.products);
  write_attribute(context, group, "verified", Index{results.verified});
  write_attribute(context, group, "orthogonality", results.orthogonality);
  write_attribute(context, group, "completeness", results.completeness);
  using S = StoredState;
  write_numbers(context, group, "energies", column<double>(results.states, &S::energy));
  write_numbers(context, group, "residuals", column<double>(results.states, &S::residual));
  write_numbers(context, group, "error_bounds", column<double>(results.states, &S::error_bound));
  write_numbers(context, group, "verified_residuals",
                column<double>(results.states, &S::verified_residual));
  write_numbers(context, group, "converged", column<Index>(results.states, &S::converged));
}

/// One row per iteration; NaN for states that did not exist yet.
void write_table(const FileContext& context, hid_t group, const char* name,
                 const std::vector<StoredIteration>& history,
                 std::vector<double> StoredIteration::*member) {
  std::size_t width = 0;
  for (const StoredIteration& iteration : history)
    width = std::max(width, (iteration.*member).size());
  std::vector<double> values;
  for (const StoredIteration& iteration : history) {
    const std::vector<double>& given = iteration.*member;
    values.insert(values.end(), given.begin(), given.end());
    values.resize(values.size() + width - given.size(), std::numeric_limits<double>::quiet_NaN());
  }
  const auto rows = static_cast<Index>(width);
  hdf5::write_vectors(context, group, name,
                      {values.data(), rows, static_cast<int>(history.size()), rows});
}

void write_history(const FileContext& context, const hdf5::NewFile& file,
                   const std::vector<StoredIteration>& history) {
  const Handle group = file.make_group(file, "history");
  using I = StoredIteration;
  write_numbers(context, group, "iteration", column<Index>(history, &I::number));
  write_numbers(context, group, "subspace", column<Index>(history, &I::subspace));
  write_numbers(context, group, "products", column<Index>(history, &I::products));
  write_numbers(context, group, "searching", column<Index>(history, &I::searching));
  write_table(context, group, "energies", history, &I::energies);
  write_table(context, group, "residuals", history, &I::residuals);
}

/// One row per state.
void write_rows(const FileContext& context, hid_t group, const char* name,
                const std::vector<std::vector<double>>& rows) {
  if (rows.empty()) return;
  const auto width = std::ssize(rows.front());
  std::vector<double> values;
  for (const std::vector<double>& row : rows) values.insert(values.end(), row.begin(), row.end());
  hdf5::write_vectors(context, group, name,
                      {values.data(), width, static_cast<int>(rows.size()), width});
}

void write_densities(const FileContext& context, const hdf5::NewFile& file,
                     const StoredDensities& densities) {
  const Handle group = file.make_group(file, "densities");
  write_numbers(context, group, "orbitals", densities.orbitals);
  write_rows(context, group, "one_particle", densities.one_particle);
  write_rows(context, group, "natural_orbitals", densities.natural_orbitals);
  write_rows(context, group, "natural_occupations", densities.natural_occupations);
  write_rows(context, group, "transition", densities.transition);
  write_rows(context, group, "two_particle", densities.two_particle);
}

void write_properties(const FileContext& context, const hdf5::NewFile& file,
                      const StoredProperties& stored) {
  const Handle all = file.make_group(file, "properties");
  write_attribute(context, all, "rows",
                  "states: a row for each state; from_first: a row for each other state than the "
                  "first, <first| O |state>; a column for each component");
  for (const StoredProperty& one : stored.properties) {
    const Handle group = file.make_group(all, one.name.c_str());
    write_attribute(context, group, "components", one.components);
    write_attribute(context, group, "unit", one.unit);
    write_attribute(context, group, "symmetry", one.antisymmetric ? "antisymmetric" : "symmetric");
    write_rows(context, group, "states", one.states);
    write_rows(context, group, "from_first", one.from_first);
  }
  if (const StoredPopulations& atoms = stored.populations; !atoms.atoms.empty()) {
    const Handle group = file.make_group(file, "populations");
    write_attribute(context, group, "atoms", atoms.atoms);
    write_attribute(context, group, "rows",
                    "a row for each state, a column for each atom; spins: alpha less beta");
    write_rows(context, group, "mulliken_charges", atoms.mulliken_charges);
    write_rows(context, group, "mulliken_spins", atoms.mulliken_spins);
    write_rows(context, group, "loewdin_charges", atoms.loewdin_charges);
    write_rows(context, group, "loewdin_spins", atoms.loewdin_spins);
  }
  if (stored.energies.empty()) return;
  const Handle transitions = file.make_group(file, "transitions");
  write_attribute(context, transitions, "rows",
                  "from the first state to each other one: excitation energies in Hartree, "
                  "oscillator strengths in length and velocity form, NaN within one energy");
  write_numbers(context, transitions, "energies", stored.energies);
  for (const auto& [name, values] : {std::pair("oscillator_strengths", &stored.length_strengths),
                                     {"oscillator_strengths_velocity", &stored.velocity_strengths}})
    if (!values->empty()) write_numbers(context, transitions, name, *values);
}

Index bytes_of(const StoredDensities& densities) {
  Index bytes = 0;
  for (const auto* rows :
       {&densities.one_particle, &densities.natural_orbitals, &densities.natural_occupations,
        &densities.transition, &densities.two_particle})
    for (const std::vector<double>& row : *rows) bytes += std::ssize(row) * Index{sizeof(double)};
  return bytes;
}

void write_entropies(const FileContext& context, const hdf5::NewFile& file,
                     const StoredEntropies& entropies) {
  const Handle group = file.make_group(file, "entropies");
  write_numbers(context, group, "orbitals", entropies.orbitals);
  write_rows(context, group, "single_orbital", entropies.single);
  write_rows(context, group, "mutual_information", entropies.mutual);
}

void write_transition_orbitals(const FileContext& context, const hdf5::NewFile& file,
                               const StoredTransitionOrbitals& stored) {
  const Handle group = file.make_group(file, "transition_orbitals");
  write_attribute(context, group, "rows",
                  "a row for each state but the first, of level_... for each level; alpha, then "
                  "beta; orbitals one after the other over the active ones");
  write_numbers(context, group, "orbitals", stored.orbitals);
  write_rows(context, group, "weights", stored.weights);
  write_rows(context, group, "holes", stored.holes);
  write_rows(context, group, "particles", stored.particles);
  if (stored.level_first.empty()) return;
  write_numbers(context, group, "level_first", stored.level_first);
  write_numbers(context, group, "level_states", stored.level_states);
  write_rows(context, group, "level_hole_weights", stored.level_hole_weights);
  write_rows(context, group, "level_particle_weights", stored.level_particle_weights);
  write_rows(context, group, "level_holes", stored.level_holes);
  write_rows(context, group, "level_particles", stored.level_particles);
}

void write_dyson(const FileContext& context, const hdf5::NewFile& file, const StoredDyson& stored) {
  const Handle group = file.make_group(file, "dyson");
  write_attribute(context, group, "source", stored.source);
  write_attribute(context, group, "spin", stored.spin);
  write_attribute(context, group, "process",
                  stored.others_have_fewer ? "ionisation" : "attachment");
  write_attribute(
      context, group, "rows",
      "energies and pole_strengths: a row for each state of this job, a column for each "
      "of the source; orbitals: a row for each pair, state by state, a column for each "
      "orbital of the problem");
  write_numbers(context, group, "other_energies", stored.other_energies);
  const auto others = std::ssize(stored.other_energies);
  const auto states = static_cast<int>(std::ssize(stored.energies) / others);
  hdf5::write_vectors(context, group, "energies", {stored.energies.data(), others, states, others});
  hdf5::write_vectors(context, group, "pole_strengths",
                      {stored.pole_strengths.data(), others, states, others});
  write_rows(context, group, "orbitals", stored.orbitals);
}

Index bytes_of(const StoredDyson& stored) {
  Index numbers = 2 * std::ssize(stored.energies) + std::ssize(stored.other_energies);
  for (const std::vector<double>& row : stored.orbitals) numbers += std::ssize(row);
  return numbers * Index{sizeof(double)};
}

Index bytes_of(const StoredTransitionOrbitals& stored) {
  Index bytes = 0;
  for (const auto* rows :
       {&stored.weights, &stored.holes, &stored.particles, &stored.level_hole_weights,
        &stored.level_particle_weights, &stored.level_holes, &stored.level_particles})
    for (const std::vector<double>& row : *rows) bytes += std::ssize(row) * Index{sizeof(double)};
  return bytes;
}

Index bytes_of(const StoredEntropies& entropies) {
  Index bytes = 0;
  for (const auto* rows : {&entropies.single, &entropies.mutual})
    for (const std::vector<double>& row : *rows) bytes += std::ssize(row) * Index{sizeof(double)};
  return bytes;
}

Index bytes_of(const StoredResults& results) {
  Index bytes = std::ssize(results.provenance.configuration) + (Index{1} << 16);
  if (results.densities != nullptr) bytes += bytes_of(*results.densities);
  if (results.entropies != nullptr) bytes += bytes_of(*results.entropies);
  if (results.basis) bytes += bytes_of(*results.basis);
  if (results.dyson != nullptr) bytes += bytes_of(*results.dyson);
  if (results.transition_orbitals != nullptr) bytes += bytes_of(*results.transition_orbitals);
  for (const StoredIteration& iteration : results.history)
    bytes += (std::ssize(iteration.energies) + std::ssize(iteration.residuals) + 4) * 8;
  return bytes;
}

}  // namespace

Index writing_address_space() { return hdf5::kWritingSpace; }
namespace {

std::vector<Index> numbers_of(const std::vector<int>& orbitals) {
  std::vector<Index> numbers;
  for (const int p : orbitals) numbers.push_back(p + 1);
  return numbers;
}

void write_matching_facts(const FileContext& context, const hdf5::NewFile& file,
                          const StoredSpace& space, const StoredOrbitals& orbitals) {
  const Handle group = file.make_group(file, "orbitals");
  write_attribute(context, group, "digest",
                  orbitals.digest.empty() ? kNoDigest : std::string_view(orbitals.digest));
  write_attribute(context, group, "are_sites", Index{orbitals.are_sites});
  if (!space.window.frozen.empty())
    write_numbers(context, group, "frozen", numbers_of(space.window.frozen));
  write_numbers(context, group, "active", numbers_of(space.window.active));
  if (orbitals.integrals == nullptr) return;
  const ci::Integrals& v = *orbitals.integrals;
  std::vector<double> one;
  for (int p = 0; p < v.orbitals(); ++p)
    for (int q = 0; q <= p; ++q) one.push_back(v.one(ci::Spin::alpha, p, q));
  write_numbers(context, group, "one_electron", one);
  const auto two = v.same_spin(ci::Spin::alpha).span();
  write_numbers(context, group, "two_electron", std::vector<double>(two.begin(), two.end()));
}

}  // namespace

struct ResultsFile::Impl {
  Impl(const std::filesystem::path& path, bool overwrite, Index bytes)
      : context(hdf5::writing_context(path)),
        file(context, path, overwrite, bytes),
        states(file.make_group(file, "states")) {}

  FileContext context;
  hdf5::NewFile file;
  Handle states;
  Index schema = kSchema;
};

ResultsFile::ResultsFile(const std::filesystem::path& path, const StoredVectors& vectors,
                         bool overwrite) {
  const hdf5::ErrorOutputOff silence;  // per thread; another thread may call commit()
  if (vectors.values)
    base::require_whole(vectors.layout, vectors.values->rows, "the vectors of results");
  const Index bytes =
      bytes_of({vectors.values, vectors.layout, nullptr, nullptr});  // the rest is compressed
  impl_ = std::make_unique<Impl>(path, overwrite, bytes);
  const FileContext& context = impl_->context;
  const StoredSpace* space = vectors.space;
  const auto strings = space == nullptr ? std::nullopt : std::make_optional<WholeStrings>(*space);
  if (vectors.values)
    hdf5::write_vectors(context, impl_->states, "vectors", *vectors.values,
                        strings ? signs_over_all(*strings) : hdf5::Alteration());
  if (strings && write_space(context, impl_->file, *space, *strings) == SpaceForm::strings)
    impl_->schema = kSchemaOfStrings;
  if (strings && vectors.orbitals != nullptr)
    write_matching_facts(context, impl_->file, *space, *vectors.orbitals);
  impl_->file.sync();
}

ResultsFile::ResultsFile(ResultsFile&&) noexcept = default;
ResultsFile::~ResultsFile() {
  const hdf5::ErrorOutputOff silence;
  impl_.reset();
}

void ResultsFile::commit(const StoredResults& results) {
  const hdf5::ErrorOutputOff silence;
  const FileContext& context = impl_->context;
  const hdf5::NewFile& file = impl_->file;
  file.require_space(bytes_of(results));
  write_root(context, file, impl_->schema);
  write_provenance(context, file, results.provenance);
  write_states(context, impl_->states, results);
  write_history(context, file, results.history);
  if (results.densities != nullptr) write_densities(context, file, *results.densities);
  if (results.properties) write_properties(context, file, *results.properties);
  if (results.entropies != nullptr) write_entropies(context, file, *results.entropies);
  if (results.basis) write_basis(context, file, *results.basis);
  if (results.transition_orbitals != nullptr)
    write_transition_orbitals(context, file, *results.transition_orbitals);
  if (results.dyson != nullptr) write_dyson(context, file, *results.dyson);
  impl_->states.close();
  impl_->file.commit();
}

}  // namespace cisolve::io
