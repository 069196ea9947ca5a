#pragma once
// Chooses how ranks divide an update, from what each of them has measured. The division itself is
// that of core/devices/rank_shares.h. All ranks choose from the same numbers, so they choose alike.
// Pure; values only.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "train/ranks/rank_power.h"

namespace ebb::train {

/// The facts about a rank that the others must know.
struct RankReport {
  std::optional<double> samples_per_s;  ///< while it computes
  double common_s = 0;                  ///< part of an update that no division changes
  RankPower power;
  std::optional<double> g_per_kwh;  ///< of its electricity, with the PUE
};

/// A report as numbers that ranks exchange.
inline constexpr std::size_t kReportNumbers = 6;
std::vector<double> NumbersOf(const RankReport& report);
RankReport ReportOf(std::span<const double> numbers);

/// The quantity that a division makes small: energy if an intensity is unknown, and time if a power
/// is.
enum class ShareAim { kEmissions, kEnergy, kTime };
std::string Name(ShareAim aim);

struct ShareChoice {
  std::vector<std::int64_t> samples;  ///< of each rank
  ShareAim aim = ShareAim::kTime;
  double was_s = 0;         ///< predicted time of an update with the division before
  double update_s = 0;      ///< the same with this one
  double less_percent = 0;  ///< how much less of its aim a sample takes, by prediction;
                            ///< below 0 if an update took too long before
};

/// A division that is better than `now` by more than noise; nullopt: there is none, or the speed of
/// a rank is unknown. `slower_by`: how much longer an update may take than the shortest, as a
/// share.
std::optional<ShareChoice> ChooseShares(std::span<const RankReport> reports,
                                        const std::vector<std::int64_t>& now, double slower_by);

/// The present division and how it came about, as a checkpoint stores it.
struct RankShareState {
  struct Change {
    std::int64_t step = 0;  ///< updates that were done when it began
    std::vector<std::int64_t> samples;
  };
  std::vector<Change> changes;      ///< the last one is the present division; empty: equal parts
  std::vector<RankReport> reports;  ///< those that led to it
};

nlohmann::ordered_json ToJson(const RankShareState& state);
/// Throws nlohmann::json::exception if a field is missing or has the wrong type.
RankShareState RankShareStateFromJson(const nlohmann::json& json);
/// The fields of the event rank_shares (docs/train.md), of the last change.
nlohmann::ordered_json EventJson(const RankShareState& state, const ShareChoice& choice);
/// "24, 8 of 32 samples".
std::string DivisionText(const std::vector<std::int64_t>& samples);
/// "ranks take 24, 8 of 32 samples from now on: 31 % less CO2 per sample, an update takes 0.08 s
/// (before 0.16 s), by prediction".
std::string ChoiceText(const ShareChoice& choice);

}  // namespace ebb::train
