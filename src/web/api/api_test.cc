#include "web/api/api.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "testing/no_room.h"
#include "web/answers/job_json.h"
#include "web/api/api_for_test.h"
#include "web/api/schema_check_for_test.h"

namespace ebb::web {
namespace {

using nlohmann::json;

TEST_F(ApiTest, TheDescriptionNamesTheRoutesAndNoOthers) {
  const json described = Get("/api/v1/openapi.json").body();
  std::set<std::string> documented, served;
  for (const auto& [path, methods] : described.at("paths").items())
    for (const auto& [method, operation] : methods.items()) {
      documented.insert(method + " " + path);
      EXPECT_EQ(operation.contains("security"), method == "post") << path;
    }
  for (const Api::Route& route : Api::Routes())
    served.insert((route.method == "GET" ? "get " : "post ") + route.path);
  EXPECT_EQ(documented, served);
}

// Answers hold only described keys, with the described types.
TEST_F(ApiTest, AnswersAreAsDescribed) {
  const json document = Get("/api/v1/openapi.json").body();
  const SchemaCheck check(document);
  const auto check_answer = [&](const std::string& method, const std::string& route,
                                const Reply& reply) {
    const json& responses = document["paths"][route][method]["responses"];
    const std::string status = std::to_string(reply.status);
    const json& response = responses.at(responses.contains(status) ? status : "default");
    EXPECT_EQ(check.Wrong(reply.body(), response["content"]["application/json"]["schema"]), "")
        << method << " " << route << " " << reply.text;
  };
  const json& schemas = document["components"]["schemas"];
  // The examples name programs that this machine may not have.
  json job = schemas["NewJob"]["example"];
  job["no_check"] = true;
  const Reply taken = Post("/api/v1/jobs", job.dump());
  EXPECT_EQ(taken.status, 201) << taken.text;
  check_answer("post", "/api/v1/jobs", taken);
  check_answer("post", "/api/v1/jobs/{id}/budget",
               Post("/api/v1/jobs/1/budget", R"({"energy_kwh":20})"));
  EXPECT_EQ(Post("/api/v1/jobs/1/budget", R"({"energy_kwh":20,"action":"pause"})").status, 202)
      << "it writes checkpoints";
  EXPECT_EQ(Post("/api/v1/jobs/1/budget", R"({"energy_kwh":0})").status, 400);
  EXPECT_EQ(Post("/api/v1/jobs/99/budget", R"({"energy_kwh":20})").status, 404);
  // Jobs of the examples must not run here for long, and their devices must stay free for the other
  // examples.
  check_answer("post", "/api/v1/jobs/{id}/cancel", Post("/api/v1/jobs/1/cancel"));
  const Reply some =
      Post("/api/v1/jobs", R"([{"command":["true"]},{"command":["true"],"devices":99}])");
  EXPECT_EQ(some.status, 207);
  check_answer("post", "/api/v1/jobs", some);
  const Reply list_of_one = Post("/api/v1/jobs", R"([{"command":["true"],"devices":99}])");
  EXPECT_EQ(list_of_one.status, 207) << "a list is answered with a list";
  EXPECT_TRUE(list_of_one.body().at("jobs").at(0).contains("error")) << list_of_one.text;
  check_answer("post", "/api/v1/jobs", Post("/api/v1/jobs", "[]"));
  const Reply sweep = Post(
      "/api/v1/sweeps",
      ASweep({R"({"command":["true"]})", R"({"command":["true"],"parameters":{"rate":"0.1"}})"}));
  check_answer("post", "/api/v1/sweeps", sweep);
  const core::JobId last = sweep.body().at("jobs").at(1).at("id");
  for (const core::JobId id : {core::JobId{2}, last})
    world_.WaitForStage(id, engine::Stage::kSucceeded);
  for (core::JobId id = 1; id <= last; ++id)
    check_answer("get", "/api/v1/jobs/{id}", Get("/api/v1/jobs/" + std::to_string(id)));
  check_answer("get", "/api/v1/jobs/{id}", Get("/api/v1/jobs/99"));
  check_answer("get", "/api/v1/jobs", Get("/api/v1/jobs?limit=2"));
  check_answer("get", "/api/v1/jobs", Get("/api/v1/jobs?stage=x"));
  check_answer("get", "/api/v1/history", Get("/api/v1/history?limit=2"));
  check_answer("post", "/api/v1/jobs/{id}/restart", Post("/api/v1/jobs/2/restart?dry_run=1"));
  check_answer("post", "/api/v1/jobs/{id}/edit", Post("/api/v1/jobs/2/edit", R"({"name":"x"})"));
  check_answer("get", "/api/v1/sweeps", Get("/api/v1/sweeps"));
  check_answer("get", "/api/v1/sweeps/{id}", Get("/api/v1/sweeps/1"));
  check_answer("post", "/api/v1/sweeps/{id}/budget",
               Post("/api/v1/sweeps/1/budget", R"({"energy_kwh":20})"));
  check_answer("post", "/api/v1/sweeps/{id}/cancel", Post("/api/v1/sweeps/1/cancel"));
  check_answer(
      "post", "/api/v1/jobs",
      Post("/api/v1/jobs", R"({"command":["true"],"name":"n","recurring":{"cron":"0 0 1 1 *"}})"));
  check_answer("get", "/api/v1/sites", Get("/api/v1/sites"));
  check_answer("get", "/api/v1/status", Get("/api/v1/status"));
  check_answer("post", "/api/v1/recurring/pause", Post("/api/v1/recurring/pause?name=n"));
  const json& one_or_more = document["paths"]["/api/v1/jobs"]["post"]["responses"]["201"]["content"]
                                    ["application/json"]["schema"];
  EXPECT_NE(check.Wrong(json::object(), one_or_more), "") << "nothing is not an answer";
  store::JobRecord record;
  record.tier = "t";
  record.exit_code = 1;
  const std::string stored = report::ToJson(JobAnswer{.record = &record});
  EXPECT_EQ(stored, R"({"id":0,"name":"","stage":"waiting","submitted":"1970-01-01T00:00:00Z",)"
                    R"("tier":"t","pauses":0,"exit_code":1,"energy_kwh":0.0})");
  EXPECT_EQ(check.WrongAs(json::parse(stored), "Job"), "");
  json of_example = schemas["NewSweep"]["example"];
  for (json& experiment : of_example["jobs"]) experiment["no_check"] = true;
  const Reply example = Post("/api/v1/sweeps", of_example.dump());
  EXPECT_EQ(example.status, 201) << example.text;
}

// All references in the document resolve, so that clients can be generated from it.
TEST_F(ApiTest, EveryNameOfTheDescriptionLeadsSomewhere) {
  const json document = Get("/api/v1/openapi.json").body();
  std::set<std::string> named;
  const json flat = document.flatten();
  for (const auto& [path, value] : flat.items())
    if (path.ends_with("/$ref")) named.insert(value.get<std::string>());
  EXPECT_GE(named.size(), 15u);
  for (const std::string& name : named)
    EXPECT_TRUE(document.contains(json::json_pointer(name.substr(1)))) << name;
}

TEST_F(ApiTest, WhoBeginsADrainHearsWhatRunsAndWhichDeadlinesItCosts) {
  EXPECT_EQ(Get("/api/v1/drain").body().at("draining"), false);
  const Reply running = Post("/api/v1/jobs", Pausable());
  const core::JobId id = running.body().at("id");
  world_.WaitForStage(id, engine::Stage::kRunning);
  ASSERT_EQ(Post("/api/v1/drain").status, 202);
  const Reply urgent =
      Post("/api/v1/jobs", R"({"command":["true"],"name":"urgent","start_by":"1h"})");
  ASSERT_EQ(urgent.status, 201) << urgent.text;
  const Reply reply = Post("/api/v1/drain?until=2h&why=new%20disks");
  ASSERT_EQ(reply.status, 202) << reply.text;
  const json drain = reply.body();
  EXPECT_EQ(drain.at("draining"), true);
  EXPECT_EQ(drain.at("why"), "new disks");
  EXPECT_TRUE(drain.contains("until"));
  EXPECT_EQ(drain.at("running"), 1);
  EXPECT_EQ(drain.at("waiting"), 1);
  ASSERT_EQ(drain.at("misses_deadline").size(), 1u);
  EXPECT_EQ(drain.at("misses_deadline").at(0).at("name"), "urgent");
  const json status = Get("/api/v1/status").body();
  EXPECT_EQ(status.at("drain").at("misses_deadline"), drain.at("misses_deadline"));
  const std::string path = "/api/v1/jobs/" + urgent.body().at("id").dump();
  EXPECT_EQ(Get(path).body().at("misses_deadline"), true);
  EXPECT_EQ(Get(path).body().at("rule"), "draining");
  const Reply ready = Get("/readyz");
  EXPECT_EQ(ready.status, 200) << "it can be asked, and takes jobs";
  EXPECT_NE(ready.body().at("draining").get<std::string>().find("new disks"), std::string::npos);
  EXPECT_NE(Get("/metrics").text.find("ebb_draining 1\n"), std::string::npos);
  EXPECT_EQ(Post("/api/v1/drain?until=1999-01-01T00:00Z").status / 100, 4);
  EXPECT_EQ(Post("/api/v1/drain?until=tea").status / 100, 4);
  EXPECT_EQ(Post("/api/v1/drain?why=" + std::string(201, 'x')).status / 100, 4);
  EXPECT_EQ(Raw("POST /api/v1/drain/end HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                "Content-Length: 0\r\n\r\n")
                .status,
            401);
  EXPECT_EQ(Post("/api/v1/drain/end").body().at("draining"), false);
  EXPECT_FALSE(Get("/api/v1/status").body().contains("drain"));
  EXPECT_FALSE(Get("/readyz").body().contains("draining"));
  EXPECT_NE(Get("/metrics").text.find("ebb_draining 0\n"), std::string::npos);
}

TEST_F(ApiTest, EveryRouteAnswers) {
  const Reply submitted = Post("/api/v1/sweeps", ASweep({Pausable()}));
  ASSERT_EQ(submitted.status, 201) << submitted.text;
  const core::JobId id = submitted.body().at("jobs").at(0).at("id");
  ASSERT_EQ(submitted.body().at("sweep"), id) << "both are the first";
  world_.WaitForStage(id, engine::Stage::kRunning);
  // A pause before the program has set its trap would end the program, and its greeting would be
  // missed.
  WaitForLog(id, "hello");
  for (const Api::Route& route : Api::Routes()) {
    if (route.path.ends_with("events") || route.path == "/api/v1/jobs" ||
        route.path == "/api/v1/sweeps" || route.path.ends_with("cancel") ||
        route.path.ends_with("budget") || route.path.ends_with("edit") ||
        route.path.ends_with("restart") || route.path == "/api/v1/drain" ||
        route.path.starts_with("/api/v1/recurring/") || route.path.starts_with("/api/v1/devices/"))
      continue;
    std::string path = route.path;
    if (const auto hole = path.find("{id}"); hole != std::string::npos)
      path.replace(hole, 4, std::to_string(id));
    if (!route.parameters.empty()) path += "?location=test";
    const Reply reply = route.method == "GET" ? Get(path) : Post(path);
    EXPECT_EQ(reply.status, route.method == "GET" ? 200 : 202) << path << reply.text;
    const Reply other = route.method == "GET" ? Post(path) : Get(path);
    EXPECT_EQ(other.status, 405) << path;
    EXPECT_NE(other.text.find("\r\nAllow: " + route.method), std::string::npos) << other.text;
    if (route.method == "POST") {
      const Reply without = Raw("POST " + path +
                                " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                                "Content-Length: 0\r\n\r\n");
      EXPECT_EQ(without.status, 401) << path;
    }
  }
  EXPECT_EQ(Post("/api/v1/jobs/" + std::to_string(id) + "/cancel").status, 202);
  world_.WaitForStage(id, engine::Stage::kCancelled);
  EXPECT_NE(Get("/api/v1/jobs/" + std::to_string(id) + "/log?attempt=1").text.find("hello"),
            std::string::npos);
  const json queue = Get("/api/v1/jobs?stage=cancelled").body();
  ASSERT_EQ(queue.at("jobs").size(), 1u);
  EXPECT_EQ(queue["jobs"][0]["id"], id);
  EXPECT_TRUE(Get("/api/v1/jobs?stage=running").body().at("jobs").empty());
}

TEST_F(ApiTest, ASweepIsSubmittedRankedAndCancelled) {
  const auto told = [](const std::string& loss) {
    const std::string line = "{\"time_ms\":1,\"event\":\"epoch_end\",\"epoch\":1,\"step\":" +
                             std::to_string(loss == "0.5" ? 1'000'000 : 10) +
                             ",\"test_loss\":" + loss + "}";
    return json{{"name", "loss-" + loss},
                {"command", {"bash", "-c", "echo '" + line + "' >> $EBB_RUN_DIR/progress.jsonl"}},
                {"parameters", {{"loss", loss}, {"model", "small"}}}}
        .dump();
  };
  const Reply submitted = Post("/api/v1/sweeps", ASweep({told("0.5"), told("0.25")}));
  ASSERT_EQ(submitted.status, 201) << submitted.text;
  EXPECT_EQ(submitted.body()["sweep"], 1);
  for (const core::JobId id : {1, 2}) world_.WaitForStage(id, engine::Stage::kSucceeded);
  const json ranked = Get("/api/v1/sweeps/1").body();
  EXPECT_EQ(ranked["name"], "digits");
  EXPECT_EQ(ranked["best"], "loss-0.25");
  EXPECT_EQ(ranked["over"], true);
  const json& best = ranked.at("experiments").at(0);
  EXPECT_EQ(best["job"], 2);
  EXPECT_EQ(best["rank"], 1);
  EXPECT_EQ(best["loss"], 0.25);
  EXPECT_EQ(best["outcome"], "done");
  EXPECT_GT(best["running_time_s"], 0);
  EXPECT_LT(best["running_time_s"], 60);
  const json parameters{{"loss", "0.25"}, {"model", "small"}};
  EXPECT_EQ(best["parameters"], parameters);
  EXPECT_EQ(ranked["varied_parameters"], json::array({"loss"}));
  EXPECT_EQ(Get("/api/v1/jobs/2").body()["sweep"], 1);
  EXPECT_EQ(Get("/api/v1/jobs/2").body()["parameters"], parameters);

  // The program used some energy, however short it was.
  const json job = Get("/api/v1/jobs/2").body();
  EXPECT_EQ(job["steps"], 10);
  EXPECT_FALSE(job.contains("samples"));
  EXPECT_NEAR(job["energy_per_step_j"], job["energy_kwh"].get<double>() * 3.6e6 / 10, 1e-9);
  EXPECT_EQ(best["steps"], 10);
  EXPECT_EQ(best["tokens"], nullptr);
  EXPECT_EQ(Get("/api/v1/sweeps/1?rank_by=energy").body()["best"], "loss-0.5");
  EXPECT_EQ(Get("/api/v1/sweeps/1?rank_by=joules").status, 400);
  EXPECT_EQ(Get("/api/v1/history").body().at("jobs").at(0)["steps"], 10);

  const Reply again = Post("/api/v1/sweeps", ASweep({Pausable(), Pausable()}));
  ASSERT_EQ(again.status, 201) << again.text;
  EXPECT_EQ(again.body()["sweep"], 2) << "without a key each is a new one";
  world_.WaitForStage(3, engine::Stage::kRunning);
  const Reply cancelled = Post("/api/v1/sweeps/2/cancel");
  EXPECT_EQ(cancelled.status, 202);
  EXPECT_EQ(cancelled.body()["cancelled"], 2);
  for (const core::JobId id : {3, 4}) world_.WaitForStage(id, engine::Stage::kCancelled);
  EXPECT_EQ(Get("/api/v1/sweeps/2").body()["best"], nullptr);

  const json list = Get("/api/v1/sweeps?name=digits").body().at("sweeps");
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0]["sweep"], 2) << "the newest first";
  EXPECT_EQ(list[0]["jobs"], json({{"cancelled", 2}}));
  EXPECT_EQ(list[1]["successive_halving"]["epochs"], 9);
  EXPECT_TRUE(Get("/api/v1/sweeps?name=digit").body().at("sweeps").empty());
  EXPECT_EQ(Get("/api/v1/sweeps/9").status, 404);
  EXPECT_EQ(Post("/api/v1/sweeps/9/cancel").status, 404);
  EXPECT_EQ(Post("/api/v1/sweeps/9/budget", R"({"energy_kwh":20})").status, 404);
  for (const char* wrong : {"", "{}", R"({"energy_kwh":-1})", R"({"energy_kwh":1,"action":"log"})"})
    EXPECT_EQ(Post("/api/v1/sweeps/1/budget", wrong).status, 400) << wrong;
  EXPECT_EQ(Get("/api/v1/sweeps?limit=many").status, 400);
  EXPECT_EQ(Post("/api/v1/sweeps", "{}").status, 400);
}

TEST_F(ApiTest, AKeyBelongsToWhatWasTaken) {
  const json job{{"command", {"true"}}, {"key", "mine"}};
  json wide = job;
  wide["devices"] = 40;
  EXPECT_EQ(Post("/api/v1/jobs", wide.dump()).status, 422);
  const json taken = Post("/api/v1/jobs", job.dump()).body();
  EXPECT_EQ(taken, json({{"id", 1}, {"existing", false}})) << "the refused one took no number";
  EXPECT_EQ(Post("/api/v1/jobs", job.dump()).body(), json({{"id", 1}, {"existing", true}}));
}

TEST_F(ApiTest, AKeyForSomethingElseIsAConflict) {
  const json job{{"command", {"true"}}, {"key", "mine"}};
  EXPECT_EQ(Post("/api/v1/jobs", job.dump()).status, 201);
  json other = job;
  other["command"] = {"false"};
  const Reply refused = Post("/api/v1/jobs", other.dump());
  EXPECT_EQ(refused.status, 409);
  EXPECT_NE(refused.text.find("job 1 (true), which differs in command"), std::string::npos)
      << refused.text;
  const Reply list = Post("/api/v1/jobs", json::array({job, other}).dump());
  EXPECT_EQ(list.status, 207);
  EXPECT_EQ(list.body()["jobs"][0]["existing"], true);
  EXPECT_TRUE(list.body()["jobs"][1].contains("error"));
  json of_ada = other;
  of_ada["environment"] = {{"EBB_USER", "ada"}};
  EXPECT_EQ(Post("/api/v1/jobs", of_ada.dump()).status, 201) << "a key is its user's own";

  EXPECT_EQ(
      Post("/api/v1/sweeps", R"({"name":"a","key":"k","jobs":[{"command":["true"],"name":"x"}]})")
          .status,
      201);
  EXPECT_EQ(
      Post("/api/v1/sweeps", R"({"name":"a","key":"k","jobs":[{"command":["false"],"name":"x"}]})")
          .status,
      409);
  EXPECT_EQ(
      Post("/api/v1/sweeps", R"({"name":"b","key":"k","jobs":[{"command":["true"],"name":"y"}]})")
          .status,
      409);
}

TEST_F(ApiTest, ASweepWithAKeyIsTakenOnce) {
  json sweep = json::parse(ASweep({Pausable(), Pausable()}));
  sweep["key"] = "once";
  json wide = sweep;
  for (json& job : wide["jobs"]) job["devices"] = 40;
  EXPECT_EQ(Post("/api/v1/sweeps", wide.dump()).status, 422);
  EXPECT_TRUE(Get("/api/v1/sweeps").body().at("sweeps").empty()) << "nothing came of it";
  wide = sweep;
  wide["jobs"][1]["devices"] = 40;
  const Reply half = Post("/api/v1/sweeps", wide.dump());
  EXPECT_EQ(half.status, 207);
  EXPECT_EQ(half.body()["jobs"][0], json({{"id", 1}, {"existing", false}}));
  for (const bool again : {false, true}) {
    const json whole = Post("/api/v1/sweeps", sweep.dump()).body();
    EXPECT_EQ(whole["sweep"], 1);
    EXPECT_EQ(whole["jobs"][0], json({{"id", 1}, {"existing", true}}));
    EXPECT_EQ(whole["jobs"][1], json({{"id", 2}, {"existing", again}}));
  }
}

TEST_F(ApiTest, TheNewestSweepsAreInASavedPage) {
  Post("/api/v1/jobs", Pausable());
  const std::string waiting = R"({"command":["true"],"after":[1]})";
  for (int i = 0; i < 9; ++i) Post("/api/v1/sweeps", ASweep({waiting}));
  const std::string line = R"({"time_ms":1,"event":"epoch_end","epoch":1,"test_loss":0.5})";
  const json told{
      {"command", {"bash", "-c", "echo '" + line + "' >> $EBB_RUN_DIR/progress.jsonl"}}};
  const Reply last = Post("/api/v1/sweeps", ASweep({told.dump()}));
  const core::JobId job = last.body()["jobs"][0]["id"];
  world_.WaitForStage(job, engine::Stage::kSucceeded);
  EXPECT_EQ(Post("/api/v1/sweeps", ASweep(std::vector<std::string>(1001, waiting))).status, 201);

  const std::string page = Get("/saved.html").text;
  const auto holds = [&](const std::string& path) {
    return page.find("\"/api/v1/" + path + "\":{") != std::string::npos;
  };
  EXPECT_TRUE(holds("sweeps?limit=10"));
  EXPECT_FALSE(holds("sweeps/11")) << "too large";
  for (int sweep = 2; sweep <= 10; ++sweep)
    EXPECT_TRUE(holds("sweeps/" + std::to_string(sweep))) << sweep;
  EXPECT_FALSE(holds("sweeps/1")) << "too old";
  const std::string course = "jobs/" + std::to_string(job) + "/series?only=losses&points=200";
  EXPECT_TRUE(holds(course));
  const json losses = Get("/api/v1/" + course).body();
  EXPECT_EQ(losses["test_loss"].size(), 1u);
  EXPECT_TRUE(losses["power"].empty() && losses["intensity"].empty());
  EXPECT_FALSE(Get("/api/v1/jobs/" + std::to_string(job) + "/series").body()["intensity"].empty());
  EXPECT_EQ(Get("/api/v1/jobs/1/series?only=power").status, 400);
}

TEST_F(ApiTest, ASweepAskedForAgainIsTheFirstOne) {
  const std::string body =
      R"({"name":"twice","key":"k","jobs":[{"command":["true"],"key":"k/1"}]})";
  EXPECT_EQ(Post("/api/v1/sweeps", body).body()["jobs"][0]["existing"], false);
  const json again = Post("/api/v1/sweeps", body).body();
  EXPECT_EQ(again["sweep"], 1);
  EXPECT_EQ(again["jobs"][0]["existing"], true);
}

TEST_F(ApiTest, ARecurringJobIsGivenListedAndRemoved) {
  const Reply given = Post("/api/v1/jobs", R"({"command":["true"],"name":"nightly",
      "recurring":{"cron":"0 0 1 1 *","flexibility":"6h","overlap":"replace"}})");
  ASSERT_EQ(given.status, 201) << given.text;
  EXPECT_TRUE(given.body().contains("next")) << given.text;
  json listed = Get("/api/v1/recurring").body().at("recurring");
  ASSERT_EQ(listed.size(), 1u);
  EXPECT_EQ(listed[0]["name"], "nightly");
  EXPECT_EQ(listed[0]["overlap"], "replace");
  EXPECT_EQ(listed[0]["next"], given.body()["next"]);
  EXPECT_EQ(Post("/api/v1/recurring/pause?name=nightly").status, 202);
  listed = Get("/api/v1/recurring").body().at("recurring");
  EXPECT_EQ(listed[0]["paused"], true);
  EXPECT_TRUE(listed[0]["next"].is_null());
  EXPECT_EQ(Post("/api/v1/recurring/resume?name=nightly").status, 202);
  EXPECT_EQ(Get("/api/v1/recurring").body().at("recurring")[0]["next"], given.body()["next"]);
  const Reply misspelt = Post("/api/v1/recurring/remove?name=nigthly");
  EXPECT_EQ(misspelt.status, 404);
  EXPECT_NE(misspelt.text.find("did you mean"), std::string::npos) << misspelt.text;
  EXPECT_EQ(Post("/api/v1/recurring/remove?name=nightly").status, 202);
  EXPECT_TRUE(Get("/api/v1/recurring").body().at("recurring").empty());
}

TEST_F(ApiTest, TheQueueComesInParts) {
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(Post("/api/v1/jobs", R"({"command":["true"]})").status, 201);
  const json part = Get("/api/v1/jobs?limit=2").body();
  EXPECT_EQ(part.at("jobs").size(), 2u);
  EXPECT_EQ(part.at("next"), 3);
  EXPECT_EQ(Get("/api/v1/jobs?limit=2&from=3").body().at("jobs").size(), 1u);
  EXPECT_EQ(Get("/api/v1/jobs?limit=-1").status, 400);
  EXPECT_EQ(Get("/api/v1/jobs?stage=sleeping").status, 400);
}

TEST_F(ApiTest, WhatHasEndedComesInPartsTheNewestFirst) {
  ASSERT_EQ(Post("/api/v1/jobs", R"({"command":["true"],"environment":{"EBB_USER":"ada"}})").status,
            201);
  ASSERT_EQ(Post("/api/v1/jobs", R"({"command":["sh","-c","exit 3"],"name":"bad"})").status, 201);
  ASSERT_EQ(Post("/api/v1/jobs", R"({"command":["true"]})").status, 201);
  ASSERT_EQ(Post("/api/v1/jobs", Pausable()).status, 201);
  world_.WaitForStage(1, engine::Stage::kSucceeded);
  world_.WaitForStage(2, engine::Stage::kFailed);
  world_.WaitForStage(3, engine::Stage::kSucceeded);
  const json part = Get("/api/v1/history?limit=2").body();
  ASSERT_EQ(part.at("jobs").size(), 2u) << "what runs is no history";
  EXPECT_EQ(part["jobs"][0]["id"], 3);
  EXPECT_EQ(part["jobs"][1]["id"], 2);
  EXPECT_EQ(part["jobs"][1]["exit_code"], 3);
  EXPECT_EQ(part["jobs"][1]["attempts"], 1);
  EXPECT_GT(part["jobs"][1]["ran_s"], 0);
  EXPECT_EQ(part.at("next"), 2);
  EXPECT_EQ(part.at("replayed"), true) << "the clock of the service";
  const json rest = Get("/api/v1/history?limit=2&before=2").body();
  ASSERT_EQ(rest.at("jobs").size(), 1u);
  EXPECT_EQ(rest["jobs"][0]["user"], "ada");
  EXPECT_FALSE(rest.contains("next"));
  const auto found = [&](const std::string& query) {
    return Get("/api/v1/history?" + query).body().at("jobs").size();
  };
  EXPECT_EQ(found("stage=failed"), 1u);
  EXPECT_EQ(found("user=ada"), 1u);
  EXPECT_EQ(found("name=bad"), 1u);
  EXPECT_EQ(found("since=1h"), 3u) << "on the clock of the service";
  EXPECT_EQ(found("until=1h"), 0u);
  EXPECT_EQ(found("since=2030-01-01T00:00Z"), 0u);
  for (const char* wrong :
       {"stage=running", "stage=x", "limit=0", "limit=1001", "since=lately", "before=x"})
    EXPECT_EQ(Get(std::string("/api/v1/history?") + wrong).status, 400) << wrong;
}

TEST_F(ApiTest, AJobThatWaitsIsChangedAndOneThatRunsIsNot) {
  ASSERT_EQ(Post("/api/v1/jobs", Pausable()).status, 201);
  ASSERT_EQ(Post("/api/v1/jobs", Pausable()).status, 201);
  for (const core::JobId id : {1, 2}) world_.WaitForStage(id, engine::Stage::kRunning);
  ASSERT_EQ(Post("/api/v1/jobs", R"({"command":["true"],"name":"later","start_by":"9h"})").status,
            201);
  const auto edit = [&](const std::string& job, const std::string& body) {
    return Post("/api/v1/jobs/" + job + "/edit", body);
  };
  const Reply only_checked = Post("/api/v1/jobs/3/edit?dry_run=1", R"({"name":"sooner"})");
  EXPECT_EQ(only_checked.status, 202) << only_checked.text;
  EXPECT_EQ(only_checked.body()["name"], "sooner");
  EXPECT_EQ(Get("/api/v1/jobs/3").body()["name"], "later") << "nothing has changed";
  const Reply changed =
      edit("3", R"({"name":"sooner","tier":"2","finish_by":"20h","duration":"20m"})");
  ASSERT_EQ(changed.status, 202) << changed.text;
  EXPECT_EQ(changed.body()["tier"], "2");
  EXPECT_EQ(changed.body()["duration_s"], 1200.0);
  EXPECT_TRUE(changed.body().contains("finish_by"));
  const json job = Get("/api/v1/jobs/3").body();
  EXPECT_EQ(job["name"], "sooner");
  EXPECT_EQ(job["tier"], "2");
  EXPECT_EQ(job["start_by"], changed.body()["start_by"]);
  EXPECT_EQ(job["duration_s"], 1200.0);
  const Reply without = edit("3", R"({"without":["start_by","finish_by"]})");
  ASSERT_EQ(without.status, 202) << without.text;
  EXPECT_FALSE(Get("/api/v1/jobs/3").body().contains("finish_by"));
  // The service finds the stored job after a restart.
  world_.Restart();
  EXPECT_EQ(world_.service().view()->jobs.Find(3)->submission->job.name, "sooner");
}

TEST_F(ApiTest, AChangeIsCheckedAsASubmissionIs) {
  ASSERT_EQ(Post("/api/v1/jobs", Pausable()).status, 201);
  world_.WaitForStage(1, engine::Stage::kRunning);
  const Reply runs = Post("/api/v1/jobs/1/edit", R"({"name":"x"})");
  EXPECT_EQ(runs.status, 409);
  EXPECT_NE(runs.text.find("runs already"), std::string::npos) << runs.text;
  ASSERT_EQ(Post("/api/v1/jobs", R"({"command":["true"],"after":[1]})").status, 201);
  EXPECT_EQ(Post("/api/v1/jobs/2/edit", R"({"finish_by":"1ms"})").status, 422);
  EXPECT_EQ(Post("/api/v1/jobs/99/edit", R"({"name":"x"})").status, 404);
  for (const char* wrong : {"{}", "[]", R"({"nmae":"x"})", R"({"name":""})", R"({"tier":"77"})",
                            R"({"duration":0})", R"({"priority":1})", R"({"without":["name"]})",
                            R"({"start_by":"1h","without":["start_by"]})"})
    EXPECT_EQ(Post("/api/v1/jobs/2/edit", wrong).status, 400) << wrong;
}

TEST_F(ApiTest, WhatDoesNotExistIs404AndAStateThatDoesNotAllowItIs409) {
  ASSERT_EQ(Post("/api/v1/jobs", R"({"command":["true"]})").status, 201);
  ASSERT_EQ(Post("/api/v1/jobs", R"({"command":["sleep","60"]})").status, 201);
  world_.WaitForStage(1, engine::Stage::kSucceeded);
  world_.WaitForStage(2, engine::Stage::kRunning);
  const std::map<std::string, std::string> bodies{{"budget", R"({"energy_kwh":20})"},
                                                  {"edit", R"({"name":"x"})"}};
  for (const std::string what : {"pause", "resume", "now", "edit", "budget"}) {
    const std::string body = bodies.contains(what) ? bodies.at(what) : "";
    const Reply ended = Post("/api/v1/jobs/1/" + what, body);
    EXPECT_EQ(ended.status, 409) << what << ended.text;
    EXPECT_NE(ended.text.find("has ended"), std::string::npos) << ended.text;
    const Reply unknown = Post("/api/v1/jobs/9/" + what, body);
    EXPECT_EQ(unknown.status, 404) << what << unknown.text;
    EXPECT_NE(unknown.text.find("is not known"), std::string::npos) << unknown.text;
  }
  EXPECT_EQ(Post("/api/v1/jobs/2/pause").status, 409) << "it writes no checkpoint";
  EXPECT_EQ(Post("/api/v1/jobs/2/restart").status, 409);
  EXPECT_EQ(Post("/api/v1/jobs/9/cancel").status, 404);
  EXPECT_EQ(Post("/api/v1/jobs/1/cancel").status, 202) << "it has ended, as was asked";
  for (int time = 0; time < 2; ++time) EXPECT_EQ(Post("/api/v1/jobs/2/cancel").status, 202);
  for (const std::string what : {"set-aside", "put-back", "forget"})
    EXPECT_EQ(Post("/api/v1/devices/" + what + "?name=GPU-x").status, 404) << what;
  for (const std::string what : {"pause", "resume", "remove"})
    EXPECT_EQ(Post("/api/v1/recurring/" + what + "?name=nightly").status, 404) << what;
}

// Each route refuses values beyond the bounds that the OpenAPI document says, and accepts the
// bounds.
TEST_F(ApiTest, QueriesAreCheckedByTheirDescription) {
  const json document = Get("/api/v1/openapi.json").body();
  int numbers = 0;
  const auto ask = [&](const std::string& method, std::string path, const std::string& query) {
    if (const auto hole = path.find("{id}"); hole != std::string::npos) path.replace(hole, 4, "1");
    const std::string required = path.starts_with("/emissions") ? "&location=x" : "&name=x";
    path += "?" + query + required;
    return method == "get" ? Get(path) : Post(path);
  };
  const auto refuses = [](const Reply& reply, const std::string& name) {
    return reply.status == 400 && reply.body()["error"].value("where", "") == name;
  };
  for (const auto& [path, methods] : document.at("paths").items())
    for (const auto& [method, operation] : methods.items())
      for (const json& parameter : operation.value("parameters", json::array())) {
        if (parameter["in"] != "query" || path.ends_with("/events")) continue;
        const std::string name = parameter["name"];
        const json& schema = parameter["schema"];
        EXPECT_FALSE(parameter.value("description", "").empty()) << path << " " << name;
        std::vector<std::string> wrong;
        if (schema.contains("maximum")) {
          ++numbers;
          const long long low = schema["minimum"], high = schema["maximum"];
          wrong = {std::to_string(low - 1), std::to_string(high + 1), "x", "1.5", ""};
          for (const long long bound : {low, high})
            EXPECT_FALSE(refuses(ask(method, path, name + "=" + std::to_string(bound)), name))
                << path << " " << name << " " << bound;
        } else if (schema.contains("maxLength")) {
          wrong = {std::string(schema["maxLength"].get<std::size_t>() + 1, 'x')};
        } else {
          wrong = {"tea"};
        }
        for (const std::string& value : wrong) {
          const Reply reply = ask(method, path, name + "=" + value);
          EXPECT_TRUE(refuses(reply, name)) << path << " " << name << "=" << value << reply.text;
        }
      }
  EXPECT_GE(numbers, 10);
}

TEST_F(ApiTest, AJobThatHasEndedIsSubmittedAgain) {
  ASSERT_EQ(Post("/api/v1/jobs", R"({"command":["sh","-c","echo $EBB_USER; exit 3"],"name":"bad",
      "key":"once","environment":{"EBB_USER":"ada"},"start_by":"6h","time_limit":"9h"})")
                .status,
            201);
  world_.WaitForStage(1, engine::Stage::kFailed);
  EXPECT_EQ(Post("/api/v1/jobs/1/restart?dry_run=1").body()["id"], 0);
  const Reply again = Post("/api/v1/jobs/1/restart", R"({"key":"again"})");
  ASSERT_EQ(again.status, 202) << again.text;
  EXPECT_EQ(again.body()["id"], 2);
  EXPECT_EQ(Post("/api/v1/jobs/1/restart", R"({"key":"again"})").body(),
            json({{"id", 2}, {"existing", true}}));
  world_.WaitForStage(2, engine::Stage::kFailed);
  WaitForLog(2, "ada");
  const json first = Get("/api/v1/jobs/1").body(), second = Get("/api/v1/jobs/2").body();
  for (const char* key : {"name", "command", "user", "time_limit_s", "working_directory"})
    EXPECT_EQ(first[key], second[key]) << key;
  const auto distance = [](const json& job) {
    return *ParseTime(job["start_by"].get<std::string>()) -
           *ParseTime(job["submitted"].get<std::string>());
  };
  EXPECT_EQ(distance(second), std::chrono::hours{6});
  EXPECT_GT(second["submitted"], first["submitted"]);
  const Reply resumed = Post("/api/v1/jobs/1/restart", R"({"resume":true})");
  EXPECT_EQ(resumed.status, 422);
  EXPECT_NE(resumed.text.find("writes no checkpoints"), std::string::npos) << resumed.text;
  EXPECT_EQ(Post("/api/v1/jobs/9/restart").status, 404);
  ASSERT_EQ(Post("/api/v1/jobs", Pausable()).status, 201);
  const Reply runs = Post("/api/v1/jobs/3/restart");
  EXPECT_EQ(runs.status, 409);
  EXPECT_NE(runs.text.find("has not ended"), std::string::npos) << runs.text;
}

