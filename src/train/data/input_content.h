#pragma once
// The inputs of a training, by content, so that a continuation after hours of waiting finds out if
// a file has changed meanwhile. Sampled digests detect another version of weights, in which every
// tensor differs; only digests of the whole file detect a few changed bytes in gigabytes.
// Modification times do not count, because another machine's copy has other times.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "platform/file.h"

namespace ebb::train {

/// Format: name -> {"bytes", "sha256"}, or {"bytes", "sampled_sha256"} and, on request, "sha256".
using InputContent = nlohmann::ordered_json;

enum class DigestOf {
  kWhole,
  kSamples,  ///< larger than 64 MiB: samples, a mebibyte of every 16
  kBoth,     ///< larger than 64 MiB: samples and the whole
};

/// Adds a file under its path as the name.
Status AddInput(InputContent& content, const platform::Path& file, DigestOf digest);
/// Adds bytes that are in memory.
void AddInput(InputContent& content, const std::string& name, std::string_view bytes);

/// Names of inputs that differ, were added or are gone. Only digests that both sides have are
/// compared. `stored` is null in checkpoints of versions that did not store content: then nothing
/// differs.
std::vector<std::string> ChangedInputs(const nlohmann::json& stored, const InputContent& now);

}  // namespace ebb::train
