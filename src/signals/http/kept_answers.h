#pragma once
// How the answers of a live source are kept in a directory that several processes share: one of
// them asks at a time, and the others read what it wrote. With notes for the user on what is not
// kept, and on a source that stopped answering or answers again. One thread at a time.

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "platform/file_lock.h"

namespace ebb::signals {

class KeptAnswers {
 public:
  /// Pause before reading what another process, which is asking now, will have written.
  static constexpr Duration kAnotherAsks{std::chrono::seconds{2}};

  /// `directory`: "": nothing is kept on disk. `subject`: what is kept, as notes name it.
  KeptAnswers(std::string directory, std::string subject)
      : directory_(std::move(directory)), subject_(std::move(subject)) {}

  bool on_disk() const { return !directory_.empty(); }
  std::filesystem::path File(const std::string& name) const { return directory_ / name; }

  enum class Turn {
    kOurs,       ///< this process asks; what another wrote until now should be read first
    kUnkept,     ///< this process asks, but answers cannot be kept on disk
    kOfAnother,  ///< another process is asking now
  };
  /// Whose turn it is to ask. `lock` is held by this process from then on if it could be had; if no
  /// lock can be had at all, each process asks for itself.
  Turn TakeTurn(const std::filesystem::path& lock_file, std::optional<platform::FileLock>& lock);
  /// Replaces the file; a failure becomes a note. False: it failed, or nothing is kept.
  bool Write(const std::filesystem::path& file, const std::string& text);
  /// Notes that the subject is not kept, and why.
  void NotKept(const Error& why) { Note(subject_ + " is not cached: " + why.Message()); }

  /// A question has failed; `note` is told for the first of several failures.
  void Failed(std::string note);
  /// A question was answered; a note says so if the one before had failed.
  void Answered();
  bool failed() const { return failed_; }

  /// Adds a note that does not wait already.
  void Note(std::string note);
  /// The notes since the last call.
  std::vector<std::string> TakeNotes() { return std::exchange(notes_, {}); }

 private:
  const std::filesystem::path directory_;
  const std::string subject_;
  bool failed_ = false;  ///< whether the latest question failed
  std::vector<std::string> notes_;
};

}  // namespace ebb::signals
