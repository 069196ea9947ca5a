#include "signals/traces/oasis_csv.h"

#include <gtest/gtest.h>

#include "signals/traces/expat.h"
#include "signals/traces/operator_text.h"

namespace ebb::signals {
namespace {

Time At(const char* text) { return *ParseTime(text); }

Status Read(const std::string& text, OperatorParts& parts) {
  return ReadOperatorText(text, "o.csv", "US-CAL-CISO", parts);
}

constexpr const char* kLoad =
    "INTERVALSTARTTIME_GMT,INTERVALENDTIME_GMT,LOAD_TYPE,OPR_DT,OPR_HR,OPR_INTERVAL,MARKET_RUN_ID,"
    "TAC_AREA_NAME,LABEL,XML_DATA_ITEM,POS,MW,EXECUTION_TYPE,GROUP\n";
constexpr const char* kPlants =
    "INTERVALSTARTTIME_GMT,INTERVALENDTIME_GMT,OPR_DT,OPR_HR,OPR_INTERVAL,TRADING_HUB,RENEWABLE_"
    "TYPE,LABEL,XML_DATA_ITEM,MARKET_RUN_ID_POS,RENEW_POS,MW,MARKET_RUN_ID,GROUP\n";
constexpr const char* kPrices =
    "INTERVALSTARTTIME_GMT,INTERVALENDTIME_GMT,OPR_DT,OPR_HR,OPR_INTERVAL,NODE_ID_XML,NODE_ID,NODE,"
    "MARKET_RUN_ID,LMP_TYPE,XML_DATA_ITEM,PNODE_RESMRID,GRP_TYPE,POS,MW,GROUP\n";

std::string Load(const char* hour, const char* next, const char* area, const char* mw,
                 const char* market = "DAM") {
  return std::string("2026-05-01T") + hour + ":00:00-00:00,2026-05-01T" + next +
         ":00:00-00:00,0,2026-05-01,1,0," + market + "," + area +
         ",Demand Forecast Day Ahead,SYS_FCST_DA_MW,3.8," + mw + ",DAM,1\n";
}
std::string Plants(const char* hour, const char* next, const char* hub, const char* type,
                   const char* mw) {
  return std::string("2026-05-01T") + hour + ":00:00-00:00,2026-05-01T" + next +
         ":00:00-00:00,2026-05-01,1,0," + hub + "," + type +
         ",Renewable Forecast Day Ahead,RENEW_FCST_DA_MW,1,1," + mw + ",DAM,1\n";
}
std::string Price(const char* hour, const char* next, const char* node, const char* type,
                  const char* price) {
  return std::string("2026-05-01T") + hour + ":00:00-00:00,2026-05-01T" + next +
         ":00:00-00:00,2026-05-01,1,0," + node + "," + node + "," + node + ",DAM," + type +
         ",LMP_PRC," + node + ",ALL_APNODES,0," + price + ",1\n";
}

TEST(OasisCsv, HubsAreSummedAndRowsStandInAnyOrder) {
  OperatorParts parts;
  EXPECT_TRUE(Read(
      kLoad + Load("08", "09", "CA ISO-TAC", "21000") + Load("07", "08", "CA ISO-TAC", "20000") +
          Load("07", "08", "PGE-TAC", "9000") + Load("07", "08", "CA ISO-TAC", "1", "ACTUAL"),
      parts));
  EXPECT_TRUE(Read(
      kPlants + Plants("07", "08", "SP15", "Wind", "300") +
          Plants("08", "09", "SP15", "Wind", "300") + Plants("07", "08", "NP15", "Wind", "40") +
          Plants("07", "08", "ZP26", "Solar", "5") + Plants("08", "09", "ZP26", "Solar", "5"),
      parts));
  const auto hours = parts.ByHour("folder");
  ASSERT_TRUE(hours) << hours.error().Message();
  ASSERT_EQ(hours->size(), 1U) << "the wind of NP15 in the second hour is not known";
  EXPECT_EQ(hours->at(0),
            (ExpectedHour{At("2026-05-01T07:00Z"), 20'000, 340, 5, At("2026-04-30T20:00Z")}));
}

// The hours are 00:00 to 01:00 in California on 2 November 2025, and the last hour of a summer day.
TEST(OasisCsv, PublishedAtOneInTheAfternoonTheDayBeforeInCalifornia) {
  const auto publication = *OasisPublication();
  EXPECT_EQ(publication.Of(At("2025-11-02T07:00Z")), At("2025-11-01T20:00Z"));
  EXPECT_EQ(publication.Of(At("2025-11-03T08:00Z")), At("2025-11-02T21:00Z"));
  EXPECT_EQ(publication.Of(At("2026-05-02T06:00Z")), At("2026-04-30T20:00Z"));
}

TEST(OasisCsv, PricesAreThoseOfOneNode) {
  const std::string text = kPrices + Price("08", "09", "TH_NP15_GEN-APND", "LMP", "-5.5") +
                           Price("07", "08", "TH_NP15_GEN-APND", "MCE", "1") +
                           Price("07", "08", "TH_NP15_GEN-APND", "LMP", "42");
  const auto prices = ReadOasisPrices(text, "p.csv", "");
  ASSERT_TRUE(prices) << prices.error().Message();
  EXPECT_EQ(prices->identity().currency, "USD");
  ASSERT_EQ(prices->samples().size(), 2U);
  EXPECT_DOUBLE_EQ(prices->samples()[0].per_kwh, 0.042);
  EXPECT_DOUBLE_EQ(prices->samples()[1].per_kwh, -0.0055);
  const std::string two = text + Price("07", "08", "TH_SP15_GEN-APND", "LMP", "7");
  EXPECT_FALSE(ReadOasisPrices(two, "p.csv", ""));
  EXPECT_DOUBLE_EQ(ReadOasisPrices(two, "p.csv", "TH_SP15_GEN-APND")->samples()[0].per_kwh, 0.007);
  EXPECT_FALSE(ReadOasisPrices(two, "p.csv", "NOWHERE"));
}

TEST(OasisCsv, WhatCannotBeTrustedIsRefused) {
  const auto why = [](const std::string& text) {
    OperatorParts parts;
    const auto read = Read(text, parts);
    return read ? std::string() : read.error().Message();
  };
  EXPECT_NE(why("INTERVALSTARTTIME_GMT,MW\n1,2\n").find("has no column"), std::string::npos);
  EXPECT_NE(why(kLoad + Load("07", "08", "CA ISO-TAC", "many")).find("o.csv:2"), std::string::npos);
  EXPECT_NE(why(kLoad + Load("08", "07", "CA ISO-TAC", "1")).find("ends before"),
            std::string::npos);
  EXPECT_NE(why(kLoad + Load("07", "09", "CA ISO-TAC", "1")).find("more than one hour"),
            std::string::npos);
  EXPECT_FALSE(ReadOasisPrices(kPrices + Price("07", "08", "A", "LMP", "nan"), "p.csv", ""));
}

TEST(OasisCsv, ARefusalSaysWhy) {
  if (!LibExpat()) GTEST_SKIP() << "Expat is not installed";
  const auto refused = OasisRefusal(
      "<m:OASISReport xmlns:m='u'><m:MessagePayload><m:RTO><m:name>CAISO</m:name><m:ERROR>"
      "<m:ERR_CODE>1000</m:ERR_CODE><m:ERR_DESC>No data returned for the specified selection"
      "</m:ERR_DESC></m:ERROR></m:RTO></m:MessagePayload></m:OASISReport>",
      "a.zip");
  EXPECT_NE(refused.what.find("No data returned"), std::string::npos) << refused.what;
  EXPECT_NE(OasisRefusal("<a/>", "a.zip").what.find("not CSV"), std::string::npos);
}

}  // namespace
}  // namespace ebb::signals
