#include "train/data/input_content.h"

#include <algorithm>

#include "platform/digest.h"
#include "platform/mapped_file.h"

namespace ebb::train {
namespace {

constexpr std::size_t kSmallBytes = 64ULL << 20;
constexpr std::size_t kSampleBytes = 1ULL << 20;
constexpr std::size_t kStrideBytes = 16ULL << 20;

// Digest over the beginning, the end, and a part of every stride between.
std::string SampledSha256(std::string_view bytes) {
  std::string digests;
  for (std::size_t at = 0; at < bytes.size(); at += kStrideBytes)
    digests += platform::Sha256Hex(bytes.substr(at, kSampleBytes));
  digests += platform::Sha256Hex(bytes.substr(bytes.size() - std::min(bytes.size(), kSampleBytes)));
  return platform::Sha256Hex(digests);
}

bool Differs(const nlohmann::json& stored, const nlohmann::json& now) {
  if (!stored.is_object()) return true;
  for (const char* key : {"bytes", "sha256", "sampled_sha256"})
    if (stored.contains(key) && now.contains(key) && stored[key] != now[key]) return true;
  return false;
}

}  // namespace

Status AddInput(InputContent& content, const platform::Path& file, DigestOf digest) {
  EBB_ASSIGN_OR_RETURN(const auto mapped, platform::MappedFile::Open(file));
  const std::string_view bytes = mapped->bytes();
  const bool sampled = digest != DigestOf::kWhole && bytes.size() > kSmallBytes;
  nlohmann::ordered_json facts = {{"bytes", bytes.size()}};
  if (sampled) facts["sampled_sha256"] = SampledSha256(bytes);
  if (!sampled || digest == DigestOf::kBoth) facts["sha256"] = platform::Sha256Hex(bytes);
  content[file.string()] = std::move(facts);
  return {};
}

void AddInput(InputContent& content, const std::string& name, std::string_view bytes) {
  content[name] = {{"bytes", bytes.size()}, {"sha256", platform::Sha256Hex(bytes)}};
}

std::vector<std::string> ChangedInputs(const nlohmann::json& stored, const InputContent& now) {
  std::vector<std::string> changed;
  if (!stored.is_object()) return changed;
  for (const auto& [name, facts] : now.items())
    if (!stored.contains(name) || Differs(stored[name], facts)) changed.push_back(name);
  for (const auto& [name, facts] : stored.items())
    if (!now.contains(name)) changed.push_back(name);
  return changed;
}

}  // namespace ebb::train
