#pragma once
// A folder of files that two machines keep alike. Files come in parts, which survive a broken
// connection, and get their name when all of them is there and its digest is right. Links are not
// followed: a program may have put one in the place of any file or folder below.
//
// Thread contract: one thread.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "sites/files/file_fact.h"

namespace ebb::sites {

/// For Folder::List: leaves out files and folders that have one of these names, or lie there.
std::function<bool(const std::string& path)> LeavesOut(std::vector<std::string> names);

class Folder {
 public:
  /// `incoming`: where parts of files are kept, on the same file system.
  Folder(std::filesystem::path root, std::filesystem::path incoming)
      : root_(std::move(root)), incoming_(std::move(incoming)) {}

  const std::filesystem::path& root() const { return root_; }

  struct Limits {
    std::uint64_t files = 100'000;
    std::uint64_t bytes = 0;  ///< 0: no limit
  };
  /// The regular files below the folder, by path, but not those of which `leaves_out` is true
  /// (asked of folders too, as "name/"). Fails if there are more than the limits allow. A file that
  /// goes or changes meanwhile is described as it was read.
  Result<std::vector<FileFact>> List(const std::function<bool(const std::string& path)>& leaves_out,
                                     const Limits& limits) const;
  /// The bytes of those files, without reading them; at most those that the limits allow.
  std::uint64_t Size(const std::function<bool(const std::string& path)>& leaves_out,
                     const Limits& limits) const;
  /// The file as it is here; its path only if it does not exist or cannot be read.
  FileFact Describe(const std::string& path) const;

  /// How much of the file is here.
  Result<Held> Have(const FileFact& file) const;
  /// Adds a part at this offset, up to which Have said that bytes are here. Once all is there,
  /// checks the digest and gives the file its name, permissions and time. Returns how much is here
  /// now.
  Result<std::uint64_t> Put(const FileFact& file, std::uint64_t offset, std::string_view bytes);
  /// Writes into a file that grows here as it grows elsewhere, without a digest.
  Status Grow(const std::string& path, std::uint64_t offset, std::string_view bytes) const;
  /// Reads at most `most` bytes.
  Result<std::string> Get(const std::string& path, std::uint64_t offset, std::uint64_t most) const;
  /// Removes the files below `folder` that are not among these.
  void RemoveOthers(const std::string& folder, const std::vector<FileFact>& files) const;

 private:
  using Visitor = std::function<bool(const std::string& path)>;
  std::error_code ForEach(const Visitor& leaves_out, const Visitor& visit) const;
  std::filesystem::path PartOf(const FileFact& file) const;
  Status MakeParents(const std::string& path) const;

  std::filesystem::path root_, incoming_;
};

}  // namespace ebb::sites
