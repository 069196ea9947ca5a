#pragma once
// The sites of the service at one moment: their grid now and ahead, their devices, and what runs
// there (docs/api.md).

#include "plan/gate_policy.h"
#include "report/described_json.h"
#include "service/views/view.h"

namespace ebb::web {

struct JobThere {
  core::JobId id = 0;
  std::string name;
  void Describe(report::DescribedJson& json) const;
};

struct SiteNow {
  core::Site site;
  std::string source;                         ///< of its intensity; empty: none yet
  std::optional<Intensity> now;               ///< nullopt: unknown
  std::string status;                         ///< of `now`: "measured", "modelled" ...
  std::optional<Intensity> next_day;          ///< mean of what is expected for the next 24 hours
  std::optional<plan::Window> cleanest_hour;  ///< in these hours; nullopt: hours are not known
  std::string lost;                           ///< why the source cannot be reached
  int devices = 0, free = 0, away = 0;        ///< `away`: gone and expected back
  std::vector<JobThere> jobs;                 ///< what runs there, by number
  void Describe(report::DescribedJson& json) const;
};

struct SitesAnswer {
  Time now{};
  std::vector<SiteNow> sites;  ///< in the order of the service
  void Describe(report::DescribedJson& json) const;
};

SitesAnswer SitesOf(const service::View& view);

}  // namespace ebb::web
