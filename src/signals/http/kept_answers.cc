#include "signals/http/kept_answers.h"

#include <algorithm>

#include "platform/file.h"

namespace ebb::signals {

KeptAnswers::Turn KeptAnswers::TakeTurn(const std::filesystem::path& lock_file,
                                        std::optional<platform::FileLock>& lock) {
  if (!on_disk()) return Turn::kUnkept;
  if (const auto ready = platform::EnsureWritableDirectory(lock_file.parent_path()); !ready) {
    NotKept(ready.error());
    return Turn::kUnkept;
  }
  auto taken = platform::FileLock::Take(lock_file);
  if (!taken && taken.error().code == ExitCode::kTryLater) return Turn::kOfAnother;
  if (taken) lock = *std::move(taken);
  return Turn::kOurs;
}

bool KeptAnswers::Write(const std::filesystem::path& file, const std::string& text) {
  if (!on_disk()) return false;
  const auto written = platform::WriteFileAtomically(file, text);
  if (!written) NotKept(written.error());
  return written.has_value();
}

void KeptAnswers::Failed(std::string note) {
  if (!std::exchange(failed_, true)) Note(std::move(note));
}

void KeptAnswers::Answered() {
  if (std::exchange(failed_, false)) Note(subject_ + " is known again");
}

void KeptAnswers::Note(std::string note) {
  if (std::ranges::find(notes_, note) == notes_.end()) notes_.push_back(std::move(note));
}

}  // namespace ebb::signals
