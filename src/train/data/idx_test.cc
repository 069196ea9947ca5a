#include "train/data/idx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "train/data/digits.h"

namespace ebb::train {
namespace {

NamedContent Images() { return {"images-file", EncodeIdxImages(DrawDigits({}, 5))}; }
NamedContent Labels() { return {"labels-file", EncodeIdxLabels(DrawDigits({}, 5))}; }

// Returns the message of a parse that must fail as a configuration error.
std::string Refusal(const NamedContent& images, const NamedContent& labels) {
  const auto parsed = ParseIdxDataset(images, labels);
  if (parsed) return "accepted";
  EXPECT_EQ(parsed.error().code, ExitCode::kConfiguration);
  return parsed.error().Message();
}

TEST(Idx, ReadsBackWhatWasWritten) {
  const auto parsed = ParseIdxDataset(Images(), Labels());
  ASSERT_TRUE(parsed) << parsed.error().Message();
  const Dataset original = DrawDigits({}, 5);
  EXPECT_EQ(parsed->shape, original.shape);
  EXPECT_EQ(parsed->pixels, original.pixels);
  EXPECT_EQ(parsed->labels, original.labels);
}

TEST(Idx, AWrongMagicNumberIsNamed) {
  NamedContent images = Images();
  images.bytes[2] = 0x0d;
  EXPECT_THAT(Refusal(images, Labels()),
              testing::AllOf(testing::HasSubstr("images-file"), testing::HasSubstr("magic")));
}

TEST(Idx, ImagesAndLabelsSwappedAreNamed) {
  EXPECT_THAT(Refusal(Labels(), Images()), testing::HasSubstr("1 dimensions where 3"));
}

TEST(Idx, ATruncatedFileSaysHowMuchIsThere) {
  NamedContent images = Images();
  images.bytes.resize(images.bytes.size() - 1);
  EXPECT_THAT(Refusal(images, Labels()),
              testing::HasSubstr("3919 bytes of data, its header says 3920 (truncated)"));
}

TEST(Idx, BytesLeftOverAreRefused) {
  NamedContent labels = Labels();
  labels.bytes += 'x';
  EXPECT_THAT(Refusal(Images(), labels), testing::HasSubstr("left over"));
}

TEST(Idx, AFileShorterThanItsHeaderIsRefused) {
  EXPECT_THAT(Refusal({"empty", ""}, Labels()), testing::HasSubstr("magic"));
  EXPECT_THAT(Refusal({"short", Images().bytes.substr(0, 15)}, Labels()),
              testing::HasSubstr("too short"));
}

TEST(Idx, AnAbsurdDimensionIsRefusedBeforeAnythingIsAllocated) {
  NamedContent images = Images();
  for (std::size_t i = 4; i < 16; ++i) images.bytes[i] = '\xff';
  EXPECT_THAT(Refusal(images, Labels()), testing::HasSubstr("dimension 1 is 4294967295"));
}

TEST(Idx, AnEmptyDataSetIsRefused) {
  NamedContent labels = Labels();
  labels.bytes = labels.bytes.substr(0, 4) + std::string(4, '\0');
  EXPECT_THAT(Refusal(Images(), labels), testing::HasSubstr("dimension 1 is 0"));
}

TEST(Idx, ALabelOutOfRangeIsCounted) {
  NamedContent labels = Labels();
  labels.bytes[8 + 2] = 10;
  EXPECT_THAT(Refusal(Images(), labels), testing::AllOf(testing::HasSubstr("labels-file"),
                                                        testing::HasSubstr("label 3 is 10")));
}

TEST(Idx, DifferentCountsAreRefused) {
  const NamedContent labels{"labels-file", EncodeIdxLabels(DrawDigits({}, 4))};
  EXPECT_THAT(Refusal(Images(), labels), testing::HasSubstr("4 labels for the 5 images"));
}

}  // namespace
}  // namespace ebb::train
