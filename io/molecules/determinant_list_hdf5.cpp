#include <algorithm>
#include <array>
#include <map>

#include "base/array.hpp"
#include "io/files/worker.hpp"
#include "io/hdf5/attributes.hpp"
#include "io/hdf5/dataset_reader.hpp"
#include "io/molecules/determinant_list_body.hpp"

namespace cisolve::io {
namespace {

using hdf5::DatasetReader;
using hdf5::FileContext;

/// Arrangement of the words.
enum class ListForm : Index {
  interleaved,   // for each determinant the alpha string, then the beta string
  determinants,  // all alpha strings, then all beta strings
  strings,       // alpha strings, then beta strings; all pairs are determinants
  blocks,        // like strings, but for pairs of equal blocks alone; the strings' blocks follow
};

/// Sent by the worker before the words.
struct ListHeader {
  Index orbitals;
  Index words;  // words per string
  Index alphas;
  Index betas;  // equal to alphas except for strings and blocks
  ListForm form;
};

// ---- in the worker ----

Index words_each(const FileContext& context, Index orbitals) {
  if (orbitals < 1 || orbitals > ci::kMostOrbitals)
    context.refuse("orbitals", orbitals, "; expected 1 to ", ci::kMostOrbitals);
  return (orbitals + 63) / 64;
}

/// Number of items of `each` words.
Index count_of(const FileContext& context, Index elements, Index each, Index orbitals) {
  if (elements % each != 0)
    context.refuse("determinants", elements, " words; expected a multiple of ", each, " for ",
                   orbitals, " orbitals");
  return elements / each;
}

void send_trexio(const FileContext& context, hid_t file, const WorkerOutput& output) {
  const auto mo = hdf5::open_group(context, file, "mo");
  const auto group = hdf5::open_group(context, file, "determinant");
  const DatasetReader list(context, group, "determinant_list", hdf5::int64_elements());
  const Index orbitals = hdf5::read_integer(context, mo, "mo_num", "mo");
  const Index words = words_each(context, orbitals);
  const Index count = count_of(context, list.size(), 2 * words, orbitals);
  output.send(ListHeader{orbitals, words, count, count, ListForm::interleaved});
  list.send(output);
}

void send_determinants(const FileContext& context, hid_t file, const WorkerOutput& output) {
  const auto group = hdf5::open_group(context, file, "determinants");
  const DatasetReader alpha(context, group, "alpha", hdf5::int64_elements());
  const DatasetReader beta(context, group, "beta", hdf5::int64_elements());
  if (alpha.size() != beta.size())
    context.refuse("determinants", alpha.size(), " words of alpha and ", beta.size(),
                   " of beta strings; expected equal numbers");
  const Index orbitals = hdf5::read_integer(context, group, "orbitals", "determinants");
  const Index words = words_each(context, orbitals);
  const Index count = count_of(context, alpha.size(), words, orbitals);
  output.send(ListHeader{orbitals, words, count, count, ListForm::determinants});
  alpha.send(output);
  beta.send(output);
}

void send_strings(const FileContext& context, hid_t file, const WorkerOutput& output) {
  const auto group = hdf5::open_group(context, file, "strings");
  const DatasetReader alpha(context, group, "alpha", hdf5::int64_elements());
  const DatasetReader beta(context, group, "beta", hdf5::int64_elements());
  const Index orbitals = hdf5::read_integer(context, group, "orbitals", "strings");
  const Index words = words_each(context, orbitals);
  const Index alphas = count_of(context, alpha.size(), words, orbitals);
  const Index betas = count_of(context, beta.size(), words, orbitals);
  if (!hdf5::holds(context, group, "alpha_block")) {
    output.send(ListHeader{orbitals, words, alphas, betas, ListForm::strings});
    alpha.send(output);
    beta.send(output);
    return;
  }
  const DatasetReader alpha_block(context, group, "alpha_block", hdf5::int64_elements());
  const DatasetReader beta_block(context, group, "beta_block", hdf5::int64_elements());
  if (alpha_block.size() != alphas || beta_block.size() != betas)
    context.refuse("strings", alpha_block.size(), " and ", beta_block.size(), " blocks of ", alphas,
                   " alpha and ", betas, " beta strings; expected equal numbers");
  output.send(ListHeader{orbitals, words, alphas, betas, ListForm::blocks});
  for (const DatasetReader* part : {&alpha, &beta, &alpha_block, &beta_block}) part->send(output);
}

void send_words(const std::string& path, const WorkerOutput& output) {
  const hdf5::ErrorOutputOff silence;
  const FileContext context{path, base::ErrorKind::bad_input,
                            "expected an undamaged file with determinants of this program or of "
                            "TREXIO"};
  const auto file = hdf5::open_file(context);
  if (hdf5::holds(context, file, "strings"))
    send_strings(context, file, output);
  else if (hdf5::holds(context, file, "determinants"))
    send_determinants(context, file, output);
  else if (hdf5::holds(context, file, "mo"))
    send_trexio(context, file, output);
  else
    context.refuse("determinants",
                   "none in it; expected results of a job with 'output.vectors: true', or a TREXIO "
                   "file");
}

// ---- in the program ----

ci::String string_of(std::span<const Index> words) {
  std::array<std::uint64_t, ci::String::kWords> bits{};
  std::ranges::transform(words, bits.begin(),
                         [](Index word) { return static_cast<std::uint64_t>(word); });
  return ci::String::of_words(bits);
}

/// Received words and the determinants that they represent.
class ReceivedList {
 public:
  ReceivedList(const ListHeader& header, const base::Backend& host)
      : header_(header),
        numbers_(host, (header.alphas + header.betas) * header.words + blocks(),
                 "the words of determinants") {}

