#include "kubernetes/api/leader_lease.h"

#include <gtest/gtest.h>

#include "kubernetes/fake_api_server_for_test.h"
#include "platform/system_clock.h"

namespace ebb::kubernetes {
namespace {

using Json = nlohmann::json;
constexpr const char* kLeases = "/apis/coordination.k8s.io/v1/leases";

// Two controllers, each with a clock that the test sets.
class LeaderLeaseTest : public ::testing::Test {
 protected:
  struct Process {
    Process(FakeApiServer& server, const std::string& identity)
        : client(streams, {.url = server.url()}, &platform::SinceBoot),
          lease(
              client, [this] { return Time{} + std::chrono::hours{24 * 20000} + clock; },
              [this] { return clock; }, [this](const std::string& text) { said.push_back(text); },
              {.identity = identity}) {}
    // Steps until no request is under way.
    void Step() {
      lease.Tick();
      for (int i = 0; i < 500; ++i) {
        client.Tick();
        streams.Poll(Duration{2});
        lease.Tick();
        const bool is_quiet = lease.NextDue() && *lease.NextDue() > clock;
        if (is_quiet && streams.under_way() == 0 && !client.NextDue()) return;
      }
      ADD_FAILURE() << "it does not come to rest";
    }
    Duration clock{std::chrono::hours{1}};
    platform::HttpStreams streams = *platform::HttpStreams::Open();
    ApiClient client;
    std::vector<std::string> said;
    LeaderLease lease;
  };

  void Pass(Duration time) { first_.clock += time, second_.clock += time; }

  FakeApiServer server_;
  Process first_{server_, "first"}, second_{server_, "second"};
};

TEST_F(LeaderLeaseTest, TheFirstActsAndTheOtherWaits) {
  first_.Step();
  second_.Step();
  EXPECT_TRUE(first_.lease.holds());
  EXPECT_FALSE(second_.lease.holds());
  EXPECT_EQ(second_.lease.holder(), "first");
  const Json spec = server_.Get(kLeases, "ebb-controller")["spec"];
  EXPECT_EQ(spec["holderIdentity"], "first");
  EXPECT_EQ(spec["leaseDurationSeconds"], 10);
  for (int i = 0; i < 20; ++i) {
    Pass(std::chrono::seconds{2});
    first_.Step();
    second_.Step();
    EXPECT_TRUE(first_.lease.holds() && !second_.lease.holds());
  }
  EXPECT_EQ(second_.said.size(), 1u) << "that it waits is said once";
}

TEST_F(LeaderLeaseTest, AnotherTakesItOnceItWasNotRenewedAndTheFirstHasStoppedByThen) {
  first_.Step();
  second_.Step();
  bool both = false;
  Duration taken{};
  for (int i = 0; i < 40 && !second_.lease.holds(); ++i) {
    Pass(Duration{500});
    taken += Duration{500};
    second_.Step();  // the first one hangs
    both = both || (first_.lease.holds() && second_.lease.holds());
  }
  EXPECT_FALSE(both);
  EXPECT_TRUE(first_.lease.lost());
  EXPECT_TRUE(second_.lease.holds());
  EXPECT_LE(taken, std::chrono::seconds{12});
  EXPECT_EQ(server_.Get(kLeases, "ebb-controller")["spec"]["leaseTransitions"], 1);
  first_.Step();
  EXPECT_FALSE(first_.lease.holds()) << "it does not take it back";
}

TEST_F(LeaderLeaseTest, ItActsNoMoreWhenTheServerIsAwayForLong) {
  first_.Step();
  server_.SetAway(true);
  first_.clock += std::chrono::seconds{6};
  EXPECT_TRUE(first_.lease.holds());
  first_.clock += std::chrono::seconds{2};
  EXPECT_TRUE(first_.lease.lost());
}

TEST_F(LeaderLeaseTest, OfTwoThatTakeItAtOnceOneDoes) {
  for (int round = 0; round < 10; ++round) {
    first_.lease.Tick();
    second_.lease.Tick();
    for (int i = 0; i < 100; ++i)
      for (Process* process : {&first_, &second_}) {
        process->client.Tick();
        process->streams.Poll(Duration{1});
      }
    EXPECT_NE(first_.lease.holds(), second_.lease.holds());
    Pass(std::chrono::seconds{2});
  }
}

TEST_F(LeaderLeaseTest, ItIsGivenBackAtTheEnd) {
  first_.Step();
  second_.Step();
  first_.lease.Release();
  for (int i = 0; i < 100; ++i) {
    first_.client.Tick();
    first_.streams.Poll(Duration{1});
  }
  EXPECT_FALSE(first_.lease.holds());
  Pass(std::chrono::seconds{2});
  second_.Step();
  EXPECT_TRUE(second_.lease.holds()) << "without waiting for it to expire";
}

}  // namespace
}  // namespace ebb::kubernetes
