#include "train/data/digits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "platform/digest.h"

namespace ebb::train {
namespace {

std::string Sha256(const Dataset& dataset) {
  return platform::Sha256Hex(
      {reinterpret_cast<const char*>(dataset.pixels.data()), dataset.pixels.size()});
}

TEST(Digits, AreTheSameEverywhere) {
  // Golden values: if these digests change, every accuracy measured on this data set changes.
  EXPECT_EQ(Sha256(DrawDigits({1, Split::kTrain}, 200)),
            "be7e27a0d34c3ebc69401c052376e4ccf0946c6beefcd8fc2bafcb35319d42e5");
  EXPECT_EQ(Sha256(DrawDigits({1, Split::kTest}, 200)),
            "89d4a2548dfdcdc15051cc2ea17ece06372ff65a3f74118b020d71d7db937bdb");
  EXPECT_EQ(Sha256(DrawDigits({7, Split::kTrain}, 200)),
            "46e4c11cf6f3d6b106d2f68616452f9eba5a7a7be47c8559fec7385a5f579295");
}

TEST(Digits, AnyImageCanBeDrawnAlone) {
  const DigitSource source{3, Split::kTest};
  const Dataset all = DrawDigits(source, 50);
  const DigitImage alone = DrawDigit(source, 42);
  EXPECT_TRUE(std::equal(alone.begin(), alone.end(), all.image(42).begin()));
}

TEST(Digits, TrainAndTestShareNoImage) {
  std::set<DigitImage> images;
  for (std::uint64_t i = 0; i < 500; ++i) {
    images.insert(DrawDigit({1, Split::kTrain}, i));
    images.insert(DrawDigit({1, Split::kTest}, i));
  }
  EXPECT_EQ(images.size(), 1000U);
}

TEST(Digits, ClassesAreBalancedAndEveryImageHasInk) {
  const Dataset dataset = DrawDigits({1, Split::kTrain}, 300);
  std::array<int, kClasses> count{};
  for (std::size_t i = 0; i < dataset.size(); ++i) {
    ++count[dataset.labels[i]];
    const auto image = dataset.image(i);
    EXPECT_GT(*std::max_element(image.begin(), image.end()), 100) << "image " << i;
  }
  for (const int n : count) EXPECT_EQ(n, 30);
}

}  // namespace
}  // namespace ebb::train
