#include "web/http/startup_handler.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ebb::web {
namespace {

HttpRequest Get(const std::string& path) {
  HttpRequest request;
  request.method = "GET";
  request.path = path;
  return request;
}

TEST(StartupHandler, SaysWhyThereIsNoServiceUntilThereIsOne) {
  StartupHandler door;
  door.SayWhy("the disk is full");
  EXPECT_EQ(door.Handle(Get("/livez")).status, 200);
  const HttpResponse ready = door.Handle(Get("/readyz"));
  EXPECT_EQ(ready.status, 503);
  const auto health = nlohmann::json::parse(ready.body);
  EXPECT_EQ(health.at("ready"), false);
  EXPECT_EQ(health.at("store"), "the disk is full");
  for (const char* path : {"/", "/api/v1/jobs", "/nothing"}) {
    const HttpResponse refused = door.Handle(Get(path));
    EXPECT_EQ(refused.status, 503) << path;
    EXPECT_EQ(nlohmann::json::parse(refused.body).at("error").at("what"), "the disk is full");
  }
  door.Open([](const HttpRequest& request) {
    HttpResponse response;
    response.body = request.path;
    return response;
  });
  EXPECT_EQ(door.Handle(Get("/readyz")).body, "/readyz");
}

TEST(StartupHandler, AStartThatHangsIsNotAlive) {
  auto now = StartupHandler::Clock::now();
  StartupHandler door([&now] { return now; });
  now += kLongestStart;
  EXPECT_EQ(door.Handle(Get("/livez")).status, 200);
  now += std::chrono::seconds{1};
  const HttpResponse hangs = door.Handle(Get("/livez"));
  EXPECT_EQ(hangs.status, 503);
  EXPECT_EQ(nlohmann::json::parse(hangs.body).at("executor").at("busy_with"), "starting");
  door.SayWhy("the disk is full");
  EXPECT_EQ(door.Handle(Get("/livez")).status, 200) << "it waits, and knows for what";
}

}  // namespace
}  // namespace ebb::web
