#pragma once
// Looks at the other machines on which jobs may run: whether they can be reached, and which devices
// they have. Each has a thread of its own, because a machine that is gone lets one wait. The end of
// the service does not wait for that.
//
// Thread contract: that of local/other_sites.h.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "local/other_sites.h"

namespace ebb::sites {

/// A machine as its user describes it.
struct SiteTerms {
  std::string name;
  std::vector<std::string> reach;      ///< see SshCommand
  int slots = 0;                       ///< slots of the CPU that jobs may have; 0: its GPUs
  std::vector<std::string> gpus;       ///< the UUIDs of these GPUs only; empty: all
  bool copies_folder = true;           ///< the job's working folder is copied there
  std::vector<std::string> leave_out;  ///< see local::RemotePlace
  std::uint64_t most_bytes = 0;
  std::map<std::string, std::string> metering;
};

class SiteWatch final : public local::OtherSites {
 public:
  struct Options {
    std::string service;  ///< identifier of the service
    std::string version;  ///< of Ebb
    std::chrono::milliseconds every{30'000};
    std::chrono::milliseconds every_in_trouble{10'000};
    /// Folder with one folder for each job, and a file in it that says that it is there (its disk
    /// may be away). Empty: nothing is removed at the sites.
    std::filesystem::path jobs{}, proof{};
    Duration prune_every{std::chrono::hours{1}};
  };
  SiteWatch(std::vector<SiteTerms> sites, const Options& options);
  ~SiteWatch() override;

  void Begin(std::function<void()> wake) override;
  std::vector<News> TakeNews() override;
  std::uint64_t BytesToBring(const std::string& working_directory) const override;
  Result<local::SiteAccess> AccessTo(std::size_t site, const core::Submission& submission) override;

 private:
  struct Watched;
  static void Run(const std::shared_ptr<Watched>& site);

  std::vector<std::shared_ptr<Watched>> sites_;  // each shared with its thread
};

}  // namespace ebb::sites
