#include "kubernetes/api/event_recorder.h"

#include <gtest/gtest.h>

#include "kubernetes/fake_api_server_for_test.h"
#include "platform/http_streams.h"
#include "platform/system_clock.h"

namespace ebb::kubernetes {
namespace {

using Json = nlohmann::json;
using namespace std::chrono_literals;
constexpr const char* kEvents = "/api/v1/events";

EventSubject Subject(const std::string& name) {
  return {"batch/v1", "Job", "default", name, "uid-of-" + name};
}

// The time is the test's.
class EventRecorderTest : public ::testing::Test {
 protected:
  void Begin() {
    client_ = std::make_unique<ApiClient>(streams_, ApiServer{.url = server_.url()},
                                          [this] { return now_; });
    recorder_ = std::make_unique<EventRecorder>(
        *client_, [this] { return Time{1'780'000'000s} + now_; }, [this] { return now_; },
        [this](const std::string& text) { said_.push_back(text); });
  }
  void SetUp() override { Begin(); }

  // Second after second, each until all that is sent was answered.
  void GoOnFor(std::chrono::seconds time) {
    for (auto second = 0s; second < time; ++second) {
      now_ += 1s;
      Settle();
    }
  }
  void Settle() {
    do {
      recorder_->Tick();
      client_->Tick();
      streams_.Poll(Duration{streams_.under_way() > 0 ? 1000 : 0});
    } while (streams_.under_way() > 0);
  }

  Json Found(const std::string& name, EventReason reason) const {
    return server_.Get(kEvents, EventName(Subject(name), reason));
  }

  FakeApiServer server_;
  platform::HttpStreams streams_ = *platform::HttpStreams::Open();
  Duration now_{1'000'000};
  std::unique_ptr<ApiClient> client_;
  std::unique_ptr<EventRecorder> recorder_;
  std::vector<std::string> said_;
};

TEST_F(EventRecorderTest, AnEventIsAboutItsObjectAndIsWhatKubectlDescribeShows) {
  recorder_->Tell(Subject("train"), EventReason::kWaiting, "waiting: 312 g/kWh now");
  GoOnFor(1s);
  const Json event = Found("train", EventReason::kWaiting);
  ASSERT_FALSE(event.is_null());
  EXPECT_EQ(event["involvedObject"], (Json{{"apiVersion", "batch/v1"},
                                           {"kind", "Job"},
                                           {"namespace", "default"},
                                           {"name", "train"},
                                           {"uid", "uid-of-train"}}));
  EXPECT_EQ(event["reason"], "Waiting");
  EXPECT_EQ(event["type"], "Normal");
  EXPECT_EQ(event["message"], "waiting: 312 g/kWh now");
  EXPECT_EQ(event["count"], 1);
  EXPECT_EQ(event["firstTimestamp"], "2026-05-28T20:43:21Z");
  EXPECT_EQ(event["lastTimestamp"], event["firstTimestamp"]);
}

TEST_F(EventRecorderTest, WhatGoesOnIsOneEventThatCountsWithTheNewestMessage) {
  for (int i = 0; i < 9000; ++i) {
    recorder_->Tell(Subject("train"), EventReason::kWaiting, std::to_string(i) + " g/kWh");
    GoOnFor(1s);
  }
  EXPECT_EQ(server_.counts().posts, 1);
  const Json event = Found("train", EventReason::kWaiting);
  EXPECT_EQ(event["count"], 4) << "once in three quarters of an hour";
  EXPECT_EQ(event["message"], "8100 g/kWh");
  EXPECT_EQ(client_->counts().changes, 4);
}

TEST_F(EventRecorderTest, WhatStaysTheSameCostsNoRequests) {
  for (int i = 0; i < 9000; ++i) {
    recorder_->Tell(Subject("train"), EventReason::kWaiting, "300 g/kWh");
    GoOnFor(1s);
  }
  EXPECT_EQ(client_->counts().changes, 1);
}

TEST_F(EventRecorderTest, ANewReasonIsToldSoonAndTheOneBeforeRests) {
  recorder_->Tell(Subject("train"), EventReason::kWaiting, "waits");
  GoOnFor(60s);
  recorder_->Tell(Subject("train"), EventReason::kReleased, "starts");
  GoOnFor(1s);
  EXPECT_EQ(Found("train", EventReason::kReleased)["count"], 1);
  recorder_->Rest("uid-of-train");
  GoOnFor(3600s);
  EXPECT_EQ(client_->counts().changes, 2) << "neither is told again";
  recorder_->Tell(Subject("train"), EventReason::kPaused, "paused");
  GoOnFor(1s);
  recorder_->Tell(Subject("train"), EventReason::kReleased, "starts again");
  GoOnFor(1s);
  EXPECT_EQ(Found("train", EventReason::kReleased)["count"], 2);
  EXPECT_EQ(Found("train", EventReason::kReleased)["message"], "starts again");
}

TEST_F(EventRecorderTest, WhatIsNotTrueAnyMoreWhenItsTurnComesIsNotTold) {
  for (int i = 0; i < 100; ++i)
    recorder_->Tell(Subject("train-" + std::to_string(i)), EventReason::kWaiting, "waits");
  for (int i = 0; i < 100; ++i) recorder_->Drop("uid-of-train-" + std::to_string(i));
  recorder_->Tell(Subject("new"), EventReason::kWaiting, "waits");
  recorder_->Rest("uid-of-new");
  GoOnFor(60s);
  EXPECT_EQ(client_->counts().changes, 0);
}

TEST_F(EventRecorderTest, AnotherProcessGoesOnWithTheSameEvents) {
  recorder_->Tell(Subject("train"), EventReason::kWaiting, "waits");
  recorder_->Tell(Subject("new"), EventReason::kReleased, "starts");
  GoOnFor(3600s);
  const std::int64_t posts = server_.counts().posts;
  Begin();
  // A reason that was told before is not news...
  recorder_->Tell(Subject("train"), EventReason::kWaiting, "still waits", "waits");
  // ...and if that is unknown, the server knows it.
  recorder_->Tell(Subject("new"), EventReason::kReleased, "starts again");
  GoOnFor(60s);
  EXPECT_EQ(Found("train", EventReason::kWaiting)["message"], "waits");
  EXPECT_EQ(Found("new", EventReason::kReleased)["message"], "starts again");
  EXPECT_EQ(server_.counts().posts, posts + 1) << "the server has it";
  GoOnFor(900s);
  EXPECT_EQ(Found("train", EventReason::kWaiting)["message"], "still waits");
  const std::int64_t changes = client_->counts().changes;
  GoOnFor(7200s);
  EXPECT_EQ(client_->counts().changes, changes);
}

TEST_F(EventRecorderTest, AnEventThatTheServerHasForgottenIsMadeAgain) {
  recorder_->Tell(Subject("train"), EventReason::kWaiting, "waits");
  GoOnFor(1s);
  const Json event = Found("train", EventReason::kWaiting);
  server_.Delete(kEvents, event["metadata"]["name"]);
  recorder_->Tell(Subject("train"), EventReason::kWaiting, "still waits");
  GoOnFor(2800s);
  const Json again = Found("train", EventReason::kWaiting);
  ASSERT_FALSE(again.is_null());
  EXPECT_EQ(again["firstTimestamp"], event["firstTimestamp"]);
  EXPECT_GT(again["count"], event["count"]);
}

TEST_F(EventRecorderTest, TenThousandObjectsMakeFewRequests) {
  for (int minute = 0; minute < 10; ++minute) {
    for (int i = 0; i < 10'000; ++i)
      recorder_->Tell(Subject("train-" + std::to_string(i)), EventReason::kWaiting,
                      std::to_string(minute) + " g/kWh");
    GoOnFor(60s);
  }
  EXPECT_LE(client_->counts().changes, 20 + 5 * 600);
  EXPECT_GE(client_->counts().changes, 5 * 600 - 5) << "and not fewer than may be";
}

TEST_F(EventRecorderTest, TenThousandThatWereToldBeforeAreNoBurst) {
  for (int i = 0; i < 10'000; ++i)
    recorder_->Tell(Subject("train-" + std::to_string(i)), EventReason::kWaiting, "waits",
                    i % 2 == 0 ? "waits" : "has waited");
  GoOnFor(400s);
  EXPECT_EQ(client_->counts().changes, 0);
}

TEST_F(EventRecorderTest, WithoutTheRightItSaysSoOnce) {
  recorder_->Tell(Subject("a"), EventReason::kReleased, "starts");
  server_.Refuse(403, 1);
  GoOnFor(1s);
  recorder_->Tell(Subject("b"), EventReason::kReleased, "starts");
  server_.Refuse(403, 1);
  GoOnFor(1s);
  ASSERT_EQ(said_.size(), 1u);
  EXPECT_TRUE(said_[0].starts_with("Events cannot be written: HTTP status 403")) << said_[0];
}

TEST_F(EventRecorderTest, NamesAreTheSameEveryTimeAndValid) {
  EXPECT_EQ(EventName(Subject("train"), EventReason::kWaiting), "train.a39cc1ba32307f7c");
  EXPECT_LE(EventName(Subject(std::string(250, 'a')), EventReason::kWaiting).size(), 253u);
}

}  // namespace
}  // namespace ebb::kubernetes
