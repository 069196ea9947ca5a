#pragma once
// Reads the small text files of /proc and /sys with plain read(2) into a buffer of the caller:
// meters look at a handful of them every second for hours, and must not cost what they measure.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ebb::meter {

/// The beginning of the file, as much as fits; nullopt if it cannot be read (errno says why).
std::optional<std::string_view> ReadSmallFile(const char* path, std::span<char> buffer);

/// The non-negative whole number that a file consists of; nullopt if it holds something else, with
/// errno EINVAL.
std::optional<std::int64_t> ReadNumber(const char* path);

/// The number beside `key` in a file of fields "key number", of which the first 8 KiB are looked
/// at.
std::optional<std::int64_t> ReadNumberOf(const std::string& path, std::string_view key);

/// The first line of a file, trimmed; empty if it cannot be read.
std::string ReadLine(const std::string& path);

/// Formats a figure as descriptions show it, with at most two decimals and no trailing zeros: "8",
/// "7.03".
std::string FormatFigure(double value);

/// Walks over fields separated by blanks, without allocating.
class Fields {
 public:
  explicit Fields(std::string_view text) : rest_(text) {}
  /// The next field; empty at the end.
  std::string_view Next();
  Fields& Skip(int count);
  /// The next field as a non-negative number; nullopt if it is not a number.
  std::optional<std::int64_t> NextNumber();

 private:
  std::string_view rest_;
};

}  // namespace ebb::meter
