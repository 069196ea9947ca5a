#include "sweep/target_name.h"

#include <algorithm>
#include <cstdint>

#include "base/text.h"

namespace ebb::sweep {
namespace {

// FNV-1a, because it is short, the same everywhere, and enough to tell names apart.
std::string Digest(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  constexpr char kDigits[] = "0123456789abcdef";
  std::string digest;
  for (int shift = 0; shift < 32; shift += 4) digest += kDigits[(hash >> shift) & 0xf];
  return digest;
}

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsWord(char c) {
  return IsLower(c) || IsDigit(c) || (c >= 'A' && c <= 'Z') || c == '.' || c == '_' || c == '-';
}

// Returns `clean` if it equals the original name; otherwise as much of it as fits, and the digest.
std::string Finish(std::string clean, std::string_view original, std::size_t longest) {
  if (clean == original && clean.size() <= longest) return clean;
  const std::string digest = Digest(original);
  clean.resize(std::min(clean.size(), longest - digest.size() - 1));
  while (!clean.empty() && !IsLower(clean.back()) && !IsDigit(clean.back())) clean.pop_back();
  return clean.empty() ? "x-" + digest : clean + "-" + digest;
}

std::string WordName(std::string_view name, std::size_t longest) {
  std::string clean;
  for (const char c : name) {
    if (IsWord(c))
      clean += c;
    else if (!clean.empty() && clean.back() != '-')
      clean += '-';
  }
  const auto first = clean.find_first_not_of("._-");
  return Finish(first == std::string::npos ? "" : clean.substr(first), name, longest);
}

}  // namespace

std::string KubernetesName(std::string_view name, std::size_t longest) {
  std::string clean;
  for (const char c : Lowercase(name)) {
    if (clean.empty() && !IsLower(c)) continue;
    if (IsLower(c) || IsDigit(c) || c == '-')
      clean += c;
    else if (clean.back() != '-')
      clean += '-';
  }
  while (!clean.empty() && clean.back() == '-') clean.pop_back();
  return Finish(std::move(clean), name, longest);
}

std::string SlurmName(std::string_view name) { return WordName(name, kLongestSlurmName); }
std::string FileName(std::string_view name) { return WordName(name, kLongestFileName); }

}  // namespace ebb::sweep
