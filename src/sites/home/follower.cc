#include "sites/home/follower.h"

#include <algorithm>
#include <csignal>
#include <optional>

#include "local/process/plan_clock.h"
#include "local/supervisor/attempt_log.h"
#include "local/supervisor/supervisor.h"
#include "platform/file.h"
#include "platform/path_facts.h"
#include "platform/process_signals.h"
#include "platform/shared_file.h"
#include "platform/system_clock.h"
#include "sites/home/file_transfer.h"
#include "sites/home/grid_there.h"
#include "sites/home/run_files.h"

namespace ebb::sites {
namespace {

namespace fs = std::filesystem;
using local::AttemptEnd;
using local::EndRequest;
using local::OrderStage;

// The site counts the service as gone after several minutes (sites/remote/kept_start.h).
constexpr Duration kTellAgain{std::chrono::seconds{20}};

class Follower {
 public:
  Follower(local::AttemptPaths paths, const local::AttemptPlan& plan,
           const FollowerOptions& options)
      : paths_(std::move(paths)),
        plan_(plan),
        options_(options),
        order_number_(plan.place->order ? plan.place->order->number : 0),
        state_(local::ReadSiteState(paths_)),
        files_(paths_, *plan.place),
        log_(paths_.log(), plan.log_limit_bytes),
        wall_(signals_),
        clock_(local::ClockOf(plan, wall_)),
        wait_(options.shortest_wait) {
    if (options.feed) grid_.emplace(paths_, *options.feed, clock_, options.pue);
  }

  Status Run();

 private:
  enum class Step { kAsk, kSend, kKeep, kStart, kFollow, kFetch, kOver };

  JobKey Key() const { return {plan_.place->service, plan_.job, plan_.identity}; }
  Status Do();
  Status Ask();
  Status Send();
  Status Keep();
  Status TakeBack();
  void LookAtPlan();
  Status SetOrder(OrderStage stage);
  bool WaitsThere() const {
    return state_.order != OrderStage::kNone && state_.order != OrderStage::kBegun;
  }
  Status Start();
  Status FollowOnce();
  Status Fetch();
  Status PassOn();
  Status TellSite(const std::string& what);
  Result<bool> LookOnce(LookAnswer& answer);
  bool Connect();
  void TakeTrouble(const Error& error);
  Status Refuse(const Error& error);
  Status GiveUp(const Error& error);
  Status Finish(const std::string& end);
  std::string EndOfLost() const;
  bool IsOver(const std::string& end) const;
  void Doing(const std::string& what);
  void Wait(Duration duration);
  void Take(int signal_number);
  std::optional<EndRequest> Asked() const { return local::ReadAsked(paths_); }

