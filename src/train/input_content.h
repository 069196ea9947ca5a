#pragma once
// What a training is made from, by content: so that a continuation after hours of waiting finds out
// if a file has changed meanwhile. Sampled digests find another version of weights, in which every
// tensor differs; a few changed bytes in gigabytes are found by whole digests only. Times of files
// do not count: another machine's copy has others.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "platform/file.h"

namespace ebb::train {

/// name -> {"bytes", "sha256"}, or {"bytes", "sampled_sha256"} and, if it was asked for, "sha256".
using InputContent = nlohmann::ordered_json;

enum class DigestOf {
  kWhole,
  kSamples,  ///< of a file of more than 64 MiB: a mebibyte of every 16
  kBoth,     ///< of such a file; otherwise the whole
};

/// Adds a file under its path.
Status AddInput(InputContent& content, const platform::Path& file, DigestOf digest);
/// Adds bytes that are in memory.
void AddInput(InputContent& content, const std::string& name, std::string_view bytes);

/// Names of what differs, was added or is gone. Only what both sides know is compared. `stored` is
/// null in checkpoints of versions that did not know content: nothing differs from it.
std::vector<std::string> ChangedInputs(const nlohmann::json& stored, const InputContent& now);

}  // namespace ebb::train
