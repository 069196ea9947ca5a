#pragma once
// Keeps the rows of jobs and attempts in step with the journal: the changes that a record implies
// are written in its own transaction. Private to the store.

#include <unordered_map>

#include "core/jobs/submission.h"
#include "engine/engine.h"
#include "engine/journal_record.h"
#include "store/database/write_group.h"

namespace ebb::store {

class JobWriter {
 public:
  void AddSubmission(WriteGroup& group, const core::Submission& submission) const;
  void ReplaceSubmission(WriteGroup& group, const core::Submission& submission) const;
  /// Writes what the record says about attempts.
  void Follow(WriteGroup& group, const engine::JournalRecord& record) const;
  /// Writes the stages that a decision explains, as the engine has them.
  void FollowStages(WriteGroup& group, const engine::Decision& decision,
                    const engine::State& state);
  /// After a recovery: reads the rows and updates those of jobs whose stage is out of date.
  Status Recover(Database& database, WriteGroup& group, const engine::State& state);

 private:
  void FollowJob(WriteGroup& group, core::JobId id, const engine::State& state);
  struct Written {
    engine::Stage stage = engine::Stage::kWaiting;
    int pauses = 0;
    bool started = false;
    friend bool operator==(const Written&, const Written&) = default;
  };
  // State of live jobs as it was written: most explanations change numbers and no row.
  std::unordered_map<core::JobId, Written> written_;
};

}  // namespace ebb::store
