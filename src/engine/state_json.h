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

/// The jobs as lines of text, with what a journal settles about them. What they were last told
/// counts by its stage, rule and pool: the numbers of jobs that go on as before are in no journal
/// (Decision::restated), and the next decision tells them again.
std::string JobsText(const State& state);

/// What an engine remembers at one moment, so that the lines of its snapshot can be written while
/// it goes on: the jobs are lent (lendable.h), only their plans are copied. Write from any thread.
class SnapshotCopy {
 public:
  explicit SnapshotCopy(const Engine& engine);
  /// The same lines as WriteSnapshot, until the sink wants no more; false then.
  bool Write(const std::function<bool(std::string_view line)>& sink) const;

 private:
  std::string header_;
  std::vector<std::shared_ptr<const LiveJob>> live_, held_;
  std::vector<plan::JobPlan> plans_;
  std::map<core::JobId, EndedJob> ended_;
};

/// Hands out the lines in order, without newlines.
void WriteSnapshot(const Engine& engine, const std::function<void(std::string_view line)>& sink);

class SnapshotReader {
 public:
  SnapshotReader();
  ~SnapshotReader();
  SnapshotReader(SnapshotReader&&) noexcept;
  SnapshotReader& operator=(SnapshotReader&&) noexcept;

  /// The next line. A line that does not belong there is an Error that says why.
  Status Add(std::string_view line);
  /// After the last line; an Error when lines are missing.
  Result<Memory> Finish();

 private:
  struct Partial;
  std::unique_ptr<Partial> partial_;
};

}  // namespace ebb::engine
