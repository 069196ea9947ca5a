#pragma once
// What the figures of a job that has ended were settled on: the published signal between its
// submission and its end, with the moment at which it was asked for. An answer that equals the one
// before adds nothing. So its grams can be computed again (`ebb audit`).

#include <string>

#include "core/intensity.h"
#include "core/job.h"
#include "store/write_group.h"

namespace ebb::store {

void AddSettlement(WriteGroup& group, core::JobId job, Time asked_at,
                   const core::IntensitySeries& published);

/// What the job was settled on last; nothing where that was not kept.
Result<std::optional<core::IntensitySeries>> FindSettlement(Database& database, core::JobId job,
                                                            const core::SignalIdentity& identity);

/// "BEGIN_MS STEP_MS STATUS VALUE VALUE ...", like steps in a row together, semicolons between.
std::string SettlementText(const core::IntensitySeries& published);

}  // namespace ebb::store
