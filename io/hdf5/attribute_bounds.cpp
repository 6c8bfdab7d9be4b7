#include "io/hdf5/attribute_bounds.hpp"

#include <unistd.h>

#include <array>
#include <span>
#include <vector>

namespace cisolve::io::hdf5 {
namespace {

// HDF5 File Format Specification 3.0, sections IV.A.1.a (version 1 object header), IV.A.2.m
// (attribute message) and IV.A.2.q (continuation message).
constexpr std::size_t kAttributeMessage = 0x000C;
constexpr std::size_t kContinuationMessage = 0x0010;
constexpr std::size_t kHeaderPrefix = 16;
constexpr std::size_t kMessagePrefix = 8;
constexpr std::size_t kLargestHeader = std::size_t{1} << 24;  // bytes, of all its pieces
constexpr unsigned kSharedMessage = 2;                        // flag of a message
constexpr unsigned kSharedType = 1;                           // flag of an attribute

using Bytes = std::vector<unsigned char>;

/// The little-endian number in some bytes of the file.
std::size_t number_at(std::span<const unsigned char> bytes, std::size_t at, std::size_t width) {
  std::size_t number = 0;
  for (std::size_t i = width; i-- > 0;) number = number << 8 | bytes[at + i];
  return number;
}

constexpr std::size_t padded(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

/// The least number of bytes that an attribute message needs by its own numbers: prefix, name,
/// type, dataspace and one value.
std::size_t needed_bytes(std::span<const unsigned char> message) {
  if (message.size() < 9) return 9;
  const unsigned version = message[0];
  const unsigned flags = version == 1 ? 0 : message[1];
  const std::size_t prefix = version >= 3 ? 9 : 8;
  const std::array<std::size_t, 3> parts{number_at(message, 2, 2), number_at(message, 4, 2),
                                         number_at(message, 6, 2)};
  std::size_t needed = prefix;
  for (const std::size_t part : parts) needed += version == 1 ? padded(part) : part;
  const std::size_t type = prefix + (version == 1 ? padded(parts[0]) : parts[0]);
  if ((flags & kSharedType) != 0 || type + 8 > message.size()) return needed;
  return needed +
         number_at(message, type + 4, 4);  // the size of a value, which the type begins with
}

class ObjectHeader {
 public:
  ObjectHeader(const FileContext& context, hid_t object, std::string_view where)
      : context_(context),
        where_(where),
        file_(context.own(H5Iget_file_id(object), H5Fclose, "H5Iget_file_id", where)),
        start_(address_of(object)) {
    const Handle creation =
        context.own(H5Fget_create_plist(file_), H5Pclose, "H5Fget_create_plist", where);
    context.check(H5Pget_sizes(creation, &address_bytes_, &length_bytes_), "H5Pget_sizes", where);
    hsize_t user_block = 0;
    context.check(H5Pget_userblock(creation, &user_block), "H5Pget_userblock", where);
    base_ = user_block;
    const Handle access =
        context.own(H5Fget_access_plist(file_), H5Pclose, "H5Fget_access_plist", where);
    void* descriptor = nullptr;
    context.check(H5Fget_vfd_handle(file_, access, &descriptor), "H5Fget_vfd_handle", where);
    descriptor_ = *static_cast<const int*>(descriptor);
  }

  void require_attributes_fit_their_header() {
    const Bytes prefix = read(start_, kHeaderPrefix);
    if (prefix[0] != 1) return;  // later versions have a checksum
    pieces_.push_back({start_ + kHeaderPrefix, number_at(prefix, 8, 4)});
    std::size_t bytes = 0;
    while (!pieces_.empty()) {  // a continuation adds one
      const Piece piece = pieces_.back();
      pieces_.pop_back();
      bytes += piece.bytes;
      if (piece.bytes > kLargestHeader || bytes > kLargestHeader)
        refuse("its header has more than ", kLargestHeader, " bytes");
      visit_messages(read(piece.address, piece.bytes));
    }
  }

 private:
  struct Piece {
    std::size_t address;  // offset from the file's base address
    std::size_t bytes;
  };

  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    context_.refuse(where_, parts..., "; ", context_.remedy);
  }

  std::size_t address_of(hid_t object) const {
#if H5_VERSION_GE(1, 12, 0)
    H5O_info1_t info{};
    context_.check(H5Oget_info1(object, &info), "H5Oget_info1", where_);
#else
    H5O_info_t info{};
    context_.check(H5Oget_info(object, &info), "H5Oget_info", where_);
#endif
    return info.addr;
  }

  Bytes read(std::size_t address, std::size_t bytes) const {
    Bytes found(bytes);
    const ssize_t got =
        ::pread(descriptor_, found.data(), bytes, static_cast<off_t>(base_ + address));
    if (got != static_cast<ssize_t>(bytes)) refuse("its header ends beyond the end of the file");
    return found;
  }

  void visit_messages(std::span<const unsigned char> piece) {
    while (piece.size() >= kMessagePrefix) {
      const std::size_t kind = number_at(piece, 0, 2);
      const std::size_t bytes = number_at(piece, 2, 2);
      const unsigned flags = piece[4];
      piece = piece.subspan(kMessagePrefix);
      if (bytes > piece.size()) refuse("a message of its header is longer than the header");
      if (kind == kContinuationMessage && bytes >= address_bytes_ + length_bytes_)
        pieces_.push_back(
            {number_at(piece, 0, address_bytes_), number_at(piece, address_bytes_, length_bytes_)});
      if (kind == kAttributeMessage && (flags & kSharedMessage) == 0)
        require_bytes(piece.first(bytes));
      piece = piece.subspan(bytes);
    }
  }

  void require_bytes(std::span<const unsigned char> message) const {
    if (const std::size_t needed = needed_bytes(message); needed > message.size())
      refuse("an attribute claims ", needed, " bytes but has ", message.size());
  }

  const FileContext& context_;
  std::string_view where_;
  Handle file_;
  std::size_t address_bytes_ = 0;
  std::size_t length_bytes_ = 0;
  std::size_t base_ = 0;
  std::size_t start_ = 0;
  int descriptor_ = -1;
  std::vector<Piece> pieces_;
};

}  // namespace

void require_attributes_fit_their_header(const FileContext& context, hid_t object,
                                         std::string_view where) {
  ObjectHeader(context, object, where).require_attributes_fit_their_header();
}

}  // namespace cisolve::io::hdf5
