#include "web/api/access.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "testing/scratch_directory.h"

namespace ebb::web {
namespace {

const std::string kToken(64, 'a');

struct AccessCase {
  std::string name;
  std::string method = "GET";
  std::map<std::string, std::string> headers;
  int status = 0;  ///< 0 if the request goes on
  bool token_to_read = false;
};

TEST(Access, WhoMayDoWhat) {
  const std::string bearer = "Bearer " + kToken;
  const std::vector<AccessCase> cases{
      {"reading is open", "GET", {{"host", "127.0.0.1:8733"}}, 0},
      {"by name", "GET", {{"host", "localhost:8733"}}, 0},
      {"by IPv6", "GET", {{"host", "[::1]:8733"}}, 0},
      {"by a name it was given", "GET", {{"host", "gpu7.example.org"}}, 0},
      {"without a host", "GET", {}, 403},
      {"as another host (DNS rebinding)", "GET", {{"host", "evil.example:8733"}}, 403},
      {"an address within a name", "GET", {{"host", "127.0.0.1.evil.example"}}, 403},
      {"half a bracket", "GET", {{"host", "[::1"}}, 403},
      {"writing without a token", "POST", {{"host", "localhost"}}, 401},
      {"an unknown method without", "DELETE", {{"host", "localhost"}}, 401},
      {"with it", "POST", {{"host", "localhost"}, {"authorization", bearer}}, 0},
      {"a wrong one",
       "POST",
       {{"host", "localhost"}, {"authorization", "Bearer " + std::string(64, 'b')}},
       401},
      {"a part of it",
       "POST",
       {{"host", "localhost"}, {"authorization", bearer.substr(0, 40)}},
       401},
      {"more than it", "POST", {{"host", "localhost"}, {"authorization", bearer + "a"}}, 401},
      {"another scheme", "POST", {{"host", "localhost"}, {"authorization", kToken}}, 401},
      {"a page elsewhere, even with it",
       "POST",
       {{"host", "localhost"}, {"authorization", bearer}, {"origin", "http://evil.example"}},
       403},
      {"a page elsewhere reads",
       "GET",
       {{"host", "localhost:8733"}, {"origin", "http://localhost:9999"}},
       403},
      {"a sandboxed page", "GET", {{"host", "localhost"}, {"origin", "null"}}, 403},
      {"our own page", "GET", {{"host", "localhost:8733"}, {"origin", "http://localhost:8733"}}, 0},
      {"a picture of a page elsewhere",
       "GET",
       {{"host", "localhost"}, {"sec-fetch-site", "cross-site"}, {"sec-fetch-mode", "no-cors"}},
       403},
      {"the same from another port",
       "GET",
       {{"host", "localhost"}, {"sec-fetch-site", "same-site"}, {"sec-fetch-mode", "no-cors"}},
       403},
      {"a frame of a page elsewhere",
       "GET",
       {{"host", "localhost"},
        {"sec-fetch-site", "cross-site"},
        {"sec-fetch-mode", "navigate"},
        {"sec-fetch-dest", "iframe"}},
       403},
      {"a link from a page elsewhere",
       "GET",
       {{"host", "localhost"},
        {"sec-fetch-site", "cross-site"},
        {"sec-fetch-mode", "navigate"},
        {"sec-fetch-dest", "document"}},
       0},
      {"a form of a page elsewhere, even with it",
       "POST",
       {{"host", "localhost"},
        {"authorization", bearer},
        {"sec-fetch-site", "cross-site"},
        {"sec-fetch-mode", "navigate"},
        {"sec-fetch-dest", "document"}},
       403},
      {"our own page reads",
       "GET",
       {{"host", "localhost"}, {"sec-fetch-site", "same-origin"}, {"sec-fetch-mode", "cors"}},
       0},
      {"reading from other machines", "GET", {{"host", "10.0.0.7"}}, 401, true},
      {"with it", "GET", {{"host", "10.0.0.7"}, {"authorization", bearer}}, 0, true},
  };
  for (const AccessCase& one : cases) {
    HttpRequest request;
    request.method = one.method;
    request.headers = one.headers;
    const AccessOptions options{kToken, one.token_to_read, {"gpu7.example.org"}};
    auto refusal = RefusalOfOrigin(request, options);
    if (!refusal) refusal = RefusalOfToken(request, options);
    EXPECT_EQ(refusal ? refusal->status : 0, one.status) << one.name;
    EXPECT_EQ(refusal.value_or(HttpResponse{}).body.find(kToken), std::string::npos) << one.name;
  }
}

TEST(Access, TheTokenFileIsItsOwnersAlone) {
  namespace fs = std::filesystem;
  const fs::path file = ScratchDirectory("token") / "token";
  const auto token = OpenToken(file);
  ASSERT_TRUE(token);
  EXPECT_EQ(token->size(), 64u);
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(*OpenToken(file), *token) << "the next service keeps it";
  fs::permissions(file, fs::perms::group_read, fs::perm_options::add);
  const auto open = ReadToken(file);
  ASSERT_FALSE(open);
  EXPECT_NE(open.error().next.find("chmod 600"), std::string::npos);
  EXPECT_FALSE(OpenToken(file));
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  std::ofstream(file) << "short\n";
  EXPECT_FALSE(ReadToken(file));
  EXPECT_FALSE(ReadToken(file.string() + "none"));
  EXPECT_FALSE(OpenToken(file / "below a file"));
}

// The case that other users can write to the store's directory.
TEST(Access, AServiceTakesNoTokenThatAnotherUserKnows) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  const std::filesystem::path file = ScratchDirectory("token_of_another") / "token";
  ASSERT_TRUE(OpenToken(file));
  ASSERT_EQ(::chown(file.c_str(), 12345, 0), 0);
  const auto token = OpenToken(file);
  ASSERT_FALSE(token);
  EXPECT_NE(token.error().what.find("user 12345"), std::string::npos) << token.error().what;
  EXPECT_EQ(ReadToken(file)->owner, 12345u);
}

}  // namespace
}  // namespace ebb::web
