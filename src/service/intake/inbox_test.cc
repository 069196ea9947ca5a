#include "service/intake/inbox.h"

#include <gtest/gtest.h>

#include <thread>

namespace ebb::service {
namespace {

bool IsReady(std::future<Result<Answer>>& answer) {
  return answer.wait_for(std::chrono::seconds{0}) == std::future_status::ready;
}

TEST(Inbox, KeepsTheOrderAndWakesWhoTakes) {
  int woken = 0;
  Inbox inbox([&] { ++woken; });
  std::vector<std::future<Result<Answer>>> answers;
  for (core::JobId id = 1; id <= 5; ++id) answers.push_back(inbox.Ask(Cancel{id}));
  EXPECT_EQ(woken, 5);
  auto taken = inbox.Take(3);
  ASSERT_EQ(taken.size(), 3u);
  EXPECT_EQ(std::get<Cancel>(taken[2].request).job, 3);
  EXPECT_EQ(std::get<Cancel>(inbox.Take(10).at(0).request).job, 4);
  EXPECT_TRUE(inbox.empty());
  EXPECT_FALSE(IsReady(answers[0]));
  taken[0].promise.set_value(Answer{7});
  EXPECT_EQ(answers[0].get()->job, 7);
}

TEST(Inbox, MoreThanItHoldsIsRefusedAsAWhole) {
  Inbox inbox([] {}, 3);
  auto first = inbox.AskAll({Cancel{1}, Cancel{2}});
  auto second = inbox.AskAll({Cancel{3}, Cancel{4}});
  for (auto& answer : second) {
    ASSERT_TRUE(IsReady(answer));
    EXPECT_EQ(answer.get().error().code, ExitCode::kTryLater);
  }
  EXPECT_FALSE(IsReady(first[0]));
  EXPECT_EQ(inbox.Take(10).size(), 2u);
  auto third = inbox.Ask(Cancel{5});
  EXPECT_FALSE(IsReady(third));
}

TEST(Inbox, ClosedItRefusesWhatWaitsAndWhatComes) {
  Inbox inbox([] {});
  auto before = inbox.Ask(Cancel{1});
  inbox.Close(Error{ExitCode::kUnavailable, "disk full", "", ""});
  auto after = inbox.Ask(Cancel{2});
  EXPECT_EQ(before.get().error().what, "disk full");
  EXPECT_EQ(after.get().error().what, "disk full");
  EXPECT_TRUE(inbox.empty());
  inbox.Close(std::nullopt);
  auto open = inbox.Ask(Cancel{3});
  EXPECT_FALSE(IsReady(open));
}

TEST(Inbox, ManyThreadsLoseNothing) {
  Inbox inbox([] {});
  std::vector<std::thread> threads;
  std::atomic<int> answered{0};
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (core::JobId id = 1; id <= 200; ++id)
        if (inbox.Ask(Cancel{id}).get()->job == id) ++answered;
    });
  }
  while (answered < 1600) {
    for (Inbox::Asked& asked : inbox.Take(7))
      asked.promise.set_value(Answer{std::get<Cancel>(asked.request).job});
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(inbox.empty());
}

}  // namespace
}  // namespace ebb::service
