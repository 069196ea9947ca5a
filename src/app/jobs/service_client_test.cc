#include "app/jobs/service_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "testing/scratch_directory.h"

namespace ebb::app {
namespace {

using ::testing::HasSubstr;

// A simulated machine in a directory.
class Machine : public ::testing::Test {
 protected:
  Machine() {
    sources_.variable = [this](const char* name) -> const char* {
      const auto found = environment_.find(name);
      return found == environment_.end() ? nullptr : found->second.c_str();
    };
    sources_.machine_store = (root_ / "var/ebb.db").string();
    sources_.machine_address = (root_ / "run/ebb.url").string();
    sources_.usual_address = "http://127.0.0.1:1";  // an address where nobody listens
    environment_["HOME"] = root_.string();
  }
  std::string Write(const std::string& name, const std::string& text) {
    const auto path = root_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    std::filesystem::permissions(path, std::filesystem::perms{0600});
    return path.string();
  }
  FoundService Find(const ServicePlace& place = {}) {
    const auto found = FindService(place, sources_);
    EXPECT_TRUE(found);
    return found.value_or(FoundService{});
  }

  const std::filesystem::path root_ = ScratchDirectory("machine");
  const std::string token_ = std::string(64, 'a') + "\n";
  std::map<std::string, std::string> environment_;
  ServiceSources sources_;
};

TEST_F(Machine, WhatIsGivenGoesBeforeWhatIsFound) {
  const std::string own = Write(".local/state/ebb/ebb.db", "");
  EXPECT_EQ(Find().store, own);
  EXPECT_FALSE(Find().was_given);
  EXPECT_EQ(Find().token_file, own + ".token");
  environment_["EBB_SERVER"] = "http://elsewhere:1/";
  EXPECT_EQ(Find().url, "http://elsewhere:1");
  EXPECT_EQ(Find().origin, "EBB_SERVER");
  EXPECT_EQ(Find().token_file, "") << "the token of the store is not for that address";
  EXPECT_EQ(Find({"", "", own}).store, own) << "a flag goes before a variable";
  EXPECT_EQ(Find({"http://given:2", "", ""}).url, "http://given:2");
}

// A variable that is set for every command does not give its token to each address.
TEST_F(Machine, ATokenOfTheEnvironmentIsNotForTheAddressOfAFlag) {
  environment_["EBB_TOKEN_FILE"] = "/token";
  EXPECT_EQ(Find({"http://given:2", "", ""}).token_file, "");
  EXPECT_EQ(Find({"http://given:2", "/mine", ""}).token_file, "/mine");
  environment_["EBB_SERVER"] = "http://elsewhere:1";
  EXPECT_EQ(Find().token_file, "/token");
}

// The place that systemd before version 254 (Debian 12) uses.
TEST_F(Machine, TheStoreOfAUserUnitIsFoundWhereSystemdPutsIt) {
  const std::string own = Write(".config/ebb/ebb.db", "");
  EXPECT_EQ(Find().store, own);
}

TEST_F(Machine, TheServiceOfTheMachineIsFoundByItsAddressAndGetsNoToken) {
  Write("run/ebb.url", "http://127.0.0.1:2\n");
  EXPECT_EQ(Find().url, "http://127.0.0.1:2");
  EXPECT_EQ(Find({"", "/token", ""}).token_file, "") << "nobody gave that address";
  // A user who can read the token is the service's user or root.
  Write("var/ebb.db.token", token_);
  EXPECT_EQ(Find().store, sources_.machine_store);
  const std::string own = Write(".local/state/ebb/ebb.db", "");
  EXPECT_EQ(Find().store, own) << "the user's own goes first";
}

TEST_F(Machine, AServiceThatMerelyAnswersIsNotOnesOwn) {
  EXPECT_FALSE(IsNamedOrOwn(Find())) << "at the usual address";
  Write("run/ebb.url", "http://127.0.0.1:2\n");
  EXPECT_FALSE(IsNamedOrOwn(Find())) << "the machine's";
  EXPECT_TRUE(IsNamedOrOwn(Find({"http://given:2", "", ""})));
  Write(".local/state/ebb/ebb.db", "");
  EXPECT_TRUE(IsNamedOrOwn(Find()));
  environment_["EBB_SERVER"] = "http://elsewhere:1/";
  EXPECT_TRUE(IsNamedOrOwn(Find()));
}

TEST_F(Machine, ErrorsNameEverythingThatWasTried) {
  const auto client = ServiceClient::Find({}, sources_);
  ASSERT_TRUE(client);
  const auto answer = client->Get("/api/v1/status");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ExitCode::kUnavailable);
  const std::string message = answer.error().Message();
  for (const std::string& part :
       {std::string("no service is found"), std::string("ebb serve"),
        std::string("EBB_SERVER: not set"), root_.string() + "/.local/state/ebb/ebb.db: not there",
        root_.string() + "/.config/ebb/ebb.db: not there", sources_.machine_address + ": not there",
        sources_.usual_address})
    EXPECT_THAT(message, HasSubstr(part));
  const auto posted = client->Post("/api/v1/jobs", "{}");
  ASSERT_FALSE(posted);
  EXPECT_THAT(posted.error().Message(), HasSubstr("no service is found"))
      << "a token is not what is missing";
}

TEST_F(Machine, AStoppedServiceNamesTheOneOfTheMachine) {
  const std::string own = Write(".local/state/ebb/ebb.db", "");
  Write(".local/state/ebb/ebb.db.token", token_);
  Write("run/ebb.url", "http://127.0.0.1:2\n");
  const auto answer = ServiceClient::Find({}, sources_)->Get("/api/v1/status");
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().Message(), HasSubstr(own + ".sock"));
  EXPECT_THAT(answer.error().Message(), HasSubstr("--server http://127.0.0.1:2"));
}

TEST_F(Machine, AServiceWritesItsAddressWhereItsUnitHasADirectoryForIt) {
  EXPECT_EQ(PublicUrlFile(sources_.variable), "");
  environment_["RUNTIME_DIRECTORY"] = "/run/ebb:/run/other";
  EXPECT_EQ(PublicUrlFile(sources_.variable), "/run/ebb/ebb.url");
}

}  // namespace
}  // namespace ebb::app
