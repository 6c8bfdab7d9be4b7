#include "io/results/space_write.hpp"

#include "ci/fock/spaces/string_blocks.hpp"
#include "io/hdf5/attributes.hpp"
#include "io/hdf5/dataset_writer.hpp"

namespace cisolve::io {
namespace {

using hdf5::DatasetWriter;
using hdf5::FileContext;
using hdf5::Handle;

constexpr ci::Spin kSpins[] = {ci::Spin::alpha, ci::Spin::beta};

/// The block of each string of either spin: determinants are all pairs of equal block. Empty if
/// there is a single block.
using Blocks = std::array<std::vector<Index>, 2>;

/// Returns blocks if strings represent the determinants in fewer numbers.
std::optional<Blocks> blocks_of(const StoredSpace& stored) {
  const ci::Space& space = stored.space;
  const Index words = words_for(stored.orbitals);
  const Index strings =
      std::ssize(space.strings(ci::Spin::alpha)) + std::ssize(space.strings(ci::Spin::beta));
  const bool is_product = space.lists() == 1;
  if (!is_product && strings * (words + 1) >= space.dimension() * 2 * words) return std::nullopt;
  auto betas = ci::lists_of_betas(space);
  if (!betas) return std::nullopt;
  if (is_product) return Blocks();
  Blocks blocks{std::vector<Index>(), *std::move(betas)};
  for (Index a = 0; a < std::ssize(space.strings(ci::Spin::alpha)); ++a)
    blocks[0].push_back(space.list_of(a));
  return blocks;
}

void write_orbitals(const FileContext& context, hid_t group, const StoredSpace& stored) {
  hdf5::write_attribute(context, group, "orbitals", Index{stored.orbitals});
  hdf5::write_attribute(context, group, "words", words_for(stored.orbitals));
  hdf5::write_attribute(context, group, "same_orbitals", Index{stored.same_orbitals});
}

DatasetWriter numbers(const FileContext& context, hid_t group, const char* name, Index size) {
  return {context,          group, name, H5T_STD_I64LE,
          H5T_NATIVE_INT64, 8,     size, hdf5::DatasetKind::compressed};
}

const char* name_of(ci::Spin spin) { return spin == ci::Spin::alpha ? "alpha" : "beta"; }

void write_determinants(const FileContext& context, hid_t group, const StoredSpace& stored,
                        const WholeStrings& strings) {
  const Index words = words_for(stored.orbitals);
  for (const ci::Spin spin : kSpins) {
    DatasetWriter all = numbers(context, group, name_of(spin), stored.space.dimension() * words);
    std::vector<Index> betas_of_alpha;  // the beta strings that occur with one alpha string
    for (Index a = 0; a < std::ssize(stored.space.strings(ci::Spin::alpha)); ++a) {
      strings.write_words(spin, a, words, betas_of_alpha);
      all.append(betas_of_alpha.data(), std::ssize(betas_of_alpha));
    }
  }
}

void write_strings(const FileContext& context, hid_t group, const StoredSpace& stored,
                   const WholeStrings& strings, const Blocks& blocks) {
  const Index words = words_for(stored.orbitals);
  for (const ci::Spin spin : kSpins) {
    const Index count = std::ssize(stored.space.strings(spin));
    DatasetWriter all = numbers(context, group, name_of(spin), count * words);
    for (Index s = 0; s < count; ++s) all.append(strings.words(spin, s).data(), words);
    const std::vector<Index>& block = blocks[static_cast<std::size_t>(spin)];
    if (block.empty()) continue;
    const char* name = spin == ci::Spin::alpha ? "alpha_block" : "beta_block";
    numbers(context, group, name, count).append(block.data(), count);
  }
}

}  // namespace

SpaceForm write_space(const FileContext& context, const hdf5::NewFile& file,
                      const StoredSpace& stored, const WholeStrings& strings) {
  const auto blocks = blocks_of(stored);
  const Handle group = file.make_group(file, blocks ? "strings" : "determinants");
  write_orbitals(context, group, stored);
  if (blocks)
    write_strings(context, group, stored, strings, *blocks);
  else
    write_determinants(context, group, stored, strings);
  return blocks ? SpaceForm::strings : SpaceForm::determinants;
}

Index bytes_of(const StoredSpace& stored) {
  const Index words = words_for(stored.orbitals);
  const auto blocks = blocks_of(stored);
  if (!blocks) return stored.space.dimension() * 2 * words * Index{sizeof(Index)};
  Index numbers = 0;
  for (const ci::Spin spin : kSpins)
    numbers += std::ssize(stored.space.strings(spin)) * (words + (blocks->front().empty() ? 0 : 1));
  return numbers * Index{sizeof(Index)};
}

Index bytes_of(const StoredVectors& vectors) {
  Index bytes = vectors.space != nullptr ? bytes_of(*vectors.space) : 0;
  if (vectors.values)
    bytes += vectors.values->rows * vectors.values->columns * Index{sizeof(double)};
  return bytes;
}

}  // namespace cisolve::io
