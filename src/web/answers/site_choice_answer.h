#pragma once
// Why a job goes to its site: the grams at each site (docs/api.md).

#include "plan/planner/site_choices.h"
#include "report/described_json.h"

namespace ebb::web {

struct SiteChoiceAnswer {
  std::string site;
  plan::SiteChoice choice;
  void Describe(report::DescribedJson& json) const;
};

/// The answers for the sites of the cluster, the fewest grams first.
std::vector<SiteChoiceAnswer> SiteChoiceAnswers(const core::Cluster& cluster,
                                                const std::vector<plan::SiteChoice>& choices);

}  // namespace ebb::web
