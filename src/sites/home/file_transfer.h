#pragma once
// Files of a job on their way to a site and back, over a connection. A transfer that was cut off
// goes on where it stopped.
//
// Thread contract: one thread.

#include <functional>
#include <string>
#include <vector>

#include "sites/files/folder.h"
#include "sites/home/site_connection.h"

namespace ebb::sites {

class FileTransfer {
 public:
  /// `goes_on` is asked between parts: false ends the transfer with an Error (kTryLater).
  FileTransfer(SiteConnection& connection, JobKey job, std::function<bool()> goes_on)
      : connection_(connection), job_(std::move(job)), goes_on_(std::move(goes_on)) {}

  /// Sends those of the files of `from` that the site does not have. Under `exactly` no others stay
  /// there.
  Status Send(const Folder& from, Root to, const std::vector<FileFact>& files,
              const std::string& exactly = "");
  Result<std::vector<FileFact>> ListOf(Root root);
  /// Fetches a file into a folder here, unless it is there.
  Status Fetch(Root from, const FileFact& file, Folder& to);

 private:
  Status SendFile(const Folder& from, Root to, const FileFact& file, std::uint64_t offset);
  Status Continue() const;

  SiteConnection& connection_;
  JobKey job_;
  std::function<bool()> goes_on_;
};

}  // namespace ebb::sites