TEST_F(ApiTest, ARestartGoesOnFromTheCheckpointOfTheEarlierJob) {
  const json job{
      {"command",
       {"sh", "-c",
        "echo \"resume $EBB_RESUME, $(cat $EBB_CHECKPOINT_DIR/state)\"; "
        "mkdir -p $EBB_CHECKPOINT_DIR; echo step 7 > $EBB_CHECKPOINT_DIR/state; exit 4"}},
      {"checkpointable", true}};
  ASSERT_EQ(Post("/api/v1/jobs", job.dump()).status, 201);
  world_.WaitForStage(1, engine::Stage::kFailed);
  WaitForLog(1, "resume 0, ");
  ASSERT_EQ(Post("/api/v1/jobs/1/restart", R"({"resume":true})").body()["id"], 2);
  world_.WaitForStage(2, engine::Stage::kFailed);
  WaitForLog(2, "resume 1, step 7");
  ASSERT_EQ(Post("/api/v1/jobs/1/restart").body()["id"], 3);
  world_.WaitForStage(3, engine::Stage::kFailed);
  WaitForLog(3, "resume 0, ");
}

TEST_F(ApiTest, SeveralAtOnceTellOfEach) {
  const Reply reply =
      Post("/api/v1/jobs", R"([{"command":["true"]},{"command":["true"],"devices":99}])");
  EXPECT_EQ(reply.status, 207);
  EXPECT_EQ(reply.body().at("jobs")[0].at("id"), 1);
  EXPECT_TRUE(reply.body().at("jobs")[1].contains("error"));
  EXPECT_EQ(Post("/api/v1/jobs", R"({"command":["true"],"devices":99})").status / 100, 4);
}

