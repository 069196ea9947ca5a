#include "platform/waker.h"

#include <gtest/gtest.h>

#include <thread>

namespace ebb::platform {
namespace {

TEST(Waker, EndsAWait) {
  Waker waker;
  EXPECT_FALSE(waker.Wait(Duration{1}, -1));
  waker.Wake();
  waker.Wake();
  EXPECT_TRUE(waker.Wait(std::chrono::minutes{1}, -1)) << "also a wait that comes later";
  EXPECT_FALSE(waker.Wait(Duration{1}, -1));
  std::thread other([&] { waker.Wake(); });
  EXPECT_TRUE(waker.Wait(std::chrono::minutes{1}, -1));
  other.join();
}

TEST(Waker, ADescriptorEndsItToo) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const Descriptor reader(ends[0]), writer(ends[1]);
  ASSERT_EQ(::write(writer.get(), "x", 1), 1);
  Waker waker;
  EXPECT_FALSE(waker.Wait(std::chrono::minutes{1}, reader.get()));
}

}  // namespace
}  // namespace ebb::platform
