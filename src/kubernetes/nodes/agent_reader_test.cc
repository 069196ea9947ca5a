#include "kubernetes/nodes/agent_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "base/text.h"
#include "kubernetes/fake_agent_for_test.h"
#include "platform/system_clock.h"

namespace ebb::kubernetes {
namespace {

using std::chrono::seconds;

class AgentReaderTest : public ::testing::Test {
 protected:
  AgentReaderTest() { Begin(); }
  void Begin(const std::string& position = "") {
    AgentOptions options;
    options.name_space = "ebb";
    options.token = "secret";
    options.every = Duration{1};
    options.timeout = Duration{2000};
    reader_ = std::make_unique<AgentReader>(
        *streams_, platform::SinceBoot, [this](const std::string& text) { said_.push_back(text); },
        options);
    reader_->GoOnAt(position);
  }
  static JsonNode Pod(const FakeAgent& agent, const std::string& uid, const std::string& node,
                      const std::string& name_space = "ebb") {
    return *ParseJson(
        R"({"metadata":{"uid":")" + uid + R"(","namespace":")" + name_space +
            R"(","labels":{"app.kubernetes.io/name":"ebb-agent"}},"spec":{"nodeName":")" + node +
            R"(","containers":[{"ports":[{"name":"records","containerPort":)" +
            std::to_string(agent.port()) +
            R"(}]}]},"status":{"phase":"Running","podIP":"127.0.0.1"}})",
        "test");
  }
  // Waits until each agent was asked once more, and a little longer.
  std::vector<std::int64_t> Fetch(int times = 3, bool counted = true) {
    std::vector<std::int64_t> numbers;
    for (int i = 0; i < times; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds{2});
      reader_->Tick();
      while (streams_->under_way() > 0) streams_->Poll(Duration{500});
      for (const NodeRecords& records : reader_->Take()) {
        for (const core::NodeRecord& record : records.records) numbers.push_back(record.number);
        if (counted) reader_->Counted(records);
      }
    }
    return numbers;
  }
  bool Said(const std::string& part) const {
    return std::ranges::any_of(
        said_, [&](const std::string& text) { return text.find(part) != std::string::npos; });
  }

  std::vector<std::string> said_;
  std::unique_ptr<platform::HttpStreams> streams_ =
      std::make_unique<platform::HttpStreams>(*platform::HttpStreams::Open());
  FakeAgent agent_{"n1", "secret"};
  std::unique_ptr<AgentReader> reader_;
};

TEST_F(AgentReaderTest, RecordsAreTakenOnceAndInOrder) {
  agent_.Add(0, 30);
  agent_.Add(30, 60);
  reader_->TakePod(Pod(agent_, "u1", "n1"));
  EXPECT_TRUE(reader_->Measures("n1"));
  EXPECT_EQ(Fetch(), (std::vector<std::int64_t>{1, 2}));
  agent_.Add(60, 90);
  EXPECT_EQ(Fetch(), (std::vector<std::int64_t>{3}));
  EXPECT_EQ(reader_->CountedUpTo("n1"), FakeAgent::At(90));
  EXPECT_TRUE(said_.empty());
}

TEST_F(AgentReaderTest, TheNextLifeGoesOnWhereThisOneWas) {
  agent_.Add(0, 30);
  reader_->TakePod(Pod(agent_, "u1", "n1"));
  EXPECT_EQ(Fetch(), (std::vector<std::int64_t>{1}));
  const std::string position = reader_->Position();
  agent_.Add(30, 60);
  Begin(position);
  reader_->TakePod(Pod(agent_, "u1", "n1"));
  EXPECT_EQ(Fetch(), (std::vector<std::int64_t>{2}));
}

TEST_F(AgentReaderTest, WhatWasFetchedAndNotCountedIsFetchedAgainByTheNextLife) {
  agent_.Add(0, 30);
  reader_->TakePod(Pod(agent_, "u1", "n1"));
  EXPECT_EQ(Fetch(), (std::vector<std::int64_t>{1}));
  agent_.Add(30, 60);
  EXPECT_EQ(Fetch(3, false), (std::vector<std::int64_t>{2}));
  EXPECT_EQ(reader_->CountedUpTo("n1"), FakeAgent::At(30));
  Begin(reader_->Position());
  reader_->TakePod(Pod(agent_, "u1", "n1"));
  EXPECT_EQ(Fetch(), (std::vector<std::int64_t>{2}));
}

TEST_F(AgentReaderTest, OverLivesOfAnAgentTimesTellWhatIsNew) {
  agent_.Add(0, 30);
  agent_.Add(30, 60);
  reader_->TakePod(Pod(agent_, "u1", "n1"));
  EXPECT_EQ(Fetch(), (std::vector<std::int64_t>{1, 2}));
  agent_.Restart();  // it still has both records, and lost none
  agent_.Add(75, 105);
  EXPECT_EQ(Fetch(), (std::vector<std::int64_t>{3}));
  EXPECT_TRUE(Said("was not measured from")) << Join(said_, "\n");
  agent_.Forget();  // a node made anew: numbers begin at 1
  agent_.Add(200, 230);
  EXPECT_EQ(Fetch(), (std::vector<std::int64_t>{1}));
  EXPECT_EQ(reader_->CountedUpTo("n1"), FakeAgent::At(230));
}

TEST_F(AgentReaderTest, WhatAnAgentCouldNotKeepIsSaid) {
  agent_.Add(0, 30);
  reader_->TakePod(Pod(agent_, "u1", "n1"));
  EXPECT_EQ(Fetch(), (std::vector<std::int64_t>{1}));
  for (int i = 1; i < 6; ++i) agent_.Add(30 * i, 30 * (i + 1));
  agent_.Drop(4);
  EXPECT_EQ(Fetch(), (std::vector<std::int64_t>{5, 6}));
  EXPECT_TRUE(Said("3 records are lost")) << Join(said_, "\n");
}

TEST_F(AgentReaderTest, OfTwoAgentsOnANodeOneCounts) {
  FakeAgent other{"n1", "secret"};
  agent_.Add(0, 30);
  other.Add(1, 31);
  other.Add(31, 61);
  reader_->TakePod(Pod(agent_, "u1", "n1"));
  reader_->TakePod(Pod(other, "u2", "n1"));
  EXPECT_EQ(Fetch(), (std::vector<std::int64_t>{1}));
  EXPECT_TRUE(Said("two agents"));
  reader_->DropPod("u1");  // the other agent takes over, and repeats no record
  EXPECT_EQ(Fetch(), (std::vector<std::int64_t>{2}));
}

TEST_F(AgentReaderTest, OnlyPodsOfItsNamespaceAreAgentsAndOnlyForTheirNode) {
  agent_.Add(0, 30);
  reader_->TakePod(Pod(agent_, "u1", "n1", "default"));
  EXPECT_FALSE(reader_->has_agents());
  reader_->TakePod(Pod(agent_, "u2", "n2"));
  EXPECT_TRUE(Fetch().empty());
  EXPECT_TRUE(Said("says that it measures node n1")) << Join(said_, "\n");
}

TEST_F(AgentReaderTest, AnAgentThatIsAwayIsCaughtUpWith) {
  agent_.Add(0, 30);
  reader_->TakePod(Pod(agent_, "u1", "n1"));
  agent_.Refuse(503);
  EXPECT_TRUE(Fetch().empty());
  EXPECT_TRUE(Said("does not answer: status 503"));
  agent_.Refuse(401);
  agent_.Refuse(0);
  EXPECT_EQ(Fetch(), (std::vector<std::int64_t>{1}));
  EXPECT_TRUE(Said("answers"));
}

TEST_F(AgentReaderTest, WhatMakesNoSenseIsNotTaken) {
  reader_->TakePod(Pod(agent_, "u1", "n1"));
  for (const char* body : {"", "no JSON\n", "{\"node\":\"n1\"}\n"}) {
    agent_.Answer(body);
    EXPECT_TRUE(Fetch().empty());
  }
  const std::string head = R"({"node":"n1","epoch":"e","first":1,"last":1})";
  for (
      const char* record :
      {R"({"number":1,"wall_ms":[5,5]})", R"({"number":1,"wall_ms":[5,4]})",
       R"({"number":1,"wall_ms":[0,9],"devices":[{"device":"cpu","component":"cpu","source":"model","wall_ms":[0,9],"idle_uj":-1}]})",
       R"({"number":1,"wall_ms":[0,9],"devices":[{"device":"cpu","component":"tea","source":"model","wall_ms":[0,9]}]})"}) {
    agent_.Answer(head + "\n" + record + "\n");
    EXPECT_TRUE(Fetch().empty()) << record;
  }
  EXPECT_EQ(reader_->CountedUpTo("n1"), Time::min());
}

TEST_F(AgentReaderTest, OfANodeThatIsNewOnlyWhatIsWantedIsAsked) {
  agent_.Add(0, 30);
  agent_.Add(30, 60);
  reader_->BeginAt(FakeAgent::At(30));
  reader_->TakePod(Pod(agent_, "u1", "n1"));
  EXPECT_EQ(Fetch(), (std::vector<std::int64_t>{2}));
}

}  // namespace
}  // namespace ebb::kubernetes
