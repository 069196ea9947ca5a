#pragma once
// `ebb serve --sites`: other machines on which jobs may run, from the file that names them.

#include <memory>
#include <string>
#include <vector>

#include "app/options/run_options.h"
#include "config/sites_file.h"
#include "service/service.h"
#include "sites/home/site_watch.h"

namespace ebb::cli {

/// Machines of the file, and what the service borrows while it lives.
struct UsedSites {
  std::vector<config::SiteEntry> entries;
  std::vector<std::unique_ptr<runtime::SignalFeed>> feeds;
  std::unique_ptr<sites::SiteWatch> watch;
};

/// How jobs get to this machine. An Error: its host or the path of Ebb cannot be used.
Result<sites::SiteTerms> TermsOf(const config::SiteEntry& entry);

/// Reads the file and opens the signals of the machines' zones. `home`: the options of the service
/// as given. The sites have its provider too, unless the file says otherwise, and its kind of
/// forecast, publication lag and limits.
Result<UsedSites> OpenSites(const std::string& file, const app::FlagValues& given,
                            const app::RunOptions& home);

/// Has the service run jobs on these machines too. `version`: of Ebb.
Status UseSites(UsedSites& used, const std::string& version, service::ServiceOptions& service);

}  // namespace ebb::cli
