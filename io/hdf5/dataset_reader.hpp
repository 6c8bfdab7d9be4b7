#pragma once

#include <string>

#include "io/hdf5/context.hpp"
#include "io/worker.hpp"

namespace cisolve::io::hdf5 {

/// How the elements of a data set are stored and held.
struct ElementType {
  std::string_view name;
  hid_t little_endian;
  hid_t big_endian;
  hid_t held;
  Index bytes;
};

ElementType int64_elements();
ElementType int32_elements();
ElementType float64_elements();

/// Opens an object below a parent. Anything but a hard link is refused: soft and external links
/// lead elsewhere.
Handle open_group(const Context& context, hid_t parent, const char* name);

/// A one-dimensional data set of an untrusted file. The constructor checks all that can be known
/// before its elements are read: type, rank, layout, filters, and that the elements are there.
class DatasetReader {
 public:
  DatasetReader(const Context& context, hid_t group, const char* name, ElementType type);

  Index size() const { return size_; }
  /// Reads the elements slab by slab and sends each on.
  void send(const WorkerOutput& output) const;

 private:
  void require_type() const;
  void read_extent();
  void require_own_storage(hid_t creation) const;
  void require_known_filters(hid_t creation);
  void require_chunks(hid_t creation);
  void require_stored_bytes() const;
  void require_sound_chunks(Index first, Index last) const;

  const Context& context_;
  std::string name_;
  ElementType type_;
  Handle dataset_;
  Index size_ = 0;
  Index chunk_ = 0;  // elements; 0 where the data set is stored in one piece
  bool deflated_ = false;
};

}  // namespace cisolve::io::hdf5
