#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/files/mapped_file.hpp"

namespace cisolve::io {

/// What the directory of an archive says of one of its files.
struct ZipEntry {
  std::string name;
  bool deflated = false;
  std::uint32_t checksum = 0;
  Index stored_bytes = 0;
  Index bytes = 0;  // unpacked
  Index where = 0;  // of its own header
};

/// The directory of a ZIP archive, 64-bit ones included. It is not trusted: all that it says lies
/// within the file, entries are stored or deflated, and none claims more bytes than its packed ones
/// could hold. Throws Fault::bad_input.
std::vector<ZipEntry> read_zip_directory(const MappedFile& file);

/// The bytes of one entry, from its first to its last.
class ZipReader {
 public:
  ZipReader(const MappedFile& file, const ZipEntry& entry);
  ZipReader(const ZipReader&) = delete;
  ZipReader& operator=(const ZipReader&) = delete;
  ~ZipReader();

  Index left() const { return left_; }
  /// The next bytes, as many as are asked for. After the last ones the checksum is compared.
  void read(std::span<char> bytes);

 private:
  struct Inflation;
  void inflate(std::span<char> bytes);
  [[noreturn]] void refuse(std::string_view what) const;

  const MappedFile& file_;
  ZipEntry entry_;
  std::string_view packed_;
  Index left_;
  unsigned long sum_;
  std::unique_ptr<Inflation> inflation_;  // where the entry is deflated
};

}  // namespace cisolve::io
