#include "train/files/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ebb::train {
namespace {

std::string SmallFile() {
  return EncodeSafetensors({{"bytes", "U8", {3}, "abc"}, {"floats", "F32", {1, 2}, "01234567"}},
                           {{"key", "value"}});
}

std::string Refusal(std::string_view file) {
  const auto view = DecodeSafetensors(file, "a-file");
  if (view) return "accepted";
  EXPECT_EQ(view.error().code, ExitCode::kConfiguration);
  return view.error().Message();
}

TEST(Safetensors, ReadsBackWhatWasWritten) {
  const std::string file = SmallFile();
  const auto view = DecodeSafetensors(file, "a-file");
  ASSERT_TRUE(view) << view.error().Message();
  EXPECT_EQ(view->metadata.at("key"), "value");
  ASSERT_EQ(view->tensors.size(), 2U);
  for (const TensorBytes& tensor : view->tensors)
    EXPECT_EQ(tensor.data, tensor.name == "bytes" ? "abc" : "01234567");
}

TEST(Safetensors, DataBeginsAlignedAndWithTheLargestItems) {
  const std::string file = SmallFile();
  const auto view = DecodeSafetensors(file, "a-file");
  ASSERT_TRUE(view);
  for (const TensorBytes& tensor : view->tensors) {
    if (tensor.name == "bytes") continue;
    EXPECT_EQ((tensor.data.data() - file.data()) % 8, 0);
  }
}

TEST(Safetensors, EveryTruncationIsRefused) {
  const std::string file = SmallFile();
  for (std::size_t length = 0; length < file.size(); ++length)
    EXPECT_NE(Refusal(std::string_view(file).substr(0, length)), "accepted") << length;
}

TEST(Safetensors, LiesInTheHeaderAreRefused) {
  const auto with_header = [](const std::string& header) {
    std::string file(8, '\0');
    file[0] = static_cast<char>(header.size());
    return file + header + "01234567";
  };
  EXPECT_THAT(Refusal(with_header(R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})")),
              testing::HasSubstr("shape"));
  EXPECT_THAT(Refusal(with_header(R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})")),
              testing::HasSubstr("shape"));
  EXPECT_THAT(Refusal(with_header(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,99]}})")),
              testing::HasSubstr("outside"));
  EXPECT_THAT(Refusal(with_header(R"({"a":{"dtype":"F7","shape":[2],"data_offsets":[0,8]}})")),
              testing::HasSubstr("F7"));
  EXPECT_THAT(Refusal(with_header(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})")),
              testing::HasSubstr("left over"));
  EXPECT_THAT(Refusal(with_header(R"({"a":[1,2,3]})")), testing::HasSubstr("damaged"));
  EXPECT_THAT(Refusal(with_header("nonsense")), testing::HasSubstr("not JSON"));
}

TEST(Safetensors, NamesWhatIsNotDamageByWhatItIs) {
  const auto refusal = [](const std::string& file) {
    const auto view = DecodeSafetensors(file, "f");
    return view ? "accepted" : view.error().Message();
  };
  EXPECT_THAT(refusal("version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 3\n"),
              testing::HasSubstr("Git LFS"));
  const auto with_header = [](const std::string& header, const std::string& data) {
    std::string file(8, '\0');
    file[0] = static_cast<char>(header.size());
    return file + header + data;
  };
  EXPECT_THAT(
      refusal(with_header(R"({"a":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[0,2]}})", "ab")),
      testing::AllOf(testing::HasSubstr("F8_E4M3, which is not supported"),
                     testing::Not(testing::HasSubstr("damaged"))));
  EXPECT_EQ(
      refusal(with_header(
          R"({"__metadata__":null,"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})", "ab")),
      "accepted");
}

}  // namespace
}  // namespace ebb::train
