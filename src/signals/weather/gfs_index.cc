#include "signals/weather/gfs_index.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace ebb::signals {
namespace {

constexpr std::uint64_t kWorthARequestBytes = 64 << 10;
constexpr std::uint64_t kLargestFileBytes = 1ULL << 40;

struct WantedField {
  std::string_view name, level, ending;  ///< ending: "3 hour fcst", "0-3 hour ave fcst"
  enum { kAlways, kOfSpans, kIfThere } when;
};
constexpr std::array<WantedField, 5> kWanted{{
    {"UGRD", "10 m above ground", "", WantedField::kAlways},
    {"VGRD", "10 m above ground", "", WantedField::kAlways},
    {"TMP", "2 m above ground", "", WantedField::kAlways},
    {"DSWRF", "surface", " ave fcst", WantedField::kOfSpans},
    {"PRATE", "surface", " ave fcst", WantedField::kIfThere},
}};

struct Line {
  std::uint64_t offset = 0;
  std::optional<std::size_t> wanted;  ///< position in kWanted
};

std::optional<std::size_t> WantedOf(std::string_view name, std::string_view level,
                                    std::string_view forecast) {
  for (std::size_t i = 0; i < kWanted.size(); ++i)
    if (kWanted[i].name == name && kWanted[i].level == level &&
        forecast.ends_with(kWanted[i].ending))
      return i;
  return std::nullopt;
}

Error Bad(std::string what, const std::string& where) {
  return {ExitCode::kUnavailable, std::move(what), where,
          "check that the address is a server with NOAA's files of GFS"};
}

Result<std::vector<Line>> LinesOf(std::string_view index, const std::string& where) {
  constexpr std::size_t kParts = 6;
  std::vector<Line> lines;
  for (const std::string_view text : Split(index, '\n')) {
    if (Trim(text).empty()) continue;
    const auto parts = Split(text, ':');
    const auto offset = parts.size() >= kParts ? ParseNumber(parts[1]) : std::nullopt;
    if (!offset || !(*offset >= 0) || *offset > static_cast<double>(kLargestFileBytes))
      return Fail(Bad("line " + std::to_string(lines.size() + 1) + " is none of an index", where));
    lines.push_back({static_cast<std::uint64_t>(*offset), WantedOf(parts[3], parts[4], parts[5])});
    if (lines.size() > 1 && lines.back().offset < lines.end()[-2].offset)
      return Fail(Bad("the index is out of order", where));
  }
  return lines;
}

// The begin of the next message; fields of one message have one offset.
std::optional<std::uint64_t> EndOf(const std::vector<Line>& lines, std::size_t line) {
  for (std::size_t next = line + 1; next < lines.size(); ++next)
    if (lines[next].offset > lines[line].offset) return lines[next].offset;
  return std::nullopt;
}

void AddRange(std::uint64_t first, std::optional<std::uint64_t> end,
              std::vector<ByteRange>& ranges) {
  const std::optional<std::uint64_t> last = end ? std::optional(*end - 1) : std::nullopt;
  if (!ranges.empty()) {
    ByteRange& before = ranges.back();
    if (!before.last) return;  // reaches the file's end, so contains this one
    if (first <= *before.last + kWorthARequestBytes) {
      before.last = last ? std::optional(std::max(*before.last, *last)) : std::nullopt;
      return;
    }
  }
  ranges.push_back({first, last});
}

}  // namespace

Result<std::vector<ByteRange>> WantedRanges(std::string_view index, bool first_moment,
                                            const std::string& where) {
  EBB_ASSIGN_OR_RETURN(const std::vector<Line> lines, LinesOf(index, where));
  std::array<bool, kWanted.size()> found{};
  std::vector<ByteRange> ranges;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].wanted) continue;
    found[*lines[i].wanted] = true;
    AddRange(lines[i].offset, EndOf(lines, i), ranges);
  }
  for (std::size_t i = 0; i < kWanted.size(); ++i) {
    const bool needed = kWanted[i].when == WantedField::kAlways ||
                        (kWanted[i].when == WantedField::kOfSpans && !first_moment);
    if (needed && !found[i])
      return Fail(Bad("the index has no " + std::string(kWanted[i].name) + " at " +
                          std::string(kWanted[i].level),
                      where));
  }
  return ranges;
}

}  // namespace ebb::signals
