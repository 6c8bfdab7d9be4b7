#pragma once

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "io/hdf5/context.hpp"
#include "io/hdf5/handle.hpp"

namespace cisolve::io::hdf5 {

/// Elements per chunk of each row of a data set, with nearly full chunks: small enough for a
/// processor's cache between filters, but at most about a thousand chunks, up to 8 MiB each, since
/// HDF5 may search all chunks linearly.
constexpr Index chunk_of(Index length, Index rows = 1) {
  const Index most = std::clamp<Index>(length * rows / 1024, Index{1} << 14, Index{1} << 20);
  const Index chunks = std::max<Index>(1, (length + most - 1) / most);
  return std::max<Index>(1, (length + chunks - 1) / chunks);
}

/// Access properties without a chunk cache: a chunk that does not fit on the disk fails when it is
/// written, not unnoticed when the set is closed.
Handle write_through(const FileContext& context, const char* name);

enum class DatasetKind {
  checked,     // chunks with checksums
  compressed,  // deflated chunks with checksums
  growing,     // unfiltered chunks of an extensible set, as TREXIO expects
};

/// Writes a one-dimensional data set sequentially, in chunks. Buffers elements until a chunk is
/// full, so that each chunk is written once.
class DatasetWriter {
 public:
  DatasetWriter(const FileContext& context, hid_t group, const char* name, hid_t stored, hid_t held,
                Index element_bytes, Index size, DatasetKind kind);

  /// After `size` elements in total, all of them are in the file.
  void append(const void* elements, Index count);

 private:
  void write(const void* elements, Index count);

  const FileContext& context_;
  std::string name_;
  hid_t held_;
  Index element_bytes_;
  Index size_;
  Index chunk_;
  Index written_ = 0;
  std::vector<char> waiting_;
  Handle dataset_;
};

}  // namespace cisolve::io::hdf5
