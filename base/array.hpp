#pragma once

#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/backend.hpp"
#include "base/types.hpp"

namespace cisolve::base {

/// Uninitialised memory of a backend, counted against its budget before it is allocated; the thread
/// that first writes a page places it. `what` names its use in errors and must outlive it. Empty
/// after a move.
class Memory {
 public:
  Memory(Backend backend, Index bytes, std::string_view what);
  Memory(Memory&& other) noexcept;
  Memory& operator=(Memory&& other) noexcept;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory();

  void* data() const { return data_; }
  Index bytes() const { return bytes_; }
  const Backend& backend() const { return backend_; }
  std::string_view what() const { return what_; }

 private:
  Backend backend_;
  std::string_view what_;
  Index bytes_ = 0;
  void* data_ = nullptr;
};

/// Copies between the memories of any two backends of this process; blocks until done.
void copy_bytes(const Backend& from, const void* source, const Backend& to, void* target,
                Index bytes);

/// Fixed-size array of trivially copyable values on a backend. Move-only; copies are explicit.
template <class T>
class Array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Array(Backend backend, Index size, std::string_view what)
      : memory_(std::move(backend), checked_bytes(size), what) {}

  static Array copy_of(std::span<const T> source, const Backend& backend, std::string_view what) {
    Array array(backend, std::ssize(source), what);
    copy_bytes(backend.host(), source.data(), backend, array.data(), array.bytes());
    return array;
  }

  Array to(const Backend& target, std::string_view what) const {
    Array copy(target, size(), what);
    copy_bytes(backend(), data(), target, copy.data(), bytes());
    return copy;
  }

  Array to(const Backend& target) const { return to(target, memory_.what()); }

  T* data() { return static_cast<T*>(memory_.data()); }
  const T* data() const { return static_cast<const T*>(memory_.data()); }
  Index size() const { return bytes() / Index{sizeof(T)}; }
  Index bytes() const { return memory_.bytes(); }
  const Backend& backend() const { return memory_.backend(); }

  /// The values as a range; host memory only.
  std::span<T> span() { return {data(), static_cast<std::size_t>(size())}; }
  std::span<const T> span() const { return {data(), static_cast<std::size_t>(size())}; }
  T& operator[](Index i) { return data()[i]; }
  const T& operator[](Index i) const { return data()[i]; }

 private:
  // An overflowing size becomes a request that every budget refuses.
  static Index checked_bytes(Index size) {
    constexpr Index most = INT64_MAX / Index{sizeof(T)};
    return size < 0 || size > most ? INT64_MAX : size * Index{sizeof(T)};
  }

  Memory memory_;
};

}  // namespace cisolve::base
