#include "config/scenario/scenario_dates.h"

#include <algorithm>

#include "config/scenario/scenario_table.h"

namespace ebb::config {
namespace {

constexpr std::size_t kMostStartDates = 10'000;

std::vector<Time> ByRule(const YamlNode& section, Problems& problems) {
  StartRule rule;
  ReadByTable(section, "start_dates", StartRuleTable(), rule, problems);
  if (!rule.from || !rule.to || !rule.every) {
    problems.Add(section.line, "start_dates by rule need from, to and every");
    return {};
  }
  // Local standard time is used all year: the time that the clock shows in winter.
  const Duration shift = rule.local_time - DurationFromSeconds(rule.utc_offset_hours * 3600);
  std::vector<Time> dates;
  for (Time date = *rule.from; date <= *rule.to && dates.size() <= kMostStartDates;
       date += *rule.every)
    dates.push_back(date + shift);
  if (dates.empty()) problems.Add(section.line, "start_dates end before they begin");
  return dates;
}

std::vector<Time> ByList(const YamlNode& section, Problems& problems) {
  std::vector<Time> dates;
  for (const YamlNode& item : section.items) {
    const auto time = ParseTime(item.text);
    if (item.kind != YamlNode::Kind::kScalar || !time)
      problems.Add(item.line, "a start date must be a time like 2023-05-01T17:00Z");
    else if (std::find(dates.begin(), dates.end(), *time) != dates.end())
      problems.Add(item.line, "the start date " + Quoted(FormatTime(*time)) + " is given twice");
    else
      dates.push_back(*time);
  }
  return dates;
}

}  // namespace

std::vector<Time> ReadStartDates(const YamlNode& section, std::optional<Time> first_recorded,
                                 Problems& problems) {
  std::vector<Time> dates;
  if (section.kind == YamlNode::Kind::kMap) {
    dates = ByRule(section, problems);
  } else if (section.kind == YamlNode::Kind::kList && !section.items.empty()) {
    dates = ByList(section, problems);
  } else if (section.text == "recorded" && first_recorded) {
    dates = {*first_recorded};
  } else if (section.text == "recorded") {
    problems.Add(section.line, "start_dates: recorded needs a job trace with dates");
  } else {
    problems.Add(section.line,
                 "start_dates must be a list of times, a rule (from, to, every), or recorded");
  }
  if (dates.size() > kMostStartDates)
    problems.Add(section.line, "more than " + std::to_string(kMostStartDates) + " start dates");
  std::sort(dates.begin(), dates.end());
  return dates;
}

}  // namespace ebb::config
