#include "io/files/zip_archive.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <set>

#include "base/error.hpp"

namespace cisolve::io {
namespace {

constexpr std::uint32_t kEntryMark = 0x02014b50;
constexpr std::uint32_t kLocalMark = 0x04034b50;
constexpr std::uint32_t kEndMark = 0x06054b50;
constexpr std::uint32_t kLargeEndMark = 0x06064b50;
constexpr std::uint32_t kLargeLocatorMark = 0x07064b50;
constexpr Index kEndBytes = 22;
constexpr Index kLocatorBytes = 20;
constexpr Index kMostEntries = 1000;
constexpr Index kBestDeflateRatio = 1032;  // limit of the deflate format itself
constexpr std::uint64_t kElsewhere = 0xffffffff;

[[noreturn]] void refuse_file(const MappedFile& file, std::string_view what) {
  file.require_unchanged();
  base::fail(base::ErrorKind::bad_input, file.path().native(), ": ", what,
             "; expected an undamaged .npz file, as scipy.sparse.save_npz writes it");
}

/// Reads little-endian numbers with bounds checks.
class Numbers {
 public:
  Numbers(const MappedFile& file, Index where) : file_(file), text_(file.text()), at_(where) {}

  std::uint64_t next(int bytes) {
    require(bytes);
    std::uint64_t value = 0;
    for (int i = 0; i < bytes; ++i)
      value |= std::uint64_t{static_cast<unsigned char>(text_[at_ + i])} << (8 * i);
    at_ += bytes;
    return value;
  }
  std::string_view text(Index bytes) {
    require(bytes);
    at_ += bytes;
    return text_.substr(at_ - bytes, bytes);
  }
  void skip(Index bytes) { text(bytes); }
  Index at() const { return at_; }

 private:
  void require(Index bytes) const {
    const auto size = static_cast<Index>(text_.size());
    if (at_ < 0 || at_ > size || bytes < 0 || bytes > size - at_)
      refuse_file(file_, "the archive is truncated or damaged");
  }

