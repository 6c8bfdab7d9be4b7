#include "io/molecules/fcidump.hpp"

#include <string>
#include <type_traits>
#include <utility>

#include "ci/fock/integrals/symmetry.hpp"
#include "io/files/mapped_file.hpp"
#include "io/molecules/fcidump_dialect.hpp"

namespace cisolve::io {
namespace {

using base::concat;
using Dialect = FcidumpDialect;

/// A number from the header or the options, which must agree.
std::optional<Index> agreed_value(const MappedFile& file, std::string_view key,
                                  const std::optional<FcidumpNumber>& in_file,
                                  const std::optional<int>& in_options) {
  if (in_file && in_options && in_file->value != *in_options)
    base::fail(base::ErrorKind::configuration, file.path().native(), ":",
               file.line_of(in_file->where), ": ", key, " is ", in_file->value,
               ", but the configuration has ", *in_options,
               "; expected the same, or space.electrons to override the file");
  if (in_file) return in_file->value;
  if (in_options) return *in_options;
  return std::nullopt;
}

/// Complex orbitals: completing their integrals by the symmetry of real ones would change them.
constexpr std::string_view kComplexOrbitals =
    "their real integrals have (ij|kl) = (kl|ij) = (ji|lk), but not (ji|kl); expected real "
    "orbitals, "
    "whose integrals have all eight equal, for example the x and y orbitals of each pair of +m and "
    "-m";

class FcidumpReader {
 public:
  FcidumpReader(const std::filesystem::path& path, const FcidumpOptions& options,
                const base::Backend& host)
      : file_(path), options_(options), host_(host) {}

  MolecularProblem read() {
    return with_line_numbers([&] { return read_as(shape()); });
  }

  FcidumpOutline outline() {
    return with_line_numbers([&] {
      const FcidumpShape found = shape();
      const auto [alpha, beta] = electrons(found.orbitals);
      return FcidumpOutline{found.orbitals, alpha, beta, std::string(name_of(found.dialect))};
    });
  }

 private:
  template <class Work>
  std::invoke_result_t<Work> with_line_numbers(Work work) {
    try {
      return work();
    } catch (const TextProblem& problem) {
      file_.refuse(problem);
    }
  }

  FcidumpShape shape() {
    header_ = parse_fcidump_header(file_.text());
    const char* end = file_.text().data() + file_.text().size();
    body_ = {header_.body, static_cast<std::size_t>(end - header_.body)};
    const FcidumpShape found = header_.present ? shape_of_header() : shape_of_body();
    require_real_orbitals();
    require_symmetry_count(found);
    return found;
  }

  MolecularProblem read_as(const FcidumpShape& shape) {
    const auto [alpha, beta] = electrons(shape.orbitals);
    ci::Integrals integrals = read_body(shape);
    file_.require_unchanged();
    const std::optional<int> irrep = set_symmetry(shape, integrals);
    for (const std::string& key : header_.ignored)
      warnings_.push_back(concat("the header's key ", key, " is ignored"));
    return {std::move(integrals),
            alpha,
            beta,
            irrep,
            std::string(name_of(shape.dialect)),
            std::move(warnings_),
            std::move(irreps_)};
  }

  FcidumpShape shape_of_header() {
    if (!header_.orbitals)
      throw TextProblem{file_.text().data(),
                        "the header has no NORB; expected NORB=, the number of "
                        "orbitals"};
    agreed_value(file_, "NORB", header_.orbitals, options_.orbitals);
    const auto [orbitals, where] = *header_.orbitals;
    const int most = (header_.spin_dependent ? 2 : 1) * ci::kMostOrbitals;
    if (orbitals < 1 || orbitals > most)
      throw TextProblem{where, concat("NORB = ", orbitals, "; expected 1 to ", most)};
    if (!header_.spin_dependent) return {Dialect::restricted, static_cast<int>(orbitals)};
    const FcidumpShape shape = spin_dependent_shape(header_, body_);
    if (shape.orbitals > ci::kMostOrbitals)
      throw TextProblem{where, concat("NORB = ", orbitals, " spatial orbitals; expected at most ",
                                      ci::kMostOrbitals)};
    return shape;
  }

  FcidumpShape shape_of_body() {
    value_column_ = find_value_column(body_);
    const int most = options_.orbitals.value_or(ci::kMostOrbitals);
    if (most < 1 || most > ci::kMostOrbitals)
      base::fail(base::ErrorKind::configuration, most, " orbitals; expected 1 to ",
                 ci::kMostOrbitals);
    const FcidumpSurvey survey = survey_body(body_, value_column_, most, most);
    if (options_.orbitals) return {Dialect::headerless, most};
    if (survey.largest_index == 0)
      throw TextProblem{body_.data() + body_.size(),
                        "the file has no integrals; expected lines of a value and "
                        "four orbital indices"};
    warnings_.push_back(concat("the file has no header; the number of orbitals is taken as ",
                               survey.largest_index, ", the largest index of the file"));
    return {Dialect::headerless, survey.largest_index};
  }

