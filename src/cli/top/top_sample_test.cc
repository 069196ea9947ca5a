#include "cli/top/top_sample.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/top/progress_rates.h"
#include "cli/top/top_answers_for_test.h"

namespace ebb::cli {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

TopSample SampleForTest() { return *ReadTopSample(AnswersForTest()); }

TEST(TopSample, JoinsJobsWithTheirPrograms) {
  const TopSample sample = SampleForTest();
  ASSERT_EQ(sample.jobs.size(), 4u);
  const TopJob& llm = sample.jobs[0];
  EXPECT_EQ(llm.number, 2);
  EXPECT_EQ(llm.devices, "GPU 0,1");
  EXPECT_EQ(llm.power->watts, 450);
  EXPECT_EQ(llm.emissions_per_hour->grams, 135);
  EXPECT_EQ(llm.progress_percent, 40);
  EXPECT_FALSE(llm.is_by_plan);
  EXPECT_EQ(llm.elapsed, Duration{minutes{120}}) << "of both attempts";
  EXPECT_EQ(llm.reason, "as planned");
  const TopJob& waits = sample.jobs[3];
  EXPECT_EQ(waits.devices, "4");
  EXPECT_FALSE(waits.elapsed);
  EXPECT_FALSE(waits.progress_percent);
}

TEST(TopSample, WithoutAReportTheProgressIsRunTimeByThePlan) {
  const TopJob quick = SampleForTest().jobs[2];
  EXPECT_EQ(quick.number, 5);
  EXPECT_TRUE(quick.is_by_plan);
  EXPECT_EQ(quick.progress_percent, 25) << "half an hour of two";
}

TEST(TopSample, UnknownIsNeverZero) {
  const TopSample sample = SampleForTest();
  EXPECT_FALSE(sample.jobs[1].emissions);
  EXPECT_FALSE(sample.jobs[2].power);
  EXPECT_EQ(sample.power->watts, 450) << "of what is known";
  TopAnswers answers = AnswersForTest();
  answers.status = R"({"now":"2026-05-01T06:00:00Z","running":[],"emissions_g":null,
                       "energy_kwh":1,"signals":[null]})";
  const TopSample nothing = *ReadTopSample(answers);
  EXPECT_FALSE(nothing.power);
  EXPECT_FALSE(nothing.emissions);
  ASSERT_EQ(nothing.signals.size(), 1u);
  EXPECT_FALSE(nothing.signals[0].g_per_kwh);
}

TEST(TopSample, CountsJobsAndDevices) {
  const TopSample sample = SampleForTest();
  EXPECT_EQ(sample.running, 2);
  EXPECT_EQ(sample.left_out, 2) << "3 wait and 1 is in the answer";
  EXPECT_EQ(sample.devices_busy, 3);
  EXPECT_EQ(sample.devices_free, 3);
  ASSERT_EQ(sample.devices.size(), 4u);
  EXPECT_EQ(sample.devices[0].power->watts, 210);
  EXPECT_EQ(sample.devices[0].limit, "250W");
  EXPECT_EQ(sample.devices[2].name, "GPU-c");
  EXPECT_EQ(sample.devices[2].state, "gone");
  EXPECT_EQ(sample.devices[3].name, "CPU");
  EXPECT_EQ(sample.devices[3].state, "1 of 4 busy");
  EXPECT_EQ(sample.devices[3].jobs, std::vector<long long>{5});
}

