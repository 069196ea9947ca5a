#include "report/period/billing_match.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/csv.h"
#include "base/text.h"
#include "base/units_text.h"
#include "report/text_table.h"

namespace ebb::report {
namespace {

using Key = std::pair<std::string, std::string>;  // month and name

struct Comparable {
  double grams = 0;
  const char* name = "";
};

// The figure of a line that is nearest to energy x intensity of the place. In a line that tells
// scopes apart this is scope 2 only.
std::optional<Comparable> ComparableOf(const BillingLine& line) {
  if (line.scope2_location_g) return Comparable{*line.scope2_location_g, "scope 2, location-based"};
  if (line.scope2_g) return Comparable{*line.scope2_g, "scope 2, method not told"};
  if (line.scope1_g || line.scope3_g || line.scope2_market_g) return std::nullopt;
  if (line.total_location_g)
    return Comparable{*line.total_location_g, "all scopes, location-based"};
  if (line.total_g) return Comparable{*line.total_g, "all scopes, method not told"};
  if (line.total_market_g) return Comparable{*line.total_market_g, "all scopes, market-based"};
  return std::nullopt;
}

class MatchTable {
 public:
  void AddTheirs(const BillingLine& line, const std::string& name, const std::string& told_as) {
    Row& row = At({line.month, name});
    row.match.theirs.Add(line);
    row.match.told_as.insert(told_as);
    const auto comparable = ComparableOf(line);
    if (!comparable) return;
    row.match.comparable_g = row.match.comparable_g.value_or(0) + comparable->grams;
    row.kinds.insert(comparable->name);
  }
  void AddOurs(const std::string& month, const std::string& name, const PeriodFigures& ours) {
    At({month, name}).match.ours += ours;
  }
  bool Has(const std::string& month, const std::string& name) const {
    return by_key_.contains({month, name});
  }
  std::vector<BillingMatch> Finished() const {
    std::vector<BillingMatch> matches;
    for (const auto& [key, row] : by_key_) {
      matches.push_back(row.match);
      matches.back().comparable =
          Join(std::vector<std::string>(row.kinds.begin(), row.kinds.end()), "; ");
    }
    return matches;
  }

