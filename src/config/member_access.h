#pragma once
// Access to the member that an option sets: the value of an option as the C++ type of the member,
// and back. The tables of options of runs (options/run_option.h) and of sections of files
// (section_table.h) are made with it. A member is named by a pointer to it, or by a function that
// finds it in an object:
//   MemberOf<RunOptions>([](auto& o) -> auto& { return o.metering.pue; })

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "core/options/job_options.h"

namespace ebb::config {

template <typename Object>
struct MemberAccess {
  /// The Error has no `what` if `next` alone says what is accepted.
  std::function<Status(const core::OptionValue&, Object&)> set{};
  /// Gets the member; nullopt if it has no value.
  std::function<std::optional<core::OptionValue>(const Object&)> get{};
};

inline void Take(const core::OptionValue& value, bool& out) { out = std::get<bool>(value); }
inline void Take(const core::OptionValue& value, int& out) {
  out = static_cast<int>(std::get<std::int64_t>(value));
}
inline void Take(const core::OptionValue& value, std::int64_t& out) {
  out = std::get<std::int64_t>(value);
}
inline void Take(const core::OptionValue& value, std::uint64_t& out) {
  out = static_cast<std::uint64_t>(std::get<std::int64_t>(value));
}
inline void Take(const core::OptionValue& value, double& out) { out = std::get<double>(value); }
inline void Take(const core::OptionValue& value, Duration& out) { out = std::get<Duration>(value); }
inline void Take(const core::OptionValue& value, Power& out) {
  out = Power{std::get<double>(value)};
}
inline void Take(const core::OptionValue& value, Pue& out) { out = Pue{std::get<double>(value)}; }
inline void Take(const core::OptionValue& value, Intensity& out) {
  out = Intensity{std::get<double>(value)};
}
inline void Take(const core::OptionValue& value, Emissions& out) {
  out = Emissions{std::get<double>(value)};
}
/// An energy that people write is in kWh.
inline void Take(const core::OptionValue& value, Energy& out) {
  out = Energy::Joules(std::get<double>(value) * 3.6e6);
}
inline void Take(const core::OptionValue& value, std::string& out) {
  out = std::get<std::string>(value);
}
inline void Take(const core::OptionValue& value, std::vector<std::string>& out) {
  out = std::get<std::vector<std::string>>(value);
}
template <typename T>
void Take(const core::OptionValue& value, std::optional<T>& out) {
  Take(value, out.emplace());
}

inline std::optional<core::OptionValue> ValueOf(bool value) { return value; }
inline std::optional<core::OptionValue> ValueOf(int value) { return std::int64_t{value}; }
inline std::optional<core::OptionValue> ValueOf(std::int64_t value) { return value; }
inline std::optional<core::OptionValue> ValueOf(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}
inline std::optional<core::OptionValue> ValueOf(double value) { return value; }
inline std::optional<core::OptionValue> ValueOf(Duration value) { return value; }
inline std::optional<core::OptionValue> ValueOf(Power value) { return value.watts; }
inline std::optional<core::OptionValue> ValueOf(Pue value) { return value.ratio; }
inline std::optional<core::OptionValue> ValueOf(Intensity value) { return value.g_per_kwh; }
inline std::optional<core::OptionValue> ValueOf(Emissions value) { return value.grams; }
inline std::optional<core::OptionValue> ValueOf(Energy value) { return value.kwh(); }
inline std::optional<core::OptionValue> ValueOf(const std::string& value) { return value; }
inline std::optional<core::OptionValue> ValueOf(const std::vector<std::string>& value) {
  return value;
}
template <typename T>
std::optional<core::OptionValue> ValueOf(const std::optional<T>& value) {
  return value ? ValueOf(*value) : std::nullopt;
}

template <typename Object, typename Find>
MemberAccess<Object> MemberOf(Find find) {
  return {[find](const core::OptionValue& value, Object& object) -> Status {
            Take(value, std::invoke(find, object));
            return {};
          },
          [find](const Object& object) { return ValueOf(std::invoke(find, object)); }};
}

template <typename T>
std::optional<core::OptionValue> NameOf(const T& value) {
  return std::string(Name(value));
}
template <typename T>
std::optional<core::OptionValue> NameOf(const std::optional<T>& value) {
  return value ? NameOf(*value) : std::nullopt;
}

/// A member that is one of an enumeration, by the name that `from_name` knows and Name gives.
template <typename Object, typename Find, typename FromName>
MemberAccess<Object> NamedMemberOf(Find find, FromName from_name) {
  return {[find, from_name](const core::OptionValue& value, Object& object) -> Status {
            std::invoke(find, object) = *from_name(std::get<std::string>(value));
            return {};
          },
          [find](const Object& object) { return NameOf(std::invoke(find, object)); }};
}

}  // namespace ebb::config
