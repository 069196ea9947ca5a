#pragma once
// Power limits that were found for programs (--power-cap auto), by program, number of devices and
// device model, over all lives of the service. Later jobs of the same program start under the limit
// that an earlier one found, and plans expect their speed and power under it. A job that could not
// keep its finish_by under that limit runs without it.
//
// Programs are the same by program_name.h. A limit is believed for 30 days, because programs
// change.
//
// Thread contract: the loop's thread.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/devices/cluster.h"
#include "core/devices/power_choice.h"
#include "core/jobs/submission.h"
#include "local/power/job_power.h"
#include "store/service_store.h"

namespace ebb::service {

struct FoundCap {
  Time at{};  ///< grid time
  core::PowerChoice choice;
};

class PowerChoices {
 public:
  /// `otherwise`: the cap and the slowdown of jobs that have none of their own. The store must
  /// outlive this.
  PowerChoices(store::ServiceStore& store, std::optional<core::PowerCap> otherwise,
               core::Slowdown slower_by)
      : store_(store), otherwise_(otherwise), slower_by_(slower_by) {}

  /// Remembers the limit that an attempt of the job on this model has found.
  void Take(const core::Submission& submission, const std::string& model, core::PowerChoice choice,
            Time now);
  /// The speed and power that the job has on the pools for whose models a limit is known.
  std::vector<core::ModelOverride> Expected(const core::Submission& submission,
                                            const core::Cluster& cluster, Time now) const;
  /// The power limit of an attempt that starts on the pool now with `remaining` work.
  local::JobPower ForStart(const core::Submission& submission, const core::DevicePool& pool,
                           Duration remaining, Time now) const;

 private:
  core::Slowdown SlowdownOf(const core::Submission& submission) const;
  bool IsAutomatic(const core::Submission& submission) const;
  std::string KeyOf(const core::Submission& submission, const std::string& model) const;
  std::optional<core::PowerChoice> Find(const core::Submission& submission,
                                        const std::string& model, Time now) const;

  store::ServiceStore& store_;
  std::optional<core::PowerCap> otherwise_;
  core::Slowdown slower_by_;
  mutable std::map<std::string, std::optional<FoundCap>> known_;  // by key, as far as looked up
};

}  // namespace ebb::service
