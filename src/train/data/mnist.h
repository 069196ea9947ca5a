#pragma once
// Finds the four MNIST files (IDX, gzip or plain, directly in the directory or in MNIST/raw below
// it), downloads missing ones if that is allowed, and reads them. A downloaded file is kept only if
// the MD5 of its decompressed content is the published one; files that were there already may hold
// any IDX data set of that shape.

#include <functional>
#include <string>

#include "base/result.h"
#include "platform/file.h"
#include "train/data/dataset.h"

namespace ebb::train {

/// Fetches the body of a URL; tests pass their own.
using Fetch = std::function<Result<std::string>(const std::string& url)>;

/// GET over HTTPS; a status other than 200 is an error.
Result<std::string> FetchOverHttp(const std::string& url);

/// With an empty `fetch`, nothing is downloaded and a missing file is an error.
Result<DataSplits> LoadMnist(const platform::Path& directory, const Fetch& fetch);

/// Writes the four files (plain IDX), so that another program can train on the same images.
Status WriteMnistFiles(const platform::Path& directory, const DataSplits& splits);

}  // namespace ebb::train
