#include "web/http/content_encoding.h"

#include <gtest/gtest.h>

namespace ebb::web {
namespace {

TEST(ContentEncoding, OnlyWhatThePeerAccepts) {
  struct Case {
    std::string_view accepted, expected;
  };
  for (const Case& one : std::initializer_list<Case>{{"gzip, deflate, br", "gzip"},
                                                     {"br;q=1.0, GZIP;q=0.5", "gzip"},
                                                     {"*", "gzip"},
                                                     {"br", ""},
                                                     {"", ""},
                                                     {"gzipped", ""},
                                                     {"gzip;q=0, br", ""},
                                                     {"gzip; q=0.000", ""},
                                                     {"gzip;q=0.001", "gzip"},
                                                     {",;,", ""}})
    EXPECT_EQ(ContentEncodingFor(one.accepted, "192.0.2.7"), one.expected) << one.accepted;
}

TEST(ContentEncoding, NothingIsPackedForThisMachine) {
  for (const std::string_view peer : {"127.0.0.1", "127.3.2.1", "::1", "::ffff:127.0.0.1"})
    EXPECT_EQ(ContentEncodingFor("gzip", peer), "") << peer;
  EXPECT_EQ(ContentEncodingFor("gzip", "::12"), "gzip");
}

}  // namespace
}  // namespace ebb::web
