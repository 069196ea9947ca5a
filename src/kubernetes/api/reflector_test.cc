#include "kubernetes/api/reflector.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "kubernetes/api/json_reading.h"
#include "kubernetes/fake_api_server_for_test.h"
#include "platform/system_clock.h"

namespace ebb::kubernetes {
namespace {

using Json = nlohmann::json;
constexpr const char* kJobs = "/apis/batch/v1/jobs";

class ReflectorTest : public ::testing::Test {
 protected:
  // The belief of a client that follows the events: name -> value of the annotation.
  using Belief = std::map<std::string, std::string>;

  Reflector& Open(ReflectorOptions options = {}) {
    options.first_wait = Duration{2};
    options.longest_wait = Duration{20};
    ReflectorEvents events;
    events.on_object = [this](const JsonNode& object) {
      ++told_;
      belief_[TextAt(object, "/metadata/uid")] = {TextAt(object, "/metadata/name"),
                                                  TextAt(object, "/metadata/annotations/value")};
    };
    events.on_gone = [this](const std::string& uid) {
      EXPECT_EQ(belief_.erase(uid), 1u) << "what was told is gone once";
    };
    events.say = [this](const std::string& text) { said_.push_back(text); };
    reflector_ = std::make_unique<Reflector>(client_, kJobs, &platform::SinceBoot,
                                             std::move(events), options);
    return *reflector_;
  }

  Belief Believed() const {
    Belief belief;
    for (const auto& [uid, entry] : belief_) belief[entry.first] = entry.second;
    return belief;
  }

  // Goes on until `done` says so, or for a minute: hundreds of cuts take their time.
  bool GoOn(const std::function<bool()>& done) {
    const Duration until = platform::SinceBoot() + std::chrono::minutes{1};
    while (!done() && platform::SinceBoot() < until) {
      reflector_->Tick();
      const auto due = reflector_->NextDue();
      const Duration wait = due ? *due - platform::SinceBoot() : Duration{5};
      streams_.Poll(std::clamp(wait, Duration{0}, Duration{5}));
    }
    return done();
  }

  void Write(const std::string& name, const std::string& value) {
    truth_[name] = value;
    if (server_.Get(kJobs, name).is_null())
      server_.Create(kJobs, JobObject(name, {{"value", value}}));
    else
      server_.Patch(kJobs, name, {{"metadata", {{"annotations", {{"value", value}}}}}});
  }
  void Remove(const std::string& name) {
    truth_.erase(name);
    server_.Delete(kJobs, name);
  }

