#include "web/live/live_view.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ebb::web {
namespace {

using nlohmann::json;

service::JobCard CardOf(core::JobId id, engine::Stage stage = engine::Stage::kWaiting) {
  core::Submission submission;
  submission.job.id = id;
  service::JobCard card;
  card.submission = std::make_shared<const core::Submission>(std::move(submission));
  card.explanation.job = id;
  card.explanation.stage = stage;
  return card;
}

// The state of a page that follows the events.
struct Page {
  std::map<core::JobId, json> jobs;
  std::vector<std::string> events;
  std::vector<std::int64_t> numbers;  // numbers of the events
  std::size_t left_out = 0;

  bool Hear(std::string_view text) {
    EXPECT_TRUE(text.starts_with("event: "));
    EXPECT_TRUE(text.ends_with("\n\n"));
    const auto end = text.find('\n');
    events.emplace_back(text.substr(7, end - 7));
    const json data = json::parse(text.substr(end + 7));
    if (events.back() == "status")
      for (const json& event : data["events"]) numbers.push_back(event["number"]);
    if (events.back() != "jobs") return true;
    EXPECT_LE(data["changed"].size(), 1000u);
    if (data.value("whole", false)) jobs.clear();
    for (const core::JobId id : data.value("gone", std::vector<core::JobId>{})) jobs.erase(id);
    for (const json& job : data["changed"]) jobs[job["id"]] = job;
    left_out = data["left_out"];
    return true;
  }
};

class LiveViewTest : public ::testing::Test {
 protected:
  void Tell(LiveView& live, Page& page) {
    page.events.clear();
    ++view_.version;
    EXPECT_TRUE(live.Tell(std::make_shared<const service::View>(view_),
                          [&](std::string_view text) { return page.Hear(text); }));
  }
  service::View view_;
  Page page_;
};

TEST_F(LiveViewTest, TellsTheFirstViewWholeAndThenWhatChanged) {
  LiveView live(LiveParts::kWhole);
  for (core::JobId id = 1; id <= 2500; ++id) view_.jobs.Put(CardOf(id));
  view_.events = {{1, Time{}, 0, "a"}};
  Tell(live, page_);
  EXPECT_EQ(page_.events, (std::vector<std::string>{"status", "grid", "jobs", "jobs", "jobs"}));
  EXPECT_EQ(page_.jobs.size(), 2500u);

  view_.jobs.Put(CardOf(7, engine::Stage::kRunning));
  view_.jobs.Erase(9);
  view_.events.push_back({2, Time{}, 7, "b"});
  Tell(live, page_);
  EXPECT_EQ(page_.events, (std::vector<std::string>{"status", "jobs"}));
  EXPECT_EQ(page_.jobs.size(), 2499u);
  EXPECT_EQ(page_.jobs[7]["stage"], "running");
  EXPECT_FALSE(page_.jobs.contains(9));
  EXPECT_EQ(page_.numbers, (std::vector<std::int64_t>{1, 2}));

  view_.signals.resize(1);
  view_.signals[0].view = std::make_shared<const core::SignalView>();
  Tell(live, page_);
  EXPECT_EQ(page_.events, (std::vector<std::string>{"status", "grid"}));
  Tell(live, page_);
  EXPECT_EQ(page_.events, (std::vector<std::string>{"status"}));
}

TEST_F(LiveViewTest, OfAVeryLongQueueItTellsTheFirstAndWhatIsUnderWay) {
  LiveView live(LiveParts::kWhole);
  for (core::JobId id = 1; id <= 20'010; ++id)
    view_.jobs.Put(CardOf(id, id == 20'005 ? engine::Stage::kRunning : engine::Stage::kWaiting));
  Tell(live, page_);
  EXPECT_EQ(page_.jobs.size(), 20'001u);
  EXPECT_EQ(page_.left_out, 9u);
  EXPECT_TRUE(page_.jobs.contains(20'005));
  view_.jobs.Put(CardOf(20'010, engine::Stage::kStarting));
  view_.jobs.Put(CardOf(20'011));
  Tell(live, page_);
  EXPECT_EQ(page_.jobs.size(), 20'002u);
  EXPECT_EQ(page_.left_out, 9u);
}

TEST_F(LiveViewTest, TheStatusAloneWhereNothingElseIsAskedFor) {
  LiveView live(LiveParts::kStatus);
  view_.jobs.Put(CardOf(1));
  Tell(live, page_);
  EXPECT_EQ(page_.events, (std::vector<std::string>{"status"}));
}

TEST_F(LiveViewTest, RowsAreAPartOfWhatIsToldWhole) {
  LiveView live(LiveParts::kWhole), rows(LiveParts::kRows);
  service::JobCard card = CardOf(1, engine::Stage::kRunning);
  card.stretches = {{Time{}, Time::max()}};
  view_.jobs.Put(std::move(card));
  Page of_rows;
  Tell(live, page_);
  Tell(rows, of_rows);
  const json& row = of_rows.jobs[1];
  EXPECT_EQ(row["ran_ms"], json::parse("[[0]]"));
  EXPECT_LT(row.size(), page_.jobs[1].size());
  for (const auto& [key, value] : row.items()) EXPECT_EQ(page_.jobs[1][key], value) << key;
}

TEST_F(LiveViewTest, EndsWhenNobodyReads) {
  LiveView live(LiveParts::kWhole);
  view_.version = 1;
  int written = 0;
  EXPECT_FALSE(live.Tell(std::make_shared<const service::View>(view_), [&](std::string_view) {
    ++written;
    return false;
  }));
  EXPECT_EQ(written, 1);
}

}  // namespace
}  // namespace ebb::web
