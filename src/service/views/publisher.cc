#include "service/views/publisher.h"

#include <algorithm>

#include "core/jobs/widths.h"

namespace ebb::service {
namespace {

constexpr std::size_t kMostEvents = 300;

void BeginStretch(JobCard& card, const engine::LiveJob& live) {
  const Time begin = live.segment_begin;
  if (card.stretches.empty() || card.stretches.back().end != Time::max())
    card.stretches.push_back({begin, Time::max()});
  else
    card.stretches.back().begin = begin;  // as the engine has it: the clock may have been set
  if (!core::IsElastic(live.job)) return;
  card.widths.resize(card.stretches.size());
  card.widths.back() = live.width();
}

void EndStretch(JobCard& card, Time end) {
  if (!card.stretches.empty() && card.stretches.back().end == Time::max())
    card.stretches.back().end = std::max(end, card.stretches.back().begin);
}

// A job that started when first come, first served would have started it, and that never paused,
// has saved exactly nothing: both figures come from the same rows.
void SetAsItRan(JobCard& card) {
  card.emissions_first_come = card.emitted();
  card.first_come_half_width_g = 0;
}
void SameWhereItRanSo(JobCard& card) {
  if (!card.first_come_start || !card.first_start || card.pauses > 0) return;
  const Duration apart = *card.first_start - *card.first_come_start;
  if (apart >= -kStartedAtOnce && apart <= kStartedAtOnce) SetAsItRan(card);
}

// A stretch to come; devices of an elastic job as in plan::Segment.
struct Planned {
  Interval time;
  int devices = 0;
  int pool = -1;
};

// The stretches that the plan has for a job from now on; none while the job is held.
std::vector<Planned> PlannedStretches(const engine::State& state,
                                      const engine::Explanation& explanation) {
  const core::JobId job = explanation.job;
  std::vector<Planned> planned;
  const std::size_t index = state.LowerBound(job);
  if (!state.FindLive(job) || index >= state.schedule.jobs.size()) return planned;
  const plan::JobPlan& plan = state.schedule.jobs[index];
  if (plan.job != job) return planned;
  // A job that a person has run now, or that runs beyond its plan, is shown until its expected end.
  const engine::LiveJob& live = *state.live[index];
  const bool as_planned = !plan.segments.empty() && plan.segments.front().time.begin <= state.now;
  const bool is_last = plan.segments.size() <= 1;
  if (engine::HoldsDevices(live.stage) &&
      (live.control == engine::JobControl::kNow || !as_planned || is_last)) {
    if (explanation.reason.end && *explanation.reason.end > state.now)
      planned.push_back({{state.now, *explanation.reason.end}, live.devices, live.pool});
    return planned;
  }
  for (const plan::Segment& segment : plan.segments)
    if (segment.time.end > state.now)
      planned.push_back({{std::max(segment.time.begin, state.now), segment.time.end},
                         segment.devices,
                         segment.pool});
  return planned;
}

// The names of the stretches' sites; none if all are at one site.
std::vector<std::string> SitesOf(const std::vector<Planned>& planned,
                                 const core::Cluster& cluster) {
  std::vector<std::string> sites;
  for (const Planned& stretch : planned)
    sites.push_back(stretch.pool < 0 ? "" : cluster.SiteOf(stretch.pool).name);
  if (sites.empty() || std::ranges::count(sites, sites.front()) == std::ssize(sites)) return {};
  return sites;
}

void PutPlanned(const std::vector<Planned>& planned, const engine::LiveJob* live,
                const core::Cluster& cluster, JobCard& card) {
  card.planned_sites = SitesOf(planned, cluster);
  card.planned.clear();
  card.planned_widths.clear();
  for (const Planned& stretch : planned) {
    card.planned.push_back(stretch.time);
    if (live && core::IsElastic(live->job))
      card.planned_widths.push_back(core::WidthFrom(live->job, stretch.devices));
  }
}

// The job as the engine has it; nullptr if it has ended.
std::shared_ptr<const engine::LiveJob> LentJob(const engine::State& state, core::JobId job) {
  if (const auto held = state.held.find(job); held != state.held.end()) return held->second.Lend();
  return state.FindLive(job) ? state.live[state.LowerBound(job)].Lend() : nullptr;
}

}  // namespace

std::shared_ptr<const View> Publisher::Latest() const {
  const std::lock_guard guard(mutex_);
  return latest_;
}

std::shared_ptr<const View> Publisher::WaitForNewer(std::uint64_t version,
                                                    std::chrono::milliseconds patience) const {
  std::unique_lock guard(mutex_);
  published_.wait_for(guard, patience, [&] { return latest_->version > version; });
  return latest_;
}

void Publisher::Change(core::JobId job, const std::function<void(JobCard&)>& change) {
  const JobCard* old = next_.jobs.Find(job);
  if (!old) return;
  JobCard card = *old;
  change(card);
  next_.jobs.Put(std::move(card));
}

void Publisher::FollowJob(const engine::Explanation& explanation, const engine::State& state,
                          const WaitsFor& waits_for) {
  const core::JobId id = explanation.job;
  const engine::EndedJob* ended = state.FindEnded(id);
  const engine::LiveJob* live = state.FindLive(id);
  if (!live) live = state.FindHeld(id);
  Change(id, [&](JobCard& card) {
    card.explanation = explanation;
    card.waits_for = waits_for(id);
    PutPlanned(PlannedStretches(state, explanation), live, state.cluster, card);
    const bool has_sites = state.cluster.sites.size() > 1;
    if (explanation.pool >= 0 && has_sites) card.site = state.cluster.SiteOf(explanation.pool).name;
    card.live = has_sites ? LentJob(state, id) : nullptr;
    if (ended) {
      card.attempt = ended->attempt;
      card.pauses = ended->pauses;
      card.first_start = ended->first_start;
      card.ended = ended->ended;
      card.exit_code = ended->exit_code;
      card.detail = ended->detail;
      EndStretch(card, ended->ended);
    } else if (live) {
      // An attempt that ends as the next one is decided, at another width say, is not seen in
      // between.
      if (card.attempt != live->attempt) EndStretch(card, live->segment_begin);
      card.attempt = live->attempt;
      card.pauses = live->pauses;
      card.first_start = live->first_start;
      if (engine::HoldsDevices(live->stage))
        BeginStretch(card, *live);
      else
        EndStretch(card, live->since);
    }
  });
  if (ended) ended_.push_back(id);
}

void Publisher::FollowDecision(const engine::Decision& decision, const engine::Engine& engine,
                               const WaitsFor& waits_for) {
  for (const engine::Explanation& explanation : decision.explanations) {
    const JobCard* known = next_.jobs.Find(explanation.job);
    const auto before = known ? std::optional<JobMark>(*known) : std::nullopt;
    if (before && before->stage != explanation.stage)
      Say(decision.at, explanation.job, engine::Sentence(explanation));
    FollowJob(explanation, engine.state(), waits_for);
    if (!before) continue;
    next_.counters.Follow(*before, JobMark(*next_.jobs.Find(explanation.job)));
    if (engine::HasEnded(explanation.stage)) uncompared_.insert(explanation.job);
  }
  for (const engine::Explanation& explanation : decision.restated)
    FollowJob(explanation, engine.state(), waits_for);
  ++next_.counters.decisions;
  next_.cluster = engine.state().cluster;
}

bool Publisher::FollowSignal(const engine::SignalObserved& signal) {
  SiteSignalView& view = SignalOf(signal.site);
  const bool was_lost = !view.lost.empty();
  view = {std::make_shared<const core::SignalView>(signal.view), ""};
  return was_lost;
}

const core::SignalView* Publisher::OnlySignal() const {
  return next_.signals.size() == 1 ? next_.signals.front().view.get() : nullptr;
}

bool Publisher::FollowLoss(const engine::SignalLost& loss) {
  return std::exchange(SignalOf(loss.site).lost, loss.why).empty();
}

SiteSignalView& Publisher::SignalOf(int site) {
  const auto index = static_cast<std::size_t>(site);
  if (next_.signals.size() <= index) next_.signals.resize(index + 1);
  return next_.signals[index];
}

void Publisher::FollowFigures(const std::map<core::JobId, JobFigures>& changed) {
  for (const auto& entry : changed) {
    const JobFigures& figures = entry.second;
    Change(entry.first, [&](JobCard& card) { card.SetFigures(figures); });
  }
}

void Publisher::SetSettlement(core::JobId job, const Settlement& settlement) {
  Change(job, [&](JobCard& card) {
    card.emissions_settled = settlement.emitted;
    card.emissions_at_submission = settlement.at_submission;
    card.saving_half_width_g = settlement.half_width_g;
    card.place_and_time = settlement.place_and_time;
    card.energy_half_width = settlement.uncertainty.energy_share;
    card.emissions_half_width = settlement.uncertainty.emissions_share;
    SameWhereItRanSo(card);
  });
  const JobCard* ended = next_.jobs.Find(job);
  if (uncompared_.erase(job) > 0 && ended && ended->emitted() && settlement.at_submission) {
    ++next_.counters.compared;
    next_.counters.compared_emissions += *ended->emitted();
    next_.counters.compared_at_submission += *settlement.at_submission;
    next_.counters.compared_half_width_g += settlement.half_width_g.value_or(0);
  }
}

void Publisher::SetHadItWaited(core::JobId job, const report::HadItWaited& waited) {
  Change(job, [&](JobCard& card) { card.had_it_waited = waited; });
}

void Publisher::SetFirstCome(core::JobId job, const FirstComeFigures& figures) {
  Change(job, [&](JobCard& card) {
    card.first_come_start = figures.start;
    card.emissions_first_come = figures.emissions;
    card.first_come_half_width_g = figures.half_width_g;
    SameWhereItRanSo(card);
  });
}

void Publisher::ForgetEnded(std::size_t keep, const std::function<void(const JobCard&)>& forget) {
  for (; ended_.size() > keep; ended_.pop_front()) {
    if (const JobCard* card = next_.jobs.Find(ended_.front())) {
      const bool settled = card->emissions_first_come || card->energy == Energy{};
      if (!settled && ended_.size() <= 2 * keep) return;
      next_.forgotten.Add(card->energy, card->emitted(), card->at_submission(), card->first_come());
      forget(*card);
    }
    next_.jobs.Erase(ended_.front());
    uncompared_.erase(ended_.front());
  }
}

std::vector<local::SupervisedFigures> Publisher::SetRunning(
    std::vector<local::SupervisedFigures> running) {
  std::vector<local::SupervisedFigures> fresh;
  for (const local::SupervisedFigures& program : running) {
    const JobCard* card = next_.jobs.Find(program.job);
    if (!card || card->attempt != program.attempt || card->stretches.empty() ||
        card->stretches.back().end != Time::max())
      continue;
    if (card->slots.size() == card->stretches.size() && card->slots.back() == program.slots)
      continue;
    Change(program.job, [&](JobCard& changed) {
      changed.slots.resize(changed.stretches.size());
      changed.slots.back() = program.slots;
    });
    fresh.push_back(program);
  }
  FollowStartConditions(running);
  next_.running = std::move(running);
  return fresh;
}

void Publisher::FollowStartConditions(const std::vector<local::SupervisedFigures>& running) {
  // The condition that each job waited for at the last look, and the one that it waits for now.
  std::map<core::JobId, std::pair<std::string, std::string>> conditions;
  for (const local::SupervisedFigures& program : next_.running)
    if (!program.begins_after.empty()) conditions[program.job].first = program.begins_after;
  for (const local::SupervisedFigures& program : running)
    if (!program.begins_after.empty()) conditions[program.job].second = program.begins_after;
  for (const auto& [job, words] : conditions) {
    const JobCard* card = next_.jobs.Find(job);
    const auto& [before, now] = words;
    if (card && before != now && card->detail == before)
      Change(job, [&](JobCard& changed) { changed.detail = now; });
  }
}

void Publisher::SetRemark(core::JobId job, const std::string& remark) {
  const JobCard* card = next_.jobs.Find(job);
  if (card && card->remark != remark)
    Change(job, [&](JobCard& changed) { changed.remark = remark; });
}

void Publisher::Say(Time at, core::JobId job, std::string text, bool refusal) {
  const std::uint64_t number = next_.events.empty() ? 1 : next_.events.back().number + 1;
  next_.events.push_back({number, at, job, std::move(text), refusal});
  if (next_.events.size() > kMostEvents)
    next_.events.erase(next_.events.begin(), next_.events.begin() + kMostEvents / 3);
}

void Publisher::Publish(Time now) {
  ++next_.version;
  next_.now = now;
  next_.counters.last_look = std::chrono::steady_clock::now();
  auto view = std::make_shared<const View>(next_);
  {
    const std::lock_guard guard(mutex_);
    latest_.swap(view);
  }
  published_.notify_all();
}

}  // namespace ebb::service