  const MappedFile& file_;
  std::string_view text_;
  Index at_;
};

Index as_index(const MappedFile& file, std::uint64_t value) {
  if (value > static_cast<std::uint64_t>(std::numeric_limits<Index>::max()))
    refuse_file(file, "the archive is damaged");
  return static_cast<Index>(value);
}

struct Directory {
  Index entries;
  Index where;
};

/// Reads the ZIP64 end record, for numbers that do not fit the ordinary one.
Directory find_large_directory(const MappedFile& file, Index end) {
  Numbers locator(file, end - kLocatorBytes);
  if (locator.next(4) != kLargeLocatorMark) refuse_file(file, "the archive has no directory");
  locator.skip(4);
  Numbers large(file, as_index(file, locator.next(8)));
  if (large.next(4) != kLargeEndMark) refuse_file(file, "the archive has no directory");
  large.skip(8 + 2 + 2 + 4 + 4 + 8);
  const Index entries = as_index(file, large.next(8));
  large.skip(8);
  return {entries, as_index(file, large.next(8))};
}

/// Searches the end record backwards, past a possible comment.
Directory find_directory(const MappedFile& file) {
  const auto size = static_cast<Index>(file.text().size());
  const Index farthest = std::max<Index>(0, size - kEndBytes - 0xffff);
  for (Index end = size - kEndBytes; end >= farthest; --end) {
    Numbers numbers(file, end);
    if (numbers.next(4) != kEndMark) continue;
    numbers.skip(6);
    const std::uint64_t entries = numbers.next(2);
    numbers.skip(4);
    const std::uint64_t where = numbers.next(4);
    if (entries == 0xffff || where == kElsewhere) return find_large_directory(file, end);
    return {static_cast<Index>(entries), static_cast<Index>(where)};
  }
  refuse_file(file, "the file is not a ZIP archive");
}

/// Reads numbers beyond 32 bits from the extra fields.
void take_large_numbers(const MappedFile& file, Index where, Index bytes, std::uint64_t& unpacked,
                        std::uint64_t& packed, std::uint64_t& local) {
  constexpr std::uint64_t large_numbers = 1;
  Numbers extra(file, where);
  while (extra.at() + 4 <= where + bytes) {
    const std::uint64_t kind = extra.next(2);
    const auto length = static_cast<Index>(extra.next(2));
    if (kind != large_numbers) {
      extra.skip(length);
      continue;
    }
    for (std::uint64_t* number : {&unpacked, &packed, &local})
      if (*number == kElsewhere) *number = extra.next(8);
    return;
  }
}

ZipEntry read_entry(const MappedFile& file, Numbers& numbers) {
  if (numbers.next(4) != kEntryMark) refuse_file(file, "the directory of the archive is damaged");
  numbers.skip(4);
  const bool encrypted = (numbers.next(2) & 1) != 0;
  const std::uint64_t method = numbers.next(2);
  numbers.skip(4);
  ZipEntry entry;
  entry.checksum = static_cast<std::uint32_t>(numbers.next(4));
  std::uint64_t packed = numbers.next(4);
  std::uint64_t unpacked = numbers.next(4);
  const auto name_bytes = static_cast<Index>(numbers.next(2));
  const auto extra_bytes = static_cast<Index>(numbers.next(2));
  const auto comment_bytes = static_cast<Index>(numbers.next(2));
  numbers.skip(8);
  std::uint64_t local = numbers.next(4);
  entry.name = numbers.text(name_bytes);
  take_large_numbers(file, numbers.at(), extra_bytes, unpacked, packed, local);
  numbers.skip(extra_bytes + comment_bytes);
  if (encrypted || (method != 0 && method != 8))
    refuse_file(file, "an entry is encrypted, or not compressed by deflate");
  entry.deflated = method == 8;
  entry.stored_bytes = as_index(file, packed);
  entry.bytes = as_index(file, unpacked);
  entry.where = as_index(file, local);
  const Index most = entry.deflated ? kBestDeflateRatio : 1;
  if (entry.stored_bytes > static_cast<Index>(file.text().size()) ||
      entry.bytes > entry.stored_bytes * most ||
      (!entry.deflated && entry.bytes != entry.stored_bytes))
    refuse_file(file, "an entry claims more bytes than the file has");
  return entry;
}

}  // namespace

std::vector<ZipEntry> read_zip_directory(const MappedFile& file) {
  const Directory directory = find_directory(file);
  if (directory.entries > kMostEntries) refuse_file(file, "the archive has too many entries");
  Numbers numbers(file, directory.where);
  std::vector<ZipEntry> entries;
  std::set<std::string> names;
  for (Index i = 0; i < directory.entries; ++i) {
    entries.push_back(read_entry(file, numbers));
    if (!names.insert(entries.back().name).second)
      refuse_file(file, "two entries of the archive have the same name");
  }
  return entries;
}

struct ZipReader::Inflation {
  z_stream stream{};
  bool ended = false;
};

ZipReader::ZipReader(const MappedFile& file, const ZipEntry& entry)
    : file_(file), entry_(entry), left_(entry.bytes), sum_(crc32(0, nullptr, 0)) {
  Numbers numbers(file, entry.where);
  if (numbers.next(4) != kLocalMark) refuse("has no header");
  numbers.skip(22);
  const auto name_bytes = static_cast<Index>(numbers.next(2));
  const auto extra_bytes = static_cast<Index>(numbers.next(2));
  numbers.skip(name_bytes + extra_bytes);
  packed_ = numbers.text(entry.stored_bytes);
  if (!entry.deflated) return;
  inflation_ = std::make_unique<Inflation>();
  if (inflateInit2(&inflation_->stream, -MAX_WBITS) != Z_OK)
    base::fail(base::ErrorKind::resources, file.path().native(),
               ": memory does not suffice to unpack ", entry.name);
}

ZipReader::~ZipReader() {
  if (inflation_) inflateEnd(&inflation_->stream);
}

void ZipReader::read(std::span<char> bytes) {
  if (std::ssize(bytes) > left_) refuse("is shorter than its array");
  left_ -= std::ssize(bytes);
  if (inflation_) {
    inflate(bytes);
  } else {
    std::ranges::copy(packed_.substr(0, bytes.size()), bytes.begin());
    packed_.remove_prefix(bytes.size());
  }
  for (std::span<const char> rest = bytes; !rest.empty();) {
    const auto piece = rest.first(std::min<std::size_t>(rest.size(), 1U << 30));
    sum_ =
        crc32(sum_, reinterpret_cast<const Bytef*>(piece.data()), static_cast<uInt>(piece.size()));
    rest = rest.subspan(piece.size());
  }
  if (left_ == 0 && sum_ != entry_.checksum) refuse("does not have its checksum");
}

void ZipReader::inflate(std::span<char> bytes) {
  constexpr std::size_t most = 1U << 30;  // zlib counts in 32 bits
  z_stream& stream = inflation_->stream;
  while (!bytes.empty()) {
    if (inflation_->ended) refuse("ends too early");
    const auto given = static_cast<uInt>(std::min(packed_.size(), most));
    const auto wanted = static_cast<uInt>(std::min(bytes.size(), most));
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed_.data()));  // NOLINT: read
    stream.avail_in = given;
    stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
    stream.avail_out = wanted;
    const int code = ::inflate(&stream, Z_NO_FLUSH);
    packed_.remove_prefix(given - stream.avail_in);
    bytes = bytes.subspan(wanted - stream.avail_out);
    inflation_->ended = code == Z_STREAM_END;
    const bool went_on = stream.avail_in < given || stream.avail_out < wanted;
    if ((code != Z_OK && code != Z_STREAM_END) || !went_on) refuse("cannot be unpacked");
  }
}

void ZipReader::refuse(std::string_view what) const {
  refuse_file(file_, base::concat("the entry ", entry_.name.substr(0, 40), " ", what));
}

}  // namespace cisolve::io
