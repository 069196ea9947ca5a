#include "service/sweeps/sweep_watch.h"

#include "report/run/run_directory.h"

namespace ebb::service {

void SweepWatch::Begin(const store::SweepRecord& sweep) {
  if (!sweep.halving) return;
  sweeps_.insert_or_assign(sweep.id,
                           Watched{sweep, sweep::SuccessiveHalving(*sweep.halving), 0, {}});
}

// Reads a sweep from the store: one of an earlier life, or one whose experiments had all ended.
Status SweepWatch::TakeUp(core::SweepId id) {
  EBB_ASSIGN_OR_RETURN(const auto record, ports_.store.sweeps().Find(id));
  if (!record || !record->halving) return {};
  EBB_ASSIGN_OR_RETURN(const auto losses, ports_.store.sweeps().RungLossesOf(id));
  Begin(*record);
  Watched& sweep = sweeps_.at(id);
  for (const store::RungLoss& loss : losses) {
    sweep.halving.Report(std::to_string(loss.job), loss.epoch, loss.loss);
    sweep.losses = loss.number;
  }
  return {};
}

Status SweepWatch::Add(const core::Submission& submission, bool begun) {
  if (submission.sweep == 0) return {};
  if (!sweeps_.contains(submission.sweep)) EBB_RETURN_IF_ERROR(TakeUp(submission.sweep));
  const auto sweep = sweeps_.find(submission.sweep);
  if (sweep == sweeps_.end()) return {};
  const core::JobId job = submission.job.id;
  sweep->second.members.insert(job);
  member_of_[job] = submission.sweep;
  losses_.Follow(job, ports_.directory_of(job) / report::kProgressFile);
  if (begun) ran_.insert(job);
  return {};
}

void SweepWatch::Look(std::span<const core::JobId> running) {
  if (member_of_.empty()) return;
  std::set<core::JobId> now;
  for (const core::JobId job : running)
    if (member_of_.contains(job)) now.insert(job);
  std::set<core::JobId> jobs = std::exchange(ran_, now);
  jobs.merge(now);
  Read(jobs);
}

void SweepWatch::Read(const std::set<core::JobId>& jobs) {
  const std::vector<core::JobId> list(jobs.begin(), jobs.end());
  for (const report::EpochLoss& epoch : losses_.Read(list)) Judge(epoch);
}

void SweepWatch::Judge(const report::EpochLoss& epoch) {
  const core::SweepId id = member_of_.at(epoch.job);
  Watched& sweep = sweeps_.at(id);
  const auto verdict = sweep.halving.Report(std::to_string(epoch.job), epoch.epoch, epoch.loss);
  if (!verdict) return;
  store::RungLoss loss;
  loss.sweep = id;
  loss.number = ++sweep.losses;
  loss.job = epoch.job;
  loss.at = epoch.time;
  loss.epoch = epoch.epoch;
  loss.loss = epoch.loss;
  loss.verdict = *verdict;
  // An experiment that ended before it was judged keeps its result.
  const engine::LiveJob* live = ports_.live(epoch.job);
  loss.stopped = verdict->stop && live && !live->cancel_wanted;
  if (loss.stopped) Estimate(*live, *sweep.record.halving, loss);
  ports_.store.AddRungLoss(loss);
  if (!loss.stopped) return;
  ports_.events.Say(epoch.job, sweep::Sentence(*verdict, epoch.loss));
  ports_.stop(epoch.job, sweep::WhyStopped(*verdict));
}

// Estimates the energy that the rest of the experiment would have used in wall time, whatever the
// speed of a replayed grid clock.
void SweepWatch::Estimate(const engine::LiveJob& live, const sweep::HalvingOptions& options,
                          store::RungLoss& loss) const {
  const engine::Explanation& explanation = live.explanation;
  const auto planned =
      explanation.reason.expected ? explanation.reason.expected : explanation.reason.current;
  const core::Job& job = live.job;
  const sweep::EstimatedSaving saving = sweep::SavedBy({ports_.clock.ToWall(job.duration),
                                                        {job.power.watts * job.devices},
                                                        loss.verdict.rung,
                                                        planned.value_or(Intensity{})},
                                                       options, ports_.pue);
  loss.saved_energy = saving.energy;
  if (planned) loss.saved = saving.emissions;
}

void SweepWatch::End(core::JobId job) {
  const auto member = member_of_.find(job);
  if (member == member_of_.end()) return;
  // Losses are judged in the order of time, so those of the others are read too.
  std::set<core::JobId> jobs = ran_;
  jobs.insert(job);
  Read(jobs);
  ran_.erase(job);
  losses_.Leave(job);
  const core::SweepId id = member->second;
  member_of_.erase(member);
  Watched& sweep = sweeps_.at(id);
  sweep.members.erase(job);
  // Without live experiments the sweep is read from the store again when more come. Until its
  // losses are durable it stays in memory.
  if (sweep.members.empty() && ports_.store.Commit()) sweeps_.erase(id);
}

}  // namespace ebb::service
