#include "base/exposition_reader.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "base/exposition.h"

namespace ebb {
namespace {

std::vector<ExpositionSample> SamplesOf(std::string_view text) {
  std::vector<ExpositionSample> samples;
  const Status read =
      ForEachSample(text, [&](const ExpositionSample& sample) { samples.push_back(sample); });
  EXPECT_TRUE(read) << read.error().Message();
  return samples;
}

TEST(ExpositionReader, ReadsWhatIsWritten) {
  std::mt19937 random(1);
  const std::string characters = "ab\"\\\n,{}= é";
  for (int i = 0; i < 500; ++i) {
    std::string value;
    for (int length = static_cast<int>(random() % 9); length > 0; --length)
      value += characters[random() % 10];
    Exposition written;
    written.Metric("ebb_a", Exposition::Type::kGauge, "A help text.");
    written.Value(ExpositionLabels({{"pod", value}, {"gpu", "0"}}), 0.1 * i);
    const auto samples = SamplesOf(written.Take());
    ASSERT_EQ(samples.size(), 1U);
    EXPECT_EQ(samples[0].name, "ebb_a");
    EXPECT_EQ(samples[0].Label("pod"), value);
    EXPECT_EQ(samples[0].Label("gpu"), "0");
    EXPECT_EQ(samples[0].Label("none"), "");
    EXPECT_DOUBLE_EQ(samples[0].value, 0.1 * i);
  }
}

TEST(ExpositionReader, TakesWhatTheFormatAllows) {
  const auto samples = SamplesOf(
      "# HELP a b\n\n  a  1\r\na{} 2 1395066363000\n"
      "a { b = \"c\" , } +Inf\na{b=\"x\"} NaN\na 4.335301032e+09");
  ASSERT_EQ(samples.size(), 5U);
  EXPECT_EQ(samples[1].value, 2);
  EXPECT_EQ(samples[2].Label("b"), "c");
  EXPECT_TRUE(std::isinf(samples[2].value));
  EXPECT_TRUE(std::isnan(samples[3].value));
  EXPECT_EQ(samples[4].value, 4'335'301'032);
}

TEST(ExpositionReader, NamesTheLineThatIsNoSample) {
  for (const char* bad : {"<html>", "a", "a{b=c} 1", "a{b=\"c} 1", "a{b=\"c\"",
                          "a{b=\"c\"d=\"e\"} 1", "a 1 2 3", "a 1 x", "1a 1", "a{b=\"\\", "{} 1"}) {
    int taken = 0;
    const Status read =
        ForEachSample("a 1\n" + std::string(bad), [&](const ExpositionSample&) { ++taken; });
    ASSERT_FALSE(read) << bad;
    EXPECT_NE(read.error().what.find("line 2 is no sample"), std::string::npos);
    EXPECT_EQ(taken, 1);
  }
}

}  // namespace
}  // namespace ebb
