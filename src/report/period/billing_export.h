#pragma once
// Reads the carbon figures that cloud providers put on their bills, from the CSV files that they
// publish, into one form (docs/report-period.md has the columns and where they are published). A
// figure that a file does not have is absent, never 0.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ebb::report {

/// The size of the largest file that is read.
inline constexpr std::uint64_t kBillingLimitBytes = 64ULL << 20;

/// One provider's figure for a month, in grams of CO2 equivalent. Totals hold all scopes that the
/// provider counts.
struct BillingLine {
  std::string month;    ///< "2026-10"
  std::string project;  ///< project, account or subscription; empty if none
  std::string region;   ///< region as the provider writes it; empty if not stated
  std::string service;
  std::optional<double> total_location_g, total_market_g;
  std::optional<double> total_g;  ///< if the file does not state the method
  std::optional<double> scope1_g, scope3_g;
  std::optional<double> scope2_location_g, scope2_market_g;
  std::optional<double> scope2_g;  ///< if the file does not state the method
  std::string zone{};              ///< zone of the grid that feeds the region; empty if unknown
};

struct BillingExport {
  std::string file;
  std::string provider;  ///< "aws", "gcp", "azure"
  std::string format;    ///< name for people: "AWS Data Exports, carbon emissions"
  std::vector<BillingLine> lines;
  std::vector<std::string> notices;
};

/// Reads a file whose header tells its format. `file` is its name for messages. If a month is there
/// in several versions of the provider's method, only the newest counts.
Result<BillingExport> ParseBilling(std::string_view text, const std::string& file);

}  // namespace ebb::report
