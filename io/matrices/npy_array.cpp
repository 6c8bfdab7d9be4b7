#include "io/matrices/npy_array.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "base/error.hpp"

namespace cisolve::io {
namespace {

constexpr Index kLongestHeader = Index{1} << 16;
constexpr Index kElementsAtOnce = Index{1} << 14;

/// The text after "'key':" in the text of a dictionary, up to one of `ends`; nullopt if the key is
/// missing or given twice.
std::optional<std::string_view> value_of(std::string_view header, std::string_view key,
                                         std::string_view ends) {
  const std::string quoted = base::concat("'", key, "':");
  std::size_t at = header.find(quoted);
  if (at == std::string_view::npos || header.rfind(quoted) != at) return std::nullopt;
  at = header.find_first_not_of(' ', at + quoted.size());
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t end = header.find_first_of(ends, at + 1);
  if (end == std::string_view::npos) return std::nullopt;
  return header.substr(at, end + 1 - at);
}

/// "(12,)" yields 12, "()" 1; nullopt for anything else.
std::optional<Index> size_of_list(std::string_view shape) {
  if (shape == "()") return 1;
  Index size = 0;
  const auto [end, error] = std::from_chars(shape.data() + 1, shape.data() + shape.size(), size);
  const std::string_view rest(end, shape.data() + shape.size() - end);
  if (!shape.starts_with('(') || error != std::errc() || rest != ",)" || size < 0)
    return std::nullopt;
  return size;
}

}  // namespace

NpyArray::NpyArray(const MappedFile& file, const ZipEntry& entry)
    : file_(file), name_(entry.name), reader_(file, entry) {
  read_header();
}

void NpyArray::read_header() {
  std::array<char, 8> begin{};
  reader_.read(begin);
  const auto byte = [](char c) { return Index{static_cast<unsigned char>(c)}; };
  if (std::string_view(begin.data(), 6) != "\x93NUMPY" || begin[6] < 1 || begin[6] > 3)
    refuse("the entry is not a NumPy array", "an array of format version 1 to 3");
  std::array<char, 4> length{};
  reader_.read(std::span(length).first(begin[6] == 1 ? 2 : 4));
  const Index bytes =
      byte(length[0]) | byte(length[1]) << 8 | byte(length[2]) << 16 | byte(length[3]) << 24;
  if (bytes > kLongestHeader) refuse("the header is too long", "at most 65536 bytes");
  std::string header(bytes, ' ');
  reader_.read(header);
  parse(header);
}

/// Parses a type such as "'<f8'"; big-endian types are not supported.
std::optional<NpyArray::Type> NpyArray::parse_type(std::string_view quoted) {
  const std::string_view descr = quoted.substr(1, quoted.size() - 2);
  if (!quoted.starts_with('\'') || descr.size() < 3) return std::nullopt;
  int count = 0;
  const char* const last = descr.data() + descr.size();
  const auto [end, error] = std::from_chars(descr.data() + 2, last, count);
  const bool is_swapped = descr[0] == '>' && count > 1;
  if (error != std::errc() || end != last || count < 1 || count > 64 || is_swapped)
    return std::nullopt;
  return Type{descr[1], descr[1] == 'U' ? 4 * count : count};
}

void NpyArray::parse(std::string_view header) {
  const auto descr = value_of(header, "descr", "'");
  const auto shape = value_of(header, "shape", ")");
  if (!descr || !shape) refuse("the header is damaged", "one descr and one shape");
  const std::optional<Index> size = size_of_list(*shape);
  if (!size)
    refuse(base::concat("the array has the shape ", shape->substr(0, 40)), "one dimension");
  const std::optional<Type> type = parse_type(*descr);
  if (!type)
    refuse(base::concat("the elements have the type ", descr->substr(0, 40)),
           "little-endian numbers; save A.astype(float)");
  size_ = *size;
  type_ = *type;
  if (size_ > reader_.left() || size_ * type_.bytes != reader_.left())
    refuse(base::concat(size_, " elements of ", type_.bytes, " bytes do not match the ",
                        reader_.left(), " bytes of data"),
           "an undamaged file");
}

template <class Stored, class To, class Convert>
void NpyArray::convert_all(base::Array<To>& result, Convert convert) {
  std::vector<Stored> piece(std::min(size_, kElementsAtOnce));
  for (Index first = 0; first < size_; first += kElementsAtOnce) {
    const Index count = std::min(kElementsAtOnce, size_ - first);
    reader_.read(
        {reinterpret_cast<char*>(piece.data()), static_cast<std::size_t>(count) * sizeof(Stored)});
    for (Index i = 0; i < count; ++i) result[first + i] = convert(piece[i], first + i);
  }
}

template <class To, class Convert>
base::Array<To> NpyArray::converted(const base::Backend& host, Convert convert) {
  base::Array<To> result(host, size_, "an array of a .npz file");
  const auto is = [this](char kind, int bytes) {
    return type_.kind == kind && type_.bytes == bytes;
  };
  if (is('f', 8))
    convert_all<double>(result, convert);
  else if (is('f', 4))
    convert_all<float>(result, convert);
  else if (is('i', 1))
    convert_all<std::int8_t>(result, convert);
  else if (is('i', 2))
    convert_all<std::int16_t>(result, convert);
  else if (is('i', 4))
    convert_all<std::int32_t>(result, convert);
  else if (is('i', 8))
    convert_all<std::int64_t>(result, convert);
  else if (is('u', 1) || is('b', 1))
    convert_all<std::uint8_t>(result, convert);
  else if (is('u', 2))
    convert_all<std::uint16_t>(result, convert);
  else if (is('u', 4))
    convert_all<std::uint32_t>(result, convert);
  else if (is('u', 8))
    convert_all<std::uint64_t>(result, convert);
  else if (type_.kind == 'c')
    refuse("complex numbers are not supported", "real numbers");
  else
    refuse(base::concat("the elements have the type ", std::string(1, type_.kind), type_.bytes),
           "real or whole numbers; save A.astype(float)");
  return result;
}

template <class To>
base::Array<To> NpyArray::whole_numbers(Index most, const base::Backend& host) {
  if (type_.kind != 'i' && type_.kind != 'u')
    refuse("the elements are not whole numbers", "indices");
  return converted<To>(host, [&](auto stored, Index at) {
    const auto value = static_cast<Index>(stored);  // NOLINT(bugprone-signed-char-misuse): a number
    if (value < 0 || value > most)
      refuse(base::concat("element ", at, " is ", value), base::concat("0 to ", most));
    return static_cast<To>(value);
  });
}

base::Array<Column> NpyArray::columns(Index most, const base::Backend& host) {
  return whole_numbers<Column>(most, host);
}

base::Array<Index> NpyArray::indices(Index most, const base::Backend& host) {
  return whole_numbers<Index>(most, host);
}

base::Array<double> NpyArray::reals(const base::Backend& host) {
  return converted<double>(host, [&](auto stored, Index at) {
    const auto value = static_cast<double>(stored);
    bool is_exact = std::isfinite(value);
    if constexpr (std::is_integral_v<decltype(stored)>)
      is_exact = std::abs(value) <= 0x1p53 && static_cast<decltype(stored)>(value) == stored;
    if (!is_exact)
      refuse(base::concat("element ", at, " is ", value), "a finite number, exact as a double");
    return value;
  });
}

std::string NpyArray::text() {
  if ((type_.kind != 'S' && type_.kind != 'U') || size_ != 1)
    refuse("the array is not a text", "one text");
  std::string bytes(reader_.left(), '\0');
  reader_.read(bytes);
  std::erase(bytes, '\0');
  return bytes;
}

void NpyArray::refuse(std::string_view what, std::string_view expected) const {
  file_.require_unchanged();
  base::fail(base::ErrorKind::bad_input, file_.path().native(), ": ", name_.substr(0, 40), ": ",
             what, "; expected ", expected);
}

}  // namespace cisolve::io
