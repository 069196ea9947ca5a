#pragma once
// How facts change the state. Private to the engine.

#include "base/result.h"
#include "engine/engine.h"

namespace ebb::engine {

/// The parts of an engine that a fact may change.
struct Folding {
  const Options& options;
  State& state;
  plan::Change& change;
  std::vector<core::JobId>& just_left;
  std::optional<plan::DeadlineCheck>& deadlines;
  std::vector<core::JobId>& touched;

  /// A live job, to be changed in any way.
  LiveJob& Change(std::size_t index) {
    touched.push_back(state.live[index]->job.id);
    return state.live[index].Change();
  }
};

Status ApplyReport(Folding& fold, const JobReport& report);
Status ApplyObserved(Folding& fold, Time at, const ExecutorObserved& observed);
Status ApplyJobControl(Folding& fold, Time at, const JobControlled& fact);
Status ApplyChange(Folding& fold, Time at, const JobChanged& fact);
Status ApplyDrain(Folding& fold, Time at, const DrainSet& fact);
/// The first moment from `now` on at which something may start, as far as that is known.
Time OpensAt(const State& state, Time now);
Status ApplyClockSet(Folding& fold, const ClockSet& fact);
/// Moves a job that somebody holds, and that has left its devices, among the held ones.
void HoldBackIfHeld(Folding& fold, core::JobId job, Time at);
/// Moves a held job among the live ones; its index there.
std::size_t LetGo(Folding& fold, core::JobId job, Time at);
/// A frozen job: its attempt is to go on where it stands.
void LetGoOn(LiveJob& live, Time now);
/// Puts a job among the live ones, without a plan yet; its index there.
std::size_t AddLive(Folding& fold, Lendable<LiveJob> live);
/// Takes a job from the live ones, with its plan.
Lendable<LiveJob> TakeLive(Folding& fold, std::size_t index);
/// Moves the live job at `index` among the ended ones.
void EndJob(Folding& fold, std::size_t index, Stage stage, Time at);

}  // namespace ebb::engine
