#include "web/requests/submission_json.h"

#include <gtest/gtest.h>

#include "web/answers/job_json.h"

namespace ebb::web {
namespace {

SubmissionDefaults Defaults() {
  SubmissionDefaults defaults;
  core::Tier tier;
  tier.name = "calm";
  tier.threshold = Intensity{123};
  tier.max_delay = std::chrono::hours{5};
  tier.priority = 7;
  defaults.tiers = std::vector{tier};
  return defaults;
}

service::Submit ReadSubmit(const std::string& more) {
  const auto read = SubmissionsFromJson("{\"command\":[\"prog\",\"x\"]" + more + "}", Defaults());
  EXPECT_TRUE(read) << more << ": " << read.error().Message();
  return read ? read->jobs.at(0) : service::Submit{};
}
core::Submission Read(const std::string& more) { return ReadSubmit(more).submission; }

// An option that the service's policy does not heed is refused, and the error names the policies
// that do.
TEST(SubmissionJson, WhatThePolicyDoesNotHeedIsRefused) {
  const auto read = [](const std::string& more, const std::string& policy) {
    SubmissionDefaults defaults = Defaults();
    defaults.policy = policy;
    return SubmissionsFromJson("{\"command\":[\"prog\"]" + more + "}", defaults);
  };
  const std::string threshold = ",\"threshold\":150", priority = ",\"priority\":3";
  for (const std::string policy : {"carbon-time", "run-now"}) {
    const auto refused = read(threshold, policy);
    ASSERT_FALSE(refused) << policy;
    EXPECT_EQ(refused.error().where, "threshold");
    EXPECT_NE(refused.error().what.find(policy), std::string::npos);
    EXPECT_NE(refused.error().next.find("threshold or tiers or planner"), std::string::npos);
    EXPECT_FALSE(read(priority, policy)) << policy;
    EXPECT_TRUE(read(",\"tier\":\"calm\"", policy)) << "its longest wait is heeded";
  }
  EXPECT_TRUE(read(threshold, "threshold"));
  EXPECT_FALSE(read(priority, "threshold"));
  EXPECT_TRUE(read(threshold + priority, "tiers"));
  EXPECT_TRUE(read(threshold + priority, "planner"));
  EXPECT_TRUE(read(threshold + priority, "")) << "nobody here knows";
}

Error Refused(const std::string& text) {
  const auto read = SubmissionsFromJson(text, Defaults());
  EXPECT_FALSE(read) << text;
  return read ? Error{} : read.error();
}

TEST(SubmissionJson, AJobWithoutANameHasThatOfItsScript) {
  const auto read = SubmissionsFromJson(
      R"({"command":["/usr/bin/python3","-u","/home/me/train.py","--lr","1"]})", Defaults());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->jobs.at(0).submission.job.name, "train.py");
}

// Texts of users are limited, because they are stored and shown on pages and in tables.
TEST(SubmissionJson, TextsHaveALength) {
  const auto with = [](const std::string& key, const std::string& value) {
    return R"({"command":["a"],")" + key + "\":" + value + "}";
  };
  const auto text = [](std::size_t length) { return '"' + std::string(length, 'x') + '"'; };
  EXPECT_EQ(Read(",\"name\":" + text(200)).job.name.size(), 200u);
  std::string umlauts;
  for (int i = 0; i < 200; ++i) umlauts += "ä";
  EXPECT_EQ(Read(",\"name\":\"" + umlauts + '"').job.name, umlauts) << "characters, not bytes";
  const Error name = Refused(with("name", text(8'000'000)));
  EXPECT_EQ(name.where, "name");
  EXPECT_EQ(name.what, "has 8000000 characters, and may have 200");
  EXPECT_EQ(Refused(with("key", text(501))).where, "key");
  EXPECT_EQ(Refused(with("working_directory", "\"/" + std::string(4096, 'x') + '"')).where,
            "working_directory");
  EXPECT_EQ(Refused(with("after", "[" + text(501) + "]")).where, "after");
  EXPECT_EQ(Refused(with("environment", "{\"A\":" + text(131'072) + "}")).where, "environment");
  std::string nine = text(131'000);
  for (int i = 0; i < 8; ++i) nine += "," + text(131'000);
  const Error long_command = Refused("{\"command\":[" + nine + "]}");
  EXPECT_EQ(long_command.where, "command");
  EXPECT_NE(long_command.what.find("1048576 bytes"), std::string::npos);
  EXPECT_EQ(SubmissionsFromJson("{\"command\":[" + text(9000) + "]}", Defaults())
                ->jobs.at(0)
                .submission.job.name.size(),
            200u)
      << "that of its program, as long as a name may be";
}

TEST(SubmissionJson, WhatIsLeftOutHasItsMeaning) {
  const core::Submission job = Read("");
  EXPECT_EQ(job.command, (std::vector<std::string>{"prog", "x"}));
  EXPECT_EQ(job.job.name, "prog");
  EXPECT_EQ(job.job.duration, std::chrono::hours{1});
  EXPECT_EQ(job.job.power.watts, 100);
  EXPECT_EQ(job.job.devices, 1);
  EXPECT_FALSE(job.job.checkpointable);
  EXPECT_FALSE(job.job.start_by);
  EXPECT_EQ(job.working_directory, "/");
  EXPECT_TRUE(job.after.empty() && job.key.empty() && !job.time_limit);
}

TEST(SubmissionJson, EveryKeyArrives) {
  const service::Submit submit = ReadSubmit(
      R"j(,"name":"n","working_directory":"/w","environment":{"A":"1","B":""},"devices":3,
      "duration":"2h","power_w":250.5,"start_by":"6h","finish_by":"2026-05-02T00:00Z",
      "threshold":99,"priority":-4,"checkpointable":true,"pause_cost":30,"minimum_segment":"5m",
      "models":["a100"],"after":[3,4],"time_limit":"3h","key":"k")j");
  const core::Submission& job = submit.submission;
  EXPECT_EQ(job.job.name, "n");
  EXPECT_EQ(job.working_directory, "/w");
  EXPECT_EQ(job.environment,
            (std::vector<std::pair<std::string, std::string>>{{"A", "1"}, {"B", ""}}));
  EXPECT_EQ(job.job.devices, 3);
  EXPECT_EQ(job.job.duration, std::chrono::hours{2});
  EXPECT_EQ(job.job.power.watts, 250.5);
  EXPECT_EQ(submit.start_within, std::chrono::hours{6});
  EXPECT_FALSE(job.job.start_by) << "nobody has taken it";
  EXPECT_EQ(job.job.finish_by, *ParseTime("2026-05-02"));
  EXPECT_FALSE(submit.finish_within);
  EXPECT_EQ(job.job.threshold->g_per_kwh, 99);
  EXPECT_EQ(job.job.priority, -4);
  EXPECT_TRUE(job.job.checkpointable);
  EXPECT_EQ(job.job.pause_cost, std::chrono::seconds{30});
  EXPECT_EQ(job.job.minimum_segment, std::chrono::minutes{5});
  EXPECT_EQ(job.job.models, std::vector<std::string>{"a100"});
  EXPECT_EQ(job.after, (std::vector<core::JobId>{3, 4}));
  EXPECT_EQ(job.time_limit, std::chrono::hours{3});
  EXPECT_EQ(job.key, "k");
}

TEST(SubmissionJson, OlderNamesOfKeysAreReadButNotBesideThePresentOnes) {
  EXPECT_EQ(Read(R"j(,"run_time":"2h","pausable":true,"pause_overhead":30,"run_limit":"3h")j"),
            Read(R"j(,"duration":"2h","checkpointable":true,"pause_cost":30,"time_limit":"3h")j"));
  EXPECT_TRUE(ReadSubmit(R"j(,"run_time":"2h")j").duration_given);
  for (const auto& [present, older, value] :
       {std::tuple("duration", "run_time", "60"), std::tuple("checkpointable", "pausable", "true"),
        std::tuple("pause_cost", "pause_overhead", "60"),
        std::tuple("time_limit", "run_limit", "60")}) {
    const auto both = [&, value = value](const char* a, const char* b) {
      return Refused(std::string(R"j({"command":["x"],")j") + a + "\":" + value + ",\"" + b +
                     "\":" + value + "}");
    };
    for (const Error& error : {both(present, older), both(older, present)}) {
      EXPECT_EQ(error.where, older);
      EXPECT_EQ(error.what, std::string("is the same key as ") + present);
    }
  }
}

TEST(SubmissionJson, ATierGivesWhatIsNotGiven) {
  const service::Submit submit = ReadSubmit(R"j(,"tier":"calm")j");
  const core::Job& calm = submit.submission.job;
  EXPECT_EQ(calm.threshold->g_per_kwh, 123);
  EXPECT_EQ(submit.start_within, std::chrono::hours{5});
  EXPECT_EQ(calm.priority, 7);
  EXPECT_EQ(Read(R"j(,"tier":"calm","threshold":5)j").job.threshold->g_per_kwh, 5);
  EXPECT_EQ(ReadSubmit(R"j(,"tier":"calm","start_by":"0")j").start_within, Duration{0});
  const auto until = ReadSubmit(R"j(,"tier":"calm","start_by":"2026-05-02")j");
  EXPECT_EQ(until.submission.job.start_by, *ParseTime("2026-05-02"));
  EXPECT_FALSE(until.start_within);
}

TEST(SubmissionJson, WordsOfACommandStayAsTheyAre) {
  const auto read =
      SubmissionsFromJson(R"j({"command":["/b/p","$(touch x)","; rm","a b","","\u00e9"]})j", {});
  ASSERT_TRUE(read);
  EXPECT_EQ(read->jobs.at(0).submission.command,
            (std::vector<std::string>{"/b/p", "$(touch x)", "; rm", "a b", "", "\xc3\xa9"}));
  EXPECT_EQ(read->jobs.at(0).submission.job.name, "p");
}

TEST(SubmissionJson, WhatCannotBeIsNamed) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {R"j("name":3)j", "name"},
      {R"j("name":"a\u0000b")j", "name"},
      {R"j("name":"a\u001b[31mb")j", "name"},
      {R"j("name":"a\nb")j", "name"},
      {R"j("key":"a\u0085b")j", "key"},
      {R"j("devices":0)j", "devices"},
      {R"j("devices":1.5)j", "devices"},
      {R"j("devices":2000000)j", "devices"},
      {R"j("devices":"2")j", "devices"},
      {R"j("duration":0)j", "duration"},
      {R"j("duration":-5)j", "duration"},
      {R"j("duration":1e300)j", "duration"},
      {R"j("duration":"soon")j", "duration"},
      {R"j("power_w":-1)j", "power_w"},
      {R"j("threshold":60000)j", "threshold"},
      {R"j("priority":1e9)j", "priority"},
      {R"j("start_by":5)j", "start_by"},
      {R"j("finish_by":"never")j", "finish_by"},
      {R"j("checkpointable":1)j", "checkpointable"},
      {R"j("freeze":"yes")j", "freeze"},
      {R"j("freeze":true,"checkpointable":true)j", "freeze"},
      {R"j("power_cap":"101%")j", "power_cap"},
      {R"j("power_cap":0)j", "power_cap"},
      {R"j("power_cap":[250])j", "power_cap"},
      {R"j("pause_cost":-1)j", "pause_cost"},
      {R"j("pause_cost":"-5m")j", "pause_cost"},
      {R"j("minimum_segment":[])j", "minimum_segment"},
      {R"j("models":"a100")j", "models"},
      {R"j("after":3)j", "after"},
      {R"j("after":[0])j", "after"},
      {R"j("after":[null])j", "after"},
      {R"j("tier":{"name":"x"})j", "tier.max_delay"},
      {R"j("tier":{"name":"x","max_delay":"1h","prio":1})j", "tier.prio"},
      {R"j("budget":{})j", "budget"},
      {R"j("budget":5)j", "budget"},
      {R"j("budget":{"energy_kwh":0})j", "budget.energy_kwh"},
      {R"j("budget":{"emissions_g":1,"action":"explode"})j", "budget.action"},
      {R"j("trackers":5)j", "trackers"},
      {R"j("trackers":{"mlfow":"/x"})j", "trackers.mlfow"},
      {R"j("trackers":{"tensorboard":"tb"})j", "trackers.tensorboard"},
      {R"j("trackers":{"mlflow":"mlruns"})j", "trackers.mlflow"},
      {R"j("trackers":{"mlflow":"https://user:secret@x"})j", "trackers.mlflow"},
      {R"j("trackers":{"mlflow":"/x","mlflow_token_file":"/t"})j", "trackers.mlflow_token_file"},
      {R"j("budget":{"emissions_g":1,"action":"pause"})j", "budget.action"},
      {R"j("recurring":{"cron":"0 2 * * *"})j", "name"},
      {R"j("name":"n","recurring":{"cron":"0 25 * * *"})j", "recurring.cron"},
      {R"j("name":"n","start_by":"1h","recurring":{"cron":"@daily"})j", "start_by"},
      {R"j("name":"n","recurring":{"cron":"@daily","flexibility":"5s"})j", "recurring.flexibility"},
      {R"j("name":"n","recurring":{"cron":"@daily","overlap":"x"})j", "recurring.overlap"},
      {R"j("name":"n","recurring":{"flexibility":"1h"})j", "recurring.cron"},
      {R"j("on_outage":"panic")j", "on_outage"},
      {R"j("time_limit":0)j", "time_limit"},
      {R"j("key":null)j", "key"},
      {R"j("tier":"clam")j", "tier"},
      {R"j("working_directory":"relative")j", "working_directory"},
      {R"j("environment":[])j", "environment"},
      {R"j("environment":{"A=B":"1"})j", "environment"},
      {R"j("environment":{"":"1"})j", "environment"},
      {R"j("environment":{"A":1})j", "environment"},
      {R"j("environment":{"A":"x\u0000y"})j", "environment"},
  };
  for (const auto& [pair, key] : cases)
    EXPECT_EQ(Refused(R"j({"command":["x"],)j" + pair + "}").where, key) << pair;
  EXPECT_NE(Refused(R"j({"command":["x"],"tier":"clam"})j").what.find("calm"), std::string::npos);
}

TEST(SubmissionJson, AMisspeltKeyGetsASuggestion) {
  const Error error = Refused(R"j({"command":["x"],"dvices":2})j");
  EXPECT_EQ(error.where, "dvices");
  EXPECT_NE(error.what.find("\"devices\""), std::string::npos) << error.what;
}

TEST(SubmissionJson, AKeyOfOthersIsToldWhatItIsHere) {
  const std::pair<std::string, std::string> cases[] = {
      {R"j("gpus":2)j", "devices"},
      {R"j("slots":2)j", "devices"},
      {R"j("parameters":{"rate":"0.1"})j", "sweep"}};
  for (const auto& [pair, here] : cases) {
    const Error error = Refused(R"j({"command":["x"],)j" + pair + "}");
    EXPECT_EQ(error.what, "is not known");
    EXPECT_NE(error.next.find(here), std::string::npos) << error.next;
    EXPECT_TRUE(pair.starts_with("\"" + error.where + "\"")) << error.where;
  }
}

TEST(SubmissionJson, WhatIsNoSubmission) {
  for (const std::string text :
       {"", "{", "3", "null", "[]", "[3]", "\"x\"", "{}", R"j({"command":[]})j",
        R"j({"command":[""]})j", R"j({"command":"ls"})j", R"j({"command":[1]})j",
        R"j({"command":["a\u0000b"]})j", "{\"command\":[\"\xff\"]}",
        "{\"command\":[\"\xed\xa0\x80\"]}"})
    Refused(text);
  Refused(std::string(1 << 20, '['));
  Refused("{\"command\":[" + [] {
    std::string words = "\"a\"";
    for (int i = 0; i < 5000; ++i) words += ",\"a\"";
    return words;
  }() + "]}");
}

TEST(SubmissionJson, ATierCanBeSpeltOut) {
  const service::Submit submit = ReadSubmit(
      R"j(,"tier":{"name":"mine","threshold":42,"max_delay":"90m","priority":2},"priority":5)j");
  const core::Submission& job = submit.submission;
  EXPECT_EQ(job.job.tier, "mine");
  EXPECT_EQ(job.job.threshold->g_per_kwh, 42);
  EXPECT_EQ(submit.start_within, std::chrono::minutes{90});
  EXPECT_EQ(job.job.priority, 5) << "a key of its own goes over the tier's";
}

TEST(SubmissionJson, FreezingAndPowerCaps) {
  EXPECT_TRUE(Read(R"j(,"freeze":true)j").job.freeze);
  EXPECT_FALSE(Read("").job.freeze);
  EXPECT_EQ(*Read(R"j(,"power_cap":"70%")j").power_cap, (core::PowerCap{0, 70}));
  EXPECT_EQ(*Read(R"j(,"power_cap":250)j").power_cap, (core::PowerCap{250, 0}));
  EXPECT_FALSE(Read("").power_cap);
}

TEST(SubmissionJson, ABudgetAndWhatToDoWithoutASignal) {
  const core::Submission job = Read(
      R"j(,"budget":{"energy_kwh":1.5,"emissions_g":200,"action":"pause"},"checkpointable":true,
              "on_outage":"stop")j");
  EXPECT_DOUBLE_EQ(job.budget.energy->kwh(), 1.5);
  EXPECT_EQ(job.budget.emissions->grams, 200);
  EXPECT_EQ(job.budget.action, core::BudgetAction::kPause);
  EXPECT_EQ(job.job.on_outage, core::OnOutage::kStop);
}

TEST(SubmissionJson, Trackers) {
  const core::Submission job = Read(
      R"j(,"trackers":{"tensorboard":"/tb","mlflow":"https://m","mlflow_experiment":"e",
              "mlflow_token_file":"/t"})j");
  EXPECT_EQ(job.tracking.tensorboard, "/tb");
  EXPECT_EQ(job.tracking.mlflow, "https://m");
  EXPECT_EQ(job.tracking.mlflow_experiment, "e");
  EXPECT_EQ(job.tracking.mlflow_token_file, "/t");
  EXPECT_TRUE(Read("").tracking.empty());
}

TEST(SubmissionJson, ItComesAfterNumbersAndKeys) {
  const auto read =
      SubmissionsFromJson(R"j({"command":["x"],"after":[7,"nightly/prepare"]})j", Defaults());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->jobs.at(0).submission.after, std::vector<core::JobId>{7});
  EXPECT_EQ(read->jobs.at(0).after_keys, std::vector<std::string>{"nightly/prepare"});
}

TEST(SubmissionJson, ManyAtOnce) {
  std::string text = R"j([{"command":["a"]})j";
  for (int i = 1; i < 10'000; ++i) text += R"j(,{"command":["a"]})j";
  EXPECT_EQ(SubmissionsFromJson(text + "]", Defaults())->jobs.size(), 10'000u);
  Refused(text + R"j(,{"command":["a"]}])j");
  EXPECT_TRUE(Refused(R"j([{"command":["a"]},{"command":3}])j").where.starts_with("job 2"));
}

TEST(SubmissionJson, AnErrorStaysJsonWhateverItHolds) {
  const std::string text = ErrorToJson({ExitCode::kUsage, "\xff\"\n", "\x01", ""});
  EXPECT_TRUE(text.starts_with("{\"error\":{"));
  EXPECT_EQ(text.find('\xff'), std::string::npos);
}

TEST(SubmissionJson, ASweepIsItsJobsAndWhatTheyShare) {
  const auto read = SweepFromJson(
      R"({"name":"s","key":"k","jobs":[{"command":["a"],"parameters":{"z":"1e-04","a":""}},
                                       {"command":["b"]}],
          "successive_halving":{"epochs":9}})",
      Defaults());
  ASSERT_TRUE(read) << read.error().Message();
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ(read->at(0).sweep, read->at(1).sweep);
  EXPECT_EQ(read->at(0).sweep->name, "s");
  EXPECT_EQ(read->at(0).sweep->key, "k");
  EXPECT_EQ(read->at(0).sweep->halving, (sweep::HalvingOptions{3, 1, 9}));
  EXPECT_EQ(read->at(0).submission.parameters, (core::Parameters{{"z", "1e-04"}, {"a", ""}}));
  EXPECT_TRUE(read->at(1).submission.parameters.empty());
}

TEST(SubmissionJson, ASweepWithAKeyGivesOneToEachExperiment) {
  const auto keys = [](const std::string& head) {
    std::vector<std::string> all;
    const auto read = SweepFromJson(
        "{\"name\":\"s\"," + head +
            R"("jobs":[{"command":["a"]},{"command":["a"],"key":"own"},{"command":["a"]},
                       {"command":["b"]}]})",
        Defaults());
    for (const service::Submit& submit : *read) all.push_back(submit.submission.key);
    return all;
  };
  EXPECT_EQ(keys(R"("key":"k",)"), (std::vector<std::string>{"k/a", "own", "k/a#3", "k/b"}));
  EXPECT_EQ(keys(""), (std::vector<std::string>{"", "own", "", ""}));
}

