#pragma once
// Parsing of flags for the commands of ebb-train: choices by name, numbers with their range,
// unknown flags with a suggestion. The last of a repeated flag wins.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/text.h"
#include "train/options/data_options.h"
#include "train/options/run_options.h"

namespace ebb::train {

template <typename Enum>
using Names = std::vector<std::pair<std::string, Enum>>;

inline const Names<Precision> kPrecisions = {
    {"fp32", Precision::kFp32}, {"bf16", Precision::kBf16}, {"fp16", Precision::kFp16}};
inline const Names<DeviceChoice> kDevices = {
    {"auto", DeviceChoice::kAuto}, {"cpu", DeviceChoice::kCpu}, {"cuda", DeviceChoice::kCuda}};
inline const Names<ProgressStyle> kProgressStyles = {{"auto", ProgressStyle::kAuto},
                                                     {"bar", ProgressStyle::kBar},
                                                     {"lines", ProgressStyle::kLines},
                                                     {"none", ProgressStyle::kNone}};

inline const Names<Exchange> kExchanges = {{"gloo", Exchange::kGloo}, {"nccl", Exchange::kNccl}};

inline const Names<OnDivergence> kOnDivergence = {{"stop", OnDivergence::kStop},
                                                  {"go-on", OnDivergence::kGoOn}};

template <typename Enum>
std::string NameOf(const Names<Enum>& names, Enum value) {
  return std::find_if(names.begin(), names.end(),
                      [&](const auto& pair) { return pair.second == value; })
      ->first;
}

tl::unexpected<Error> UsageError(std::string what);

template <typename Enum>
Status LookUp(const char* flag, const Names<Enum>& names, const std::string& text, Enum& value) {
  std::vector<std::string> allowed;
  for (const auto& [name, candidate] : names) {
    if (name == text) {
      value = candidate;
      return {};
    }
    allowed.push_back(name);
  }
  return UsageError(std::string(flag) + " is " + Join(allowed, " or ") + ", not \"" + text + "\"" +
                    SuggestionText(text, allowed));
}

inline const Names<DataSource> kDataSources = {{"mnist", DataSource::kMnist},
                                               {"digits", DataSource::kDigits}};

struct Range {
  double low = 0;
  double high = 0;
};

CLI::Validator Between(Range range);

inline constexpr Range kCount{1, 1e9};
inline constexpr Range kLimit{0, 1e9};
inline constexpr Range kSeed{0, 9e15};

/// The text of the choices that every training has, before their names are looked up.
struct RunChoices {
  std::string precision = "fp32";
  std::string device = "auto";
  std::string schedule = "constant";
  std::string progress = "auto";
  std::string exchange = "gloo";
  std::string rank_share = "1";
  std::string slower_by = "5%";
  std::string rank_power;
  std::string on_divergence = "stop";
};

/// Adds the flags of every run: its folders, how it continues, what it shows. `files`: the files
/// that it writes to the run directory; `loads`: what --check loads.
void AddRunFlags(CLI::App& app, RunOptions& options, RunChoices& choices, const std::string& files,
                 const std::string& loads);
/// Adds --teacher, which is returned, and the flags that only a run with a teacher has.
struct TeacherHelp {
  std::string teacher;  ///< help text for the teacher itself
  std::string rest;     ///< the other part of the loss
};
CLI::Option* AddTeacherFlags(CLI::App& app, Distillation& distillation, const TeacherHelp& help);
/// Adds the flags that choose images, except the number of training images. `name` is from
/// kDataSources.
void AddDataFlags(CLI::App& app, DataOptions& options, std::string& name, const char* group);
/// Applies the environment's values, which take precedence over defaults but not over flags.
void ApplyEnvironment(RunOptions& options, const Environment& environment);
Status LookUpChoices(const RunChoices& choices, const Names<ScheduleKind>& schedules,
                     RunOptions& options);

/// Sets the rules above for an app.
void SetRules(CLI::App& app);

/// Text to print if a flag asks for it. Usage errors have ExitCode::kUsage.
Result<std::optional<TextToPrint>> ParseFlags(CLI::App& app,
                                              std::span<const std::string> arguments);

}  // namespace ebb::train
