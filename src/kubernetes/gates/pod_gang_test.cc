#include "kubernetes/gates/pod_gang.h"

#include <gtest/gtest.h>

#include "kubernetes/api/json_reading.h"
#include "kubernetes/api/reflector.h"
#include "kubernetes/fake_api_server_for_test.h"
#include "platform/system_clock.h"

namespace ebb::kubernetes {
namespace {

using Json = nlohmann::json;
constexpr const char* kPods = "/api/v1/pods";

class PodGangsTest : public ::testing::Test {
 protected:
  void SetUp() override { Begin(); }

  void Begin(PodGangOptions options = {}) {
    known_.clear();
    reflector_.reset();
    client_ = std::make_unique<ApiClient>(streams_, ApiServer{.url = server_.url()},
                                          &platform::SinceBoot, ApiClientOptions{});
    gangs_ = std::make_unique<PodGangs>(
        *client_, [this](const PodOwner& owner) { return owner.labels.contains(released_label_); },
        [this] { return platform::SinceBoot() + skipped_; },
        [this](const std::string& text) { said_.push_back(text); }, options);
    ReflectorEvents events;
    events.on_object = [this](const JsonNode& pod) { gangs_->TakePod(pod); };
    events.on_gone = [this](const std::string& uid) { gangs_->DropPod(uid); };
    reflector_ = std::make_unique<Reflector>(*client_, kPods, &platform::SinceBoot, events);
    EXPECT_TRUE(GoOn([&] { return reflector_->synced(); }));
  }

  // Goes on until `done` returns true, or for ten seconds.
  bool GoOn(const std::function<bool()>& done) {
    const Duration until = platform::SinceBoot() + std::chrono::seconds{10};
    while (!done() && platform::SinceBoot() < until) {
      reflector_->Tick();
      PodGangs::News news = gangs_->TakeNews();
      for (const std::string& uid : news.gone) EXPECT_EQ(known_.erase(uid), 1u) << uid;
      for (GatedObject& gang : news.changed) known_[gang.uid] = std::move(gang);
      gangs_->Tick();
      client_->Tick();
      streams_.Poll(Duration{5});
    }
    return done();
  }
  void GoOnFor(Duration time) {
    const Duration until = platform::SinceBoot() + time;
    GoOn([&] { return platform::SinceBoot() >= until; });
  }

  Json Create(const std::string& name, const Json& metadata = Json::object()) {
    const Json container{{"name", "main"}, {"resources", {{"requests", {{"cpu", "2"}}}}}};
    Json pod{{"kind", "Pod"},
             {"metadata", {{"name", name}}},
             {"spec",
              {{"schedulingGates", Json::array({{{"name", "ebb/wait"}}})},
               {"containers", Json::array({container})}}},
             {"status", {{"phase", "Pending"}}}};
    pod["metadata"].merge_patch(metadata);
    return server_.Create(kPods, std::move(pod));
  }
  static Json OfGang(int size, const Json& annotations = Json::object()) {
    return {{"labels", {{"ebb/gang", "train"}, {"ebb/gang-size", std::to_string(size)}}},
            {"annotations", annotations}};
  }
  static Json OfOwner(const std::string& uid) {
    return {{"ownerReferences",
             Json::array(
                 {{{"kind", "ReplicaSet"}, {"name", "set"}, {"uid", uid}, {"controller", true}}})},
            {"annotations", {{"ebb/gang-size", "2"}}}};
  }
  void SetPhase(const std::string& name, const std::string& phase) {
    server_.Patch(kPods, name, {{"status", {{"phase", phase}}}});
  }
  Json GatesOf(const std::string& name) const {
    return server_.Get(kPods, name)["spec"].value("schedulingGates", Json::array());
  }
  bool IsThrough(const std::string& name) const { return GatesOf(name).empty(); }
  bool Is(const std::string& uid, ObjectPhase phase) const {
    return known_.contains(uid) && known_.at(uid).phase == phase;
  }
  void Release(const std::string& uid, int attempt = 1) {
    gangs_->Release(uid, attempt,
                    [this](const Result<ApiAnswer>& answer) { answers_.push_back(answer); });
  }
  // Tells that the gang waits and is whole.
  bool IsReady(const std::string& uid) const {
    return Is(uid, ObjectPhase::kSuspended) && known_.at(uid).lacks.empty();
  }

