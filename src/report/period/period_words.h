#pragma once
// The sentences and figures of a period's report, the same in text and on its page.

#include <optional>
#include <string>
#include <vector>

#include "report/period/period.h"

namespace ebb::report {

/// "1.23 kWh ± 30 %"
std::string EnergyWithShare(Energy energy, double half_width_j);
std::string GramsWithShare(std::optional<std::int64_t> micrograms, double half_width_g);
/// "saved 1.2 kg ± 0.4 kg", "worse by 3 g", "no clear difference: ..."; "nothing to compare".
std::string SavedText(const PeriodRow& row);
/// "measured 80 %, estimated 15 %, unknown 5 %" of the energy, by its intensity.
std::string IntensityCoverage(const PeriodFigures& figures);
/// "measured 40 %, estimated 60 %" of the energy, by how it was read.
std::string EnergyCoverage(const PeriodFigures& figures);

/// The part of `energy` with measured intensity, and the part with an intensity known in another
/// way.
Energy OnMeasured(const PeriodFigures& figures);
Energy OnEstimated(const PeriodFigures& figures);

/// The name of the row; "unknown" if it is empty.
std::string RowName(const PeriodRow& row);
/// "1 Oct 2026" for "2026-10-01 00:00" and for "2026-10-01"; with the time if it is not midnight.
std::string DateText(const std::string& local);
/// "1 Oct 2026 to 1 Nov 2026, Europe/Berlin"
std::string PeriodTitle(const PeriodRequest& request);
/// "80 %"; the whole must not be 0.
std::string PercentText(Energy part, Energy whole);
/// Notes on how the figures came about, most important first.
std::vector<std::string> PeriodNotes(const PeriodReport& report);

}  // namespace ebb::report
