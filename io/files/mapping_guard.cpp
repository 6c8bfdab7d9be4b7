#include "io/files/mapping_guard.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>

#include "base/error.hpp"

namespace cisolve::io {
namespace {

using base::Index;

/// Data for the signal handler: lock-free atomics only.
struct Mapping {
  std::atomic<bool> taken = false;
  std::atomic<char*> begin = nullptr;  // null: not guarded
  std::atomic<Index> bytes = 0;
  std::atomic<bool> cut = false;
};
static_assert(std::atomic<char*>::is_always_lock_free && std::atomic<Index>::is_always_lock_free);

constexpr int kMostMappings = 64;
constinit std::array<Mapping, kMostMappings> mappings;

struct Handling {
  Index page;
  struct sigaction before;
};
constinit Handling handling{};

/// Maps zeros from the page of `address` to the end of its mapping.
bool replace_missing(const void* address) {
  for (Mapping& mapping : mappings) {
    char* begin = mapping.begin;
    const auto at = static_cast<Index>(reinterpret_cast<std::uintptr_t>(address) -
                                       reinterpret_cast<std::uintptr_t>(begin));
    if (begin == nullptr || at < 0 || at >= mapping.bytes) continue;
    const Index first = at / handling.page * handling.page;
    mapping.cut = true;
    return ::mmap(begin + first, mapping.bytes - first, PROT_READ,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
  }
  return false;
}

// If nothing is replaced, the access is repeated and reaches the previous handler.
void on_bus_error(int signal, siginfo_t* info, void* /*context*/) {
  const int error = errno;
  if (!replace_missing(info->si_addr)) ::sigaction(signal, &handling.before, nullptr);
  errno = error;
}

bool install() {
  handling.page = ::sysconf(_SC_PAGESIZE);
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  return ::sigaction(SIGBUS, &action, &handling.before) == 0;
}

int take_place() {
  for (int place = 0; place < kMostMappings; ++place)
    if (!mappings[place].taken.exchange(true)) return place;
  base::fail(base::ErrorKind::resources, "more than ", kMostMappings,
             " files are open for reading; expected fewer input files");
}

}  // namespace

MappingGuard::MappingGuard() : place_(take_place()) {
  static const bool installed = install();
  static_cast<void>(installed);
}

MappingGuard::~MappingGuard() {
  release();
  mappings[place_].taken = false;
}

void MappingGuard::watch(void* begin, Index bytes) const {
  Mapping& mapping = mappings[place_];
  mapping.cut = false;
  mapping.bytes = bytes;
  mapping.begin = static_cast<char*>(begin);  // the handler sees the mapping from here on
}

void MappingGuard::release() const { mappings[place_].begin = nullptr; }

bool MappingGuard::was_cut() const { return mappings[place_].cut; }

}  // namespace cisolve::io