  FakeApiServer server_;
  platform::HttpStreams streams_ = *platform::HttpStreams::Open();
  Duration skipped_{};
  std::string released_label_ = "nobody";
  std::unique_ptr<ApiClient> client_;
  std::unique_ptr<PodGangs> gangs_;
  std::unique_ptr<Reflector> reflector_;
  std::map<std::string, GatedObject> known_;
  std::vector<Result<ApiAnswer>> answers_;
  std::vector<std::string> said_;
};

constexpr const char* kTrain = "gang/default/train";

TEST_F(PodGangsTest, AGangIsWholeOnceAllItsPodsAreThere) {
  Create("a", OfGang(3, {{"ebb/threshold", "200"}}));
  Create("b", OfGang(3));
  EXPECT_TRUE(GoOn([&] { return known_.contains(kTrain) && known_[kTrain].parts.size() == 2; }));
  EXPECT_EQ(known_[kTrain].lacks, "waiting: 2 of the 3 pods of its gang are there");
  Create("c", OfGang(3));
  EXPECT_TRUE(GoOn([&] { return IsReady(kTrain); }));
  const GatedObject& gang = known_[kTrain];
  EXPECT_EQ(gang.job.name, "default/train");
  EXPECT_EQ(gang.job.devices, 6) << "cores of all three";
  EXPECT_EQ(gang.job.threshold, Intensity{200});
  EXPECT_TRUE(gang.chosen && gang.problems.empty());
  server_.Delete(kPods, "b");
  EXPECT_TRUE(GoOn([&] { return !known_[kTrain].lacks.empty(); }));
}

TEST_F(PodGangsTest, AGangIsAsLargeAsItsPodsSayNow) {
  Create("a", OfGang(3));
  Create("b", OfGang(3));
  EXPECT_TRUE(GoOn([&] { return known_.contains(kTrain) && known_[kTrain].parts.size() == 2; }));
  for (const char* name : {"a", "b"})
    server_.Patch(kPods, name, {{"metadata", {{"labels", {{"ebb/gang-size", "2"}}}}}});
  EXPECT_TRUE(GoOn([&] { return IsReady(kTrain); }));
}

TEST_F(PodGangsTest, PodsWithoutTheGateAreNobodysBusiness) {
  server_.CreatePod("other", "some-job");
  server_.Create(kPods, {{"metadata", {{"name", "gated-by-another"}}},
                         {"spec", {{"schedulingGates", Json::array({{{"name", "theirs"}}})}}}});
  Create("alone");
  EXPECT_TRUE(GoOn([&] { return known_.size() == 1; }));
  EXPECT_EQ(known_.begin()->second.job.name, "default/alone");
}

TEST_F(PodGangsTest, AReleaseRemovesItsOwnGateFromAllPodsAndNothingElse) {
  Create("a", OfGang(2));
  Create("b", OfGang(2, {{"mine", "stays"}}));
  server_.Patch(
      kPods, "b",
      {{"spec", {{"schedulingGates", Json::array({{{"name", "x"}}, {{"name", "ebb/wait"}}})}}}});
  EXPECT_TRUE(GoOn([&] { return IsReady(kTrain); }));
  GoOnFor(Duration{50});
  Release(kTrain);
  EXPECT_TRUE(GoOn([&] { return !answers_.empty() && Is(kTrain, ObjectPhase::kReleased); }));
  EXPECT_TRUE(IsThrough("a"));
  EXPECT_EQ(GatesOf("b"), Json::array({{{"name", "x"}}}));
  for (const char* name : {"a", "b"})
    EXPECT_EQ(server_.Get(kPods, name)["metadata"]["annotations"]["ebb/attempt"], "1");
  EXPECT_EQ(server_.Get(kPods, "b")["metadata"]["annotations"]["mine"], "stays");
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0]->status, 200);
}

TEST_F(PodGangsTest, AChangeByAnotherMeanwhileIsReadAndTheRightGateRemoved) {
  Create("a", OfGang(2));
  Create("b", OfGang(2));
  EXPECT_TRUE(GoOn([&] { return IsReady(kTrain); }));
  // The test has not seen it yet: another gate is first, and annotations came to a pod without any.
  server_.Patch(
      kPods, "a",
      {{"spec", {{"schedulingGates", Json::array({{{"name", "x"}}, {{"name", "ebb/wait"}}})}}}});
  server_.Patch(kPods, "b", {{"metadata", {{"annotations", {{"mine", "stays"}}}}}});
  Release(kTrain);
  EXPECT_TRUE(GoOn([&] { return !answers_.empty(); }));
  EXPECT_EQ(GatesOf("a"), Json::array({{{"name", "x"}}}));
  EXPECT_TRUE(IsThrough("b"));
  EXPECT_EQ(server_.Get(kPods, "b")["metadata"]["annotations"]["mine"], "stays");
  EXPECT_GE(server_.counts().refused_patches, 2);
  EXPECT_EQ(answers_[0]->status, 200);
}

