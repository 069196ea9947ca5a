// Unknown emissions are null or left out in the answers about the queue, never 0 g.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/described_json.h"
#include "web/answers/job_json.h"
#include "web/answers/status_answer.h"

namespace ebb::web {
namespace {

using nlohmann::json;

service::JobCard CardOf(core::JobId id, double kwh, std::optional<Emissions> emissions) {
  core::Submission submission;
  submission.job.id = id;
  service::JobCard card;
  card.submission = std::make_shared<const core::Submission>(std::move(submission));
  card.explanation.job = id;
  card.explanation.stage = engine::Stage::kSucceeded;
  card.energy = Energy::Joules(3.6e6 * kwh);
  card.emissions = emissions;
  return card;
}

json StatusOf(const service::View& view) { return json::parse(ViewToJson(view, 0)); }

TEST(UnknownIsNull, InTheSumsOfTheQueue) {
  service::View view;
  EXPECT_EQ(StatusOf(view)["emissions_g"], 0) << "nothing was used";
  view.jobs.Put(CardOf(1, 2, std::nullopt));
  EXPECT_TRUE(StatusOf(view)["emissions_g"].is_null());
  view.jobs.Put(CardOf(2, 2, Emissions{0}));
  EXPECT_EQ(StatusOf(view)["emissions_g"], 0) << "power of 0 g/kWh";
  view.jobs.Put(CardOf(2, 2, Emissions{300}));
  EXPECT_EQ(StatusOf(view)["emissions_g"], 300);
}

TEST(UnknownIsNull, OfJobsThatReadersHaveForgotten) {
  service::View view;
  view.forgotten.Add(Energy::Joules(5), std::nullopt, {}, {});
  EXPECT_TRUE(StatusOf(view)["emissions_g"].is_null());
  view.forgotten.Add(Energy::Joules(5), Emissions{7}, {}, {});
  EXPECT_EQ(StatusOf(view)["emissions_g"], 7);
}

TEST(UnknownIsNull, OfWhatRunsAndOfBudgets) {
  service::View view;
  view.running.emplace_back();
  view.running.back().figures.energy = Energy::Joules(5);
  view.budgets.emplace_back();
  view.budgets.back().energy = Energy::Joules(5);
  const json status = StatusOf(view);
  EXPECT_TRUE(status["running"][0]["emissions_g"].is_null());
  EXPECT_TRUE(status["budgets"][0]["emissions_g"].is_null());
}

TEST(UnknownIsNull, OfTheGpusOfARunningJob) {
  service::View view;
  for (const char* name : {"GPU-a", "GPU-b", "GPU-c"}) {
    view.devices.emplace_back();
    view.devices.back().name = name;
  }
  view.running.emplace_back();
  view.running.back().job = 7;
  view.running.back().gpus = {"GPU-b", "GPU-a"};
  view.running.back().gpu_power = {Power{250}, std::nullopt};
  view.running.back().power_cap = core::PowerCap{.percent = 70};
  view.running.back().gpu_percent = {0.0, std::nullopt};
  const json devices = StatusOf(view)["devices"];
  EXPECT_EQ(devices[1]["job"], 7);
  EXPECT_EQ(devices[1]["power_w"], 250);
  EXPECT_EQ(devices[1]["power_cap"], "70%");
  EXPECT_EQ(devices[0]["job"], 7);
  EXPECT_EQ(devices[1]["utilisation_percent"], 0) << "idle is known";
  for (const char* key : {"power_w", "utilisation_percent"})
    EXPECT_FALSE(devices[0].contains(key)) << key;
  EXPECT_FALSE(StatusOf(view)["running"][0].contains("cpu_percent"));
  for (const char* key : {"job", "power_w", "power_cap", "utilisation_percent"})
    EXPECT_FALSE(devices[2].contains(key));
}

TEST(UnknownIsNull, OfTheDay) {
  service::View view;
  const Time midnight = *ParseTime("2026-05-01T22:00Z");
  view.now = midnight + std::chrono::hours{2};
  view.today.day = {midnight, midnight + std::chrono::hours{24}};
  EXPECT_EQ(StatusOf(view)["today"],
            json({{"since", "2026-05-01T22:00:00Z"}, {"energy_kwh", 0}, {"emissions_g", 0}}))
      << "nothing was used";
  view.today.energy = Energy::Joules(3.6e6);
  view.today.emissions = Emissions{61};
  EXPECT_EQ(StatusOf(view)["today"]["emissions_g"], 61);
  const json next = json::parse(ViewToJson(view, 0, view.today.day.end));
  EXPECT_EQ(next["today"]["since"], "2026-05-02T22:00:00Z") << "nobody has looked since";
  EXPECT_EQ(next["today"]["energy_kwh"], 0);
  view.today.emissions.reset();
  EXPECT_TRUE(StatusOf(view)["today"]["emissions_g"].is_null());
}

TEST(UnknownIsNull, OfAJob) {
  const service::JobCard unknown = CardOf(1, 2, std::nullopt);
  JobAnswer answer;
  answer.card = &unknown;
  for (const auto form : {JobAnswer::Form::kRow, JobAnswer::Form::kWhole}) {
    answer.form = form;
    EXPECT_FALSE(json::parse(report::ToJson(answer)).contains("emissions_g"));
    EXPECT_FALSE(json::parse(report::ToJson(answer)).contains("progress_percent"));
  }
}

TEST(UnknownIsNull, OfTheProgressOfAJob) {
  service::JobCard card = CardOf(1, 2, std::nullopt);
  card.share = 0.25;
  JobAnswer answer;
  answer.card = &card;
  for (const auto form : {JobAnswer::Form::kRow, JobAnswer::Form::kLine, JobAnswer::Form::kWhole}) {
    answer.form = form;
    EXPECT_EQ(json::parse(report::ToJson(answer))["progress_percent"], 25);
  }
}

}  // namespace
}  // namespace ebb::web
