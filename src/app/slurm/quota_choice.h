#pragma once
// How many GPUs a QOS or a licence of a Slurm cluster may have at a moment, by how clean power is:
// for sites that let no tool touch jobs. Pure.

#include <optional>
#include <string>

#include "core/signal/intensity.h"

namespace ebb::app {

struct QuotaRule {
  int full = 0, reduced = 0;  ///< GPUs in clean hours, and in the others
  /// Power below it is clean. Absent: as many of the day's cleanest hours as `gpu_hours` need.
  std::optional<Intensity> threshold;
  double gpu_hours = 0;  ///< wanted in each day (UTC); unused with a threshold
};

/// The part of a day that had the full quota.
struct QuotaDay {
  Time day{};
  Duration at_full{};
};

struct QuotaChoice {
  int gpus = 0;
  std::string why;  ///< for people
};

/// Rolls `day` over to the day of view.now if that is another one. While the intensity is unknown,
/// the quota is full with a threshold, because nobody knows that power is dirty.
QuotaChoice ChooseQuota(const core::SignalView& view, const QuotaRule& rule, QuotaDay& day);

}  // namespace ebb::app
