#include "core/signal/publication.h"

#include <gtest/gtest.h>

namespace ebb::core {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

constexpr Interval kHour{Time{hours{10}}, Time{hours{11}}};

TEST(Publication, IsCountedFromTheEndOrComesWithTheBegin) {
  EXPECT_EQ(Publication::AtBegin().Of(kHour), kHour.begin);
  EXPECT_EQ(Publication::AfterEnd(Duration::zero()).Of(kHour), kHour.end);
  EXPECT_EQ(Publication::AfterEnd(minutes{20}).Of(kHour), kHour.end + minutes{20});
  EXPECT_EQ(kMeasuredPublication.Of(kHour), Time{hours{12}});
}

TEST(Publication, IsReadAndWrittenAsTheSame) {
  for (const char* text : {"none", "0s", "1h", "1h30m", "250ms", "7d"}) {
    const auto publication = PublicationFromText(text);
    ASSERT_TRUE(publication) << text;
    EXPECT_EQ(*PublicationFromText(ToText(*publication)), *publication) << text;
  }
  EXPECT_EQ(PublicationFromText("none")->lag(), std::nullopt);
  EXPECT_EQ(PublicationFromText("0")->lag(), Duration::zero());
  EXPECT_EQ(PublicationFromText("90m")->lag(), Duration{minutes{90}});
}

TEST(Publication, RefusesWhatIsNoLag) {
  for (const char* text : {"", "-1h", "soon", "8d", "None"})
    EXPECT_FALSE(PublicationFromText(text)) << text;
}

TEST(Publication, SaysWhenInWords) {
  EXPECT_EQ(Describe(kMeasuredPublication), "each value known 1h 0m after its interval");
  EXPECT_EQ(Describe(Publication::AfterEnd({})), "each value known as its interval ends");
  EXPECT_EQ(Describe(Publication::AtBegin()), "each value known as its interval begins");
}

}  // namespace
}  // namespace ebb::core
