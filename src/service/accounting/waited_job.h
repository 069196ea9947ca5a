#pragma once
// Emissions that a job that started at its submission would have had if it had waited
// (report/run/had_it_waited.h): an estimate, made once, when the job has ended. The store keeps it
// as text. Pure.

#include <optional>
#include <string>
#include <vector>

#include "report/run/had_it_waited.h"
#include "service/views/job_index.h"

namespace ebb::service {

/// Nothing: the job waited or paused, or the later hours are unknown. `published`: the values of
/// the hours in which the job ran. `outlook`: the values that the service knows and expects now.
std::optional<report::HadItWaited> HadItWaitedOf(const JobCard& card,
                                                 const std::vector<core::LedgerRow>& rows,
                                                 const core::IntensitySeries& published,
                                                 const core::SignalView& outlook);

std::string WaitedText(const report::HadItWaited& waited);
/// The reverse of WaitedText. Nothing: the text is empty or damaged.
std::optional<report::HadItWaited> WaitedFrom(const std::string& text);

}  // namespace ebb::service
