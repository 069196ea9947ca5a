#pragma once
// Names that a target accepts, made from experiments' names. A name that is valid stays as it is;
// any other is rewritten and gets a digest of the original at its end, so that two experiments
// never become one. Pure.

#include <cstddef>
#include <string>
#include <string_view>

namespace ebb::sweep {

/// KubeRay wants a DNS-1035 label of at most 47 characters: it appends up to 6 and derives further
/// names from the result.
inline constexpr std::size_t kLongestRayJobName = 47;
inline constexpr std::size_t kLongestSlurmName = 64;
inline constexpr std::size_t kLongestFileName = 120;

/// Lower-case letters, digits and '-', beginning with a letter (so valid by DNS-1123 too).
std::string KubernetesName(std::string_view name, std::size_t longest = kLongestRayJobName);
/// Letters, digits, '.', '_' and '-', beginning with a letter or digit.
std::string SlurmName(std::string_view name);
/// The same for files and directories.
std::string FileName(std::string_view name);

}  // namespace ebb::sweep
