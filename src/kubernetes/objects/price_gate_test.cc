#include "kubernetes/objects/price_gate.h"

#include <gtest/gtest.h>

namespace ebb::kubernetes {
namespace {

using std::chrono::hours;

const Time kNoon = *ParseTime("2026-05-01T12:00:00Z");

// 0.40 EUR from noon to five, 0.20 after that until midnight.
PriceGate Gate() {
  const auto series = core::PriceSeries::Create(
      {"EUR", "test"},
      {{{kNoon, kNoon + hours{5}}, 0.40}, {{kNoon + hours{5}, kNoon + hours{12}}, 0.20}});
  return {std::make_shared<const core::PriceSeries>(*series)};
}

GatedObject Object(std::optional<double> most_price) {
  GatedObject object;
  object.created = kNoon;
  object.job.duration = hours{1};
  object.most_price = most_price;
  return object;
}

TEST(PriceGate, HoldsWhatIsTooDearUntilItCostsLess) {
  EXPECT_EQ(Gate().WhyNot(Object(0.3), {}, kNoon),
            "0.4 EUR/kWh is above its 0.3 EUR/kWh until 2026-05-01T17:00:00Z");
  EXPECT_EQ(Gate().WhyNot(Object(0.4), {}, kNoon), "");
  EXPECT_EQ(Gate().WhyNot(Object({}), {}, kNoon), "");
  EXPECT_EQ(Gate().WhyNot(Object(0.3), {}, kNoon + hours{5}), "");
  EXPECT_EQ(PriceGate{}.WhyNot(Object(0.3), {}, kNoon), "") << "no prices";
}

TEST(PriceGate, TheLatestStartGoesBeforeThePrice) {
  GatedObject object = Object(0.1);
  EXPECT_EQ(Gate().WhyNot(object, {}, kNoon),
            "0.4 EUR/kWh is above its 0.1 EUR/kWh until 2026-05-02T12:00:00Z");
  object.job.start_by = kNoon + hours{3};
  EXPECT_NE(Gate().WhyNot(object, {}, kNoon + hours{2}), "");
  EXPECT_EQ(Gate().WhyNot(object, hours{1}, kNoon + hours{2}), "") << "its node has to start first";
  EXPECT_EQ(Gate().WhyNot(object, {}, kNoon + hours{3}), "");
  object.job.start_by.reset();
  object.job.finish_by = kNoon + hours{3};
  EXPECT_EQ(Gate().WhyNot(object, {}, kNoon + hours{2}), "") << "it takes an hour";
}

TEST(PriceGate, APriceThatIsNotKnownHoldsNothingBack) {
  EXPECT_EQ(Gate().WhyNot(Object(0.1), {}, kNoon + hours{13}), "");
}

}  // namespace
}  // namespace ebb::kubernetes
