#pragma once
// Makes the access to a member (run_option.h) from a function that finds it:
//   Member([](auto& o) -> auto& { return o.metering.pue; })
// Private to config/options.

#include <cstdint>
#include <optional>
#include <string>

#include "config/options/run_option.h"

namespace ebb::config {

inline void Take(const core::OptionValue& value, bool& out) { out = std::get<bool>(value); }
inline void Take(const core::OptionValue& value, double& out) { out = std::get<double>(value); }
inline void Take(const core::OptionValue& value, std::uint64_t& out) {
  out = static_cast<std::uint64_t>(std::get<std::int64_t>(value));
}
inline void Take(const core::OptionValue& value, Duration& out) { out = std::get<Duration>(value); }
inline void Take(const core::OptionValue& value, Power& out) {
  out = Power{std::get<double>(value)};
}
inline void Take(const core::OptionValue& value, Pue& out) { out = Pue{std::get<double>(value)}; }
inline void Take(const core::OptionValue& value, Intensity& out) {
  out = Intensity{std::get<double>(value)};
}
inline void Take(const core::OptionValue& value, std::string& out) {
  out = std::get<std::string>(value);
}
template <typename T>
void Take(const core::OptionValue& value, std::optional<T>& out) {
  Take(value, out.emplace());
}

inline std::optional<core::OptionValue> ValueOf(bool value) { return value; }
inline std::optional<core::OptionValue> ValueOf(double value) { return value; }
inline std::optional<core::OptionValue> ValueOf(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}
inline std::optional<core::OptionValue> ValueOf(Duration value) { return value; }
inline std::optional<core::OptionValue> ValueOf(Power value) { return value.watts; }
inline std::optional<core::OptionValue> ValueOf(Pue value) { return value.ratio; }
inline std::optional<core::OptionValue> ValueOf(Intensity value) { return value.g_per_kwh; }
inline std::optional<core::OptionValue> ValueOf(const std::string& value) { return value; }
template <typename T>
std::optional<core::OptionValue> ValueOf(const std::optional<T>& value) {
  return value ? ValueOf(*value) : std::nullopt;
}

/// `find` returns a reference to the member, for const and for other options.
template <typename Find>
OptionMember Member(Find find) {
  return {[find](const core::OptionValue& value, RunOptions& options) -> Status {
            Take(value, find(options));
            return {};
          },
          [find](const RunOptions& options) { return ValueOf(find(options)); }};
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
template <typename Find, typename FromName>
OptionMember Named(Find find, FromName from_name) {
  return {[find, from_name](const core::OptionValue& value, RunOptions& options) -> Status {
            find(options) = *from_name(std::get<std::string>(value));
            return {};
          },
          [find](const RunOptions& options) { return NameOf(find(options)); }};
}

/// The text if it says something.
inline std::optional<core::OptionValue> UnlessEmpty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional<core::OptionValue>(text);
}

}  // namespace ebb::config
