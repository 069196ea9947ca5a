#include "train/ranks/ranks.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <string>
#include <vector>

#include "train/ranks/fake_nccl_for_test.h"
#include "train/ranks/free_port_for_test.h"
#include "train/ranks/nccl_sum.h"

namespace ebb::train {
namespace {

// Runs ranks as threads. Their device is the CPU, and a stand-in for NCCL sums.
class DeviceSums : public testing::Test {
 protected:
  DeviceSums() : handle_(::dlopen(EBB_FAKE_NCCL, RTLD_NOW)) {
    fake_ = reinterpret_cast<FakeNcclFunction*>(::dlsym(handle_, "FakeNccl"))();
    *fake_ = {};
  }
  ~DeviceSums() override { ::dlclose(handle_); }

  static std::unique_ptr<DeviceSum> Fake() {
    auto opened = OpenNccl(EBB_FAKE_NCCL, torch::kCPU);
    EXPECT_TRUE(opened) << opened.error().Message();
    return std::move(*opened);
  }

  // Returns the answer of each rank, by number. The ranks that `has_devices` names have a stand-in.
  using OfRank = std::function<Status(Ranks&)>;
  static std::vector<Status> Run(int size, const OfRank& of_rank, int without_devices = -1) {
    const std::uint16_t port = FreePort();
    std::vector<std::future<Status>> answers;
    for (int rank = 0; rank < size; ++rank)
      answers.push_back(std::async(std::launch::async, [=]() -> Status {
        RankPlace place;
        place.rank = rank;
        place.size = size;
        place.address = "127.0.0.1";
        place.port = port;
        EBB_ASSIGN_OR_RETURN(Ranks ranks,
                             Ranks::Join(place, 1, rank == without_devices ? nullptr : Fake()));
        return of_rank(ranks);
      }));
    std::vector<Status> all;
    for (auto& answer : answers) all.push_back(answer.get());
    return all;
  }

  static Status SumTwice(Ranks& ranks) {
    for (int update = 1; update <= 2; ++update) {
      const auto mine = static_cast<float>(ranks.rank() + 1);
      const std::vector<torch::Tensor> tensors{torch::full({2, 3}, mine),
                                               torch::full({4}, 10 * mine)};
      EBB_RETURN_IF_ERROR(ranks.Sum(tensors));
      EXPECT_TRUE(tensors[0].equal(torch::full({2, 3}, 6.0F))) << tensors[0];
      EXPECT_TRUE(tensors[1].equal(torch::full({4}, 60.0F))) << tensors[1];
    }
    return {};
  }

  void* handle_;
  FakeNcclState* fake_;
};

TEST_F(DeviceSums, AreOfTensorsAndNotOfNumbers) {
  for (const Status& status : Run(3, [](Ranks& ranks) -> Status {
         std::vector<double> numbers{1.0, 0.1};
         EBB_RETURN_IF_ERROR(ranks.Sum(numbers));
         EXPECT_THAT(numbers, testing::ElementsAre(3, testing::DoubleNear(0.3, 1e-12)));
         return SumTwice(ranks);
       }))
    EXPECT_TRUE(status) << status.error().Message();
  EXPECT_EQ(fake_->summed_floats, 2 * (6 + 4));
  EXPECT_EQ(fake_->connected, 0) << "all communicators are ended";
}

TEST_F(DeviceSums, OfADeviceThatFailsAreGivenUpByAllRanks) {
  fake_->failing_rank = 1;
  const std::vector<Status> said = Run(3, SumTwice);
  for (const Status& status : said) {
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ExitCode::kTryLater);
    EXPECT_THAT(status.error().next, testing::HasSubstr("--resume"));
  }
  EXPECT_THAT(said[0].error().what, testing::HasSubstr("the device of rank 1 failed"));
  EXPECT_THAT(said[1].error().what, testing::HasSubstr("system error: a device is shared"));
  EXPECT_EQ(fake_->connected, 0);
}

// The devices of the other ranks would wait for the lost rank without end.
TEST_F(DeviceSums, OfARankThatIsLostAreGivenUp) {
  fake_->silent_rank = 2;
  const std::vector<Status> said =
      Run(3, [](Ranks& ranks) -> Status { return ranks.rank() == 2 ? Status{} : SumTwice(ranks); });
  EXPECT_TRUE(said[2]);
  for (int rank = 0; rank < 2; ++rank) {
    ASSERT_FALSE(said[static_cast<std::size_t>(rank)]);
    EXPECT_THAT(said[static_cast<std::size_t>(rank)].error().what,
                testing::HasSubstr("a rank is lost"));
  }
  EXPECT_EQ(fake_->connected, 0);
}

TEST_F(DeviceSums, ThatCannotBeginAreRefusedByAllRanks) {
  fake_->refused_rank = 1;
  std::vector<Status> said = Run(2, SumTwice);
  for (const Status& status : said) {
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ExitCode::kUnavailable);
    EXPECT_THAT(status.error().next, testing::HasSubstr("a GPU of its own"));
  }
  EXPECT_THAT(said[1].error().what, testing::HasSubstr("NCCL: invalid usage"));
  EXPECT_EQ(fake_->connected, 0);

  fake_->refused_rank = -1;
  fake_->answer_to_id = 2;
  said = Run(2, SumTwice);
  EXPECT_THAT(said[0].error().what, testing::HasSubstr("NCCL: system error"));
  EXPECT_THAT(said[1].error().what, testing::HasSubstr("rank 0 finds no place to meet"));
}

TEST_F(DeviceSums, AreForAllRanksOrForNone) {
  for (const Status& status : Run(2, SumTwice, 1)) {
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ExitCode::kConfiguration);
    EXPECT_THAT(status.error().what, testing::HasSubstr("has an --exchange other than rank"));
  }
}

TEST_F(DeviceSums, OfTypesThatTheLibraryDoesNotKnowAreRefused) {
  const std::vector<Status> said = Run(2, [](Ranks& ranks) {
    return ranks.Sum(std::vector<torch::Tensor>{torch::ones({2}, torch::kInt64)});
  });
  EXPECT_THAT(said[0].error().what, testing::HasSubstr("these are Long"));
}

TEST(OpenExchange, NamesWhatIsMissing) {
  EXPECT_EQ(*OpenExchange(Exchange::kGloo, torch::kCPU), nullptr);
  const auto on_cpu = OpenExchange(Exchange::kNccl, torch::kCPU);
  ASSERT_FALSE(on_cpu);
  EXPECT_EQ(on_cpu.error().code, ExitCode::kConfiguration);
  const auto nowhere = OpenNccl("/nonexistent/libnccl.so.2", torch::kCPU);
  ASSERT_FALSE(nowhere);
  EXPECT_THAT(nowhere.error().Message(), testing::HasSubstr("NCCL is not there"));
  const auto another = OpenNccl("libz.so.1", torch::kCPU);
  ASSERT_FALSE(another);
  EXPECT_THAT(another.error().Message(), testing::HasSubstr("is not NCCL 2.14 or later"));
}

TEST_F(DeviceSums, NeedALibraryThatDoesNotBlock) {
  fake_->version = 21'304;
  EXPECT_FALSE(OpenNccl(EBB_FAKE_NCCL, torch::kCPU));
}

}  // namespace
}  // namespace ebb::train
