#pragma once
// The files here of an attempt that runs on another machine: which are sent there, which grow here
// as they grow there, and what is fetched at the end. Private to sites/.
//
// Thread contract: one thread.

#include <string>
#include <vector>

#include "local/files/attempt_files.h"
#include "sites/home/file_transfer.h"

namespace ebb::sites {

class RunFiles {
 public:
  RunFiles(local::AttemptPaths paths, local::RemotePlace place);

  /// Sends the job's run directory (checkpoints and the like) and the copy of its working folder.
  Status Send(FileTransfer& transfer);
  /// Files that grow there, and how far they are here.
  std::vector<ReadUpTo> Followed() const;
  /// Takes parts of these files. True: the site has more of them already.
  Result<bool> Take(const LookAnswer& answer, const std::string& bytes);
  /// Fetches what the programs of the job wrote there. A file of the working folder that has
  /// changed here too stays, and the one from there is put beside the ledger; `notes` say so.
  Status Fetch(FileTransfer& transfer, std::vector<std::string>& notes);
  /// Removes what transfers left.
  void CleanUp() const;

  /// Wall time for which there are readings.
  Interval Measured() const;
  /// The text of an end with further remarks.
  static std::string WithNotes(const std::string& end, const std::vector<std::string>& notes);

 private:
  Folder Run() const { return {paths_.directory, paths_.directory / "incoming"}; }
  Status FetchWork(FileTransfer& transfer, std::vector<std::string>& notes);

  local::AttemptPaths paths_;
  local::RemotePlace place_;
};

}  // namespace ebb::sites