TEST(TopSample, SaysWhatWasUsedTodayAndHowBusyDevicesAre) {
  TopAnswers answers = AnswersForTest();
  answers.status = R"({"now":"2026-05-01T06:00:00Z",
    "today":{"since":"2026-04-30T22:00:00Z","energy_kwh":0.2,"emissions_g":61},
    "running":[{"job":2,"pool":0,"slots":[0],"gpus":["GPU-a"],"cpu_percent":12.5},
               {"job":5,"pool":1,"slots":[0],"gpus":[],"cpu_percent":30},
               {"job":6,"pool":1,"slots":[1],"gpus":[],"cpu_percent":20.5}],
    "pools":[{"model":"H100","count":2,"away":0},{"model":"cpu","count":4,"away":0},
             {"model":"node","count":1,"away":0}],
    "devices":[{"name":"GPU-a","pool":0,"index":0,"state":"ready","job":2,
                "utilisation_percent":97},
               {"name":"GPU-b","pool":0,"index":1,"state":"ready"}]})";
  TopSample sample = *ReadTopSample(answers);
  EXPECT_EQ(sample.today_since, *ParseTime("2026-04-30T22:00Z"));
  EXPECT_EQ(sample.today_energy, Energy::Joules(0.2 * 3.6e6));
  EXPECT_EQ(sample.today_emissions->grams, 61);
  EXPECT_EQ(sample.jobs[0].cpu_percent, 12.5);
  ASSERT_EQ(sample.devices.size(), 4u);
  EXPECT_EQ(sample.devices[0].utilisation_percent, 97);
  EXPECT_FALSE(sample.devices[1].utilisation_percent) << "no job reads it";
  EXPECT_EQ(sample.devices[2].name, "CPU");
  EXPECT_EQ(sample.devices[2].utilisation_percent, 50.5) << "of both jobs";
  EXPECT_FALSE(sample.devices[3].utilisation_percent) << "nothing runs there";
  const auto json = nlohmann::json::parse(report::ToJson(sample));
  EXPECT_EQ(json.at("today_since"), "2026-04-30T22:00:00Z");
  EXPECT_EQ(json.at("today_energy_kwh"), 0.2);
  EXPECT_EQ(json.at("today_emissions_g"), 61);
  EXPECT_EQ(json.at("devices").at(0).at("utilisation_percent"), 97);
  answers.status = R"({"now":"2026-05-01T06:00:00Z",
    "today":{"since":"2026-04-30T22:00:00Z","energy_kwh":0.2,"emissions_g":null}})";
  sample = *ReadTopSample(answers);
  EXPECT_FALSE(sample.today_emissions) << "unknown is not 0";
  EXPECT_FALSE(nlohmann::json::parse(report::ToJson(sample)).contains("today_emissions_g"));
}

TEST(TopSample, AHoldOfAPersonIsTakenBackAndAWaitForJobsIsNot) {
  EXPECT_TRUE(SampleForTest().jobs[1].is_held());
  TopAnswers answers = AnswersForTest();
  answers.waiting = R"({"jobs":[{"id":9,"stage":"waiting","rule":"held","waits_for":[2]}]})";
  EXPECT_FALSE(ReadTopSample(answers)->jobs.back().is_held());
}

TEST(TopSample, TroubleIsSaid) {
  TopAnswers answers = AnswersForTest();
  answers.status = R"({"now":"2026-05-01T06:00:00Z","trouble":"the disk is full",
    "signals":[{"zone":"DE","lost":"timeout"}],"drain":{"draining":true,"why":"new disks"}})";
  EXPECT_EQ(ReadTopSample(answers)->troubles,
            (std::vector<std::string>{"nothing starts: the disk is full",
                                      "nothing starts: the service drains (new disks)",
                                      "the signal of DE cannot be reached: timeout"}));
}

TEST(TopSample, AnAnswerOfAnotherProgramIsAnError) {
  for (auto answer : {&TopAnswers::status, &TopAnswers::active, &TopAnswers::waiting})
    for (const char* text : {"<html>", "[]", "{}"}) {
      TopAnswers answers = AnswersForTest();
      answers.*answer = text;
      EXPECT_FALSE(ReadTopSample(answers)) << text;
    }
  TopAnswers answers = AnswersForTest();
  answers.grid = "<html>";
  EXPECT_TRUE(ReadTopSample(answers)) << "the rest is as useful";
}

TEST(TopSample, AsJsonLeavesOutWhatIsUnknown) {
  const auto json = nlohmann::json::parse(report::ToJson(SampleForTest()));
  EXPECT_EQ(json.at("schema"), "ebb.top/1");
  EXPECT_EQ(json.at("power_w"), 450);
  EXPECT_EQ(json.at("jobs").at(0).at("progress_percent"), 40);
  EXPECT_FALSE(json.at("jobs").at(0).contains("run_time_percent"));
  EXPECT_EQ(json.at("jobs").at(2).at("run_time_percent"), 25);
  EXPECT_FALSE(json.at("jobs").at(2).contains("power_w"));
  EXPECT_EQ(json.at("devices").at(1).at("jobs"), nlohmann::json::array({2}));
}

TEST(ProgressRates, AreOfTheLastMinute) {
  ProgressRates rates;
  const auto follow = [&](double percent, Duration taken) {
    TopSample sample = SampleForTest();
    sample.jobs[0].progress_percent = percent;
    rates.Follow(sample, taken);
    EXPECT_FALSE(sample.jobs[2].percent_per_hour) << "the plan's run time has no rate";
    return sample.jobs[0].percent_per_hour;
  };
  EXPECT_FALSE(follow(10, seconds{0})) << "one sample has no rate";
  EXPECT_DOUBLE_EQ(*follow(20, seconds{36}), 1000);
  EXPECT_DOUBLE_EQ(*follow(20, seconds{72}), 0) << "the first sample is too old";
  EXPECT_FALSE(follow(5, seconds{108})) << "lost work is done again";
  EXPECT_DOUBLE_EQ(*follow(6, seconds{144}), 100);
}

}  // namespace
}  // namespace ebb::cli
