#include "service/views/site_choices.h"

#include <algorithm>

namespace ebb::service {

std::vector<plan::SiteChoice> SiteChoicesOf(const View& view, const JobCard& card) {
  const core::Cluster& cluster = view.cluster;
  if (!card.live || cluster.sites.size() < 2) return {};
  std::vector<core::SignalView> signals(cluster.sites.size());
  std::vector<plan::SiteView> sites;
  for (std::size_t site = 0; site < signals.size(); ++site) {
    if (site < view.signals.size() && view.signals[site].view)
      signals[site] = *view.signals[site].view;
    signals[site].now = view.now;
    sites.push_back({&signals[site], {}, true});
  }
  plan::Problem problem;
  problem.now = view.now;
  problem.cluster = &cluster;
  problem.sites = sites;
  if (view.drain) problem.closed_until = std::max(view.now, view.drain->until.value_or(view.now));
  return plan::SiteChoices(problem, engine::ViewOf(*card.live, cluster, view.now));
}

}  // namespace ebb::service
