#include "io/files/sha256.hpp"

#include <openssl/err.h>
#include <openssl/evp.h>

#include <array>

#include "base/error.hpp"

namespace cisolve::io {
namespace {

[[noreturn]] void fail_as_openssl_says() {
  std::array<char, 256> reason{};
  ERR_error_string_n(ERR_get_error(), reason.data(), reason.size());
  base::fail(base::ErrorKind::resources, "OpenSSL cannot compute a SHA-256 digest: ", reason.data(),
             "; check its configuration (openssl version -d)");
}

}  // namespace

std::string sha256(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1)
    fail_as_openssl_says();
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (unsigned i = 0; i < size; ++i) {
    text += digits[digest[i] >> 4];
    text += digits[digest[i] & 15];
  }
  return text;
}

}  // namespace cisolve::io
