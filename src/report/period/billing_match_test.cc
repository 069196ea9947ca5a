#include "report/period/billing_match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ebb::report {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::Optional;
using testing::SizeIs;

PeriodReport October(int days) {
  PeriodReport report;
  for (int day = 1; day <= days; ++day)
    report.days.emplace_back("2026-10-" + std::string(day < 10 ? "0" : "") + std::to_string(day),
                             PeriodFigures{});
  PeriodFigures figures;
  figures.energy = Energy::Joules(3.6e6);
  figures.emissions_ug = 12'000'000'000;
  report.cells[{"2026-10", "BE", "vision"}] = figures;
  report.cells[{"2026-10", "DE", ""}] = figures;
  return report;
}

BillingExport Google() {
  BillingLine here;
  here.month = "2026-10";
  here.project = "vision";
  here.region = "europe-west1";
  here.zone = "BE";
  here.scope2_location_g = 15'000;
  here.scope3_g = 4'000;
  here.total_location_g = 19'000;
  BillingLine nowhere = here;
  nowhere.region = nowhere.zone = nowhere.project = "";
  nowhere.scope2_location_g.reset();
  nowhere.scope3_g.reset();
  BillingLine earlier = here;
  earlier.month = "2026-09";
  return {"g.csv", "gcp", "Google", {here, here, nowhere, earlier}, {}};
}

const BillingMatch& At(const std::vector<BillingMatch>& matches, const std::string& name) {
  static const BillingMatch kNone;
  for (const BillingMatch& match : matches)
    if (match.name == name) return match;
  return kNone;
}

TEST(BillingMatch, TheirsStandsBesideOursByMonthAndZone) {
  const BillingReport billing = MatchBilling({Google()}, October(31));
  ASSERT_THAT(billing.by_zone, SizeIs(3)) << "BE, DE and unknown; September is another period";
  const BillingMatch& belgium = At(billing.by_zone, "BE");
  EXPECT_EQ(belgium.theirs.lines, 2);
  EXPECT_THAT(belgium.comparable_g, Optional(30'000));
  EXPECT_EQ(belgium.comparable, "scope 2, location-based");
  EXPECT_THAT(belgium.difference_g(), Optional(-18'000));
  EXPECT_EQ(At(billing.by_zone, "DE").theirs.lines, 0);
  EXPECT_FALSE(At(billing.by_zone, "DE").difference_g()) << "nothing of theirs to compare with";
  EXPECT_EQ(At(billing.by_zone, "").comparable, "all scopes, location-based");
  EXPECT_FALSE(At(billing.by_zone, "").difference_g()) << "nothing of ours";
}

TEST(BillingMatch, ProjectsOfOneNameAreMatched) {
  const BillingReport billing = MatchBilling({Google()}, October(31));
  ASSERT_THAT(billing.by_project, SizeIs(1));
  EXPECT_EQ(billing.by_project[0].name, "vision");
  EXPECT_THAT(billing.by_project[0].difference_g(), Optional(-18'000));
}

TEST(BillingMatch, WhereALineTellsScopesApartOnlyItsScope2IsCompared) {
  BillingExport google = Google();
  BillingLine networking = google.lines[0];
  networking.scope2_location_g.reset();
  google.lines.push_back(networking);  // a line with scope 3 alone
  BillingExport azure{"a.csv", "azure", "Azure", {}, {}};
  for (int scope = 1; scope <= 3; ++scope) {
    BillingLine line;
    line.month = "2026-10";
    line.zone = "NL";
    line.total_g = 1000.0 * scope;
    (scope == 1 ? line.scope1_g : scope == 2 ? line.scope2_g : line.scope3_g) = line.total_g;
    azure.lines.push_back(line);
  }
  const BillingReport billing = MatchBilling({google, azure}, October(31));
  EXPECT_THAT(At(billing.by_zone, "BE").comparable_g, Optional(30'000));
  EXPECT_THAT(At(billing.by_zone, "NL").comparable_g, Optional(2'000));
  EXPECT_EQ(At(billing.by_zone, "NL").comparable, "scope 2, method not told");
}

TEST(BillingMatch, WhatExplainsADifferenceIsSaid) {
  const BillingReport billing = MatchBilling({Google()}, October(20));
  EXPECT_THAT(billing.reasons, Contains(HasSubstr("20 of 31 days")));
  EXPECT_THAT(billing.reasons, Contains(HasSubstr("scope 3 (8.00 kg)")));
  EXPECT_THAT(billing.reasons,
              Contains(HasSubstr("19.0 kg of the provider's figure has no region")));
  for (const std::string& reason : MatchBilling({Google()}, October(31)).reasons)
    EXPECT_THAT(reason, testing::Not(HasSubstr("31 of 31")));
}

TEST(BillingMatch, UnknownGramsAreNotZero) {
  PeriodReport report = October(31);
  for (auto& [cell, figures] : report.cells) {
    figures.emissions_ug = 0;
    figures.without_intensity = figures.energy;
  }
  const BillingReport billing = MatchBilling({Google()}, report);
  EXPECT_THAT(BillingText(billing, 200), HasSubstr("unknown"));
  EXPECT_THAT(BillingText(billing, 200), Not(HasSubstr(" 0 g")));
  EXPECT_THAT(BillingCsv(billing), HasSubstr(",3600000.000000,,"));
}

}  // namespace
}  // namespace ebb::report