  void require_real_orbitals() const {
    if (header_.momenta_at == nullptr) return;
    throw TextProblem{header_.momenta_at,
                      concat("orbitals with an angular momentum or a wave vector are complex: ",
                             kComplexOrbitals)};
  }

  void require_symmetry_count(const FcidumpShape& shape) const {
    const auto given = std::ssize(header_.symmetries);
    if (given == 0 && header_.symmetries_at == nullptr) return;
    const bool twice = shape.spin_dependent() && given == Index{2} * shape.orbitals;
    const bool once = shape.dialect != Dialect::interleaved && given == shape.orbitals;
    if (once || twice) return;
    throw TextProblem{header_.symmetries_at,
                      concat("ORBSYM holds ", given,
                             " values; expected NORB = ", header_.orbitals->value, " of them")};
  }

  std::pair<int, int> electrons(int orbitals) {
    const auto count = agreed_value(file_, "NELEC", header_.electrons, options_.electrons);
    const char* where = header_.electrons ? header_.electrons->where : file_.text().data();
    if (!count && options_.default_electrons)
      return {options_.default_electrons->at(0), options_.default_electrons->at(1)};
    if (!count)
      throw TextProblem{where,
                        "the number of electrons is not given; expected NELEC= in the "
                        "header, or problem.electrons or space.electrons in the configuration"};
    if (*count < 0 || *count > Index{2} * orbitals)
      throw TextProblem{where, concat(*count, " electrons in ", orbitals, " orbitals; expected 0 ",
                                      "to ", 2 * orbitals)};
    const Index ms2 = chosen_ms2(*count);
    if (header_.ms2) where = header_.ms2->where;
    const auto refuse = [&](const std::string& why) {
      const bool is_of_file = !options_.ms2 || (header_.ms2 && header_.ms2->value == ms2);
      if (is_of_file) throw TextProblem{where, why};
      base::fail(base::ErrorKind::configuration, file_.path().native(), ": problem.ms2: ", why);
    };
    if ((*count + ms2) % 2 != 0)
      refuse(concat(*count, " electrons with MS2 = ", ms2, "; expected both even or both odd"));
    const Index most = std::min(*count, Index{2} * orbitals - *count);
    if (ms2 < -most || ms2 > most)
      refuse(concat("MS2 = ", ms2, " with ", *count, " electrons in ", orbitals,
                    " orbitals; expected ", -most, " to ", most));
    return {static_cast<int>((*count + ms2) / 2), static_cast<int>((*count - ms2) / 2)};
  }

  Index chosen_ms2(Index electrons) {
    if (!header_.ms2 && !options_.ms2) {
      if (electrons % 2 != 0) warnings_.push_back("MS2 is not given and taken as 1");
      return electrons % 2;
    }
    if (!options_.ms2) return header_.ms2->value;
    if (header_.ms2 && header_.ms2->value != *options_.ms2)
      warnings_.push_back(concat("problem.ms2 = ", *options_.ms2,
                                 " overrides MS2 = ", header_.ms2->value, " of the file"));
    return *options_.ms2;
  }

  ci::Integrals read_body(const FcidumpShape& shape) {
    IntegralStore store(shape.orbitals, shape.spin_dependent(), host_);
    FcidumpElements elements(body_.data(), body_.data() + body_.size(), value_column_, shape);
    FcidumpLine line;
    NamedIntegral element{};
    bool any = false;
    bool any_one = false;
    bool is_last_one = false;  // the last line is a one-electron integral
    for (; elements.next(line, element); any = true) {
      const bool core = line.kind == FcidumpKind::core;
      is_last_one = !core && !element.two_electron;
      if (is_last_one && !std::exchange(any_one, true)) require_none_expected(line);
      if (core ? !store.put_core(line.value, line.value_text)
               : !store.put(element, line.value, line.value_text))
        refuse_conflict(shape, store, element, line);
    }
    const char* end = body_.data() + body_.size();
    if (!any)
      throw TextProblem{end,
                        "no integrals follow the header; expected lines of a value and four "
                        "orbital indices"};
    if (shape.dialect == Dialect::spin_blocks && elements.closed_blocks() < 5)
      throw TextProblem{end, concat("the file ends in block ", elements.closed_blocks() + 1,
                                    " of six; expected aa, bb, ab, h_a, h_b and the core energy")};
    if (!any_one && options_.has_one_electron)
      throw TextProblem{
          end,
          "the file has no one-electron integrals (lines of a value and i j 0 0), as in a "
          "truncated file; expected some, or problem.one_electron_integrals: none for "
          "a model without any"};
    if (const std::string flaw = store.flaw(); !flaw.empty()) throw TextProblem{end, flaw};
    if (is_last_one && !store.has_core())
      if (const std::string cut = store.flaw_of_truncation(); !cut.empty())
        throw TextProblem{end, cut};
    if (!store.has_core())
      warnings_.push_back(
          "the file has no core energy (a line with the indices 0 0 0 0), which is taken as "
          "0");
    return store.take();
  }

