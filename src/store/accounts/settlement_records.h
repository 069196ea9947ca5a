#pragma once
// The signals on which the figures of an ended job were settled: the published values between its
// submission and its end, of each site's zone, with the time of the request. An answer that equals
// the one before adds nothing. `ebb audit` can recompute the emissions from it.

#include <string>

#include "core/jobs/job.h"
#include "core/signal/intensity.h"
#include "store/accounts/settled_sites.h"
#include "store/database/write_group.h"

namespace ebb::store {

/// `sites`: with the values of other sites (settled_sites.h); nullptr if the service has one site.
void AddSettlement(WriteGroup& group, core::JobId job, Time asked_at,
                   const core::IntensitySeries& published, const SettledSites* sites = nullptr);

/// The signal of the job's last settlement; nothing if none was kept. `site`: the values of another
/// site's zone; empty: those of the service's own machine.
Result<std::optional<core::IntensitySeries>> FindSettlement(Database& database, core::JobId job,
                                                            const core::SignalIdentity& identity,
                                                            const std::string& site = "");

/// "BEGIN_MS STEP_MS STATUS VALUE VALUE ...": consecutive equal steps share one piece, and
/// semicolons separate the pieces.
std::string SettlementText(const core::IntensitySeries& published);

}  // namespace ebb::store