TEST_F(ApiTest, WhatCannotBeStoredNowIsForLaterAsAListToo) {
  const testing::NoRoomForFiles full;
  EXPECT_EQ(Post("/api/v1/jobs", R"({"command":["true"]})").status, 503);
  const Reply list = Post("/api/v1/jobs", R"([{"command":["true"]},{"command":["true"]}])");
  EXPECT_EQ(list.status, 503) << list.text;
}

TEST_F(ApiTest, LiveViewsHearOfAChange) {
  Wire wire(server_->port());
  wire.Send("GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_NE(wire.ReceiveUntil("event: status").find("text/event-stream"), std::string::npos);
  const auto before = std::chrono::steady_clock::now();
  ASSERT_EQ(Post("/api/v1/jobs", R"({"command":["true"]})").status, 201);
  EXPECT_NE(wire.ReceiveUntil("\"succeeded\":1").find("\"succeeded\":1"), std::string::npos);
  RecordProperty("milliseconds", static_cast<int>((std::chrono::steady_clock::now() - before) /
                                                  std::chrono::milliseconds{1}));
}

TEST_F(ApiTest, TheTokenIsInNoAnswer) {
  for (const std::string path : {"/api/v1/status", "/api/v1/jobs", "/api/v1/openapi.json", "/x"})
    EXPECT_EQ(Get(path).text.find(kToken), std::string::npos) << path;
}

}  // namespace
}  // namespace ebb::web
