#include "signals/providers/ieso.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "signals/http/scripted_http_for_test.h"
#include "signals/traces/expat.h"

namespace ebb::signals {
namespace {

using std::chrono::hours;
using ::testing::HasSubstr;

std::string Output(int hour, const std::string& megawatts) {
  return "<Output><Hour>" + std::to_string(hour) + "</Hour>" +
         (megawatts.empty() ? "" : "<EnergyMW>" + megawatts + "</EnergyMW>") + "</Output>";
}

std::string Plant(const std::string& name, const std::string& fuel, const std::string& outputs) {
  return "<Generator><GeneratorName>" + name + "</GeneratorName><FuelType>" + fuel +
         "</FuelType><Outputs>" + outputs +
         "</Outputs><Capabilities><Capability><Hour>1</Hour><EnergyMW>9999</EnergyMW></Capability>"
         "</Capabilities></Generator>";
}

std::string Document(const std::string& day, const std::string& plants) {
  return R"(<?xml version="1.0" encoding="UTF-8"?>
<IMODocument xmlns="http://www.theIMO.com/schema"><IMODocHeader>
<DocTitle>Generators Output and Capability Report</DocTitle></IMODocHeader><IMODocBody><Date>)" +
         day + "</Date><Generators>" + plants + "</Generators></IMODocBody></IMODocument>";
}

std::string Plants() {
  return Plant("BRUCEA-G1", "NUCLEAR", Output(1, "820") + Output(2, "822")) +
         Plant("LENNOX-G1", "GAS", Output(1, "150") + Output(2, "")) +
         Plant("SIRADAMBECK1", "HYDRO", Output(1, "400") + Output(2, "410")) +
         Plant("ONEIDA ENERGY STORAGE", "OTHER", Output(1, "100") + Output(2, "0"));
}

class Ieso : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!LibExpat()) GTEST_SKIP() << "Expat is not installed";
  }
};

TEST_F(Ieso, HoursAreStandardTimeOfTheEastInSummerTooAndCountFromOne) {
  const auto rows = ParseIeso(Document("2026-07-01", Plants()), "x");
  ASSERT_TRUE(rows) << rows.error().Message();
  EXPECT_EQ(rows->front().begin, *ParseTime("2026-07-01T05:00Z"));
  const auto points = IntensityOf(*rows, hours{1}, core::Boundary::kLifecycle, "x");
  ASSERT_TRUE(points);
  ASSERT_EQ(points->size(), 2u);
  EXPECT_NEAR(*points->front().value, (820 * 12.0 + 150 * 490 + 400 * 24) / 1370, 1e-9)
      << "what a battery gives back is not generated, and what a plant could generate is not "
         "either";
  EXPECT_FALSE(points->back().value) << "a plant that matters has no output yet";
}

TEST_F(Ieso, WhatIsNoSuchDocumentIsRefused) {
  for (const std::string& body :
       {std::string(), std::string("{}"), std::string("<html/>"), Document("yesterday", Plants()),
        Document("2026-07-01", Plant("", "GAS", Output(1, "1"))),
        Document("2026-07-01", Plant("X", "GAS", Output(25, "1"))),
        Document("2026-07-01", Plant("X", "GAS", Output(1, "N/A"))),
        Document("2026-07-01", Plants()).substr(0, 500)})
    EXPECT_FALSE(ParseIeso(body, "x")) << body;
}

TEST_F(Ieso, TheFileOfADayThatHasJustBegunMayBeMissingAndLaterItMayNot) {
  ScriptedHttp http;
  http.Say("20260701.xml",
           Document("2026-07-01", Plant("BRUCEA-G1", "NUCLEAR", Output(24, "820"))));
  const auto provider =
      MakeOperatorMix(*IesoMix("https://ieso.example", core::Boundary::kLifecycle), http.Get());
  const Time now = *ParseTime("2026-07-02T06:10Z");
  const auto reading = provider->Read({now, hours{48}, now, true});
  ASSERT_TRUE(reading) << reading.error().Message();
  EXPECT_EQ(reading->known.back().interval.end, *ParseTime("2026-07-02T05:00Z"));
  EXPECT_EQ(http.requests[1].url,
            "https://ieso.example/GenOutputCapability/PUB_GenOutputCapability_20260702.xml");
  const auto later = provider->Read({now + hours{2}, hours{48}, now, true});
  ASSERT_FALSE(later);
  EXPECT_THAT(later.error().what, HasSubstr("404"));
}

}  // namespace
}  // namespace ebb::signals
