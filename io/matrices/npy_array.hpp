#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/array.hpp"
#include "io/files/zip_archive.hpp"

namespace cisolve::io {

using base::Column;

/// A NumPy array of dimension 0 or 1 within a .npz archive. Its header is not trusted: the claimed
/// size must match the bytes that follow. Throws ErrorKind::bad_input with the array's name.
class NpyArray {
 public:
  NpyArray(const MappedFile& file, const ZipEntry& entry);

  Index size() const { return size_; }

  /// Integers of any width, each within 0 to `most`.
  base::Array<Column> columns(Index most, const base::Backend& host);
  base::Array<Index> indices(Index most, const base::Backend& host);
  /// Real numbers, integers or booleans, finite and exact as doubles.
  base::Array<double> reals(const base::Backend& host);
  /// A text of a few characters.
  std::string text();

 private:
  /// Element type: 'f' real, 'i' and 'u' integer, 'b' boolean, 'S' and 'U' text.
  struct Type {
    char kind = 0;
    int bytes = 0;
  };

  static std::optional<Type> parse_type(std::string_view quoted);
  void read_header();
  void parse(std::string_view header);
  template <class To, class Convert>
  base::Array<To> converted(const base::Backend& host, Convert convert);
  template <class Stored, class To, class Convert>
  void convert_all(base::Array<To>& result, Convert convert);
  template <class To>
  base::Array<To> whole_numbers(Index most, const base::Backend& host);
  [[noreturn]] void refuse(std::string_view what, std::string_view expected) const;

  const MappedFile& file_;
  std::string name_;
  ZipReader reader_;
  Type type_;
  Index size_ = 0;
};

}  // namespace cisolve::io
