#pragma once

namespace cisolve::test {

/// Whether this build has a sanitizer. It makes a test about ten times as long, and small systems
/// show the same errors as large ones.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
inline constexpr bool kSanitized =
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool kSanitized = false;
#endif

/// The first choice without sanitizers, the second with one.
template <class Choice>
constexpr Choice unless_sanitized(Choice usual, Choice sanitized) {
  return kSanitized ? sanitized : usual;
}

}  // namespace cisolve::test
