// Sums against published ones.
#include "base/digest.h"

#include <gtest/gtest.h>

namespace skald {
namespace {

std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

// FIPS 180-2, appendices A.1 and B.1.
TEST(Digest, GivesThePublishedSums) {
  Digest sha1(Digest::Kind::kSha1), sha256(Digest::Kind::kSha256);
  for (Digest* digest : {&sha1, &sha256}) {
    digest->add("a");
    digest->add("bc");
  }
  EXPECT_EQ(hexadecimal(sha1.finish()), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(hexadecimal(sha256.finish()), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Digest, PiecesAreOneContent) { EXPECT_EQ(sha256({bytes("ab"), {}, bytes("c")}), sha256({bytes("abc")})); }

// RFC 4231, test case 2.
TEST(Digest, KeyedSumIsThePublishedOne) {
  EXPECT_EQ(hexadecimal(hmac_sha256("Jefe", bytes("what do ya want for nothing?"))),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

// RFC 4648, section 10.
TEST(Digest, Base64IsThePublishedOne) {
  EXPECT_EQ(base64({}), "");
  EXPECT_EQ(base64(bytes("f")), "Zg==");
  EXPECT_EQ(base64(bytes("fooba")), "Zm9vYmE=");
  EXPECT_EQ(base64(bytes("foobar")), "Zm9vYmFy");
}

TEST(Digest, AnEmptyKeyIsOne) { EXPECT_NE(hmac_sha256("", bytes("x")), hmac_sha256("k", bytes("x"))); }

}  // namespace
}  // namespace skald
