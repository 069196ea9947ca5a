#pragma once
// Removes the folders of jobs at a site that nobody needs any more: those of jobs that have
// succeeded or were cancelled, and of other jobs once the service's retention has removed their
// folder here. Never before the job's files came home and were checked by their digests. Private to
// sites/.
//
// Thread contract: that of the connection. The folders here are only read.

#include <filesystem>
#include <string>

#include "sites/home/site_connection.h"

namespace ebb::sites {

/// `jobs`: the folder here with one folder for each job. Returns how many folders were removed.
Result<int> PruneSite(SiteConnection& connection, const std::string& service,
                      const std::filesystem::path& jobs);

/// True if nobody needs the folder at a site any more.
bool MayGo(const JobsAnswer::Folder& folder, const std::filesystem::path& jobs);

}  // namespace ebb::sites
