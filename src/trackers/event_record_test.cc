#include "trackers/event_record.h"

#include <gtest/gtest.h>

#include "trackers/crc32c.h"

namespace ebb::trackers {
namespace {

std::string Bytes(std::initializer_list<int> bytes) {
  std::string text;
  for (const int byte : bytes) text += static_cast<char>(byte);
  return text;
}

// Vectors of RFC 3720, appendix B.4, and the check value of the polynomial.
TEST(Crc32c, MatchesThePublishedVectors) {
  std::string up, down;
  for (int i = 0; i < 32; ++i) {
    up += static_cast<char>(i);
    down += static_cast<char>(31 - i);
  }
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(Crc32c(std::string(32, '\xff')), 0x62a8ab43u);
  EXPECT_EQ(Crc32c(up), 0x46dd794eu);
  EXPECT_EQ(Crc32c(down), 0x113fdb5cu);
  EXPECT_EQ(Crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(Crc32c(""), 0u);
  // The inverse of the published rule unmasks the checksum.
  const std::uint32_t rotated = MaskedCrc32c("123456789") - 0xa282ead8u;
  EXPECT_EQ(rotated >> 17 | rotated << 15, 0xe3069283u);
}

TEST(FramedRecord, IsLengthChecksumDataChecksum) {
  const std::string record = FramedRecord("abc");
  ASSERT_EQ(record.size(), 8u + 4 + 3 + 4);
  EXPECT_EQ(record.substr(0, 8), Bytes({3, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(record.substr(12, 3), "abc");
  const auto checksum_at = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 4; i-- > 0;)
      value = value << 8 | static_cast<unsigned char>(record[at + i]);
    return value;
  };
  EXPECT_EQ(checksum_at(8), MaskedCrc32c(record.substr(0, 8)));
  EXPECT_EQ(checksum_at(15), MaskedCrc32c("abc"));
}

// The expected bytes are written by hand from the field numbers of event.proto and summary.proto.
TEST(ScalarEvent, IsTheWireFormat) {
  const Value value{"ab", 1.5, 300, Time{} + Duration{2500}};
  EXPECT_EQ(ScalarEvent(value),
            Bytes({0x09, 0,    0,    0,    0,   0, 0, 0x04, 0x40,  // wall_time 2.5
                   0x10, 0xac, 0x02,                               // step 300
                   0x2a, 0x0b,                                     // summary, 11 bytes
                   0x0a, 0x09,                                     // value, 9 bytes
                   0x0a, 0x02, 'a',  'b',                          // tag
                   0x15, 0x00, 0x00, 0xc0, 0x3f}));                // simple_value 1.5
  EXPECT_EQ(FileVersionEvent(Time{} + Duration{2500}).substr(9),
            Bytes({0x1a, 0x0d}) + "brain.Event:2");
}

}  // namespace
}  // namespace ebb::trackers
