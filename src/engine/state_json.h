#pragma once
// A snapshot of an engine as lines of JSON: everything it remembers, exactly, so that an engine
// that goes on from a snapshot decides what the one it was taken of would decide, byte for byte.
// (What a policy carries from one call to the next is the schedule alone, and the schedule is in
// it.)
//
//   {"snapshot":1,"now":..,"cluster":{..},"signals":[..],..,"live":N,"held":H,"ended":M}
//   N lines, one for each live job with its plan; H lines, one for each held job; M lines, one for
//   each ended job; all by id
//
// The lines have the fields of fields.h. One line for each job keeps the memory bounded however
// long the queue is.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "engine/engine.h"

namespace ebb::engine {

/// The jobs as lines of text, with everything that a journal determines. The last explanation of a
/// job counts only by its stage, rule and pool: a journal does not have the numbers of jobs that go
/// on as before (Decision::restated), and the next decision gives them again.
std::string JobsText(const State& state);

/// Everything that an engine remembers at one moment, so that a thread can write the lines of its
/// snapshot while the engine goes on. The jobs are lent (lendable.h); only their plans are copied.
/// Thread contract: Write may run on any thread.
class SnapshotCopy {
 public:
  explicit SnapshotCopy(const Engine& engine);
  /// Hands out the same lines as WriteSnapshot, until the sink returns false. Returns false then.
  bool Write(const std::function<bool(std::string_view line)>& sink) const;

 private:
  std::string header_;
  std::vector<std::shared_ptr<const LiveJob>> live_, held_;
  std::vector<plan::JobPlan> plans_;
  std::map<core::JobId, EndedJob> ended_;
};

/// Hands out the lines of the snapshot in order, without newlines.
void WriteSnapshot(const Engine& engine, const std::function<void(std::string_view line)>& sink);

class SnapshotReader {
 public:
  SnapshotReader();
  ~SnapshotReader();
  SnapshotReader(SnapshotReader&&) noexcept;
  SnapshotReader& operator=(SnapshotReader&&) noexcept;

  /// Takes the next line. The Error says why a line does not belong there.
  Status Add(std::string_view line);
  /// Ends the snapshot after the last line; an Error if lines are missing.
  Result<Memory> Finish();

 private:
  struct Partial;
  std::unique_ptr<Partial> partial_;
};

}  // namespace ebb::engine