TEST_F(PodGangsTest, APodThatIsMadeAnewWhileItsGangRunsIsLetThrough) {
  Create("a", OfOwner("u1"));
  Create("b", OfOwner("u1"));
  EXPECT_TRUE(GoOn([&] { return IsReady("owner/u1"); }));
  Release("owner/u1", 3);
  EXPECT_TRUE(GoOn([&] { return !answers_.empty(); }));
  SetPhase("a", "Running");
  SetPhase("b", "Running");
  server_.Delete(kPods, "b");
  Create("c", OfOwner("u1"));
  EXPECT_TRUE(GoOn([&] { return IsThrough("c"); }));
  EXPECT_EQ(server_.Get(kPods, "c")["metadata"]["annotations"]["ebb/attempt"], "3");
  GoOnFor(Duration{50});
  EXPECT_TRUE(Is("owner/u1", ObjectPhase::kReleased));
  EXPECT_EQ(answers_.size(), 1u);
}

TEST_F(PodGangsTest, DeadlinesCountFromTheFirstCreationThoughPodsAreMadeAnew) {
  const Json early{{"creationTimestamp", "2026-05-01T00:00:00Z"}};
  Json first = OfGang(1, {{"ebb/start-by", "3h"}});
  first.merge_patch(early);
  Create("a", first);
  EXPECT_TRUE(GoOn([&] { return IsReady(kTrain); }));
  server_.Delete(kPods, "a");
  EXPECT_TRUE(GoOn([&] { return !known_[kTrain].lacks.empty(); }));
  Create("b", OfGang(1, {{"ebb/start-by", "3h"}}));
  EXPECT_TRUE(GoOn([&] { return IsReady(kTrain); }));
  EXPECT_EQ(FormatTime(*known_[kTrain].job.start_by), "2026-05-01T03:00:00Z");
  // Another process reads it from the pod.
  server_.Patch(kPods, "b",
                {{"metadata", {{"annotations", {{kFirstCreatedKey, "2026-05-01T00:00:00Z"}}}}}});
  Begin();
  EXPECT_TRUE(GoOn([&] { return IsReady(kTrain); }));
  EXPECT_EQ(FormatTime(*known_[kTrain].job.start_by), "2026-05-01T03:00:00Z");
}

TEST_F(PodGangsTest, AGangHasEndedWhenAllItsPodsHaveAndWhatComesLaterWaitsAnew) {
  Create("a", OfGang(2));
  Create("b", OfGang(2));
  EXPECT_TRUE(GoOn([&] { return IsReady(kTrain); }));
  Release(kTrain);
  EXPECT_TRUE(GoOn([&] { return !answers_.empty(); }));
  SetPhase("a", "Succeeded");
  GoOnFor(Duration{50});
  EXPECT_TRUE(Is(kTrain, ObjectPhase::kReleased));
  SetPhase("b", "Succeeded");
  EXPECT_TRUE(GoOn([&] { return Is(kTrain, ObjectPhase::kSucceeded); }));
  Create("c", OfGang(2));
  Create("d", OfGang(2));
  const std::string next = std::string(kTrain) + "~1";
  EXPECT_TRUE(GoOn([&] { return IsReady(next); }));
  EXPECT_FALSE(known_.contains(kTrain));
  EXPECT_EQ(known_[next].attempt, 0);
  Release(next);
  EXPECT_TRUE(GoOn([&] { return IsThrough("c") && IsThrough("d"); }));
  SetPhase("c", "Failed");
  SetPhase("d", "Succeeded");
  EXPECT_TRUE(GoOn([&] { return Is(next, ObjectPhase::kFailed); }));
}

TEST_F(PodGangsTest, WhatCannotBeReleasedWaitsOn) {
  Create("a", OfGang(1));
  EXPECT_TRUE(GoOn([&] { return IsReady(kTrain); }));
  server_.RefusePatches("a", 403);
  Release(kTrain);
  EXPECT_TRUE(GoOn([&] { return !answers_.empty(); }));
  EXPECT_EQ(answers_[0]->status, 403);
  GoOnFor(Duration{50});
  EXPECT_TRUE(IsReady(kTrain));
  EXPECT_EQ(known_[kTrain].attempt, 0) << "it never ran";
}

TEST_F(PodGangsTest, AGateWhoseRemovalNobodyAnswersIsLookedFor) {
  PodGangOptions options;
  options.late_release = Duration{100};
  Begin(options);
  Create("a", OfGang(1));
  EXPECT_TRUE(GoOn([&] { return IsReady(kTrain); }));
  server_.RefusePatches("a", 503);
  Release(kTrain);
  EXPECT_TRUE(GoOn([&] { return !answers_.empty(); }));
  EXPECT_FALSE(answers_[0]) << "its gate is there";
  EXPECT_FALSE(IsThrough("a"));
}

