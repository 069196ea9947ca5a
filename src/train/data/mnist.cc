#include "train/data/mnist.h"

#include <array>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "platform/digest.h"
#include "platform/http.h"
#include "train/data/idx.h"

namespace ebb::train {
namespace {

struct MnistFile {
  const char* name;
  const char* md5;  ///< digest of the decompressed content
};

constexpr MnistFile kTrainImages{"train-images-idx3-ubyte", "6bbc9ace898e44ae57da46a324031adb"};
constexpr MnistFile kTrainLabels{"train-labels-idx1-ubyte", "a25bea736e30d166cdddb491f175f624"};
constexpr MnistFile kTestImages{"t10k-images-idx3-ubyte", "2646ac647ad5339dbf082846283269ea"};
constexpr MnistFile kTestLabels{"t10k-labels-idx1-ubyte", "27ae3e4e09519cfbb04c329615203637"};

constexpr std::array kMirrors = {"https://ossci-datasets.s3.amazonaws.com/mnist/",
                                 "https://storage.googleapis.com/cvdf-datasets/mnist/"};
constexpr std::uint64_t kDownloadLimitBytes = 64ULL << 20;

// File names as published; some copies have a dot in place of a dash.
std::vector<std::string> SpellingsOf(const std::string& name) {
  std::string dotted = name;
  dotted[name.find("-idx")] = '.';
  return {name, name + ".gz", dotted, dotted + ".gz"};
}

std::optional<platform::Path> FindFile(const platform::Path& directory, const std::string& name) {
  for (const platform::Path& folder : {directory, directory / "MNIST" / "raw"}) {
    for (const std::string& spelling : SpellingsOf(name)) {
      const platform::Path path = folder / spelling;
      std::error_code code;
      if (std::filesystem::is_regular_file(path, code)) return path;
    }
  }
  return std::nullopt;
}

// Returns the compressed bytes from one mirror if their content is the published one.
Result<std::string> FetchChecked(const MnistFile& file, const std::string& url,
                                 const Fetch& fetch) {
  EBB_ASSIGN_OR_RETURN(std::string packed, fetch(url));
  EBB_ASSIGN_OR_RETURN(const std::string plain,
                       platform::MaybeGunzip(packed, url, platform::kDefaultReadLimitBytes));
  if (platform::Md5Hex(plain) != file.md5)
    return Fail({ExitCode::kUnavailable, "the downloaded content has the wrong digest", url, ""});
  return packed;
}

Result<platform::Path> Download(const platform::Path& directory, const MnistFile& file,
                                const Fetch& fetch) {
  EBB_RETURN_IF_ERROR(platform::EnsureWritableDirectory(directory));
  std::string reasons;
  for (const char* mirror : kMirrors) {
    const std::string url = std::string(mirror) + file.name + ".gz";
    auto packed = FetchChecked(file, url, fetch);
    if (!packed) {
      reasons += (reasons.empty() ? "" : "; ") + packed.error().Message();
      continue;
    }
    const platform::Path path = directory / (std::string(file.name) + ".gz");
    EBB_RETURN_IF_ERROR(platform::WriteFileAtomically(path, *packed));
    return path;
  }
  return Fail({ExitCode::kUnavailable, "cannot download " + std::string(file.name) + ": " + reasons,
               directory.string(),
               "put the MNIST files there, or use --data digits, which needs none"});
}

Result<NamedContent> Load(const platform::Path& directory, const MnistFile& file,
                          const Fetch& fetch) {
  std::optional<platform::Path> path = FindFile(directory, file.name);
  if (!path && !fetch)
    return Fail({ExitCode::kConfiguration,
                 std::string(file.name) + " is missing (neither plain nor .gz)", directory.string(),
                 "allow --download, give another --data-dir, or use --data digits"});
  if (!path) {
    EBB_ASSIGN_OR_RETURN(path, Download(directory, file, fetch));
  }
  EBB_ASSIGN_OR_RETURN(std::string bytes, platform::ReadFileMaybeGzip(*path));
  return NamedContent{path->string(), std::move(bytes)};
}

}  // namespace

Result<std::string> FetchOverHttp(const std::string& url) {
  std::fprintf(stderr, "ebb-train: downloading %s\n", url.c_str());
  EBB_ASSIGN_OR_RETURN(platform::HttpResponse response,
                       platform::HttpGet({.url = url,
                                          .headers = {},
                                          .timeout = Duration{120'000},
                                          .limit_bytes = kDownloadLimitBytes}));
  if (response.status != 200)
    return Fail(
        {ExitCode::kUnavailable, "HTTP status " + std::to_string(response.status), url, ""});
  return std::move(response.body);
}

Result<DataSplits> LoadMnist(const platform::Path& directory, const Fetch& fetch) {
  EBB_ASSIGN_OR_RETURN(const NamedContent train_images, Load(directory, kTrainImages, fetch));
  EBB_ASSIGN_OR_RETURN(const NamedContent train_labels, Load(directory, kTrainLabels, fetch));
  EBB_ASSIGN_OR_RETURN(const NamedContent test_images, Load(directory, kTestImages, fetch));
  EBB_ASSIGN_OR_RETURN(const NamedContent test_labels, Load(directory, kTestLabels, fetch));
  DataSplits splits;
  EBB_ASSIGN_OR_RETURN(splits.train, ParseIdxDataset(train_images, train_labels));
  EBB_ASSIGN_OR_RETURN(splits.test, ParseIdxDataset(test_images, test_labels));
  if (splits.test.shape != splits.train.shape)
    return Fail({ExitCode::kConfiguration,
                 "the test images have another size than the training images", test_images.name,
                 ""});
  return splits;
}

Status WriteMnistFiles(const platform::Path& directory, const DataSplits& splits) {
  EBB_RETURN_IF_ERROR(platform::EnsureWritableDirectory(directory));
  const auto write = [&](const MnistFile& file, const std::string& content) {
    return platform::WriteFileAtomically(directory / file.name, content);
  };
  EBB_RETURN_IF_ERROR(write(kTrainImages, EncodeIdxImages(splits.train)));
  EBB_RETURN_IF_ERROR(write(kTrainLabels, EncodeIdxLabels(splits.train)));
  EBB_RETURN_IF_ERROR(write(kTestImages, EncodeIdxImages(splits.test)));
  return write(kTestLabels, EncodeIdxLabels(splits.test));
}

}  // namespace ebb::train
