#include "io/files/sha256.hpp"

#include <gtest/gtest.h>
#include <openssl/evp.h>

#include "base/error.hpp"

namespace cisolve::test {
namespace {

// The examples of FIPS 180-4, and the lengths at which padding needs another block.
TEST(Sha256, GivesTheStandardsExamples) {
  EXPECT_EQ(io::sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(io::sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(io::sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(io::sha256(std::string(55, 'a')),
            "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
  EXPECT_EQ(io::sha256(std::string(64, 'a')),
            "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
  EXPECT_EQ(io::sha256(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// A system whose OpenSSL allows certified modules only and has none.
TEST(Sha256, SaysThatTheLibraryRefuses) {
  ASSERT_EQ(EVP_set_default_properties(nullptr, "fips=yes"), 1);
  std::string said;
  try {
    said = io::sha256("abc");
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::resources);
    said = error.what();
  }
  ASSERT_EQ(EVP_set_default_properties(nullptr, ""), 1);
  EXPECT_EQ(said.find("OpenSSL cannot compute a SHA-256 digest: error:"), 0U) << said;
  EXPECT_EQ(io::sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace cisolve::test