  void require_none_expected(const FcidumpLine& line) const {
    if (options_.has_one_electron) return;
    base::fail(base::ErrorKind::configuration, file_.path().native(), ":",
               file_.line_of(line.where),
               ": the file has a one-electron integral, but problem.one_electron_integrals is "
               "none; expected "
               "a file without them, or 'one_electron_integrals: required'");
  }

  /// Finds the first line with the element and throws.
  [[noreturn]] void refuse_conflict(const FcidumpShape& shape, const IntegralStore& store,
                                    const NamedIntegral& element, const FcidumpLine& line) const {
    const bool core = line.kind == FcidumpKind::core;
    FcidumpElements elements(body_.data(), body_.data() + body_.size(), value_column_, shape);
    FcidumpLine earlier;
    NamedIntegral named{};
    while (elements.next(earlier, named)) {
      const bool core_too = earlier.kind == FcidumpKind::core;
      if (core == core_too && (core || store.same_element(named, element))) break;
    }
    const bool complex = !core && only_real_orbitals_equate(named, element);
    throw TextProblem{
        line.where,
        concat(core ? "the core energy" : "an integral", " is ", line.value_text.substr(0, 40),
               ", but line ", file_.line_of(earlier.where), " gives it as ",
               earlier.value_text.substr(0, 40), "; expected one value for ",
               "integrals that are equal by exchange of indices",
               complex ? ". If the orbitals are complex, " : "", complex ? kComplexOrbitals : "")};
  }

  std::optional<int> set_symmetry(const FcidumpShape& shape, ci::Integrals& integrals) {
    const std::vector<Index> spatial = spatial_symmetries(shape);
    if (spatial.empty()) return std::nullopt;
    ci::SymmetryReading reading = ci::read_orbital_symmetry(
        spatial, integrals, {.group = header_.point_group, .numbering = options_.numbering});
    if (!reading.refusal.empty())
      base::fail(base::ErrorKind::configuration, file_.path().native(), ":",
                 file_.line_of(header_.symmetries_at), ": ", reading.refusal);
    if (!reading.warning.empty()) warnings_.push_back(reading.warning);
    integrals.set_irreps(std::move(reading.labels));
    irreps_ = std::move(reading.irreps);
    if (reading.convention == "none" || !header_.irrep || header_.irrep->value == 0)
      return std::nullopt;
    const Index irrep = header_.irrep->value;
    if (irrep >= 1 && irrep <= 8) {
      const auto label = static_cast<std::size_t>(irrep - 1);
      return reading.relabelled.empty() ? static_cast<int>(label) : reading.relabelled[label];
    }
    warnings_.push_back(concat("ISYM = ", irrep, " is ignored; expected 1 to 8"));
    return std::nullopt;
  }

  /// One label per orbital; empty if alpha and beta orbitals differ.
  std::vector<Index> spatial_symmetries(const FcidumpShape& shape) {
    const std::vector<Index>& given = header_.symmetries;
    if (std::ssize(given) == shape.orbitals) return given;
    std::vector<Index> spatial;
    const bool interleaved = shape.dialect == Dialect::interleaved;
    for (int p = 0; p < shape.orbitals && !given.empty(); ++p) {
      const Index alpha = given[interleaved ? 2 * p : p];
      const Index beta = given[interleaved ? 2 * p + 1 : p + shape.orbitals];
      spatial.push_back(alpha);
      if (alpha == beta) continue;
      warnings_.push_back(concat("symmetry is off: the alpha and the beta orbital ", p + 1,
                                 " are of different symmetries"));
      return {};
    }
    return spatial;
  }

  MappedFile file_;
  FcidumpOptions options_;
  base::Backend host_;
  FcidumpHeader header_;
  std::string_view body_;
  ValueColumn value_column_ = ValueColumn::first;
  ci::IrrepNames irreps_;
  std::vector<std::string> warnings_;
};

}  // namespace

FcidumpOutline outline_fcidump(const std::filesystem::path& path, const FcidumpOptions& options,
                               const base::Backend& host) {
  return FcidumpReader(path, options, host).outline();
}

MolecularProblem read_fcidump(const std::filesystem::path& path, const FcidumpOptions& options,
                              const base::Backend& host) {
  return FcidumpReader(path, options, host).read();
}

}  // namespace cisolve::io
