#include "signals/weather/grib_layout.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace ebb::signals {
namespace {

constexpr std::string_view kBegin = "GRIB", kEnd = "7777";
constexpr std::size_t kSectionHeadBytes = 5;
constexpr std::size_t kMostMessageBytes = 256 << 20;
constexpr std::size_t kMostGridPoints = 20'000'000;
// The bytes of each section that this reader and its templates need; shorter sections are damaged.
constexpr std::array<std::size_t, 8> kLeastBytes{0, kGribIdentificationBytes, 5, 72, 34, 21, 6, 5};

Error Bad(std::string what, const std::string& where) {
  return {ExitCode::kConfiguration, std::move(what), where,
          "get the file again, as GRIB2 like NOAA's gfs.t00z.pgrb2.0p25.f003"};
}

std::string BigEndian(std::uint64_t number, std::size_t length) {
  std::string bytes(length, '\0');
  for (std::size_t i = length; i-- > 0; number >>= 8) bytes[i] = static_cast<char>(number & 0xFF);
  return bytes;
}

// The start of the run, from section 1.
Result<Time> IssuedIn(std::string_view section, const std::string& where) {
  const auto part = [&](std::size_t at, std::size_t length) {
    return std::to_string(NumberAt(section, at, length));
  };
  const auto two = [&](std::size_t at) {
    const std::string text = part(at, 1);
    return std::string(text.size() < 2 ? 1 : 0, '0') + text;
  };
  std::string year = part(12, 2);
  year.insert(0, year.size() < 4 ? 4 - year.size() : 0, '0');
  const auto time = ParseTime(year + "-" + two(14) + "-" + two(15) + "T" + two(16) + ":" + two(17) +
                              ":" + two(18) + "Z");
  if (time) return *time;
  return Fail(Bad("a message has no reference time that can be", where));
}

// Whether Ebb reads fields of these templates: on a latitude-longitude grid, at a moment or over a
// span, packed simply or in groups.
bool IsOfKnownTemplates(const GribPart& part) {
  const auto grid = NumberAt(part.sections[3], 12, 2);
  const auto product = NumberAt(part.sections[4], 7, 2);
  const auto packing = NumberAt(part.sections[5], 9, 2);
  return grid == 0 && (product == 0 || product == 8) &&
         (packing == 0 || packing == 2 || packing == 3);
}

class Walker {
 public:
  Walker(std::string_view message, const std::string& where) : message_(message), where_(where) {}

  Result<std::vector<GribPart>> Walk() {
    discipline_ = static_cast<unsigned char>(message_[6]);
    std::size_t at = kGribIndicatorBytes;
    const std::size_t end = message_.size() - kEnd.size();
    while (at < end) {
      if (end - at < kSectionHeadBytes) return Fail(Damaged());
      const std::size_t length = NumberAt(message_, at, 4), number = NumberAt(message_, at + 4, 1);
      if (number < 1 || number > 7 || length < kLeastBytes[number] || length > end - at)
        return Fail(Damaged());
      EBB_RETURN_IF_ERROR(Take(number, message_.substr(at, length)));
      at += length;
    }
    if (message_.substr(end) != kEnd) return Fail(Damaged());
    return std::move(parts_);
  }

 private:
  Status Take(std::size_t number, std::string_view section) {
    part_.sections[number] = section;
    if (number == 1) {
      EBB_ASSIGN_OR_RETURN(part_.issued, IssuedIn(section, where_));
    }
    if (number == 4)
      part_.parameter = {discipline_, static_cast<unsigned>(NumberAt(section, 9, 1)),
                         static_cast<unsigned>(NumberAt(section, 10, 1))};
    return number == 7 ? Add() : Status();
  }

  Status Add() {
    for (const std::size_t needed : std::initializer_list<std::size_t>{1, 3, 4, 5, 6})
      if (part_.sections[needed].empty()) return Fail(Damaged());
    if (!IsOfKnownTemplates(part_)) return {};
    const auto points = NumberAt(part_.sections[3], 6, 4);
    const auto columns = NumberAt(part_.sections[3], 30, 4),
               rows = NumberAt(part_.sections[3], 34, 4);
    if (points == 0 || points > kMostGridPoints || columns * rows != points)
      return Fail(Bad("a message has a grid of " + std::to_string(columns) + " x " +
                          std::to_string(rows) + " points and says " + std::to_string(points),
                      where_));
    parts_.push_back(part_);
    return {};
  }

  Error Damaged() const { return Bad("a message is damaged: its sections do not fit", where_); }

  std::string_view message_;
  const std::string& where_;
  unsigned discipline_ = 0;
  GribPart part_;  ///< the latest of each section
  std::vector<GribPart> parts_;
};

}  // namespace

std::uint64_t NumberAt(std::string_view bytes, std::size_t at, std::size_t length) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < length; ++i)
    number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

Result<std::size_t> LengthOfGrib(std::string_view head, const std::string& where) {
  if (head.size() < kGribIndicatorBytes || !head.starts_with(kBegin))
    return Fail(Bad("there is no GRIB message where one should begin", where));
  const unsigned edition = static_cast<unsigned char>(head[7]);
  if (edition != 2)
    return Fail(Bad("a message is of GRIB edition " + std::to_string(edition) + ", not 2", where));
  const std::uint64_t length = NumberAt(head, 8, 8);
  if (length < kGribIndicatorBytes + kEnd.size() || length > kMostMessageBytes)
    return Fail(Bad("a message says that it is " + std::to_string(length) + " bytes long", where));
  return length;
}

Result<Time> RunOfGrib(std::string_view head, const std::string& where) {
  EBB_RETURN_IF_ERROR(LengthOfGrib(head, where));
  if (head.size() < kGribIndicatorBytes + kGribIdentificationBytes)
    return Fail(Bad("the file ends within its first message", where));
  return IssuedIn(head.substr(kGribIndicatorBytes), where);
}

Result<std::vector<GribPart>> PartsOfGrib(std::string_view message, const std::string& where) {
  EBB_ASSIGN_OR_RETURN(const std::size_t length, LengthOfGrib(message, where));
  if (message.size() != length)
    return Fail(Bad("the file ends within a message, which is " + std::to_string(length) +
                        " bytes long and has " + std::to_string(message.size()),
                    where));
  return Walker(message, where).Walk();
}

std::string MessageOf(const GribPart& part) {
  std::size_t length = kGribIndicatorBytes + kEnd.size();
  for (const std::string_view section : part.sections) length += section.size();
  std::string message(kBegin);
  message +=
      BigEndian(0, 2) + static_cast<char>(part.parameter.discipline) + '\2' + BigEndian(length, 8);
  for (const std::string_view section : part.sections) message += section;
  return message + std::string(kEnd);
}

}  // namespace ebb::signals
