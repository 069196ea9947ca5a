#pragma once
// The port through which the executor learns of other machines on which jobs may run (sites), and
// of how to get there. The implementation is sites/home/site_watch.h.
//
// Thread contract: all methods are called on the executor's thread and never wait, but for
// BytesToBring.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/jobs/submission.h"
#include "local/device_register.h"
#include "local/files/remote_place.h"

namespace ebb::local {

/// How a job gets to another site.
struct SiteAccess {
  RemotePlace place;
  std::string run_folder;   ///< of the job there
  std::string work_folder;  ///< working folder of the job there; empty: the same path as here
  std::map<std::string, std::string> metering;  ///< flags of its supervisors, see AttemptPlan
};

class OtherSites {
 public:
  virtual ~OtherSites() = default;
  /// From now on `wake` is called, from any thread, when there are news. With an empty function, no
  /// call is made any more once this returns.
  virtual void Begin(std::function<void()> wake) = 0;

  struct News {
    std::size_t site = 0;  ///< in the order in which the sites were named
    SiteLook look;
    std::string text;  ///< for people; empty: nothing that they need to know
  };
  /// Changes since the last call.
  virtual std::vector<News> TakeNews() = 0;

  /// How many bytes of files a job with this working folder brings along to a site: the most that
  /// one of them gets. May be called from any thread, and reads the folder.
  virtual std::uint64_t BytesToBring(const std::string& working_directory) const = 0;

  /// How the job gets to a site. An Error: the site was not reached yet in this life.
  virtual Result<SiteAccess> AccessTo(std::size_t site, const core::Submission& submission) = 0;
};

}  // namespace ebb::local
