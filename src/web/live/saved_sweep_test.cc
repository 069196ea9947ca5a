#include "web/live/saved_sweep.h"

#include <gtest/gtest.h>

#include "platform/file.h"
#include "testing/scratch_directory.h"

namespace ebb::web {
namespace {

report::SweepRow Row(const std::string& name, std::optional<core::JobId> job, int epochs) {
  report::SweepRow row;
  row.name = name;
  row.job = job;
  row.epochs = epochs;
  row.attempts = 1;
  return row;
}

bool Holds(const std::string& page, const std::string& address) {
  return page.find("\"" + address + "\":{") != std::string::npos;
}

std::string LossesOf(int job) {
  return "/api/v1/jobs/" + std::to_string(job) + "/series?only=losses&points=200";
}

TEST(SavedSweep, AReportWithoutNumbersIsAPageWithItsLosses) {
  const std::filesystem::path scratch = ScratchDirectory();
  const auto progress_of = [&](const report::SweepRow& row) {
    return scratch / (row.name + ".jsonl");
  };
  report::SweepReport report;
  report.name = "digits </script>";
  report.rows = {Row("told", {}, 1), Row("refused", {}, 0), Row("numbered", 5, 1)};
  const std::string line = R"({"time_ms":1,"event":"epoch_end","epoch":1,"test_loss":0.5})";
  ASSERT_TRUE(platform::WriteFileAtomically(progress_of(report.rows[0]), line + "\n"));
  const std::string page = SavedSweepPage(report, progress_of);
  EXPECT_TRUE(Holds(page, "/api/v1/sweeps/1"));
  EXPECT_FALSE(Holds(page, "/api/v1/status")) << "there is no queue";
  EXPECT_NE(page.find("digits \\u003c/script>"), std::string::npos);
  EXPECT_TRUE(Holds(page, LossesOf(6)));
  EXPECT_NE(page.find(R"("test_loss":[[1,1,0.5,0.5,0.5]])"), std::string::npos);
  EXPECT_FALSE(Holds(page, LossesOf(7))) << "no epoch, no losses";
  EXPECT_TRUE(Holds(page, LossesOf(5))) << "its file is gone";
  EXPECT_NE(page.find("\"job\": 7"), std::string::npos);
}

TEST(SavedSweep, HasTheCurvesThatThePageDraws) {
  report::SweepReport report;
  report.number = 3;
  for (int job = 1; job <= 30; ++job) report.rows.push_back(Row("one", job, job == 2 ? 0 : 4));
  std::map<std::string, std::string> answers;
  SaveSweep(
      report, [](core::JobId job) { return job == 4 ? "" : "{}"; }, answers);
  EXPECT_TRUE(answers.contains("/api/v1/sweeps/3"));
  EXPECT_EQ(answers.size(), 1 + 24 - 1u);
  EXPECT_FALSE(answers.contains(LossesOf(2))) << "it has told none";
  EXPECT_FALSE(answers.contains(LossesOf(4))) << "nobody knows it";
  EXPECT_TRUE(answers.contains(LossesOf(25)));
  EXPECT_FALSE(answers.contains(LossesOf(26)));
}

}  // namespace
}  // namespace ebb::web
