#include "cli/explanation_text.h"

#include <gtest/gtest.h>

namespace ebb::cli {
namespace {

const LocalTimes kUtc(std::nullopt, *ParseTime("2026-05-01T06:00Z"));

TEST(ExplanationText, SaysWhyAJobWaitsAndWhatThatSaves) {
  const auto text = ExplanationText(
      R"({"id":7,"name":"night\u0007ly","stage":"waiting","site":"norway","waits_for":[2,4],
          "reason":"waiting: 300 g/kWh now, cleaner at 2026-05-01T11:00:00Z",
          "intensity_now":300,"intensity_expected":100,"power_w":200,"devices":2,
          "duration_s":3600})",
      kUtc);
  ASSERT_TRUE(text);
  EXPECT_EQ(*text,
            "job 7 (night?ly) is waiting: 300 g/kWh now, cleaner at 11:00\n"
            "it is planned at site norway\n"
            "it waits for jobs [2,4] to succeed\n"
            "waiting is expected to save 80.0 g of 120 g: 400 Wh at 100 g/kWh instead of 300 "
            "g/kWh\n");
}

TEST(ExplanationText, SaysWhatAJobThatHasEndedSaved) {
  EXPECT_EQ(*ExplanationText(R"({"id":7,"name":"a","stage":"failed","detail":"exit code 3",
                                 "started":"2026-05-01T05:00:00Z","intensity_now":300,
                                 "intensity_expected":100,"emissions_g":12,
                                 "emissions_at_submission_g":10,"saving_half_width_g":3})",
                             kUtc),
            "job 7 (a) has failed\nexit code 3\n"
            "it emitted 12.0 g; at submission it would have been 10.0 g: 2.00 g WORSE, which is "
            "not a clear difference\n");
}

TEST(ExplanationText, AnAnswerThatIsNotAJobIsAnError) {
  EXPECT_FALSE(ExplanationText("<html>", kUtc));
  EXPECT_FALSE(ExplanationText("[]", kUtc));
}

TEST(ExplanationText, SaysHowManyDevicesAnElasticJobHasAndIsToHave) {
  EXPECT_EQ(*ExplanationText(R"({"id":7,"name":"a","stage":"running","devices":1,"devices_now":4,
                                 "ran_devices":[2,4],"planned_devices":[4,1,2]})",
                             kUtc),
            "job 7 (a) is running\n"
            "it is elastic: it has 4 devices now, and the plan from now on is 4, 1, 2 devices\n");
  EXPECT_EQ(
      *ExplanationText(R"({"id":7,"name":"a","stage":"waiting","planned_devices":[2]})", kUtc),
      "job 7 (a) is waiting\nit is elastic: planned on 2 devices\n");
}

TEST(ExplanationText, SaysBetweenWhichSitesAJobIsToGo) {
  EXPECT_EQ(*ExplanationText(R"({"id":7,"name":"a","stage":"running",
                                 "planned_ms":[[1682899200000,1682917200000],
                                               [1682917200000,1682920800000],
                                               [1682920800000,1682938800000],
                                               [1682942400000,1682956800000]],
                                 "planned_sites":["north","north","south","north"]})",
                             kUtc),
            "job 7 (a) is running\n"
            "it follows clean hours from site to site: north until " +
                kUtc.InText("2023-05-01T06:00:00Z") + ", then south until " +
                kUtc.InText("2023-05-01T11:00:00Z") + ", then north\n");
  EXPECT_EQ(*ExplanationText(R"({"id":7,"name":"a","stage":"running","planned_ms":[[1,2]]})", kUtc),
            "job 7 (a) is running\n");
}

TEST(ExplanationText, SaysTheGivenAndTheMeasuredSpeedUp) {
  EXPECT_EQ(
      *ExplanationText(R"({"id":7,"name":"a","stage":"waiting","speedup":["2=1.8","4=3"]})", kUtc),
      "job 7 (a) is waiting\nits speed-up as given is 2=1.8, 4=3, and the plan uses it until "
      "Ebb has measured it\n");
  EXPECT_EQ(*ExplanationText(R"({"id":7,"name":"a","stage":"waiting","speedup":["2=1.8","4=3"],
                                 "learned_speedup":["2=1.4","4=2.1"]})",
                             kUtc),
            "job 7 (a) is waiting\nits speed-up as given is 2=1.8, 4=3; measured it is 2=1.4, "
            "4=2.1, and the plan uses that\n");
}

}  // namespace
}  // namespace ebb::cli