  FakeApiServer server_;
  platform::HttpStreams streams_ = *platform::HttpStreams::Open();
  ApiClient client_{streams_, {.url = server_.url()}, &platform::SinceBoot};
  std::unique_ptr<Reflector> reflector_;
  std::map<std::string, std::pair<std::string, std::string>> belief_;  // by uid
  Belief truth_;
  std::vector<std::string> said_;
  int told_ = 0;
};

// If the right is never given, there are only a few requests in an hour, and one line in the log.
TEST_F(ReflectorTest, WhatItMayNotReadIsSaidOnceAndSeldomAskedFor) {
  Duration now{};
  ReflectorEvents events;
  events.on_object = [this](const JsonNode&) { ++told_; };
  events.say = [this](const std::string& text) { said_.push_back(text); };
  server_.SetStreamsLists(false);
  server_.Refuse(403, 1'000'000);
  Write("job", "a");
  Reflector reflector(
      client_, kJobs, [&now] { return now; }, std::move(events));
  const auto ask = [&] {
    reflector.Tick();
    while (!reflector.NextDue()) streams_.Poll(Duration{5});
    now = std::max(now, *reflector.NextDue());
  };
  while (now < std::chrono::hours{1}) ask();
  EXPECT_LE(reflector.counts().failures, 35);
  EXPECT_EQ(said_.size(), 1u);
  server_.Refuse(403, 0);
  ask();
  streams_.Poll(Duration{5});
  EXPECT_EQ(told_, 1) << "once the right is given, without a restart";
}

TEST_F(ReflectorTest, FollowsWhatTheServerHas) {
  for (int i = 0; i < 12; ++i) Write("job-" + std::to_string(i), "a");
  Open();
  ASSERT_TRUE(GoOn([&] { return reflector_->synced(); }));
  EXPECT_EQ(Believed(), truth_);
  Write("job-3", "b");
  Write("new", "c");
  Remove("job-5");
  EXPECT_TRUE(GoOn([&] { return Believed() == truth_; }));
  EXPECT_EQ(told_, 14) << "each change once";
  EXPECT_EQ(reflector_->counts().lists, 0) << "the list came with the watch";
}

TEST_F(ReflectorTest, ListsInPagesWhereTheServerCannotStreamLists) {
  server_.SetStreamsLists(false);
  for (int i = 0; i < 25; ++i) Write("job-" + std::to_string(i), "a");
  ReflectorOptions options;
  options.page = 10;
  Open(options);
  ASSERT_TRUE(GoOn([&] { return reflector_->synced(); }));
  EXPECT_EQ(Believed(), truth_);
  EXPECT_EQ(server_.counts().lists, 3);
  Write("later", "x");
  EXPECT_TRUE(GoOn([&] { return Believed() == truth_; }));
}

TEST_F(ReflectorTest, AVersionThatIsTooOldIsListedAgainAndTheDifferenceTold) {
  Write("stays", "a");
  Write("goes", "a");
  Open();
  ASSERT_TRUE(GoOn([&] { return Believed() == truth_; }));
  server_.SetAway(true);
  ASSERT_TRUE(GoOn([&] { return reflector_->away_since().has_value(); }));
  Remove("goes");
  Write("comes", "b");
  server_.ForgetHistory();
  server_.SetAway(false);
  EXPECT_TRUE(GoOn([&] { return Believed() == truth_; }));
  EXPECT_EQ(told_, 3) << "what has not changed is not told again";
  EXPECT_FALSE(said_.empty());
  Write("stays", "c");
  EXPECT_TRUE(GoOn([&] { return Believed() == truth_ && !reflector_->away_since(); }));
}

// Connections are closed after a random number of bytes, versions get too old at random.
TEST_F(ReflectorTest, NothingIsLostHoweverConnectionsAreCut) {
  Random random(7);
  server_.SetStreamsLists(false);
  for (int i = 0; i < 20; ++i) Write("job-" + std::to_string(i), "0");
  Open();
  int changes = 0;
  for (int round = 0; round < 150; ++round) {
    server_.CutAfter({random.Below(4000), random.Below(400), random.Below(4000)});
    if (random.Below(3) == 0) server_.CutAll();
    if (random.Below(5) == 0) server_.ForgetHistory();
    if (random.Below(8) == 0) server_.SetStreamsLists(random.Below(2) == 0);
    for (std::uint64_t i = 0; i < random.Below(6); ++i) {
      const std::string name = "job-" + std::to_string(random.Below(30));
      if (random.Below(4) == 0)
        Remove(name);
      else
        Write(name, std::to_string(++changes));
    }
    const int steps = static_cast<int>(random.Below(10));
    for (int i = 0; i < steps; ++i) {
      reflector_->Tick();
      streams_.Poll(Duration{2});
    }
  }
  EXPECT_TRUE(GoOn([&] { return Believed() == truth_; }));
  EXPECT_GT(reflector_->counts().failures + reflector_->counts().watches, 50);
}

TEST_F(ReflectorTest, AResourceThatTheServerDoesNotHaveIsEmptyAndSaidToBe) {
  server_.SetStreamsLists(false);
  server_.Refuse(404, 1000);
  Open();
  EXPECT_TRUE(GoOn([&] { return reflector_->synced(); }));
  EXPECT_TRUE(reflector_->absent());
  EXPECT_TRUE(said_.empty()) << "most clusters have only some of the kinds";
}

TEST_F(ReflectorTest, ARefusalIsSaidOnceAndTriedAgain) {
  server_.SetStreamsLists(false);
  server_.Refuse(403, 3);
  Write("a", "1");
  Open();
  EXPECT_TRUE(GoOn([&] { return Believed() == truth_; }));
  EXPECT_EQ(said_.size(), 1u) << said_.front();
  EXPECT_NE(said_.front().find("403"), std::string::npos);
}

TEST_F(ReflectorTest, ChangesAreMadeAgainUntilTheyAreAnswered) {
  Write("a", "1");
  Open();
  server_.Refuse(503, 2);
  int answered = 0;
  ApiClient::Change change;
  change.path = "/apis/batch/v1/namespaces/default/jobs/a";
  change.body = R"({"spec":{"suspend":false}})";
  change.key = "a";
  client_.Make(change, [&](const Result<ApiAnswer>& answer) {
    ++answered;
    EXPECT_TRUE(answer && answer->status == 200);
  });
  EXPECT_TRUE(GoOn([&] {
    client_.Tick();
    return answered > 0;
  }));
  EXPECT_EQ(answered, 1);
  EXPECT_EQ(client_.counts().repeated, 2);
  EXPECT_EQ(server_.Get(kJobs, "a")["spec"]["suspend"], false);
}

}  // namespace
}  // namespace ebb::kubernetes
