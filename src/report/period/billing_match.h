#pragma once
// Compares the figures of cloud providers for a month with the measured ones: theirs, ours, the
// difference, and what is known to be in only one of them. A comparison, not a correction: nothing
// is scaled to fit, and lines that cannot be matched are listed. Pure.

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "report/period/billing_export.h"
#include "report/period/period.h"

namespace ebb::report {

/// A sum of figures, some of which may be missing.
struct KnownSum {
  double grams = 0;
  std::int64_t lines = 0;  ///< lines that had the figure
  void Add(std::optional<double> more) {
    if (!more) return;
    grams += *more;
    ++lines;
  }
  std::optional<double> value() const { return lines > 0 ? std::optional(grams) : std::nullopt; }
};

struct BilledFigures {
  std::int64_t lines = 0;
  KnownSum total_location, total_market, total;
  KnownSum scope1, scope2_location, scope2_market, scope2, scope3;
  void Add(const BillingLine& line);
};

/// One month and zone, or one month and project.
struct BillingMatch {
  std::string month, name;        ///< name of the zone or the project; empty if unknown
  std::set<std::string> told_as;  ///< the provider's names for it: "aws/us-west-2"
  BilledFigures theirs;
  PeriodFigures ours;
  /// The provider's figure that is nearest to ours, and its name: "scope 2, location-based".
  std::optional<double> comparable_g;
  std::string comparable;
  std::optional<double> difference_g() const;  ///< ours - theirs
};

struct BillingReport {
  std::vector<BillingExport> exports;  ///< without their lines
  std::vector<BillingMatch> by_zone, by_project;
  std::vector<std::string> reasons;  ///< why they differ: sentences, those with figures first
};

BillingReport MatchBilling(const std::vector<BillingExport>& exports, const PeriodReport& report);

/// The text, cut to columns as PeriodText does.
std::string BillingText(const BillingReport& billing, std::size_t columns);
/// One line for each month and zone, and for each month and project.
std::string BillingCsv(const BillingReport& billing);

}  // namespace ebb::report
