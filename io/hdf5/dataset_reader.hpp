#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "io/files/worker.hpp"
#include "io/hdf5/context.hpp"

namespace cisolve::io::hdf5 {

/// Types of a data set's elements in the file and in memory.
struct ElementType {
  std::string_view name;
  hid_t little_endian;
  hid_t big_endian;
  Index stored_bytes;
  hid_t held;
  Index held_bytes;
};

ElementType int64_elements();
ElementType int32_elements();
ElementType float64_elements();
/// int64 and int32, both read as int64.
std::vector<ElementType> integer_elements();
/// int32 and int64, both read as int32; larger values saturate.
std::vector<ElementType> column_elements();
/// float64 and float32, both read as float64.
std::vector<ElementType> real_elements();
/// uint8, uint16 and int32, all read as int32.
std::vector<ElementType> index_elements();

/// Opens the context's file for reading, without plug-ins and network access.
Handle open_file(const FileContext& context);

/// Opens an object below a parent. Soft and external links are refused, since they lead elsewhere.
Handle open_group(const FileContext& context, hid_t parent, const char* name);

/// True if the parent contains an object of that name.
bool holds(const FileContext& context, hid_t parent, const char* name);

/// A one- or two-dimensional data set of an untrusted file. The constructor checks type, rank,
/// layout, filters and the presence of the elements before any is read.
class DatasetReader {
 public:
  DatasetReader(const FileContext& context, hid_t group, const char* name, const ElementType& type)
      : DatasetReader(context, group, name, std::vector<ElementType>{type}, 1) {}
  /// Accepts one of several stored types.
  DatasetReader(const FileContext& context, hid_t group, const char* name,
                const std::vector<ElementType>& types, int rank);

  Index size() const { return extent_[0] * extent_[1]; }
  Index rows() const { return extent_[0]; }
  Index columns() const { return extent_[1]; }
  /// Reads the elements slab by slab, row by row, and sends each slab.
  void send(const WorkerOutput& output) const;

 private:
  Index widest() const { return std::max(type_.stored_bytes, type_.held_bytes); }
  ElementType stored_type(const std::vector<ElementType>& types) const;
  void read_extent();
  void require_own_storage(hid_t creation) const;
  void require_known_filters(hid_t creation);
  void require_chunks(hid_t creation);
  void require_stored_bytes() const;
  void require_sound_chunks(Index first, Index last) const;
  void require_sound_chunk(Index row, Index column) const;

  const FileContext& context_;
  std::string name_;
  int rank_;
  Handle dataset_;
  ElementType type_;
  std::array<Index, 2> extent_{1, 1};  // {elements, 1} if there is one dimension
  std::array<Index, 2> chunk_{0, 1};   // 0, 1 if the data set is contiguous
  bool deflated_ = false;
};

}  // namespace cisolve::io::hdf5
