#pragma once
// A Slurm cluster as an executor of the queue service: jobs that the service submits to it, and
// jobs of users who have asked for Ebb (job_comment.h). Slurm places what is let go.
//
// A job that waits has its latest start as StartTime, so that it starts by itself if Ebb is not
// there any more. To let it go is to set StartTime to now. A pause is a signal, if the job wants
// one, and then a requeue in held state, after which the job gets its latest start again. All that
// must be remembered stands in the comment of the job, so that a restarted service goes on where
// this one ends. An elastic job waits at its own width, and is let go at the planned one.
//
// Slurm has no watch. A round asks it for all jobs in one request, compares them with what is
// wanted, and sends the missing changes, so many at most. A change that was lost is sent again by a
// later round.
//
// Ebb never touches a job with a reservation, one that an administrator holds, or one whose
// dependency is not met; a job that a person holds stays held.
//
// Thread contract: one thread, but for Wake, Now and heartbeat.

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/jobs/job_change.h"
#include "local/job_executor.h"
#include "platform/process_signals.h"
#include "platform/waker.h"
#include "runtime/clock_watch.h"
#include "runtime/grid_clock.h"
#include "slurm/client/slurm_client.h"
#include "slurm/jobs/job_comment.h"
#include "slurm/site/slurm_pools.h"

namespace ebb::slurm {

/// Why the service holds a job that somebody holds in Slurm.
inline constexpr const char* kHeldInSlurm =
    "held in Slurm; scontrol release lets it wait for Ebb again";

struct SlurmOptions {
  core::Site site;
  JobDefaults defaults;
  /// Latest start of jobs without a deadline of their own, from their submission.
  Duration default_max_delay{std::chrono::hours{24}};
  /// Jobs in these partitions, accounts and QOS are Ebb's without a comment.
  std::set<std::string> partitions{}, accounts{}, qos{};
  /// Only jobs of this user; empty: of all.
  std::string user{};
  Duration poll_every{std::chrono::seconds{3}};
  Duration poll_soon{std::chrono::seconds{1}};  ///< while a change is under way
  Duration nodes_every{std::chrono::seconds{15}};
  Duration accounting_every{std::chrono::seconds{10}};  ///< while jobs are missing
  int most_changes = 50;                                ///< changes in a round
  int most_comments = 10;                               ///< changes of comments alone in a round
  Duration comments_every{std::chrono::minutes{5}};     ///< of one job
  /// A controller with more than this to do is asked once in `poll_busy`, and gets no changes of
  /// comments alone. Slurm lets it have 256 threads.
  ControllerLoad most_load{64, 500};
  Duration poll_busy{std::chrono::minutes{1}};
  /// Turns a job of the service into a batch script.
  std::function<Result<BatchJob>(const local::LocalJob&)> make_batch_job;
  /// Reports something to people.
  std::function<void(const std::string&)> say = [](const std::string&) {};
};

/// How the executor reaches the service about jobs of users. Answers come by Add and Refused.
struct SlurmQueue {
  std::function<void(core::Submission)> submit;
  std::function<void(core::JobId)> cancel;
  /// The owner has changed the options of a job that waits. A refusal comes by ChangeRefused.
  std::function<void(core::JobId, core::JobChange)> change;
  std::function<void(core::JobId, engine::JobControl, std::string why)> control;
};

class SlurmExecutor final : public local::JobExecutor {
 public:
  /// Everything borrowed must outlive the executor.
  SlurmExecutor(std::unique_ptr<SlurmClient> client, SlurmOptions options, SlurmQueue queue,
                const runtime::GridClock& clock, platform::ProcessSignals& signals);
  ~SlurmExecutor() override;

  /// Looks at Slurm for the first time. An Error: it does not answer. `before`: pools of an earlier
  /// life, which keep their numbers.
  Status Begin(const core::Cluster& before);
  /// The service did not take the job with this key.
  void Refused(const std::string& key, const Error& why);
  /// The service did not take a change of this job.
  void ChangeRefused(core::JobId job, const Error& why);
  /// Sets the sentence for people in the comment of a job.
  void Note(core::JobId job, const std::string& sentence);

  /// True if somebody holds the job in Slurm.
  bool IsHeld(core::JobId job) const;

  /// The folder in which `ebb slurm run` keeps the runs of a known job.
  std::filesystem::path FolderOf(core::JobId job) const;

  std::string name() const override { return "slurm"; }
  Time Now() const override { return clock_.ToGrid(watch_.Now()); }
  std::optional<engine::ClockSet> TakeClockSet() override;
  core::Cluster cluster() const override { return pools_.cluster(); }
  Result<std::vector<engine::JobReport>> Observe() override;
  Status Execute(const engine::Command& command) override;
  Result<std::vector<engine::JobReport>> WaitForEvents(Time deadline) override;
  std::vector<engine::JobReport> TakeEarly() override { return TakeReports(); }
  void Forget(core::JobId job) override;

  Status Add(local::LocalJob job) override;
  void Replace(std::shared_ptr<const core::Submission> submission) override;
  void Wake() override;
  runtime::Heartbeat& heartbeat() override { return heartbeat_; }
  std::optional<int> stop_signal() const override { return stop_signal_; }
  std::vector<local::SupervisedFigures> Running() const override;

