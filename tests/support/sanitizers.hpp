#pragma once

namespace cisolve::test {

/// Whether a sanitizer watches this build. It makes a test about ten times as long, and what it
/// looks for shows in a small system as in a large one.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
inline constexpr bool kSanitized =
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool kSanitized = false;
#endif

/// The first of a build without sanitizers, the second of one with them.
template <class Choice>
constexpr Choice unless_sanitized(Choice usual, Choice sanitized) {
  return kSanitized ? sanitized : usual;
}

}  // namespace cisolve::test
