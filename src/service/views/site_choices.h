#pragma once
// The expected emissions of a job that has not ended, at each site of the service, from what
// readers see. It is worked out when somebody asks: planning each job of a long queue for each site
// would delay decisions.

#include "plan/planner/site_choices.h"
#include "service/views/view.h"

namespace ebb::service {

/// One choice for each site; empty if the job has ended, or if the service has one site.
std::vector<plan::SiteChoice> SiteChoicesOf(const View& view, const JobCard& card);

}  // namespace ebb::service