 private:
  enum class Step {
    kSeen,      // a user's job that the service does not know yet
    kRefused,   // the service did not take it
    kNew,       // a job of the service that is not in Slurm yet
    kWaiting,   // has its latest start, or is about to get it
    kStarting,  // let go
    kRunning,
    kPausing,
    kCancelling,
    kEnded,
  };
  struct Entry {
    std::vector<std::string> ids{};  // its components; empty: not in Slurm yet
    SlurmJob seen{};                 // the first component as last seen, with all devices
    JobComment comment{};            // as last seen or written
    JobWishes wishes{};
    std::string key{};
    std::optional<local::LocalJob> local{};  // nullopt: the service does not know it
    Step step = Step::kSeen;
    int attempt = 0;
    int pool = -1;
    std::optional<engine::JobReport> last{};
    bool is_offered = false;
    bool is_missing = false;             // was not in the last answer
    bool is_held = false;                // a person holds it, and the service knows
    std::optional<Time> begin{};         // begin time that Slurm has from us
    bool is_let_go = false;              // Slurm has been told to start this attempt
    std::optional<Duration> asked_at{};  // since boot: the pause was asked for
    bool is_requeue_sent = false;
    int width = 0;           // devices that an elastic job was let go with; 0: its own
    std::string narrowed{};  // why it does not have the planned width; empty: it has
    std::string sentence{};  // for people, not necessarily written yet
    std::string refused{};   // why the last change of its owner was not taken; empty: it was
    Duration sentence_at{};  // since boot: last written

    core::JobId job() const { return local ? local->job().id : 0; }
    const std::string& id() const { return ids.front(); }
    /// The id of all components together.
    const std::string& whole() const { return seen.leader.empty() ? id() : seen.leader; }
  };
  using Entries = std::map<std::string, std::shared_ptr<Entry>>;  // by id of the first component

  /// Begins the keys of users' jobs: "slurm/CLUSTER/12#TAG".
  static constexpr std::string_view kKeyPrefix = "slurm/";
  /// The file in a job's directory with the number that Slurm gave it.
  static constexpr const char* kIdFile = "slurm-id";

  Duration SinceBoot() const { return clock_.wall().SinceBoot(); }
  void ToGrid(SlurmJob& job) const;
  Time ToWall(Time grid) const;
  void Round();
  bool ReadJobs();
  void ReadNodes();
  void ReadLoad();
  void ReadWishesOf(Entry& entry, const SlurmJob& job);
  void TakeJobs(std::vector<SlurmJob> jobs);
  void TakeJob(std::vector<SlurmJob> components);
  bool IsOurs(const SlurmJob& job) const;
  void FollowMissing();
  void FollowForgotten(Entry& entry, const std::vector<SlurmJob>& accounted);
  static bool IsOwn(const Entry& entry);
  static bool HasLog(const Entry& entry);
  void Follow(Entry& entry);
  void FollowPending(Entry& entry);
  void FollowRunning(Entry& entry);
  void FollowEnd(Entry& entry);
  void FollowHold(Entry& entry);
  void Offer(Entry& entry);
  core::Submission SubmissionOf(const Entry& entry) const;
  void HearOwner(Entry& entry);
  bool IsTooEarly(const Entry& entry) const;
  void Resume(Entry& entry);
  Time LatestStart(const Entry& entry) const;
  void Report(Entry& entry, engine::JobPhase phase, Time since, const std::string& detail = {});

  void SendChanges();
  std::optional<Status> SendUrgent(Entry& entry);
  Status Submit(Entry& entry);
  Status Cancel(Entry& entry);
  Status LetGo(Entry& entry);
  Status Pause(Entry& entry);
  bool NeedsLatestStart(const Entry& entry) const;
  Status GiveLatestStart(Entry& entry);
  static Course CourseOf(const Entry& entry);
  bool NeedsComment(const Entry& entry) const;
  void SendComments(int most);
  static JobComment CommentOf(const Entry& entry, Course course);
  Status Update(Entry& entry, std::optional<Time> begin, Course course, bool release,
                std::vector<std::string> size = {});
  void Hear(Entry& entry, const Status& status);

  static bool IsElastic(const Entry& entry);
  static int WidthOf(const Entry& entry);
  static int SeenWidth(const Entry& entry);
  static std::vector<std::string> SizeFor(const Entry& entry, int width);
  static bool IsRefusedItsWidth(const Entry& entry);
  void GoOnAtOwnWidth(Entry& entry, const std::string& why);

  void SayEndAs(Entry& entry, int attempt);
  Entry* EntryOf(core::JobId job);
  std::vector<engine::JobReport> TakeReports() { return std::exchange(reports_, {}); }
  bool HasSomethingUnderWay() const;
  Duration PollEvery() const;

  std::unique_ptr<SlurmClient> client_;
  SlurmOptions options_;
  SlurmQueue queue_;
  const runtime::GridClock& clock_;
  platform::ProcessSignals& signals_;
  runtime::ClockWatch watch_;
  SlurmPools pools_;
  platform::Waker waker_;
  runtime::Heartbeat heartbeat_;
  std::string cluster_name_;
  Entries entries_;                                        // jobs in Slurm
  std::map<core::JobId, std::shared_ptr<Entry>> by_job_;   // jobs of the service
  std::map<std::string, std::shared_ptr<Entry>> offered_;  // by key
  std::vector<engine::JobReport> reports_;
  Duration polled_at_{-1}, nodes_at_{-1};  // since boot
  Duration answer_took_{};                 // the last answer with all jobs
  bool has_begun_ = false;                 // all jobs of an earlier life are known
  bool is_away_ = false, is_busy_ = false;
  bool said_no_accounting_ = false;
  Duration accounting_at_{-std::chrono::hours{1}};  // since boot
  std::optional<int> stop_signal_;
};

}  // namespace ebb::slurm
