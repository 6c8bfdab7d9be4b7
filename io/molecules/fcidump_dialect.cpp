#include "io/molecules/fcidump_dialect.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cisolve::io {
namespace {

using base::concat;
using ci::Spin;

/// Spins of the blocks aa, bb, ab, h_a, h_b.
constexpr Spin kLeftSpin[] = {Spin::alpha, Spin::beta, Spin::alpha, Spin::alpha, Spin::beta};
constexpr Spin kRightSpin[] = {Spin::alpha, Spin::beta, Spin::beta, Spin::alpha, Spin::beta};

SpinOrbital spin_orbital(const FcidumpShape& shape, int index) {
  const int from_zero = index - 1;
  if (shape.dialect == FcidumpDialect::interleaved)
    return {from_zero % 2 == 0 ? Spin::alpha : Spin::beta, from_zero / 2};
  if (from_zero < shape.orbitals) return {Spin::alpha, from_zero};
  return {Spin::beta, from_zero - shape.orbitals};
}

NamedIntegral name_in_block(int block, const FcidumpLine& line) {
  const bool two_electron = line.kind == FcidumpKind::two_electron;
  if (block > 4 || two_electron != (block < 3))
    throw TextProblem{
        line.where,
        concat("block ", block + 1, " of the file contains a ", two_electron ? "two" : "one",
               "-electron integral; ", "expected the ",
               "blocks aa, bb, ab, h_a, h_b and the core energy, each ", "closed by 0.0 0 0 0 0")};
  const auto& [i, j, k, l] = line.index;
  const Spin left = kLeftSpin[block];
  const Spin right = kRightSpin[block];
  return {{left, i - 1}, {left, j - 1}, {right, k - 1}, {right, l - 1}, two_electron};
}

NamedIntegral name_by_index(const FcidumpShape& shape, const FcidumpLine& line) {
  const auto& [i, j, k, l] = line.index;
  const bool two_electron = line.kind == FcidumpKind::two_electron;
  return {spin_orbital(shape, i), spin_orbital(shape, j), spin_orbital(shape, two_electron ? k : i),
          spin_orbital(shape, two_electron ? l : i), two_electron};
}

}  // namespace

std::string_view name_of(FcidumpDialect dialect) {
  switch (dialect) {
    case FcidumpDialect::restricted: return "restricted";
    case FcidumpDialect::headerless: return "headerless";
    case FcidumpDialect::spin_blocks: return "spin-dependent, six blocks";
    case FcidumpDialect::interleaved: return "spin-dependent, alpha odd and beta even";
    case FcidumpDialect::alpha_then_beta: return "spin-dependent, alpha first and beta after";
  }
  return "unknown";
}

int FcidumpShape::largest_index() const {
  const bool spin_orbitals =
      dialect == FcidumpDialect::interleaved || dialect == FcidumpDialect::alpha_then_beta;
  return spin_orbitals ? 2 * orbitals : orbitals;
}

FcidumpSurvey survey_body(std::string_view body, ValueColumn column, int largest_accepted,
                          Index norb) {
  FcidumpLines lines(body.data(), body.data() + body.size(), column, largest_accepted);
  FcidumpSurvey survey;
  for (FcidumpLine line; lines.next(line); ++survey.lines) {
    const int index = std::ranges::max(line.index);
    survey.largest_index = std::max(survey.largest_index, index);
    if (index > norb && survey.above_at == nullptr) survey.above_at = line.where;
    if (line.kind == FcidumpKind::core) ++survey.lines_without_orbitals;
  }
  return survey;
}

FcidumpShape spin_dependent_shape(const FcidumpHeader& header, std::string_view body) {
  const auto [orbitals, where] = *header.orbitals;
  const int norb = static_cast<int>(orbitals);
  const FcidumpSurvey survey =
      survey_body(body, ValueColumn::first, 2 * ci::kMostOrbitals, orbitals);
  if (survey.largest_index > norb) {
    if (survey.largest_index == 2 * norb) return {FcidumpDialect::alpha_then_beta, norb};
    throw TextProblem{survey.above_at,
                      concat("an orbital index exceeds NORB = ", norb, "; expected at most ", norb,
                             ", or alpha orbitals 1 to ", norb, " and beta orbitals up to ",
                             2 * norb, ", but the largest index is ", survey.largest_index)};
  }
  if (survey.lines_without_orbitals >= 5) return {FcidumpDialect::spin_blocks, norb};
  if (header.blocks)
    throw TextProblem{where,
                      "IUHF=1, but the file is not divided into blocks; expected aa, bb, "
                      "ab, h_a, h_b and the core energy, each closed by 0.0 0 0 0 0"};
  if (norb % 2 != 0)
    throw TextProblem{
        where, concat("NORB = ", norb, " is odd in a file with UHF=.TRUE.; expected an even ",
                      "number of spin orbitals")};
  return {FcidumpDialect::interleaved, norb / 2};
}

/// Most files end with the core energy; some close its block, too.
bool FcidumpElements::closes_block(const FcidumpLine& line) {
  if (shape_.dialect != FcidumpDialect::spin_blocks || block_ > 5) return false;
  if (block_ == 5 && (!std::exchange(has_core_, true) || line.value != 0)) return false;
  if (line.value != 0)
    throw TextProblem{line.where, concat("the line that closes block ", block_ + 1,
                                         " of six holds ", line.value, "; expected 0.0 0 0 0 0")};
  ++block_;
  return true;
}

bool FcidumpElements::next(FcidumpLine& line, NamedIntegral& element) {
  while (lines_.next(line)) {
    if (line.kind == FcidumpKind::orbital_energy) continue;
    if (line.kind == FcidumpKind::core) {
      if (closes_block(line)) continue;
      return true;
    }
    element = shape_.dialect == FcidumpDialect::spin_blocks ? name_in_block(block_, line)
                                                            : name_by_index(shape_, line);
    if (element.p.spin == element.q.spin && element.r.spin == element.s.spin) return true;
    if (std::abs(line.value) > kSpinForbidden)
      throw TextProblem{line.where,
                        concat("an integral couples an alpha and a beta orbital in a file read as ",
                               name_of(shape_.dialect), "; expected pairs of the same spin")};
  }
  return false;
}

}  // namespace cisolve::io
