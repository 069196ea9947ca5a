#include "train/ranks/share_choice.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/text.h"
#include "core/devices/rank_shares.h"

namespace ebb::train {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

// Stands for a number that is unknown; all others are at least 0.
constexpr double kUnknown = -1;
constexpr std::size_t kMostInText = 8;

std::optional<double> Known(double number) {
  return number < 0 ? std::nullopt : std::optional(number);
}

ShareAim AimOf(std::span<const RankReport> reports) {
  ShareAim aim = ShareAim::kEmissions;
  for (const RankReport& report : reports) {
    if (report.power.source == PowerSource::kUnknown) return ShareAim::kTime;
    if (!report.g_per_kwh) aim = ShareAim::kEnergy;
  }
  return aim;
}

// Whatever is not part of the aim is the same for all ranks. With as much power while they wait as
// while they compute, the shortest update is the best.
core::RankFigures FiguresOf(const RankReport& report, ShareAim aim) {
  core::RankFigures figures{*report.samples_per_s, 1, 1, 1};
  if (aim == ShareAim::kTime) return figures;
  figures.busy_w = report.power.busy_w;
  figures.waiting_w = report.power.waiting_w;
  if (aim == ShareAim::kEmissions) figures.g_per_kwh = *report.g_per_kwh;
  return figures;
}

ordered_json OrNull(const std::optional<double>& value) {
  return value ? ordered_json(*value) : ordered_json();
}

ordered_json ToJson(const RankReport& report) {
  const bool known = report.power.source != PowerSource::kUnknown;
  return {{"samples_per_s", OrNull(report.samples_per_s)},
          {"busy_w", known ? ordered_json(report.power.busy_w) : ordered_json()},
          {"waiting_w", known ? ordered_json(report.power.waiting_w) : ordered_json()},
          {"power_by", Name(report.power.source)},
          {"g_per_kwh", OrNull(report.g_per_kwh)}};
}

ordered_json ToJson(std::span<const RankReport> reports) {
  ordered_json all = ordered_json::array();
  for (const RankReport& report : reports) all.push_back(ToJson(report));
  return all;
}

}  // namespace

std::string Name(ShareAim aim) {
  constexpr std::array kNames{"emissions", "energy", "time"};
  return kNames[static_cast<std::size_t>(aim)];
}

std::vector<double> NumbersOf(const RankReport& report) {
  return {report.samples_per_s.value_or(kUnknown),
          report.common_s,
          report.power.busy_w,
          report.power.waiting_w,
          static_cast<double>(report.power.source),
          report.g_per_kwh.value_or(kUnknown)};
}

RankReport ReportOf(std::span<const double> numbers) {
  return {Known(numbers[0]), numbers[1],
          RankPower{numbers[2], numbers[3], static_cast<PowerSource>(static_cast<int>(numbers[4]))},
          Known(numbers[5])};
}

std::optional<ShareChoice> ChooseShares(std::span<const RankReport> reports,
                                        const std::vector<std::int64_t>& now, double slower_by) {
  const ShareAim aim = AimOf(reports);
  std::vector<core::RankFigures> ranks;
  for (const RankReport& report : reports) {
    if (!report.samples_per_s) return std::nullopt;
    ranks.push_back(FiguresOf(report, aim));
  }
  const core::ShareTerms terms{std::accumulate(now.begin(), now.end(), std::int64_t{0}),
                               reports.front().common_s};
  const auto better = core::BetterShares(ranks, terms, now, slower_by);
  if (!better) return std::nullopt;
  const core::RankShares before = core::SharesOf(ranks, terms, now);
  const double less = before.grams > 0 ? 100 * (1 - better->grams / before.grams) : 0;
  return ShareChoice{better->samples, aim, before.seconds, better->seconds, less};
}

ordered_json ToJson(const RankShareState& state) {
  ordered_json changes = ordered_json::array(), reports = ordered_json::array();
  for (const RankShareState::Change& change : state.changes)
    changes.push_back({{"step", change.step}, {"samples", change.samples}});
  for (const RankReport& report : state.reports) reports.push_back(NumbersOf(report));
  return {{"changes", std::move(changes)}, {"reports", std::move(reports)}};
}

RankShareState RankShareStateFromJson(const json& value) {
  RankShareState state;
  for (const json& change : value.at("changes"))
    state.changes.push_back({change.at("step").get<std::int64_t>(),
                             change.at("samples").get<std::vector<std::int64_t>>()});
  for (const json& stored : value.at("reports")) {
    const auto numbers = stored.get<std::vector<double>>();
    if (numbers.size() == kReportNumbers) state.reports.push_back(ReportOf(numbers));
  }
  return state;
}

ordered_json EventJson(const RankShareState& state, const ShareChoice& choice) {
  return {{"step", state.changes.back().step}, {"samples", choice.samples},
          {"aim", Name(choice.aim)},           {"less_percent", choice.less_percent},
          {"update_s", choice.update_s},       {"was_s", choice.was_s},
          {"ranks", ToJson(state.reports)}};
}

std::string DivisionText(const std::vector<std::int64_t>& samples) {
  std::vector<std::string> parts;
  for (const std::int64_t part : samples) {
    if (parts.size() == kMostInText) {
      parts.push_back("...");
      break;
    }
    parts.push_back(std::to_string(part));
  }
  return Join(parts, ", ") + " of " +
         std::to_string(std::accumulate(samples.begin(), samples.end(), std::int64_t{0})) +
         " samples";
}

std::string ChoiceText(const ShareChoice& choice) {
  constexpr std::array kAims{"CO2", "energy", "time"};
  const char* of = kAims[static_cast<std::size_t>(choice.aim)];
  return "ranks take " + DivisionText(choice.samples) +
         " from now on: " + FormatFixed(std::abs(choice.less_percent), 0) +
         (choice.less_percent < 0 ? " % more " : " % less ") + of +
         " per sample; an update takes " + FormatFixed(choice.update_s, 3) + " s (before " +
         FormatFixed(choice.was_s, 3) + " s), by prediction";
}

}  // namespace ebb::train
