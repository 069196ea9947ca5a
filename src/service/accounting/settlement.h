#pragma once
// What a job that has ended emitted, and would have at its submission, on one signal
// (core/accounting.h): so one that started at once and did not pause saves exactly 0. Providers
// revise their values: a job is settled when it has ended, when its last hours have been published,
// and once more when nothing is expected to change. Pure.

#include <optional>
#include <vector>

#include "core/intensity.h"
#include "core/ledger.h"
#include "service/views/figures.h"

namespace ebb::service {

/// When it is first looked whether the last hours of a job have been published; then after twice
/// the time, as some sources never publish them.
inline constexpr Duration kLookForPublished{std::chrono::minutes{10}};

/// Where it would have run from its submission on, and where it did: what `published` is asked for.
Interval SettledOver(Time submitted, const std::vector<core::LedgerRow>& rows);

Settlement SettlementOf(Time submitted, const std::vector<core::LedgerRow>& rows,
                        const core::IntensitySeries& published);

}  // namespace ebb::service
