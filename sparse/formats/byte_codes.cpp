#include "sparse/formats/byte_codes.hpp"

#include <algorithm>
#include <bit>
#include <compare>

namespace cisolve::sparse {
namespace {

static_assert(ValueSlots::kSlots == CodedSlicedView::kMostValues);

void append(const ValueSlots& slots, std::vector<double>& values) {
  for (const std::uint64_t bits : slots.bits)
    if (bits != ValueSlots::kEmpty) values.push_back(std::bit_cast<double>(bits));
}

bool precedes(double a, double b) { return std::strong_order(a, b) < 0; }

std::vector<double> sorted_distinct(std::vector<double> values) {
  std::ranges::sort(values, precedes);
  const auto repeats = std::ranges::unique(values, [](double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  });
  values.erase(repeats.begin(), repeats.end());
  return values;
}

ByteCodes::Numbers numbers_of(const ValueSlots& slots, const std::vector<double>& table) {
  ByteCodes::Numbers numbers{};
  for (int slot = 0; slot < ValueSlots::kSlots; ++slot) {
    if (slots.bits[slot] == ValueSlots::kEmpty) continue;
    const auto found =
        std::ranges::lower_bound(table, std::bit_cast<double>(slots.bits[slot]), precedes);
    numbers[slot] = static_cast<std::uint8_t>(found - table.begin());
  }
  return numbers;
}

}  // namespace

std::optional<ByteCodes> number_values(const MatrixValues& values) {
  if (values.off_diagonal.overflow != 0) return std::nullopt;
  ByteCodes codes;
  append(values.off_diagonal, codes.table);
  const auto off_diagonal = std::ssize(codes.table);
  append(values.diagonal, codes.table);
  codes.table = sorted_distinct(std::move(codes.table));
  codes.with_diagonal =
      values.diagonal.overflow == 0 && std::ssize(codes.table) <= ValueSlots::kSlots;
  if (!codes.with_diagonal) {
    if (off_diagonal > CodedSlicedView::kDiagonalCode) return std::nullopt;
    codes.table.clear();
    append(values.off_diagonal, codes.table);
    codes.table = sorted_distinct(std::move(codes.table));
  }
  codes.off_diagonal = numbers_of(values.off_diagonal, codes.table);
  if (codes.with_diagonal)
    codes.diagonal = numbers_of(values.diagonal, codes.table);
  else
    codes.diagonal.fill(CodedSlicedView::kDiagonalCode);
  return codes;
}

void adopt_table(const ByteCodes& codes, CodedSliced& matrix) {
  const base::Backend target = matrix.codes.backend();
  matrix.table = base::Array<double>::copy_of(codes.table, target, "the values of coded slices");
  if (codes.with_diagonal) matrix.diagonal = base::Array<double>(target, 0, "no diagonal");
}

}  // namespace cisolve::sparse
