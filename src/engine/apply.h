#pragma once
// Functions that apply facts to the state. Private to the engine.

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

  /// Gives access to a live job, for any change.
  LiveJob& Change(std::size_t index) {
    touched.push_back(state.live[index]->job.id);
    return state.live[index].Change();
  }
};

Status ApplyReport(Folding& fold, const JobReport& report);
Status ApplyObserved(Folding& fold, Time at, const ExecutorObserved& observed);
Status ApplyJobControl(Folding& fold, Time at, const JobControlled& fact);
Status ApplyChange(Folding& fold, Time at, const JobChanged& fact);
Status ApplySpeedup(Folding& fold, const SpeedupLearned& fact);
Status ApplyDrain(Folding& fold, Time at, const DrainSet& fact);
/// The first known moment from `now` on at which something may start.
Time OpensAt(const State& state, Time now);
Status ApplyClockSet(Folding& fold, const ClockSet& fact);
/// Moves a job to the held ones if a person holds it and it has left its devices.
void HoldBackIfHeld(Folding& fold, core::JobId job, Time at);
/// Moves a held job to the live ones. Returns its index there.
std::size_t LetGo(Folding& fold, core::JobId job, Time at);
/// Takes a width from the job that it was refused, and all wider or all narrower ones, for a while.
void RefuseWidths(State& state, core::Job& job, int refused, bool wider, Time at);
/// Lets the attempt of a frozen job go on where it stopped.
void LetGoOn(LiveJob& live, Time now);
/// Adds a job to the live ones, without a plan yet. Returns its index there.
std::size_t AddLive(Folding& fold, Lendable<LiveJob> live);
/// Takes a job out of the live ones, together with its plan.
Lendable<LiveJob> TakeLive(Folding& fold, std::size_t index);
/// Moves the live job at `index` to the ended ones.
void EndJob(Folding& fold, std::size_t index, Stage stage, Time at);

}  // namespace ebb::engine
