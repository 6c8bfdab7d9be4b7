#pragma once

#include <filesystem>
#include <functional>
#include <span>

#include "base/block.hpp"
#include "base/small_matrix.hpp"
#include "io/files/output_file.hpp"
#include "io/hdf5/context.hpp"

namespace cisolve::io::hdf5 {

/// Address space that HDF5 needs at most to write a file; it crashes without memory. Chunks of 8
/// MiB are held three times, by the cache and by filters.
inline constexpr Index kWritingSpace = Index{32} << 20;

/// An HDF5 file that appears completely or not at all: written under a temporary name; commit()
/// closes, syncs and renames it. All metadata carry checksums.
class NewFile {
 public:
  /// `bytes` is the size of the contents without HDF5's overhead. Throws at once if the disk lacks
  /// this space, since HDF5 keeps files open that it cannot finish; throws ErrorKind::resources for
  /// an address space below kWritingSpace.
  NewFile(const FileContext& context, std::filesystem::path path, bool overwrite, Index bytes,
          FileOwner owner = FileOwner::user);
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile();

  operator hid_t() const { return file_; }
  Handle make_group(hid_t parent, const char* name) const;

  /// Throws if the disk lacks space for `bytes` more, or the address space is too small.
  void require_space(Index bytes) const;
  /// Flushes closed data sets to the disk, which leaves less work for commit().
  void sync() const { output_.sync(); }

  /// Closes the file and returns its temporary name, under which it can be read back.
  const std::filesystem::path& close();
  void commit();

 private:
  const FileContext& context_;
  OutputFile output_;
  Handle file_;
  bool committed_ = false;
};

/// Context for messages about files that cannot be written.
FileContext writing_context(const std::filesystem::path& path);

/// Access properties of files in our format.
Handle access_list(const FileContext& context);

/// Writes a scalar data set of text, for texts that may be long.
void write_text(const FileContext& context, hid_t parent, const char* name, std::string_view text);

/// Modifies elements of a vector in place; the first is element `row`.
using Alteration = std::function<void(Index row, std::span<double> elements)>;

/// Writes a two-dimensional data set, one row per vector of the block; copies of the elements are
/// altered if `alter` is set.
void write_vectors(const FileContext& context, hid_t parent, const char* name,
                   base::ConstBlock block, const Alteration& alter = {});

/// A data set of rows by columns; nothing of a matrix without columns.
void write_matrix(const FileContext& context, hid_t parent, const char* name,
                  const base::SmallMatrix& matrix);

/// A one-dimensional data set with checksums.
void write_reals(const FileContext& context, hid_t parent, const char* name,
                 std::span<const double> values);

}  // namespace cisolve::io::hdf5
