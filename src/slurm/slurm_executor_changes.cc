// Sends changes to Slurm: the parts of a job's step that Slurm does not have yet.

#include <algorithm>

#include "base/text.h"
#include "platform/file.h"
#include "slurm/client/job_size.h"
#include "slurm/slurm_executor.h"

namespace ebb::slurm {

using engine::JobPhase;

Time SlurmExecutor::LatestStart(const Entry& entry) const {
  const core::Job& job = entry.local->job();
  std::optional<Time> latest = job.start_by;
  if (job.finish_by) {
    const Time by_end = *job.finish_by - job.duration;
    latest = latest ? std::min(*latest, by_end) : by_end;
  }
  if (!latest) latest = job.submitted + options_.default_max_delay;
  // A job that was paused needs another one if its latest start has passed.
  if (entry.attempt > 0 && *latest <= Now()) {
    if (entry.begin) return *entry.begin;
    latest = job.finish_by ? Now() : Now() + options_.default_max_delay;
  }
  return std::chrono::ceil<std::chrono::seconds>(*latest);
}

void SlurmExecutor::SendChanges() {
  int left = options_.most_changes;
  // Starts, pauses and ends first; then the latest starts; comments last.
  for (const auto& [job, entry] : by_job_) {
    if (left <= 0 || is_away_) return;
    if (const auto sent = SendUrgent(*entry)) {
      --left;
      Hear(*entry, *sent);
    }
  }
  for (const auto& [job, entry] : by_job_) {
    if (left <= 0 || is_away_) return;
    if (!NeedsLatestStart(*entry)) continue;
    --left;
    Hear(*entry, GiveLatestStart(*entry));
  }
  if (!is_busy_) SendComments(std::min(left, options_.most_comments));
}

// Also of jobs that the service did not take.
void SlurmExecutor::SendComments(int most) {
  for (const auto& [id, entry] : entries_) {
    if (most <= 0 || is_away_) return;
    if (!NeedsComment(*entry)) continue;
    --most;
    Hear(*entry, Update(*entry, std::nullopt, CourseOf(*entry), false));
  }
}

// Sends the change that the job's step needs; nullopt: none, or it is under way.
std::optional<Status> SlurmExecutor::SendUrgent(Entry& entry) {
  const JobState state = entry.seen.state;
  switch (entry.step) {
    case Step::kNew:
      return Submit(entry);
    case Step::kStarting:
      if (entry.is_missing || state != JobState::kPending) return std::nullopt;
      // A controller that was killed may have lost the change.
      if (entry.is_let_go && entry.comment.course == Course::kGo) return std::nullopt;
      return LetGo(entry);
    case Step::kPausing:
      return entry.is_missing ? std::nullopt : std::optional(Pause(entry));
    case Step::kCancelling:
      if (entry.is_missing || HasEnded(state)) return std::nullopt;
      return Cancel(entry);
    default:
      return std::nullopt;
  }
}

Status SlurmExecutor::Cancel(Entry& entry) {
  if (!entry.ids.empty()) return client_->Cancel(entry.whole());
  entry.step = Step::kEnded;
  Report(entry, JobPhase::kCancelled, Now());
  return {};
}

void SlurmExecutor::Hear(Entry& entry, const Status& status) {
  if (status) return;
  if (status.error().code == ExitCode::kUnavailable) {
    is_away_ = true;
    return;
  }
  options_.say((entry.ids.empty() ? entry.local->job().name : "job " + entry.id()) + ": " +
               status.error().Message());
}

// A script that Slurm refuses would be refused again.
Status SlurmExecutor::Submit(Entry& entry) {
  local::LocalJob job = *entry.local;
  if (entry.attempt > 0 && WidthOf(entry) != job.job().devices) {
    auto wide = std::make_shared<core::Submission>(*job.submission);
    wide->job.devices = WidthOf(entry);
    job.submission = std::move(wide);
  }
  auto batch = options_.make_batch_job(job);
  if (!batch) {
    entry.step = Step::kEnded;
    entry.attempt = std::max(1, entry.attempt);
    Report(entry, JobPhase::kFailed, Now(), batch.error().Message());
    return Fail(batch.error());
  }
  const bool is_let_go = entry.attempt > 0;
  entry.comment.course = is_let_go ? Course::kGo : Course::kWait;
  entry.comment.attempt = entry.attempt;
  const Time begin = LatestStart(entry);
  if (!is_let_go) batch->begin = ToWall(begin);
  batch->options.push_back("--requeue");
  batch->options.push_back("--comment=" + WriteComment(entry.comment));
  const auto id = client_->Submit(*batch);
  if (!id) {
    entry.comment.course = Course::kNone;
    if (id.error().code == ExitCode::kUnavailable) return Fail(id.error());
    if (job.job().devices != entry.local->job().devices) {
      GoOnAtOwnWidth(entry, id.error().what);
      return {};
    }
    entry.step = Step::kEnded;
    entry.attempt = std::max(1, entry.attempt);
    Report(entry, JobPhase::kFailed, Now(), id.error().Message());
    return Fail(id.error());
  }
  entry.ids = {*id};
  entry.seen.id = *id;
  entry.seen.submitted = Now();
  entry.seen.state = JobState::kPending;
  entry.step = is_let_go ? Step::kStarting : Step::kWaiting;
  entry.is_let_go = is_let_go;
  if (!is_let_go) entry.begin = begin;
  entries_[*id] = by_job_.at(entry.job());
  return platform::WriteFileAtomically(entry.local->directory / kIdFile, *id + "\n");
}

Status SlurmExecutor::LetGo(Entry& entry) {
  const Time begin = std::max(Now(), entry.wishes.not_before.value_or(Time::min()));
  const int own = entry.local->job().devices;
  Status sent =
      Update(entry, begin, Course::kGo, entry.seen.is_held(), SizeFor(entry, WidthOf(entry)));
  const auto back = SizeWords(entry.seen, own);
  if (!sent && sent.error().code != ExitCode::kUnavailable && WidthOf(entry) != own && back) {
    // Slurm may have taken a part of the change.
    EBB_RETURN_IF_ERROR(Update(entry, begin, Course::kGo, entry.seen.is_held(), *back));
    GoOnAtOwnWidth(entry, sent.error().what);
    entry.sentence_at = Duration::zero();  // its comment says so in this round
    sent = {};
  }
  EBB_RETURN_IF_ERROR(sent);
  entry.is_let_go = true;
  return {};
}

Status SlurmExecutor::Pause(Entry& entry) {
  // The job has not begun: it gets its latest start again.
  if (entry.seen.state == JobState::kPending && !entry.asked_at) {
    entry.step = Step::kWaiting;
    entry.begin.reset();
    entry.width = 0;
    Report(entry, JobPhase::kPaused, Now());
    return GiveLatestStart(entry);
  }
  if (entry.seen.state != JobState::kRunning) return {};
  const Duration now = SinceBoot();
  if (!entry.asked_at) {
    EBB_RETURN_IF_ERROR(Update(entry, std::nullopt, Course::kPause, false));
    entry.asked_at = now;
    if (!entry.wishes.pause_signal.empty())
      return client_->Signal(entry.whole(), entry.wishes.pause_signal);
  }
  const bool waits =
      !entry.wishes.pause_signal.empty() && now < *entry.asked_at + entry.wishes.grace;
  if (waits || entry.is_requeue_sent) return {};
  EBB_RETURN_IF_ERROR(client_->RequeueHeld(entry.whole()));
  entry.is_requeue_sent = true;
  return {};
}

bool SlurmExecutor::NeedsLatestStart(const Entry& entry) const {
  return entry.step == Step::kWaiting && !entry.is_missing && !entry.is_held &&
         entry.seen.state == JobState::kPending &&
         (entry.begin != LatestStart(entry) || entry.comment.course != Course::kWait);
}

Status SlurmExecutor::GiveLatestStart(Entry& entry) {
  const Time latest = LatestStart(entry);
  EBB_RETURN_IF_ERROR(Update(entry, latest, Course::kWait, entry.seen.is_held(),
                             SizeFor(entry, entry.local->job().devices)));
  entry.begin = latest;
  return {};
}

Course SlurmExecutor::CourseOf(const Entry& entry) {
  if (entry.step == Step::kWaiting) return Course::kWait;
  if (entry.step == Step::kStarting || entry.step == Step::kRunning) return Course::kGo;
  if (entry.step == Step::kPausing) return Course::kPause;
  return entry.comment.course;
}

// A job that started without Ebb gets its mark at once.
bool SlurmExecutor::NeedsComment(const Entry& entry) const {
  if (entry.is_missing || entry.step == Step::kEnded) return false;
  const bool is_refused = entry.step == Step::kRefused && !HasEnded(entry.seen.state);
  if (entry.comment.course == Course::kNone && !is_refused) return false;
  if (entry.step == Step::kRunning && entry.comment.course == Course::kWait) return true;
  if (SinceBoot() < entry.sentence_at + options_.comments_every) return false;
  // As they are stored: a long sentence is cut.
  return WriteComment(CommentOf(entry, entry.comment.course)) != WriteComment(entry.comment);
}

// Wishes of its owner that cannot be read stand before the sentence.
JobComment SlurmExecutor::CommentOf(const Entry& entry, Course course) {
  JobComment comment = entry.comment;
  comment.course = course;
  comment.attempt = entry.attempt;
  std::vector<std::string> sentences;
  if (!entry.wishes.problems.empty())
    sentences.push_back("Ebb cannot read " + Join(entry.wishes.problems, "; "));
  if (!entry.refused.empty()) sentences.push_back("Ebb does not take the change: " + entry.refused);
  if (!entry.narrowed.empty()) sentences.push_back(entry.narrowed);
  if (!entry.sentence.empty()) sentences.push_back(entry.sentence);
  comment.sentence = Join(sentences, "; ");
  return comment;
}

// All components of a heterogeneous job get the same begin; the first has the comment.
Status SlurmExecutor::Update(Entry& entry, std::optional<Time> begin, Course course, bool release,
                             std::vector<std::string> size) {
  if (begin) begin = ToWall(*begin);
  JobComment comment = CommentOf(entry, course);
  // The components first: the first one starts them all.
  for (std::size_t i = entry.ids.size(); i-- > 1 && begin;)
    EBB_RETURN_IF_ERROR(client_->Update({entry.ids[i], begin, std::nullopt}));
  // The mark of a job that waits comes after its release, so that a hold beside the mark is a
  // person's, whenever this service was killed.
  const bool mark_last = release && course == Course::kWait;
  if (mark_last) {
    EBB_RETURN_IF_ERROR(client_->Update({entry.id(), begin, std::nullopt, std::move(size)}));
    EBB_RETURN_IF_ERROR(client_->Release(entry.whole()));
    begin.reset();
    size.clear();
  }
  EBB_RETURN_IF_ERROR(client_->Update({entry.id(), begin, WriteComment(comment), std::move(size)}));
  if (release && !mark_last) EBB_RETURN_IF_ERROR(client_->Release(entry.whole()));
  entry.comment = std::move(comment);
  entry.sentence_at = SinceBoot();
  return {};
}

}  // namespace ebb::slurm
