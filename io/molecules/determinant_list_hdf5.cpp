#include <bit>

#include "base/array.hpp"
#include "io/files/worker.hpp"
#include "io/hdf5/attributes.hpp"
#include "io/hdf5/dataset_reader.hpp"
#include "io/molecules/determinant_list_body.hpp"

namespace cisolve::io {
namespace {

using hdf5::Context;
using hdf5::DatasetReader;

/// What the worker sends ahead of the words: of one data set that holds alpha and beta words in
/// turn, or of two.
struct ListHeader {
  Index orbitals;
  Index words;  // for one spin of one determinant
  Index determinants;
  bool in_turn;
};

// ---- in the worker ----

ListHeader header_of(const Context& context, Index orbitals, Index elements, bool in_turn) {
  if (orbitals < 1 || orbitals > ci::kMostOrbitals)
    context.refuse("orbitals", orbitals, "; expected 1 to ", ci::kMostOrbitals);
  const Index words = (orbitals + 63) / 64;
  const Index each = in_turn ? 2 * words : words;
  if (elements % each != 0)
    context.refuse("determinants", elements, " words; expected a multiple of ", each, " for ",
                   orbitals, " orbitals");
  return {orbitals, words, elements / each, in_turn};
}

void send_trexio(const Context& context, hid_t file, const WorkerOutput& output) {
  const auto mo = hdf5::open_group(context, file, "mo");
  const auto group = hdf5::open_group(context, file, "determinant");
  const DatasetReader list(context, group, "determinant_list", hdf5::int64_elements());
  output.send(
      header_of(context, hdf5::read_integer(context, mo, "mo_num", "mo"), list.size(), true));
  list.send(output);
}

void send_own(const Context& context, hid_t file, const WorkerOutput& output) {
  const auto group = hdf5::open_group(context, file, "determinants");
  const DatasetReader alpha(context, group, "alpha", hdf5::int64_elements());
  const DatasetReader beta(context, group, "beta", hdf5::int64_elements());
  if (alpha.size() != beta.size())
    context.refuse("determinants", alpha.size(), " words of alpha and ", beta.size(),
                   " of beta strings; expected as many");
  const Index orbitals = hdf5::read_integer(context, group, "orbitals", "determinants");
  output.send(header_of(context, orbitals, alpha.size(), false));
  alpha.send(output);
  beta.send(output);
}

void send_words(const std::string& path, const WorkerOutput& output) {
  const hdf5::Silence silence;
  const Context context{path, base::Fault::bad_input,
                        "expected an undamaged file with determinants of this program or of "
                        "TREXIO"};
  const auto file = hdf5::open_file(context);
  if (hdf5::holds(context, file, "determinants"))
    send_own(context, file, output);
  else
    send_trexio(context, file, output);
}

// ---- in the program ----

ci::String string_of(std::span<const Index> words) {
  ci::String string;
  for (int w = 0; w < std::ssize(words); ++w)
    for (auto word = static_cast<std::uint64_t>(words[w]); word != 0; word &= word - 1)
      string = string.with(64 * w + std::countr_zero(word));
  return string;
}

}  // namespace

std::vector<ci::Determinant> read_hdf5_determinants(const std::filesystem::path& path,
                                                    const ListSector& sector,
                                                    const base::Backend& host) {
  const std::string& name = path.native();
  const auto refuse = [&](const auto&... parts) {
    base::fail(base::Fault::bad_input, name, ": ", parts...);
  };
  Worker worker(name, kWorkerMemory, [&](const WorkerOutput& output) { send_words(name, output); });
  const auto header = worker.receive<ListHeader>();
  if (header.orbitals != sector.orbitals)
    refuse("determinants over ", header.orbitals, " orbitals; expected ", sector.orbitals);
  if (header.determinants == 0) refuse("no determinants; expected at least one");
  base::Array<Index> words(host, 2 * header.words * header.determinants,
                           "the words of determinants");
  worker.receive(words.span());
  host.memory().require(header.determinants * Index{sizeof(ci::Determinant)},
                        "a list of determinants");
  std::vector<ci::Determinant> determinants;
  determinants.reserve(header.determinants);
  const ci::String all = ci::String::below(sector.orbitals);
  for (Index k = 0; k < header.determinants; ++k) {
    const Index alpha = header.in_turn ? 2 * k * header.words : k * header.words;
    const Index beta =
        header.in_turn ? alpha + header.words : (header.determinants + k) * header.words;
    const ci::Determinant determinant{string_of(words.span().subspan(alpha, header.words)),
                                      string_of(words.span().subspan(beta, header.words))};
    if (!(determinant.alpha - all).empty() || !(determinant.beta - all).empty())
      refuse("determinant ", k + 1, " occupies an orbital above ", sector.orbitals);
    const std::string problem = electron_problem(determinant, sector, k + 1);
    if (!problem.empty()) refuse(problem);
    determinants.push_back(determinant);
  }
  if (const auto repeat = first_repeat(determinants, host))
    refuse("determinant ", repeat->first + 1, " is determinant ", repeat->second + 1,
           " again; expected each once");
  return determinants;
}

}  // namespace cisolve::io
