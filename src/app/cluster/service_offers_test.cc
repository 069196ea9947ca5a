#include "app/cluster/service_offers.h"

#include <gtest/gtest.h>

#include <deque>

namespace ebb::app {
namespace {

class ServiceOffersTest : public ::testing::Test {
 protected:
  static core::Job Job(core::JobId number) {
    core::Job job;
    job.id = number;
    job.name = "default/train";
    return job;
  }
  void Answer(Result<service::Answer> answer) {
    promises_.front().set_value(std::move(answer));
    promises_.pop_front();
  }

  std::vector<std::string> keys_;
  std::deque<std::promise<Result<service::Answer>>> promises_;
  std::vector<core::JobId> taken_;
  std::vector<std::string> refused_;
  ServiceOffers offers_{{
      [this](service::Request request) {
        keys_.push_back(std::get<service::Submit>(request).submission.key);
        return promises_.emplace_back().get_future();
      },
      [this](core::JobId, const Error& why) { refused_.push_back(why.Message()); },
      [this](const std::string&, core::JobId job) { taken_.push_back(job); },
  }};
};

TEST_F(ServiceOffersTest, FactsWaitForTheAnswerThatNumbersTheirJob) {
  offers_.Make("uid", "Job", Job(1));
  EXPECT_EQ(offers_.NumberOf("kubernetes/uid"), 1);
  EXPECT_TRUE(offers_.Keep(1, engine::JobCancelled{1, "its object was deleted"}));
  EXPECT_TRUE(offers_.HearAnswers().empty()) << "no answer yet";
  Answer(service::Answer{40});
  EXPECT_EQ(offers_.HearAnswers().size(), 1u);
  EXPECT_EQ(taken_, std::vector<core::JobId>{40});
  EXPECT_EQ(offers_.NumberOf("kubernetes/uid"), std::nullopt);
  EXPECT_FALSE(offers_.Keep(1, engine::JobCancelled{1, ""}));
}

TEST_F(ServiceOffersTest, AnObjectWhoseJobHasEndedIsSubmittedUnderAnotherKey) {
  offers_.Make("uid", "Job", Job(1));
  Answer(service::Answer{40, true});
  EXPECT_TRUE(offers_.HearAnswers().empty());
  ASSERT_EQ(keys_, (std::vector<std::string>{"kubernetes/uid", "kubernetes/uid#1"}));
  for (const std::string& key : keys_) EXPECT_EQ(UidOfKey(key), "uid");
  EXPECT_EQ(UidOfKey("train"), "");
  Answer(service::Answer{41});
  offers_.HearAnswers();
  EXPECT_TRUE(taken_.empty()) << "an earlier controller had it";
  EXPECT_FALSE(offers_.Contains(1));
}

TEST_F(ServiceOffersTest, AJobBelongsToTheFirstOfTwoOffersOfItsObject) {
  offers_.Make("uid", "Job", Job(1));
  EXPECT_TRUE(offers_.Keep(1, engine::JobCancelled{1, "withdrawn"}));
  offers_.Make("uid", "Job", Job(2));
  EXPECT_EQ(offers_.NumberOf("kubernetes/uid"), 1) << "the service takes requests in their order";
  Answer(service::Answer{40});
  const auto later = offers_.HearAnswers();
  ASSERT_EQ(later.size(), 1u);
  EXPECT_EQ(std::get<engine::JobCancelled>(later.front()).job, 1);
  EXPECT_EQ(offers_.NumberOf("kubernetes/uid"), 2);
  Answer(service::Answer{40, true});
  offers_.HearAnswers();
  EXPECT_EQ(offers_.NumberOf("kubernetes/uid"), std::nullopt);
  EXPECT_EQ(offers_.NumberOf("kubernetes/uid#1"), 2) << "the second offer is another job";
}

TEST_F(ServiceOffersTest, ARefusalIsReportedWithoutTheNameThatItsReaderKnows) {
  offers_.Make("uid", "Job", Job(1));
  Answer(Fail({ExitCode::kUsage, "needs 16 devices", "default/train", ""}));
  offers_.HearAnswers();
  ASSERT_EQ(refused_.size(), 1u);
  EXPECT_EQ(refused_.front().find("default/train"), std::string::npos) << refused_.front();
}

}  // namespace
}  // namespace ebb::app
