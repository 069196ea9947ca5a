#include "report/period/billing_export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "testing/source_tree.h"

namespace ebb::report {
namespace {

using testing::HasSubstr;
using testing::Optional;
using testing::SizeIs;

std::string Fixture(const std::string& name) {
  std::ifstream stream(std::string(SourceTree()) + "/src/report/testdata/billing/" + name);
  return {std::istreambuf_iterator<char>(stream), {}};
}

auto Near(double value) { return testing::DoubleNear(value, 1e-6); }

TEST(BillingExport, AwsInTonnesAndOnlyByTheNewestVersionOfItsMethod) {
  const auto read = ParseBilling(Fixture("aws.csv"), "aws.csv");
  ASSERT_TRUE(read) << read.error().Message();
  EXPECT_EQ(read->provider, "aws");
  ASSERT_THAT(read->lines, SizeIs(3)) << "v2.10.0 is older than v3.0.1";
  const BillingLine& first = read->lines[0];
  EXPECT_EQ(first.month, "2026-10");
  EXPECT_EQ(first.project, "444455556666");
  EXPECT_EQ(first.region, "us-west-2");
  EXPECT_EQ(first.service, "AmazonEC2");
  EXPECT_THAT(first.total_location_g, Optional(Near(42'000)));
  EXPECT_THAT(first.total_market_g, Optional(Near(5'000)));
  EXPECT_FALSE(first.scope2_location_g) << "the file does not tell scopes apart";
  EXPECT_FALSE(read->lines[1].total_market_g) << "an empty field is not 0";
  EXPECT_EQ(read->lines[2].region, "");
  EXPECT_THAT(read->notices.back(), HasSubstr("v2.10.0"));
}

TEST(BillingExport, GoogleInKilogramsByScope) {
  const auto read = ParseBilling(Fixture("google.csv"), "google.csv");
  ASSERT_TRUE(read) << read.error().Message();
  EXPECT_EQ(read->provider, "gcp");
  ASSERT_THAT(read->lines, SizeIs(4));
  const BillingLine& first = read->lines[0];
  EXPECT_EQ(first.project, "vision");
  EXPECT_EQ(first.region, "europe-west1");
  EXPECT_THAT(first.scope1_g, Optional(Near(200)));
  EXPECT_THAT(first.scope2_location_g, Optional(Near(15'500)));
  EXPECT_THAT(first.scope2_market_g, Optional(Near(3'200)));
  EXPECT_THAT(first.scope3_g, Optional(Near(5'700)));
  EXPECT_THAT(first.total_location_g, Optional(Near(21'400)));
  EXPECT_THAT(first.total_market_g, Optional(Near(9'100)));
  EXPECT_FALSE(read->lines[2].scope2_location_g) << "NULL is not 0";
}

TEST(BillingExport, ColumnsThatWereFlattenedByHandAreTheSame) {
  std::string text = Fixture("google.csv");
  const auto header = text.find('\n');
  for (std::size_t i = 0; i < header; ++i)
    if (text[i] == '.') text[i] = '_';
  const auto read = ParseBilling(text, "google.csv");
  ASSERT_TRUE(read);
  EXPECT_THAT(read->lines[0].scope2_location_g, Optional(Near(15'500)));
}

TEST(BillingExport, AzureByEnrollmentAndAsATrend) {
  const auto enrollment = ParseBilling(Fixture("azure_enrollment.csv"), "a.csv");
  ASSERT_TRUE(enrollment) << enrollment.error().Message();
  ASSERT_THAT(enrollment->lines, SizeIs(3));
  EXPECT_EQ(enrollment->lines[1].region, "West US 2");
  EXPECT_THAT(enrollment->lines[1].scope2_g, Optional(Near(18'000)));
  EXPECT_FALSE(enrollment->lines[1].scope1_g);
  const auto trend = ParseBilling(Fixture("azure_trend.csv"), "t.csv");
  ASSERT_TRUE(trend) << trend.error().Message();
  ASSERT_THAT(trend->lines, SizeIs(2));
  EXPECT_EQ(trend->lines[0].month, "2026-09");
  EXPECT_EQ(trend->lines[1].month, "2026-10");
  EXPECT_THAT(trend->lines[1].scope2_g, Optional(Near(16'100)));
  EXPECT_THAT(trend->lines[1].total_g, Optional(Near(29'400)));
}

TEST(BillingExport, WhatIsWrongIsNamedWithItsLine) {
  EXPECT_THAT(ParseBilling("a,b\n1,2\n", "x.csv").error().Message(), HasSubstr("no carbon export"));
  EXPECT_FALSE(ParseBilling("", "x.csv"));
  std::string text = Fixture("google.csv");
  text.replace(text.find("15.5"), 4, "many");
  EXPECT_THAT(ParseBilling(text, "g.csv").error().Message(), HasSubstr("g.csv:2"));
  text = Fixture("aws.csv");
  text.replace(text.find("MTCO2e"), 6, "kgCO2e");
  EXPECT_THAT(ParseBilling(text, "a.csv").error().Message(), HasSubstr("MTCO2e"));
  text = Fixture("azure_trend.csv");
  text.replace(text.find("Sep 2026"), 8, "Sip 2026");
  EXPECT_THAT(ParseBilling(text, "t.csv").error().Message(), HasSubstr("Oct 2026"));
  text = Fixture("aws.csv");
  EXPECT_FALSE(ParseBilling(text.substr(0, text.rfind(',')), "a.csv")) << "a field is missing";
}

}  // namespace
}  // namespace ebb::report
