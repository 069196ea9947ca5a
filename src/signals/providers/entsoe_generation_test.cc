#include "signals/providers/entsoe_generation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "signals/http/scripted_http_for_test.h"
#include "signals/traces/expat.h"

namespace ebb::signals {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using ::testing::HasSubstr;
using ::testing::Not;

// An answer with wind in hours; gas in quarters, whose last two are missing yet; the consumption of
// pumps.
constexpr const char* kAnswer = R"(<?xml version="1.0"?>
<GL_MarketDocument><type>A75</type><process.processType>A16</process.processType>
<TimeSeries><inBiddingZone_Domain.mRID>10YNL----------L</inBiddingZone_Domain.mRID>
 <quantity_Measure_Unit.name>MAW</quantity_Measure_Unit.name><curveType>A01</curveType>
 <MktPSRType><psrType>B19</psrType></MktPSRType>
 <Period><timeInterval><start>2026-05-06T10:00Z</start><end>2026-05-06T11:00Z</end></timeInterval>
 <resolution>PT60M</resolution><Point><position>1</position><quantity>1000</quantity></Point></Period></TimeSeries>
<TimeSeries><inBiddingZone_Domain.mRID>10YNL----------L</inBiddingZone_Domain.mRID>
 <quantity_Measure_Unit.name>MAW</quantity_Measure_Unit.name><curveType>A01</curveType>
 <MktPSRType><psrType>B04</psrType></MktPSRType>
 <Period><timeInterval><start>2026-05-06T10:00Z</start><end>2026-05-06T11:00Z</end></timeInterval>
 <resolution>PT15M</resolution><Point><position>1</position><quantity>3000</quantity></Point>
 <Point><position>2</position><quantity>1000</quantity></Point></Period></TimeSeries>
<TimeSeries><outBiddingZone_Domain.mRID>10YNL----------L</outBiddingZone_Domain.mRID>
 <quantity_Measure_Unit.name>MAW</quantity_Measure_Unit.name><curveType>A01</curveType>
 <MktPSRType><psrType>B11</psrType></MktPSRType>
 <Period><timeInterval><start>2026-05-06T10:00Z</start><end>2026-05-06T11:00Z</end></timeInterval>
 <resolution>PT60M</resolution><Point><position>1</position><quantity>90000</quantity></Point></Period></TimeSeries>
</GL_MarketDocument>)";

OperatorMix Mix() {
  return EntsoeGenerationMix({"https://tp.example", "NL", "10YNL----------L", "the-token"});
}

class EntsoeGeneration : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!LibExpat()) GTEST_SKIP() << "Expat is not installed";
  }
};

TEST_F(EntsoeGeneration, AQuarterWithoutItsGasIsAGapAndWhatPumpsTakeIsNotGenerated) {
  ScriptedHttp http;
  http.Say("/api?documentType=A75", kAnswer);
  const auto provider = MakeOperatorMix(Mix(), http.Get());
  const Time now = *ParseTime("2026-05-06T11:20Z");
  const auto reading = provider->Read({now, hours{48}, now, true});
  ASSERT_TRUE(reading) << reading.error().Message();
  ASSERT_EQ(reading->known.size(), 2u);
  EXPECT_DOUBLE_EQ(reading->known[0].intensity.g_per_kwh, (490 * 3000 + 11 * 1000) / 4000.0);
  EXPECT_DOUBLE_EQ(reading->known[1].intensity.g_per_kwh, (490 + 11) / 2.0);
  EXPECT_EQ(reading->known[1].interval.end, *ParseTime("2026-05-06T10:30Z"));
  EXPECT_THAT(http.requests[0].url,
              HasSubstr("in_Domain=10YNL----------L&periodStart=202605060520&periodEnd="
                        "202605061120&securityToken=the-token"));
}

TEST_F(EntsoeGeneration, WhatIsNoSuchAnswerIsRefusedWithoutTheToken) {
  for (const char* body :
       {"", "<html></html>", "{}", "<GL_MarketDocument><type>A65</type></GL_MarketDocument>",
        "<Acknowledgement_MarketDocument><Reason><code>999</code><text>No matching data "
        "found</text></Reason></Acknowledgement_MarketDocument>"}) {
    ScriptedHttp http;
    http.Say("/api", body);
    const Time now = *ParseTime("2026-05-06T11:20Z");
    const auto reading = MakeOperatorMix(Mix(), http.Get())->Read({now, hours{48}, now, true});
    ASSERT_FALSE(reading) << body;
    EXPECT_EQ(reading.error().code, ExitCode::kUnavailable);
    EXPECT_THAT(reading.error().Message(), Not(HasSubstr("the-token")));
  }
}

}  // namespace
}  // namespace ebb::signals
