#pragma once
// Sentences and figures that several of the reports for others have in common.

#include <optional>
#include <string>

#include "report/impact/document.h"
#include "report/period/period.h"

namespace ebb::report {

/// "1 run", "3 runs".
std::string RunsText(std::int64_t runs);
/// The mean over all energy with PUE; nothing if a part of it has no known intensity.
std::optional<Intensity> MeanIntensity(const PeriodFigures& figures);
/// "127 g ± 44 %", "127 g ± 44 % of what is known", "unknown".
std::string LocationBasedText(const PeriodRow& row);
/// The same by the market-based method; without a stated factor "not reported".
std::string MarketBasedText(const PeriodRequest& request, const PeriodRow& row);
/// "5.00 g"; empty if it is not known for every run.
std::string EmbodiedText(const PeriodFigures& figures);
/// "DE (Germany); Bavaria; aws eu-central-1", or "unknown".
std::string PlaceText(const PeriodFacts& facts);
std::string HardwareText(const PeriodFacts& facts);
/// "1.2", "1.1 to 1.3".
std::string PueText(const PeriodFacts& facts);
/// "480 Wh with a PUE of 1.2".
std::string FacilityText(const PeriodReport& report);

/// A sentence on energy, emissions, time and place that one may paste.
std::string ImpactSentence(const PeriodReport& report, const std::string& version);

/// Paragraphs on how the figures came about, how uncertain they are and what they cover.
Block MethodBlock(const PeriodReport& report);
Block UncertaintyBlock();
Block CoverageBlock(const PeriodReport& report);
/// Adds these three, and the notes of the period's report.
void AddBasis(const PeriodReport& report, Document& document);

}  // namespace ebb::report
