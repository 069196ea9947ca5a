// Requests of hostile, broken and slow peers.

#include "web/api/api_for_test.h"

namespace ebb::web {
namespace {

TEST_F(ApiTest, PathsLeadNowhereElse) {
  for (const std::string path :
       {"/api/v1/jobs/../../etc/passwd", "/api/v1/jobs/..%2f..%2fetc%2fpasswd",
        "/api/v1/jobs/%2e%2e/%2e%2e/etc/passwd", "/../../etc/passwd", "/api/v1/jobs/1%00/log",
        "/api/v1/jobs/1/log/../../../../etc/passwd", "/api/v1/jobs/-1", "/api/v1/jobs/0x1",
        "/api/v1/jobs/99999999999999999999", "/api/v1/jobs//log", "/api/v1/jobs/77",
        "/api/v1/jobs/77/log", "/nothing", "//livez"}) {
    const Reply reply = Get(path);
    EXPECT_TRUE(reply.status == 404 || reply.status == 400) << path << " " << reply.text;
    EXPECT_EQ(reply.text.find("root:"), std::string::npos) << path;
  }
}

TEST_F(ApiTest, APathWithALineBreakIsAnsweredAsAnyOther) {
  for (const std::string path : {"/api/v1/jobs/%0A1", "/api/v1/jobs/1%0D%0A/log", "/%0A"}) {
    EXPECT_EQ(Get(path).status, 404) << path;
    EXPECT_NE(Get(path).text.find("there is no such address"), std::string::npos) << path;
    EXPECT_EQ(
        Raw("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").status,
        401)
        << path;
  }
}

TEST_F(ApiTest, AMethodThatAnAddressLacksIsRefusedWithThoseThatItHas) {
  for (const std::string method : {"TRACE", "DELETE", "PUT", "PATCH", "OPTIONS", "CONNECT", "QUERY",
                                   "PRI", "PROPFIND", "get", "M-SEARCH"}) {
    const Reply reply = Raw(Head(method, "/api/v1/jobs") + "\r\n");
    EXPECT_EQ(reply.status, 405) << method << reply.text;
    EXPECT_NE(reply.text.find("\r\nAllow: GET, POST\r\n"), std::string::npos) << reply.text;
    EXPECT_EQ(reply.text.find(kToken), std::string::npos) << "TRACE would send the request back";
    EXPECT_EQ(Raw(Head(method, "/nothing") + "\r\n").status, 404) << method;
  }
  const std::string body = R"({"command":["true"]})";
  const std::string length = "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  EXPECT_EQ(FirstStatus(Head("QUERY", "/api/v1/jobs") + length + body), 405);
  EXPECT_EQ(
      Raw("TRACE /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").status,
      401);
}

TEST_F(ApiTest, TooLargeABodyIsRefused) {
  EXPECT_EQ(FirstStatus(Head("POST", "/api/v1/jobs") + "Content-Length: 200000\r\n\r\n" +
                        std::string(200'000, ' ')),
            413);
  std::string chunks = Head("POST", "/api/v1/jobs") + "Transfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 20; ++i) chunks += "2710\r\n" + std::string(10'000, ' ') + "\r\n";
  EXPECT_EQ(FirstStatus(chunks + "0\r\n\r\n"), 411);
  EXPECT_EQ(FirstStatus(Head("GET", "/" + std::string(20'000, 'a')) + "\r\n") / 100, 4);
  EXPECT_EQ(world_.service().view()->jobs.size(), 0u);
}

TEST_F(ApiTest, ALongBodyIsTakenAlsoWhereTheClientCallsItAForm) {
  const std::string body = R"({"command":["true",")" + std::string(40'000, 'a') + R"("]})";
  for (const char* type : {"application/x-www-form-urlencoded", "application/json"})
    EXPECT_EQ(FirstStatus(Head("POST", "/api/v1/jobs") + "Content-Type: " + type +
                          "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body),
              201)
        << type;
}

// If a proxy and Ebb disagree on the end of a request, a second request can hide in the body of the
// first (request smuggling).
TEST_F(ApiTest, ARequestHidesNoOther) {
  const std::string hidden = Head("POST", "/api/v1/jobs/1/cancel") + "Content-Length: 0\r\n\r\n";
  const std::string chunk = "0\r\n\r\n" + hidden;
  const std::string length = "Content-Length: " + std::to_string(chunk.size()) + "\r\n";
  const std::string begin = "POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\n";
  for (const std::string& headers : std::vector<std::string>{
           length + "Transfer-Encoding: chunked\r\n", "Transfer-Encoding: chunked\r\n" + length,
           "Content-Length: 0\r\n" + length, length + "Transfer-Encoding: xchunked\r\n",
           length + "Transfer-Encoding:\r\n chunked\r\n", "Content-Length: +0\r\n",
           "Content-Length: -1\r\n", "Content-Length : 0\r\n" + length}) {
    handled_ = 0;
    const int status = FirstStatus(begin + headers + "\r\n" + chunk);
    EXPECT_LE(handled_.load(), 1) << headers;
    EXPECT_NE(status / 100, 2) << headers;
  }
}

// The first request has the right token here. It is still refused as ambiguous, and the rest of its
// connection is not read.
TEST_F(ApiTest, AnAmbiguousRequestIsRefusedAndItsConnectionClosed) {
  const std::string body = R"({"command":["true"]})";
  const std::string length = "Content-Length: " + std::to_string(body.size()) + "\r\n";
  const std::string begin =
      "POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " +
      std::string(kToken) + "\r\n";
  const std::string next = "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n";
  for (const std::string& headers : std::vector<std::string>{
           length + length, length + "Content-Length: 0\r\n",
           length + "Transfer-Encoding: identity\r\n", length + "Host: elsewhere\r\n",
           length + "X: a\r\n folded: b\r\n", length + "X: a\r\n folded\r\n",
           length + "Na me: x\r\n", length + "Transfer-Encoding: chunked\r\n",
           length + "X: a\nContent-Length: 0\r\n", length + "X: a" + std::string(1, '\0') + "\r\n",
           "Content-Length: +" + std::to_string(body.size()) + "\r\n"}) {
    handled_ = 0;
    Wire wire(server_->port());
    wire.Send(begin + headers + "\r\n" + body + next + next);
    const std::string answer = wire.ReceiveUntil("");
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 400")) << headers << answer;
    EXPECT_EQ(answer.find("ok\n"), std::string::npos) << headers << answer;
    EXPECT_EQ(handled_.load(), 0) << headers;
  }
  EXPECT_EQ(world_.service().view()->jobs.size(), 0u);
}

TEST_F(ApiTest, WhoGuessesTokensIsHeldUpAndWhoHasItIsNot) {
  const std::string guess =
      "POST /api/v1/jobs/1/cancel HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
      "Authorization: Bearer wrong\r\nContent-Length: 0\r\n\r\n";
  int refused = 0, held_up = 0;
  for (int i = 0; i < 300 && held_up == 0; ++i) {
    const int status = Raw(guess).status;
    refused += status == 401;
    held_up += status == 429;
  }
  EXPECT_GE(refused, 50);
  EXPECT_EQ(held_up, 1);
  EXPECT_EQ(Post("/api/v1/jobs", R"({"command":["true"]})").status, 201);
  EXPECT_EQ(Get("/livez").status, 200);
}

TEST_F(ApiTest, AFloodOfChangesIsHeldUpAndReadingIsNot) {
  ApiOptions options;
  options.access.token = kToken;
  options.changes = {0.001, 3, 16};
  Api limited(world_.service(), options);
  HttpRequest cancel;
  cancel.method = "POST";
  cancel.path = "/api/v1/jobs/77/cancel";
  cancel.headers = {{"host", "localhost"}, {"authorization", "Bearer " + std::string(kToken)}};
  cancel.peer = "10.0.0.1";
  for (int i = 0; i < 3; ++i) EXPECT_NE(limited.Handle(cancel).status, 429);
  const HttpResponse held_up = limited.Handle(cancel);
  EXPECT_EQ(held_up.status, 429);
  EXPECT_EQ(held_up.headers.front().first, "Retry-After");
  cancel.peer = "10.0.0.2";
  EXPECT_NE(limited.Handle(cancel).status, 429);
  cancel.peer = "10.0.0.1";
  cancel.method = "GET";
  cancel.path = "/api/v1/status";
  EXPECT_EQ(limited.Handle(cancel).status, 200);
}

// The library forgets a stop that comes before it listens.
TEST(HttpServerTest, CanBeStoppedAtOnce) {
  HttpServerOptions any;
  any.port = 0;
  for (int i = 0; i < 50; ++i)
    ASSERT_TRUE(HttpServer::Start(any, [](const HttpRequest&) { return HttpResponse{}; }));
}

TEST_F(ApiTest, SlowRequestsHoldNobodyUp) {
  std::vector<std::unique_ptr<Wire>> slow;
  for (int i = 0; i < 20; ++i) {
    slow.push_back(std::make_unique<Wire>(server_->port()));
    slow.back()->Send("POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Le");
  }
  EXPECT_EQ(Get("/livez").status, 200);
  EXPECT_EQ(Post("/api/v1/jobs", R"({"command":["true"]})").status, 201);
}

// There are more slow peers than threads, and each may take as long as the limits allow.
TEST_F(ApiTest, AServerFullOfSlowPeersAnswersOthers) {
  std::vector<std::unique_ptr<Wire>> slow;
  for (int i = 0; i < 100; ++i) {
    slow.push_back(std::make_unique<Wire>(server_->port()));
    slow.back()->Send(i % 2 ? "POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Le"
                            : Head("POST", "/api/v1/jobs") + "Content-Length: 90000\r\n\r\n[");
  }
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Get("/livez").status, 200);
}

// Each byte comes in time, but the whole request does not.
TEST_F(ApiTest, ARequestHasToComeInTimeAsAWhole) {
  Wire wire(server_->port());
  wire.Send("GET /livez HTTP/1.1\r\nHost: localhost\r\nX: ");
  std::string answer;
  for (int i = 0; i < 1000 && answer.empty(); ++i) {
    wire.Send("x");
    answer = wire.ReceiveUntil("\r\n\r\n", 50);
  }
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 408")) << answer;
}

TEST_F(ApiTest, AnAnswerIsGivenWholeWhateverRangesAreAskedFor) {
  std::string ranges = "Range: bytes=0-";
  for (int i = 0; i < 500; ++i) ranges += ",0-";
  const Reply reply = Raw(Head("GET", "/chart.js") + ranges + "\r\n\r\n");
  EXPECT_EQ(reply.status, 200) << reply.text.substr(0, 300);
  EXPECT_EQ(reply.text.size() < 1'000'000, true) << reply.text.size();
}

TEST_F(ApiTest, OnThisMachineNothingIsPacked) {
  const Reply reply = Raw(Head("GET", "/page.css") + "Accept-Encoding: gzip, deflate, br\r\n\r\n");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.text.find("Content-Encoding"), std::string::npos) << reply.text;
}

TEST_F(ApiTest, ACompressedBodyIsNotUnpacked) {
  EXPECT_EQ(FirstStatus(Head("POST", "/api/v1/jobs") +
                        "Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd"),
            415);
}

// Bytes of a request that the library leaves unread are not the next request.
TEST_F(ApiTest, ABodyThatNobodyWantsIsNoRequest) {
  const std::string hidden = Head("GET", "/livez") + "\r\n";
  Wire wire(server_->port());
  wire.Send("GET /livez HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
            std::to_string(hidden.size()) + "\r\n\r\n" + hidden);
  const std::string answer = wire.ReceiveUntil("");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200")) << answer;
  EXPECT_EQ(handled_.load(), 1);
}

}  // namespace
}  // namespace ebb::web
