#pragma once
// A file as two machines speak of it: its name below a folder, and its content by size and digest.
// Values only.

#include <cstdint>
#include <string>
#include <vector>

#include "base/field_text.h"
#include "base/result.h"

namespace ebb::sites {

struct FileFact {
  std::string path;  ///< below its folder, with "/" between names
  std::uint64_t size = 0;
  std::uint32_t mode = 0;  ///< permissions, such as 0644
  Time modified{};
  std::string sha256;  ///< in lower-case hexadecimal

  bool SameContent(const FileFact& other) const {
    return size == other.size && sha256 == other.sha256;
  }
  friend bool operator==(const FileFact&, const FileFact&) = default;
};

template <typename Archive, Like<FileFact> Value>
void Visit(Archive& archive, Value& value) {
  auto& [path, size, mode, modified, sha256] = value;
  archive.Must("path", path);
  archive("size", size);
  archive("mode", mode);
  archive("modified_ms", modified);
  archive("sha256", sha256);
}

/// The part of a file that a folder has.
struct Held {
  bool complete = false;
  std::uint64_t bytes = 0;  ///< that have come already
};

template <typename Archive, Like<Held> Value>
void Visit(Archive& archive, Value& value) {
  auto& [complete, bytes] = value;
  archive("complete", complete);
  archive("bytes", bytes);
}

/// Refuses a name that would lead out of its folder. The other machine may send anything.
Status CheckName(const std::string& path);
/// Refuses a text that is not a digest, because parts of files are named by it.
Status CheckDigest(const std::string& sha256);

const FileFact* FindFile(const std::vector<FileFact>& files, const std::string& path);

}  // namespace ebb::sites
