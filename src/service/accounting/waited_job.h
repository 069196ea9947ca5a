#pragma once
// What a job that began as it was submitted would have emitted had it waited: an estimate, made
// once, when the job has ended (report/run/had_it_waited.h); as text for the store. Pure.

#include <optional>
#include <string>
#include <vector>

#include "report/run/had_it_waited.h"
#include "service/views/job_index.h"

namespace ebb::service {

/// Absent: it waited or paused, or nothing is known about later hours. `published`: of the hours in
/// which it ran; `outlook`: what the service knows and expects now.
std::optional<report::HadItWaited> HadItWaitedOf(const JobCard& card,
                                                 const std::vector<core::LedgerRow>& rows,
                                                 const core::IntensitySeries& published,
                                                 const core::SignalView& outlook);

std::string WaitedText(const report::HadItWaited& waited);
/// Nothing where the text is empty or damaged.
std::optional<report::HadItWaited> WaitedFrom(const std::string& text);

}  // namespace ebb::service
