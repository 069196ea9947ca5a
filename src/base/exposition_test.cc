#include "base/exposition.h"

#include <gtest/gtest.h>

namespace ebb {
namespace {

TEST(Exposition, MetricsWithAndWithoutLabels) {
  Exposition out;
  out.Metric("a_total", Exposition::Type::kCounter, "One \\ two\nthree \"four\".");
  out.Value("", 3);
  out.Metric("b", Exposition::Type::kGauge, "B.");
  out.Value(ExpositionLabels({{"x", "1"}, {"y", ""}}), -0.5);
  EXPECT_EQ(out.Take(),
            "# HELP a_total One \\\\ two\\nthree \"four\".\n# TYPE a_total counter\na_total 3\n"
            "# HELP b B.\n# TYPE b gauge\nb{x=\"1\",y=\"\"} -0.5\n");
}

TEST(Exposition, BucketsAreCumulative) {
  Exposition out;
  out.Metric("h", Exposition::Type::kHistogram, "H.");
  const std::vector<double> bounds{0.001, 1};
  const std::vector<std::int64_t> counts{2, 0, 1};
  out.Histogram("z=\"a\"", bounds, counts, 7.5);
  EXPECT_EQ(out.Take(),
            "# HELP h H.\n# TYPE h histogram\nh_bucket{z=\"a\",le=\"0.001\"} 2\n"
            "h_bucket{z=\"a\",le=\"1\"} 2\nh_bucket{z=\"a\",le=\"+Inf\"} 3\nh_sum{z=\"a\"} 7.5\n"
            "h_count{z=\"a\"} 3\n");
}

TEST(Exposition, LabelValuesCannotBreakOut) {
  const auto value = [](std::string_view text) { return ExpositionLabels({{"l", text}}); };
  EXPECT_EQ(value("a\"} 1\nb{"), "l=\"a\\\"} 1\\nb{\"");
  EXPECT_EQ(value("\\"), "l=\"\\\\\"");
  EXPECT_EQ(value("\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x8C\x8D"),
            "l=\"\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x8C\x8D\"");
  // Bytes that are not UTF-8: a lone byte, an overlong slash, a surrogate, a code point beyond the
  // last character, and a character cut short.
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(value("a\xFFz"), "l=\"a" + bad + "z\"");
  EXPECT_EQ(value("\xC0\xAF"), "l=\"" + bad + bad + "\"");
  EXPECT_EQ(value("\xED\xA0\x80"), "l=\"" + bad + bad + bad + "\"");
  EXPECT_EQ(value("\xF4\x90\x80\x80"), "l=\"" + bad + bad + bad + bad + "\"");
  EXPECT_EQ(value("\xE2\x82"), "l=\"" + bad + bad + "\"");
  EXPECT_LT(value(std::string(1 << 20, 'x')).size(), 300u);
}

}  // namespace
}  // namespace ebb
