#include "web/http/request_head.h"

#include <gtest/gtest.h>

#include <vector>

namespace ebb::web {
namespace {

struct HeadCase {
  std::string headers;
  int refusal = 0;
  std::uint64_t body_bytes = 0;
};

// Each text follows "POST /x HTTP/1.1" and a Host.
TEST(RequestHead, WhereARequestEndsIsSaidOnce) {
  using namespace std::string_literals;
  const std::vector<HeadCase> cases{
      {"", 0, 0},
      {"Content-Length: 12\r\n", 0, 12},
      {"content-length:\t12 \r\n", 0, 12},
      {"Content-Length: 0\r\nAccept: */*\r\nX-Empty:\r\nX: \xc3\xa4\r\n", 0, 0},
      {"Content-Length: 12\r\nContent-Length: 13\r\n", 400},
      {"Content-Length: 12\r\nContent-Length: 12\r\n", 400},
      {"Content-Length: 12\r\ncontent-LENGTH: 12\r\n", 400},
      {"Content-Length: 12, 12\r\n", 400},
      {"Content-Length: +12\r\n", 400},
      {"Content-Length: -0\r\n", 400},
      {"Content-Length: 1 2\r\n", 400},
      {"Content-Length: 0x12\r\n", 400},
      {"Content-Length: 12abc\r\n", 400},
      {"Content-Length: 12.0\r\n", 400},
      {"Content-Length:\r\n", 400},
      {"Content-Length: 18446744073709551628\r\n", 400},
      {"Content-Length : 12\r\n", 400},
      {" Content-Length: 12\r\n", 400},
      {"\tContent-Length: 12\r\n", 400},
      {"Content-Length\r\n", 400},
      {": 12\r\n", 400},
      {"X: a\r\n folded\r\n", 400},
      {"X: a\r\n\tfolded: b\r\n", 400},
      {"Content-\x0bLength: 12\r\n", 400},
      {"Content\xa0Length: 12\r\n", 400},
      {"Content-Length: 12\0\r\n"s, 400},
      {"X: a\0b\r\n"s, 400},
      {"X: a\nContent-Length: 12\r\n", 400},
      {"X: a\rContent-Length: 12\r\n", 400},
      {"Content-Length: 12\n", 400},
      {"Content-Length: 12\r\r\n", 400},
      {"Transfer-Encoding: chunked\r\n", 411},
      {"Transfer-Encoding: identity\r\n", 411},
      {"Transfer-Encoding: chunked, identity\r\n", 411},
      {"Transfer-Encoding: xchunked\r\n", 411},
      {"transfer-encoding:\tChUnKeD\r\n", 411},
      {"Transfer-Encoding:\r\n", 411},
      {"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", 411},
      {"Transfer-Encoding: chunked\r\nContent-Length: 12\r\n", 400},
      {"Content-Length: 12\r\nTransfer-Encoding: identity\r\n", 400},
      {"Transfer-Encoding : chunked\r\n", 400},
      {"Transfer-Encoding: \x0b"
       "chunked\r\n",
       400},
      {"Host: elsewhere\r\n", 400},
      {"Content-Encoding: gzip\r\nContent-Length: 12\r\n", 415},
      {"Content-Encoding: identity\r\nContent-Length: 12\r\n", 0, 12},
  };
  for (const HeadCase& one : cases) {
    const RequestHead head =
        CheckHead("POST /x HTTP/1.1\r\nHost: localhost\r\n" + one.headers + "\r\n");
    EXPECT_EQ(head.refusal, one.refusal) << one.headers << head.why;
    if (one.refusal == 0) {
      EXPECT_EQ(head.body_bytes, one.body_bytes) << one.headers;
    }
  }
}

TEST(RequestHead, ItBeginsWithARequestLine) {
  using namespace std::string_literals;
  for (const std::string& line :
       {"GET / HTTP/1.1"s, "GET /?a=b%20c HTTP/1.0"s, "OPTIONS * HTTP/1.1"s})
    EXPECT_EQ(CheckHead(line + "\r\nHost: x\r\n\r\n").refusal, 0) << line;
  const std::string unusual = "M-SEARCH /x HTTP/1.1\r\nHost: x\r\n\r\n";
  EXPECT_EQ(CheckHead(unusual).method, "M-SEARCH");
  for (const std::string& line :
       {""s, "GET"s, "GET /"s, "GET  / HTTP/1.1"s, "GET /  HTTP/1.1"s, "GET / HTTP/1.1 "s,
        " GET / HTTP/1.1"s, "GET / HTTP/2.0"s, "GET / HTTP/1.12"s, "GET / http/1.1"s,
        "G(T / HTTP/1.1"s, "GET /a b HTTP/1.1"s, "GET /\t HTTP/1.1"s, "GET /\0 HTTP/1.1"s,
        "GET /\x80 HTTP/1.1"s, "GET / HTTP/1.1\nHost: x"s, "GET / HTTP/1.1\n"s})
    EXPECT_EQ(CheckHead(line + "\r\nHost: x\r\n\r\n").refusal, 400) << line;
  EXPECT_EQ(CheckHead("GET / HTTP/1.1\n\n").refusal, 400);
  EXPECT_EQ(CheckHead("GET / HTTP/1.1\r\nAccept: */*\r\n\r\n").why, "has no Host");
  EXPECT_EQ(CheckHead("GET / HTTP/1.0\r\n\r\n").refusal, 0) << "before there was a Host";
  EXPECT_EQ(CheckHead("GET / HTTP/1.1\r\nHost: x\r\n").refusal, 400) << "no empty line";
}

}  // namespace
}  // namespace ebb::web
