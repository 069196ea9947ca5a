#include "report/compare/compare_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "report/draw/svg_plot.h"
#include "report/golden_for_test.h"
#include "report/run/run_builder_for_test.h"
#include "testing/scratch_directory.h"

namespace ebb::report {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<core::RunRecord> Runs(const std::string& other_name) {
  std::vector<core::RunRecord> runs;
  for (const std::int64_t seed : {1, 2, 3}) {
    RunBuilder baseline;
    baseline.seed = seed;
    baseline.running = std::chrono::seconds(15);
    runs.push_back(baseline.Build());
    RunBuilder other = baseline;
    other.group = other_name;
    other.policy = "threshold";
    other.waited = std::chrono::hours(17);
    other.replayed = true;
    other.running = std::chrono::seconds(18 + seed);
    other.batch_size = 16;
    other.accumulation_steps = 4;
    other.peak_tensor_bytes = 49e6;
    runs.push_back(other.Build());
  }
  return runs;
}

std::string Page(const std::string& other_name = "optimized") {
  return ComparisonPage(*Compare(Runs(other_name)));
}

TEST(ComparePage, AsksNothingOfTheNetworkAndRunsNoScript) {
  const std::string page = Page();
  for (const char* forbidden :
       {"http://", "https://", "<script", "<link", "<img", "@import", "url("})
    EXPECT_THAT(page, Not(HasSubstr(forbidden)));
}

TEST(ComparePage, EscapesWhatAUserNamed) {
  const std::string page = Page("<script>alert('x')</script>\" onload=\"y");
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("\" onload=\"")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;"));
}

TEST(ComparePage, SaysWhatWasReplayedAndSkipped) {
  EXPECT_THAT(Page(), AllOf(HasSubstr("The grid clock was replayed"),
                            HasSubstr("were skipped, not slept")));
}

TEST(ComparePage, EveryPlotIsAnImageWithADescription) {
  const std::string page = Page();
  std::size_t plots = 0;
  for (auto at = page.find("<svg"); at != std::string::npos; at = page.find("<svg", at + 1)) {
    const std::string tag = page.substr(at, page.find('>', at) - at);
    EXPECT_THAT(tag, AllOf(HasSubstr("role=\"img\""), HasSubstr("aria-label=\"")));
    ++plots;
  }
  EXPECT_GE(plots, 10u);
}

TEST(ComparePage, ElementsAreClosed) {
  const std::string page = Page();
  for (const std::string tag : {"svg", "table", "tr", "figure", "g", "p", "div", "li", "text"}) {
    const auto count = [&](const std::string& what) {
      std::size_t found = 0;
      for (auto at = page.find(what); at != std::string::npos; at = page.find(what, at + 1))
        ++found;
      return found;
    };
    EXPECT_EQ(count("<" + tag + ">") + count("<" + tag + " "), count("</" + tag + ">")) << tag;
  }
}

TEST(ComparePage, RunsThatMeasuredNothingStillHaveAPage) {
  auto runs = Runs("empty");
  for (core::RunRecord& run : runs) {
    run.ledger.clear();
    run.epochs.clear();
    run.training.reset();
    run.signal = {};
    run.attempts.clear();
  }
  EXPECT_THAT(ComparisonPage(*Compare(runs)), HasSubstr("</html>"));
}

TEST(ComparePage, IsWrittenWithItsCompanions) {
  const auto files =
      WriteComparison(ScratchDirectory() / "out", *Compare(Runs("optimized")), kMidnight);
  ASSERT_TRUE(files) << files.error().Message();
  for (const auto& file : {files->json, files->neo_json, files->markdown, files->page})
    EXPECT_TRUE(std::filesystem::exists(file)) << file;
}

TEST(SvgPlot, TicksAreRoundAndCoverTheRange) {
  EXPECT_THAT(NiceTicks(0, 100, 5), ElementsAre(0, 20, 40, 60, 80, 100));
  EXPECT_THAT(NiceTicks(0, 7, 4), ElementsAre(0, 2, 4, 6));
  EXPECT_THAT(NiceTicks(3, 3, 4), ElementsAre(3));
}

}  // namespace
}  // namespace ebb::report