TEST_F(PodGangsTest, OfAGangThatIsReleasedInPartTheRestFollows) {
  Create("a", OfGang(2));
  Create("b", OfGang(2));
  EXPECT_TRUE(GoOn([&] { return IsReady(kTrain); }));
  server_.RefusePatches("b", 403);
  Release(kTrain);
  EXPECT_TRUE(GoOn([&] { return !answers_.empty(); }));
  EXPECT_EQ(answers_[0]->status, 200);
  EXPECT_FALSE(IsThrough("b"));
  server_.RefusePatches("b", 429);  // which a client makes again
  skipped_ += std::chrono::seconds{11};
  const std::int64_t before = client_->counts().changes;
  EXPECT_TRUE(GoOn([&] { return client_->counts().changes > before; }));
  ASSERT_EQ(said_.size(), 1u);
  EXPECT_TRUE(said_[0].starts_with("default/b: its gate cannot be removed: ")) << said_[0];
}

TEST_F(PodGangsTest, APodThatGoesWhileItIsReleasedKeepsNobodyWaiting) {
  Create("a", OfGang(2));
  Create("b", OfGang(2));
  EXPECT_TRUE(GoOn([&] { return IsReady(kTrain); }));
  server_.Delete(kPods, "b");  // not seen yet
  Release(kTrain);
  EXPECT_TRUE(GoOn([&] { return !answers_.empty(); }));
  EXPECT_EQ(answers_[0]->status, 200);
  EXPECT_TRUE(IsThrough("a"));
}

TEST_F(PodGangsTest, AnotherProcessFindsWhatIsReleased) {
  Create("a", OfGang(2));
  Create("b", OfGang(2));
  EXPECT_TRUE(GoOn([&] { return IsReady(kTrain); }));
  Release(kTrain, 2);
  EXPECT_TRUE(GoOn([&] { return !answers_.empty(); }));
  SetPhase("a", "Running");
  server_.Delete(kPods, "b");
  Create("c", OfGang(2));
  Begin();
  EXPECT_TRUE(GoOn([&] { return Is(kTrain, ObjectPhase::kReleased) && IsThrough("c"); }));
  EXPECT_EQ(known_[kTrain].attempt, 2);
}

TEST_F(PodGangsTest, AGangWithoutPodsIsKeptForAWhile) {
  Create("a", OfGang(1));
  EXPECT_TRUE(GoOn([&] { return IsReady(kTrain); }));
  Release(kTrain);
  EXPECT_TRUE(GoOn([&] { return !answers_.empty(); }));
  server_.Delete(kPods, "a");
  GoOnFor(Duration{50});
  EXPECT_TRUE(Is(kTrain, ObjectPhase::kReleased)) << "its owner may make it anew";
  skipped_ += std::chrono::seconds{31};
  EXPECT_TRUE(GoOn([&] { return known_.empty(); }));
}

TEST_F(PodGangsTest, PodsOfAnObjectThatHasWaitedAreLetThroughAndAreNoJob) {
  released_label_ = "batch.kubernetes.io/job-name";
  Json metadata = OfOwner("u1");
  metadata["labels"] = {{released_label_, "train"}};
  Create("a", metadata);
  EXPECT_TRUE(GoOn([&] { return IsThrough("a"); }));
  SetPhase("a", "Running");
  GoOnFor(Duration{50});
  EXPECT_TRUE(known_.empty());
}

TEST_F(PodGangsTest, InADryRunNoGateIsRemoved) {
  PodGangOptions options;
  options.dry_run = true;
  Begin(options);
  Json metadata = OfOwner("u1");
  Create("a", metadata);
  metadata["annotations"]["ebb/attempt"] = "1";
  server_.Patch(kPods, "a", {{"spec", {{"schedulingGates", Json::array()}}}});
  Create("b", metadata);
  GoOnFor(Duration{100});
  EXPECT_FALSE(IsThrough("b"));
}

TEST_F(PodGangsTest, WhatAGangCannotHaveIsSaid) {
  Json metadata{{"labels", {{"ebb/gang", "train"}}},
                {"annotations", {{"ebb/checkpointable", "true"}}}};
  Create("a", metadata);
  EXPECT_TRUE(GoOn([&] { return IsReady(kTrain); }));
  EXPECT_FALSE(known_[kTrain].job.checkpointable);
  ASSERT_EQ(known_[kTrain].problems.size(), 2u);
  EXPECT_TRUE(known_[kTrain].problems[0].starts_with("ebb/gang-size: "));
  EXPECT_TRUE(known_[kTrain].problems[1].starts_with("ebb/checkpointable: "));
}

}  // namespace
}  // namespace ebb::kubernetes