TEST(SubmissionJson, WhatIsWrongWithASweepIsNamed) {
  const auto with = [](const std::string& more) {
    return R"({"name":"s","jobs":[{"command":["a"]}],"successive_halving":)" + more + "}";
  };
  const std::tuple<std::string, std::string, std::string> cases[] = {
      {"[]", "the submission", "object"},
      {"{}", "name", "missing"},
      {R"({"name":"s"})", "jobs", "missing"},
      {R"({"name":"s","jobs":{}})", "jobs", "list"},
      {R"({"name":"","jobs":[{"command":["a"]}]})", "name", "empty"},
      {R"({"name":"s","jobs":[]})", "the submission", "10000"},
      {R"({"name":"s","jobs":[{"command":["a"]},{"comand":["a"]}]})", "job 2", "command"},
      {R"({"name":"s","keys":"x","jobs":[{"command":["a"]}]})", "keys", "key"},
      {R"({"name":"s","jobs":[{"command":["a"],"parameters":{"rate":0.1}}]})", "job 1: parameters",
       "text"},
      {R"({"name":"s","jobs":[{"command":["a"],"name":"n","recurring":{"cron":"@daily"}}]})",
       "job 1: recurring", "by itself"},
      {with("3"), "successive_halving", "object"},
      {with("{}"), "successive_halving.epochs", "missing"},
      {with(R"({"epochs":9,"reducton":2})"), "successive_halving.reducton", "reduction"},
      {with(R"({"epochs":9,"reduction":1})"), "successive_halving.reduction", "2"},
      {with(R"({"epochs":3,"minimum_epochs":3})"), "successive_halving.epochs", "minimum_epochs"},
  };
  for (const auto& [text, where, what] : cases) {
    const auto read = SweepFromJson(text, Defaults());
    ASSERT_FALSE(read) << text;
    EXPECT_TRUE(read.error().where.starts_with(where)) << text << ": " << read.error().where;
    EXPECT_NE(read.error().Message().find(what), std::string::npos) << read.error().Message();
  }
}

}  // namespace
}  // namespace ebb::web