 private:
  struct Row {
    BillingMatch match;
    std::set<std::string> kinds;  // names of the compared figures
  };
  Row& At(const Key& key) {
    Row& row = by_key_[key];
    row.match.month = key.first;
    row.match.name = key.second;
    return row;
  }
  std::map<Key, Row> by_key_;
};

std::string GramsText(std::optional<double> grams) {
  return grams ? EmissionsText({*grams}) : "not told";
}

// The number of days of each month that the period contains.
std::map<std::string, int> DaysOf(const PeriodReport& report) {
  std::map<std::string, int> days;
  for (const auto& [date, figures] : report.days) ++days[date.substr(0, 7)];
  return days;
}

int LengthOf(const std::string& month) {
  const std::chrono::year_month named{
      std::chrono::year{static_cast<int>(ParseInteger(month.substr(0, 4)).value_or(1970))},
      std::chrono::month{static_cast<unsigned>(ParseInteger(month.substr(5)).value_or(1))}};
  const auto last = std::chrono::year_month_day{named / std::chrono::last};
  return static_cast<int>(static_cast<unsigned>(last.day()));
}

void AddPartialMonths(const PeriodReport& report, const std::vector<BillingMatch>& matches,
                      std::vector<std::string>& reasons) {
  const auto days = DaysOf(report);
  std::set<std::string> said;
  for (const BillingMatch& match : matches) {
    if (match.theirs.lines == 0 || !said.insert(match.month).second) continue;
    const auto found = days.find(match.month);
    if (found == days.end() || found->second >= LengthOf(match.month)) continue;
    reasons.push_back("The period holds " + std::to_string(found->second) + " of " +
                      std::to_string(LengthOf(match.month)) + " days of " + match.month +
                      "; the provider's figure covers the whole month.");
  }
}

std::vector<std::string> ReasonsOf(const BillingReport& billing, const PeriodReport& report) {
  BilledFigures all;
  PeriodFigures ours;
  KnownSum unplaced;
  std::vector<std::string> reasons;
  for (const BillingMatch& match : billing.by_zone) {
    if (match.theirs.lines == 0) continue;
    ours += match.ours;
    all.scope1.Add(match.theirs.scope1.value());
    all.scope3.Add(match.theirs.scope3.value());
    all.scope2_market.Add(match.theirs.scope2_market.value());
    all.total_market.Add(match.theirs.total_market.value());
    if (match.name.empty()) unplaced.Add(match.comparable_g);
  }
  AddPartialMonths(report, billing.by_zone, reasons);
  if (unplaced.value())
    reasons.push_back(
        GramsText(unplaced.value()) +
        " of the provider's figure has no region, or a region whose grid zone is not known.");
  if (ours.without_intensity > Energy{})
    reasons.push_back(EnergyText(ours.without_intensity) +
                      " that Ebb measured has no known intensity, and so no emissions.");
  if (all.scope1.value() || all.scope3.value())
    reasons.push_back("The provider's figures in scope 1 (" + GramsText(all.scope1.value()) +
                      ") and scope 3 (" + GramsText(all.scope3.value()) +
                      "), for buildings and the making of hardware, are not measured by Ebb.");
  if (all.scope2_market.value() || all.total_market.value())
    reasons.push_back("Market-based, with the provider's contracts, the provider's figure is " +
                      (all.scope2_market.value()
                           ? GramsText(all.scope2_market.value()) + " in scope 2"
                           : GramsText(all.total_market.value()) + " in all scopes") +
                      "; it is not compared with a location-based figure.");
  reasons.emplace_back(
      "Theirs holds every service of the account, and idle and shared machines; ours the runs that "
      "Ebb measured.");
  reasons.emplace_back(
      "Theirs is of whole months on the provider's clock and from yearly or monthly factors; ours "
      "from the intensity of each hour.");
  return reasons;
}

// Grams that are not known are no 0 g.
std::optional<double> KnownGrams(const PeriodFigures& figures) {
  const auto micrograms = figures.known_emissions_ug();
  return micrograms ? std::optional(Grams(*micrograms)) : std::nullopt;
}

TextTable TableOf(const std::vector<BillingMatch>& matches, const std::string& name) {
  TextTable table{{"month", name, "theirs", "which", "ours", "difference"}, {}, false, {1}};
  for (const BillingMatch& match : matches) {
    const auto difference = match.difference_g();
    const auto grams = KnownGrams(match.ours);
    std::string ours = grams ? EmissionsText({*grams}) : "unknown";
    if (match.ours.energy == Energy{}) ours = "nothing measured";
    table.rows.push_back(
        {match.month, match.name.empty() ? "unknown" : match.name,
         match.theirs.lines == 0 ? "no line" : GramsText(match.comparable_g), match.comparable,
         ours,
         difference ? (*difference < 0 ? "-" : "+") + EmissionsText({std::abs(*difference)}) : ""});
  }
  return table;
}

std::string CsvNumber(std::optional<double> grams) { return grams ? FormatFixed(*grams, 3) : ""; }

std::string OursText(const PeriodFigures& ours) {
  const auto grams = KnownGrams(ours);
  return grams ? FormatFixed(*grams, 6) : "";
}

void AddCsv(const std::vector<BillingMatch>& matches, const char* kind, std::string& csv) {
  for (const BillingMatch& match : matches) {
    const std::vector<std::string> told(match.told_as.begin(), match.told_as.end());
    csv +=
        CsvLine({kind, match.month, match.name, Join(told, " "), std::to_string(match.theirs.lines),
                 match.comparable, CsvNumber(match.comparable_g),
                 CsvNumber(match.theirs.scope1.value()), CsvNumber(match.theirs.scope3.value()),
                 CsvNumber(match.theirs.scope2_market.value()),
                 CsvNumber(match.theirs.total_location.value()),
                 CsvNumber(match.theirs.total_market.value()),
                 FormatFixed(match.ours.energy.joules(), 6), OursText(match.ours),
                 CsvNumber(match.difference_g())}) +
        "\n";
  }
}

}  // namespace

void BilledFigures::Add(const BillingLine& line) {
  ++lines;
  total_location.Add(line.total_location_g);
  total_market.Add(line.total_market_g);
  total.Add(line.total_g);
  scope1.Add(line.scope1_g);
  scope2_location.Add(line.scope2_location_g);
  scope2_market.Add(line.scope2_market_g);
  scope2.Add(line.scope2_g);
  scope3.Add(line.scope3_g);
}

std::optional<double> BillingMatch::difference_g() const {
  if (!comparable_g || ours.energy == Energy{} || ours.energy == ours.without_intensity)
    return std::nullopt;
  return Grams(ours.emissions_ug) - *comparable_g;
}

BillingReport MatchBilling(const std::vector<BillingExport>& exports, const PeriodReport& report) {
  const auto days = DaysOf(report);
  std::set<std::string> projects;
  for (const auto& [key, figures] : report.cells) projects.insert(std::get<2>(key));
  projects.erase("");
  MatchTable zones, by_project;
  BillingReport billing;
  for (const BillingExport& file : exports) {
    for (const BillingLine& line : file.lines) {
      if (!days.contains(line.month)) continue;
      zones.AddTheirs(line, line.zone,
                      file.provider + "/" + (line.region.empty() ? "-" : line.region));
      if (projects.contains(line.project))
        by_project.AddTheirs(line, line.project, file.provider + "/" + line.project);
    }
    billing.exports.push_back({file.file, file.provider, file.format, {}, file.notices});
  }
  for (const auto& [key, figures] : report.cells) {
    const auto& [month, zone, project] = key;
    zones.AddOurs(month, zone, figures);
    if (by_project.Has(month, project)) by_project.AddOurs(month, project, figures);
  }
  billing.by_zone = zones.Finished();
  billing.by_project = by_project.Finished();
  billing.reasons = ReasonsOf(billing, report);
  return billing;
}

std::string BillingText(const BillingReport& billing, std::size_t columns) {
  std::string text =
      "\nBeside the bill\n" + AlignedTable(TableOf(billing.by_zone, "zone"), columns);
  if (!billing.by_project.empty())
    text += AlignedTable(TableOf(billing.by_project, "project"), columns);
  for (const std::string& reason : billing.reasons) text += "  - " + reason + "\n";
  return text;
}

std::string BillingCsv(const BillingReport& billing) {
  std::string csv =
      "by,month,name,regions,lines,comparable,theirs_g,theirs_scope1_g,theirs_scope3_g,"
      "theirs_scope2_market_g,theirs_total_location_g,theirs_total_market_g,ours_energy_j,ours_g,"
      "difference_g\n";
  AddCsv(billing.by_zone, "zone", csv);
  AddCsv(billing.by_project, "project", csv);
  return csv;
}

}  // namespace ebb::report
