#pragma once
// Makes names that a target accepts from the names of experiments. A valid name stays as it is; any
// other is rewritten and gets a digest of the original at its end, so that two experiments never
// share a name. Pure.

#include <cstddef>
#include <string>
#include <string_view>

namespace ebb::sweep {

/// KubeRay wants a DNS-1035 label of at most 47 characters, because it appends up to 6 and derives
/// further names from the result.
inline constexpr std::size_t kLongestRayJobName = 47;
inline constexpr std::size_t kLongestSlurmName = 64;
inline constexpr std::size_t kLongestFileName = 120;

/// A name of lower-case letters, digits and '-' that begins with a letter (so it is valid by
/// DNS-1123 too).
std::string KubernetesName(std::string_view name, std::size_t longest = kLongestRayJobName);
/// A name of letters, digits, '.', '_' and '-' that begins with a letter or digit.
std::string SlurmName(std::string_view name);
/// A name for files and directories, with the characters of SlurmName.
std::string FileName(std::string_view name);

}  // namespace ebb::sweep