  std::span<Index> numbers() { return numbers_.span(); }

  /// Calls visit(determinant) for each; pairs of strings are ordered by alpha, then beta string.
  template <class Visit>
  void for_each(Visit visit) const {
    if (header_.form == ListForm::interleaved)
      for (Index k = 0; k < header_.alphas; ++k) visit({string(2 * k), string(2 * k + 1)});
    else if (header_.form == ListForm::determinants)
      for (Index k = 0; k < header_.alphas; ++k) visit({string(k), string(header_.alphas + k)});
    else
      for_each_pair(visit);
  }

  /// Number of determinants, saturating at kMostCounted.
  Index count() const {
    if (header_.form == ListForm::interleaved || header_.form == ListForm::determinants)
      return header_.alphas;
    const auto betas = betas_of_blocks();
    Index sum = 0;
    for (Index a = 0; a < header_.alphas; ++a)
      if (const auto with = betas.find(block(a)); with != betas.end())
        sum = std::min(sum + std::ssize(with->second), kMostCounted);
    return sum;
  }

  static constexpr Index kMostCounted = Index{1} << 48;

 private:
  Index blocks() const {
    return header_.form == ListForm::blocks ? header_.alphas + header_.betas : 0;
  }

  ci::String string(Index place) const {
    return string_of(numbers_.span().subspan(place * header_.words, header_.words));
  }

  /// Block of a string; beta strings are numbered after the alpha strings.
  Index block(Index place) const {
    const Index first = (header_.alphas + header_.betas) * header_.words;
    return header_.form == ListForm::blocks ? numbers_[first + place] : 0;
  }

  std::map<Index, std::vector<Index>> betas_of_blocks() const {
    std::map<Index, std::vector<Index>> betas;
    for (Index b = header_.alphas; b < header_.alphas + header_.betas; ++b)
      betas[block(b)].push_back(b);
    return betas;
  }

  template <class Visit>
  void for_each_pair(Visit visit) const {
    const auto betas = betas_of_blocks();
    for (Index a = 0; a < header_.alphas; ++a)
      if (const auto with = betas.find(block(a)); with != betas.end())
        for (const Index b : with->second) visit({string(a), string(b)});
  }

  ListHeader header_;
  base::Array<Index> numbers_;
};

}  // namespace

ci::DeterminantIndex read_hdf5_determinants(const std::filesystem::path& path,
                                            const ListSector& sector, const base::Backend& host) {
  const std::string& name = path.native();
  const auto refuse = [&](const auto&... parts) {
    base::fail(base::ErrorKind::bad_input, name, ": ", parts...);
  };
  Worker worker(name, kWorkerMemory, [&](const WorkerOutput& output) { send_words(name, output); });
  const auto header = worker.receive<ListHeader>();
  if (header.orbitals != sector.orbitals)
    refuse("the determinants have ", header.orbitals, " orbitals; expected ", sector.orbitals);
  ReceivedList list(header, host);
  worker.receive(list.numbers());
  const Index count = list.count();
  if (count == 0) refuse("there are no determinants; expected at least one");
  const base::Reservation held(host.memory(), count * Index{sizeof(ci::Determinant)},
                               "a list of determinants");
  std::vector<ci::Determinant> determinants;
  determinants.reserve(count);
  ListSector counted = sector;
  list.for_each([&](const ci::Determinant& determinant) {
    if (counted.alpha == kAsFirst) counted.alpha = determinant.alpha.count();
    if (counted.beta == kAsFirst) counted.beta = determinant.beta.count();
    const std::string problem = problem_of(determinant, counted);
    if (!problem.empty()) refuse("determinant ", std::ssize(determinants) + 1, problem);
    determinants.push_back(determinant);
  });
  ci::DeterminantIndex order(determinants, host);
  if (const auto repeat = order.first_repeat())
    refuse("determinant ", repeat->first + 1, " repeats determinant ", repeat->second + 1,
           "; expected each once");
  return order;
}

}  // namespace cisolve::io