  local::AttemptPaths paths_;
  local::AttemptPlan plan_;
  const FollowerOptions& options_;
  std::int64_t order_number_ = 0;                // of the last order in the plan
  std::optional<local::StartOrder> told_order_;  // over this connection
  Duration told_order_at_{};
  local::SiteState state_;
  RunFiles files_;
  local::LogTrimmer log_;
  platform::ProcessSignals signals_;
  platform::SystemClock wall_;
  runtime::GridClock clock_;
  std::optional<GridThere> grid_;  // nothing: the intensity there is unknown
  std::optional<SiteConnection> connection_;
  Step step_ = Step::kAsk;
  Duration wait_;
  Duration unreachable_since_ = platform::SinceBoot();
  std::optional<EndRequest> told_;  // what the site was told last
  bool hurry_ = false, hurry_told_ = false, frozen_told_ = false;
  LookAnswer last_;
};

void Follower::Take(int signal_number) {
  if (signal_number == SIGINT) hurry_ = true;
  if (signal_number != SIGUSR1 && signal_number != SIGUSR2) return;
  state_.frozen = signal_number == SIGUSR1;
  std::ignore = local::WriteSiteState(paths_, state_);
}

// A request to end comes with its reason on the disk; without one this process only is to end,
// which the kernel sees to.
void Follower::Wait(Duration duration) {
  const Duration until = platform::SinceBoot() + duration;
  do {
    const auto received = signals_.Wait(std::max(until - platform::SinceBoot(), Duration::zero()));
    if (!received) return;
    Take(received->number);
    if (platform::IsStopRequest(received->number)) return;
  } while (platform::SinceBoot() < until);
}

void Follower::Doing(const std::string& what) {
  if (state_.doing == what && state_.trouble.empty()) return;
  state_.doing = what;
  if (!state_.trouble.empty()) state_.since = platform::WallNow();
  state_.trouble.clear();
  std::ignore = local::WriteSiteState(paths_, state_);
}

void Follower::TakeTrouble(const Error& error) {
  if (state_.trouble.empty()) state_.since = platform::WallNow();
  if (std::exchange(state_.trouble, error.Message()) != state_.trouble)
    std::ignore = local::WriteSiteState(paths_, state_);
}

// True: there is a connection.
bool Follower::Connect() {
  if (connection_ && !connection_->is_broken()) return true;
  auto opened = SiteConnection::Open(plan_.place->reach, options_.version);
  if (opened) {
    connection_.emplace(*std::move(opened));
    wait_ = options_.shortest_wait;
    told_.reset();
    told_order_.reset();
    hurry_told_ = frozen_told_ = false;
    if (grid_) grid_->SendAgain();
    Doing(state_.doing);
    return true;
  }
  TakeTrouble(opened.error());
  Wait(wait_);
  wait_ = std::min(2 * wait_, options_.longest_wait);
  return false;
}

Status Follower::Run() {
  for (;;) {
    while (const auto received = signals_.Wait(Duration::zero())) Take(received->number);
    LookAtPlan();
    const bool may_run_there = state_.start_was_sent || state_.order != OrderStage::kNone;
    if (!Connect()) {
      const bool late = platform::SinceBoot() - unreachable_since_ > options_.patience;
      if (!may_run_there && (late || Asked()))
        return GiveUp({ExitCode::kTryLater,
                       "site " + plan_.place->site + " cannot be reached: " + state_.trouble, "",
                       ""});
      if (late && WaitsThere()) {
        EBB_RETURN_IF_ERROR(SetOrder(OrderStage::kAlone));
        step_ = Step::kAsk;  // the service counts it as running there: it is not kept on
      }
      continue;
    }
    const Status done = Do();
    if (step_ == Step::kOver) return done;
    if (done) {
      unreachable_since_ = platform::SinceBoot();
      continue;
    }
    if (connection_->is_broken()) {
      TakeTrouble(done.error());
      continue;
    }
    EBB_RETURN_IF_ERROR(Refuse(done.error()));
    if (step_ == Step::kOver) return {};
  }
}

// The site did not do what it was asked, or a file here is at fault.
Status Follower::Refuse(const Error& error) {
  if (step_ == Step::kFollow || step_ == Step::kFetch) {
    TakeTrouble(error);
    Wait(wait_);
    wait_ = std::min(2 * wait_, options_.longest_wait);
    return {};
  }
  if (step_ == Step::kStart || WaitsThere()) {
    LookAnswer answer;
    const auto more = LookOnce(answer);
    if (!more) return {};  // asked again with the next connection
    if (answer.state != AttemptState::kNone && answer.state != AttemptState::kKept) {
      step_ = Step::kFollow;
      return {};
    }
  }
  if (WaitsThere()) {
    const auto taken_back =
        connection_->Ask<StartAnswer>(Withdraw{Key(), plan_.attempt, order_number_});
    if (!taken_back || taken_back->state != AttemptState::kNone) {
      Wait(wait_);
      step_ = Step::kAsk;
      return {};
    }
  }
  Error there = error;
  there.what = "on site " + plan_.place->site + ": " + there.what;
  return GiveUp(there);
}

Status Follower::GiveUp(const Error& error) {
  step_ = Step::kOver;
  return local::SuperviseFailed(paths_, plan_, error, "");
}

Status Follower::Do() {
  switch (step_) {
    case Step::kAsk:
      return Ask();
    case Step::kSend:
      return Send();
    case Step::kKeep:
      return Keep();
    case Step::kStart:
      return Start();
    case Step::kFollow:
      return FollowOnce();
    case Step::kFetch:
      return Fetch();
    case Step::kOver:
      break;
  }
  return {};
}

// An earlier follower of the attempt may have been killed at any point.
Status Follower::Ask() {
  LookAnswer answer;
  EBB_RETURN_IF_ERROR(LookOnce(answer));
  const auto& order = plan_.place->order;
  const bool ends =
      state_.order == OrderStage::kAlone || Asked() || (order && order->is_taken_back);
  if (answer.state == AttemptState::kKept && !order) {
    step_ = Step::kStart;
  } else if (answer.state != AttemptState::kNone && answer.state != AttemptState::kKept) {
    state_.start_was_sent = true;
    if (order) EBB_RETURN_IF_ERROR(SetOrder(OrderStage::kBegun));
    step_ = Step::kFollow;
  } else if (platform::Exists(paths_.energy())) {
    // The attempt ran there, and nothing there knows of it any more.
    last_ = answer;
    last_.state = AttemptState::kLost;
    step_ = Step::kFetch;
  } else if (order && ends && WaitsThere()) {
    return TakeBack();
  } else if (Asked() || (order && ends)) {
    return GiveUp({ExitCode::kTryLater, "was asked to end before it had started", "", ""});
  } else {
    step_ = answer.state == AttemptState::kKept ? Step::kKeep : Step::kSend;
  }
  return {};
}

// The service writes into the plan what is to become of a start that the site keeps. Once the
// attempt is to start, the plan has no order.
void Follower::LookAtPlan() {
  if (!plan_.place->order) return;
  auto plan = local::ReadPlan(paths_.plan());
  if (!plan || !plan->place) return;
  plan_ = *std::move(plan);
  if (plan_.place->order) order_number_ = plan_.place->order->number;
}

Status Follower::SetOrder(OrderStage stage) {
  if (std::exchange(state_.order, stage) == stage) return {};
  return local::WriteSiteState(paths_, state_);
}

Status Follower::Keep() {
  const auto order = plan_.place->order;
  if (!order) {
    step_ = Step::kStart;
    return {};
  }
  if (order->is_taken_back || Asked()) return TakeBack();
  if (told_order_ != order || platform::SinceBoot() - told_order_at_ >= kTellAgain) {
    if (!WaitsThere()) EBB_RETURN_IF_ERROR(SetOrder(OrderStage::kAsked));
    EBB_ASSIGN_OR_RETURN(const std::string plan,
                         platform::ReadSharedFile(paths_.plan(), kLongestLine));
    EBB_ASSIGN_OR_RETURN(const StartAnswer answer, connection_->Ask<StartAnswer>(sites::Keep{
                                                       Key(), plan_.attempt, plan, *order}));
    if (answer.state == AttemptState::kNone) return TakeBack();
    if (answer.state != AttemptState::kKept) {
      step_ = Step::kAsk;
      return {};
    }
    told_order_ = order;
    told_order_at_ = platform::SinceBoot();
    EBB_RETURN_IF_ERROR(SetOrder(OrderStage::kKept));
  }
  Doing("waiting there for its start");
  Wait(options_.tick);
  return {};
}

// From here on the site does not start the attempt, unless it has done so already.
Status Follower::TakeBack() {
  Doing("taking its start back");
  if (state_.order != OrderStage::kNone) {
    EBB_ASSIGN_OR_RETURN(const StartAnswer answer, connection_->Ask<StartAnswer>(Withdraw{
                                                       Key(), plan_.attempt, order_number_}));
    if (answer.state != AttemptState::kNone) {
      step_ = Step::kAsk;
      return {};
    }
  }
  // The job is over, so nobody asks for its files.
  if (Asked() == EndRequest::kCancel) std::ignore = connection_->Ask<Done>(Forget{Key()});
  return GiveUp(
      {ExitCode::kTryLater, "its start was taken back from site " + plan_.place->site, "", ""});
}

Status Follower::Send() {
  Doing("sending files");
  FileTransfer transfer(*connection_, Key(), [this] {
    while (const auto received = signals_.Wait(Duration::zero())) Take(received->number);
    return !Asked();
  });
  EBB_RETURN_IF_ERROR(files_.Send(transfer));
  step_ = plan_.place->order ? Step::kKeep : Step::kStart;
  return {};
}

Status Follower::Start() {
  EBB_ASSIGN_OR_RETURN(const std::string plan,
                       platform::ReadSharedFile(paths_.plan(), kLongestLine));
  Doing("starting");
  if (!std::exchange(state_.start_was_sent, true))
    EBB_RETURN_IF_ERROR(local::WriteSiteState(paths_, state_));
  EBB_RETURN_IF_ERROR(connection_->Ask<StartAnswer>(sites::Start{Key(), plan_.attempt, plan}));
  step_ = Step::kFollow;
  return {};
}

Status Follower::TellSite(const std::string& what) {
  return connection_->Ask<Done>(Tell{Key(), plan_.attempt, what}).map([](const Done&) {});
}

// Requests that came since the last look, or since the connection broke.
Status Follower::PassOn() {
  if (const auto asked = Asked(); asked && asked != told_) {
    EBB_RETURN_IF_ERROR(TellSite(std::string(Name(*asked))));
    told_ = asked;
  }
  if (hurry_ && !hurry_told_) {
    EBB_RETURN_IF_ERROR(TellSite("hurry"));
    hurry_told_ = true;
  }
  if (state_.frozen != frozen_told_) {
    EBB_RETURN_IF_ERROR(TellSite(state_.frozen ? "freeze" : "thaw"));
    frozen_told_ = state_.frozen;
  }
  return {};
}

// Takes what came of the attempt's files since the last look. True: more is there.
Result<bool> Follower::LookOnce(LookAnswer& answer) {
  std::string bytes;
  EBB_ASSIGN_OR_RETURN(answer, connection_->Ask<LookAnswer>(
                                   Look{Key(), plan_.attempt, files_.Followed()}, {}, &bytes));
  return files_.Take(answer, bytes);
}

Status Follower::FollowOnce() {
  EBB_RETURN_IF_ERROR(PassOn());
  if (grid_) EBB_RETURN_IF_ERROR(grid_->Look(*connection_, Key()));
  EBB_ASSIGN_OR_RETURN(const bool more, LookOnce(last_));
  Doing("");
  log_.Look();
  if (more) return {};
  if (last_.state == AttemptState::kRunning)
    Wait(options_.tick);
  else if (last_.state == AttemptState::kNone || last_.state == AttemptState::kKept)
    step_ = Step::kAsk;
  else
    step_ = Step::kFetch;
  return {};
}

Status Follower::Fetch() {
  Doing("fetching files");
  FileTransfer transfer(*connection_, Key(), [] { return true; });
  std::vector<std::string> notes;
  if (last_.state == AttemptState::kEnded || platform::Exists(paths_.energy()))
    EBB_RETURN_IF_ERROR(files_.Fetch(transfer, notes));
  const std::string end = last_.state == AttemptState::kEnded ? last_.end : EndOfLost();
  return Finish(files_.WithNotes(end, notes));
}

Status Follower::Finish(const std::string& end) {
  EBB_RETURN_IF_ERROR(platform::WriteFileAtomically(paths_.end(), end));
  step_ = Step::kOver;
  files_.CleanUp();
  // The files are here, and their digests are right. What is missed now is found later
  // (site_pruning.h).
  if (IsOver(end))
    std::ignore = connection_->Ask<Done>(Forget{Key()});
  else
    std::ignore = connection_->Ask<Done>(Fetched{Key(), plan_.attempt});
  return {};
}

// The job does not come back to the site: it has succeeded, or was cancelled.
bool Follower::IsOver(const std::string& end) const {
  const auto read = local::EndFrom(end);
  return Asked() == EndRequest::kCancel || (read && read->started && read->status.code == 0);
}

std::string Follower::EndOfLost() const {
  AttemptEnd end;
  end.status = {128 + SIGKILL, true};
  end.from_outside = true;
  end.attempt.number = plan_.attempt;
  end.attempt.outcome = core::AttemptOutcome::kKilled;
  end.attempt.wall = files_.Measured();
  end.warnings.push_back("on site " + plan_.place->site +
                         " its supervisor was killed, or the machine was started anew: what the "
                         "program used after the last sample is not known");
  return local::TextOf(end);
}

}  // namespace

Status Follow(const local::AttemptPaths& paths, const local::AttemptPlan& plan,
              const FollowerOptions& options, const platform::FileLock& lock) {
  local::WriteSupervisor(lock);
  return Follower(paths, plan, options).Run();
}

}  // namespace ebb::sites
