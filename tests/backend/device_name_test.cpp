// Names of devices.
#include "backend/device_name.h"

#include <gtest/gtest.h>

#include "backend/backend.h"
#include "tests/support/errors.h"

namespace skald::device_name_test {
namespace {

TEST(DeviceName, HasALetterPartAndANumber) {
  const DeviceName second = device_name("CUDA1");
  EXPECT_EQ(second.backend, "cuda");
  EXPECT_EQ(second.number, 1U);
  EXPECT_TRUE(second.numbered);
  EXPECT_FALSE(device_name("cuda").numbered);
  EXPECT_TRUE(device_name("cuda").same_device(device_name("CUDA0")));
  EXPECT_FALSE(device_name("cuda").same_device(second));
  EXPECT_FALSE(device_name("cpu").same_device(device_name("cuda")));
}

TEST(DeviceName, OfDigitsAloneOrTooManyNamesNothing) {
  for (const char* text : {"", "0", "cuda99999999999999999999"})
    EXPECT_EQ(test::error_of([&] { find_backend(text); }).code(), Errc::kBadInput) << text;
}

TEST(FindBackend, TakesNumbersOnlyWhereAMachineMayHaveSeveral) {
  EXPECT_EQ(find_backend("CPU").name, "cpu");
  EXPECT_EQ(find_backend("simt").name, "simt");
  EXPECT_EQ(test::error_of([] { find_backend("simt0"); }).code(), Errc::kBadInput);
}

}  // namespace
}  // namespace skald::device_name_test
