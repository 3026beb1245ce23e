#include "engine/kept_promise.h"

#include <gtest/gtest.h>

namespace skald {
namespace {

TEST(KeptPromise, GivesItsValueOrItsError) {
  std::promise<int> one, other;
  std::future<int> value = one.get_future(), error = other.get_future();
  KeptPromise<int>(std::move(one)).set_value(7);
  KeptPromise<int>(std::move(other)).set_exception(std::make_exception_ptr(Error(Errc::kNotFound, "no")));
  EXPECT_EQ(value.get(), 7);
  EXPECT_THROW(error.get(), Error);
}

TEST(KeptPromise, GivesAnErrorWhereItIsDropped) {
  std::promise<int> made;
  std::future<int> result = made.get_future();
  {
    KeptPromise<int> promise(std::move(made));
    KeptPromise<int> moved(std::move(promise));
    KeptPromise<int> assigned;
    assigned = std::move(moved);
    EXPECT_EQ(result.wait_for(std::chrono::seconds(0)), std::future_status::timeout) << "moving keeps nothing";
  }
  try {
    result.get();
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::kInternal);
  }
}

}  // namespace
}  // namespace skald
