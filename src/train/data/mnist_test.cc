#include "train/data/mnist.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "testing/scratch_directory.h"
#include "train/data/digits.h"

namespace ebb::train {
namespace {

class Mnist : public testing::Test {
 protected:
  const platform::Path directory_ = ScratchDirectory("mnist") / "not-yet-there";
};

DataSplits SmallSplits() {
  return {DrawDigits({1, Split::kTrain}, 12), DrawDigits({1, Split::kTest}, 7)};
}

TEST_F(Mnist, ADataSetSmallerThanTheRealOneIsFine) {
  ASSERT_TRUE(WriteMnistFiles(directory_, SmallSplits()));
  const auto loaded = LoadMnist(directory_, {});
  ASSERT_TRUE(loaded) << loaded.error().Message();
  EXPECT_EQ(loaded->train.size(), 12U);
  EXPECT_EQ(loaded->test.labels, SmallSplits().test.labels);
}

TEST_F(Mnist, FilesAreFoundWhereTorchvisionPutsThem) {
  ASSERT_TRUE(WriteMnistFiles(directory_ / "MNIST" / "raw", SmallSplits()));
  EXPECT_TRUE(LoadMnist(directory_, {}));
}

TEST_F(Mnist, AMissingFileWithoutDownloadSaysWhatToDo) {
  const auto loaded = LoadMnist(directory_, {});
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ExitCode::kConfiguration);
  EXPECT_THAT(loaded.error().Message(), testing::HasSubstr("--data digits"));
}

TEST_F(Mnist, ADownloadWithTheWrongDigestIsNotKept) {
  int fetches = 0;
  const auto loaded = LoadMnist(directory_, [&](const std::string&) -> Result<std::string> {
    ++fetches;
    return std::string("not MNIST");
  });
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ExitCode::kUnavailable);
  EXPECT_THAT(loaded.error().Message(), testing::HasSubstr("wrong digest"));
  EXPECT_EQ(fetches, 2) << "every mirror is tried";
  EXPECT_TRUE(std::filesystem::is_empty(directory_));
}

TEST_F(Mnist, OnlyMissingFilesAreFetched) {
  ASSERT_TRUE(WriteMnistFiles(directory_, SmallSplits()));
  std::filesystem::remove(directory_ / "t10k-labels-idx1-ubyte");
  std::vector<std::string> urls;
  const auto loaded = LoadMnist(directory_, [&](const std::string& url) -> Result<std::string> {
    urls.push_back(url);
    return Fail({ExitCode::kUnavailable, "no network", url, ""});
  });
  EXPECT_FALSE(loaded);
  EXPECT_THAT(urls, testing::Each(testing::EndsWith("/t10k-labels-idx1-ubyte.gz")));
}

}  // namespace
}  // namespace ebb::train
