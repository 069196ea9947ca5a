#include "app/slurm/slurm_submission.h"

#include <algorithm>

#include "app/slurm/slurm_moment.h"
#include "base/text.h"
#include "config/run/train_config.h"
#include "core/jobs/widths.h"
#include "slurm/client/slurm_text.h"
#include "slurm/jobs/batch_script.h"
#include "slurm/jobs/sbatch_line.h"

namespace ebb::app {
namespace {

using slurm::SbatchOption;

constexpr SbatchOption kTime{"time", 't'}, kBegin{"begin", 'b'}, kDeadline{"deadline"},
    kComment{"comment"}, kReservation{"reservation"}, kWrap{"wrap"}, kJobName{"job-name", 'J'};

Error Usage(std::string what, std::string next) {
  return {ExitCode::kUsage, std::move(what), "", std::move(next)};
}

// The options of a comment that somebody wrote for Ebb by hand, or a tool for them.
std::vector<GivenOption> OptionsOf(std::string_view comment) {
  std::vector<GivenOption> options;
  for (const std::string_view part : Split(comment.substr(slurm::kCommentPrefix.size()), ';')) {
    const std::string option(Trim(part));
    const std::size_t equals = option.find('=');
    if (option.empty()) continue;
    const bool has_value = equals != std::string::npos;
    options.push_back({option.substr(0, equals), has_value ? option.substr(equals + 1) : "",
                       has_value, "--comment: " + option.substr(0, equals)});
  }
  return options;
}

class Preparation {
 public:
  Preparation(const SlurmSubmitRequest& request, const SubmitMoment& moment)
      : request_(request),
        moment_(moment),
        line_(slurm::ReadSbatchLine(request.words)),
        script_(slurm::ReadBatchScript(request.script)) {}

  Result<SlurmSubmission> Run(const ObserveGrid& observe) {
    EBB_RETURN_IF_ERROR(ReadWishes());
    EBB_RETURN_IF_ERROR(ReadSlurmTimes());
    if (ValueOf(kReservation)) {
      result_.notes.push_back(
          "the job has a reservation, which says when it runs: Ebb does not choose its start");
    } else if (request_.managed) {
      result_.begin = latest_;
    } else {
      EBB_RETURN_IF_ERROR(Choose(observe));
    }
    MakeCommand();
    return std::move(result_);
  }

 private:
  // The command line overrides the script.
  std::optional<std::string> ValueOf(const SbatchOption& option) const {
    auto value = slurm::ValueOf(line_.options, option);
    return value ? value : slurm::ValueOf(script_.sbatch, option);
  }

  Status ReadWishes() {
    if (!script_.problems.empty())
      return Fail(Usage(request_.script_name + " " + script_.problems.front(),
                        "write it like #EBB --tier 2"));
    std::vector<GivenOption> options;
    const std::string comment = ValueOf(kComment).value_or("");
    if (comment.starts_with(slurm::kCommentPrefix)) options = OptionsOf(comment);
    for (const slurm::EbbOption& option : script_.ebb)
      options.push_back(
          {option.name, option.value, option.has_value,
           request_.script_name + " line " + std::to_string(option.line) + ": --" + option.name});
    options.insert(options.end(), request_.flags.begin(), request_.flags.end());
    EBB_ASSIGN_OR_RETURN(wishes_, WishesOf(options, moment_));
    if (!comment.empty() && !comment.starts_with(slurm::kCommentPrefix))
      EBB_RETURN_IF_ERROR(KeepComment());
    for (const GivenOption& option : options) has_power_ |= option.name == "power";
    const bool has_signal =
        std::ranges::any_of(options, [](const auto& o) { return o.name == "signal"; });
    const bool is_checkpointable =
        std::ranges::any_of(options, [](const auto& o) { return o.name == "checkpointable"; });
    // `ebb slurm run` takes this signal for a request to pause.
    if (!request_.tracked_script.empty() && is_checkpointable && !has_signal)
      AddWish("signal=USR1;grace=10m");
    ReadJob(std::ranges::any_of(options, [](const auto& o) { return o.name == "duration"; }));
    if (const Status widths = core::CheckWidths(result_.job); !widths)
      return Fail(Usage("--speedup: " + widths.error().what, widths.error().next));
    return {};
  }

  // A job has one comment. That of the user stays, and then nobody moves the job later.
  Status KeepComment() {
    if (request_.managed)
      return Fail(Usage("a service knows its jobs by the comment, and this job has one of its own",
                        "leave --comment out"));
    has_own_comment_ = true;
    result_.notes.push_back(
        "the job keeps its own comment, so `ebb slurm tick` and a service "
        "leave it alone: its start stays as it is");
    return {};
  }

  void ReadJob(bool has_duration) {
    std::vector<std::string> options = script_.sbatch;
    if (!request_.time_limit_of_environment.empty())
      options.push_back("--time=" + request_.time_limit_of_environment);
    options.insert(options.end(), line_.options.begin(), line_.options.end());
    const slurm::SbatchRequest asked = slurm::RequestOf(options);
    slurm::SlurmJob job;
    job.submitted = moment_.now;
    job.gpus = asked.gpus;
    job.gpus_by = asked.gpus_by;
    job.gpu_request = "gpu";
    job.cores = asked.cores;
    job.nodes = asked.nodes;
    job.tasks = asked.tasks;
    job.time_limit = slurm::ReadTimeLimit(slurm::ValueOf(options, kTime).value_or(""));
    job.comment = std::string(slurm::kCommentPrefix) + wishes_;
    slurm::JobDefaults defaults;
    defaults.tiers = moment_.tiers;
    const slurm::JobWishes wishes = slurm::ReadWishes(job, defaults);
    result_.job = wishes.submission.job;
    // The options were read before; these problems are those of the whole job.
    for (const std::string& problem : wishes.problems) result_.notes.push_back(problem);
    if (core::IsElastic(result_.job) && !request_.managed)
      result_.notes.push_back(
          "only a service changes the width of a job (--managed): Ebb chooses the start as if it "
          "kept its width");
    if (has_power_) result_.power = result_.job.power;
    if (!has_duration && !job.time_limit)
      result_.notes.push_back(
          "neither --duration nor a time limit (-t) says how long the job "
          "runs: Ebb assumes " +
          FormatDuration(result_.job.duration));
    if (job.time_limit && result_.job.duration > *job.time_limit)
      result_.notes.push_back("Slurm ends the job at its time limit of " +
                              FormatDuration(*job.time_limit) + ", before its --duration of " +
                              FormatDuration(result_.job.duration));
    if (!result_.job.start_by && !result_.job.finish_by) {
      result_.job.start_by = moment_.now + config::kDefaultLongestWait;
      AddWish("start-by=" + FormatTime(*result_.job.start_by));
    }
  }

  void AddWish(const std::string& wish) { wishes_ += (wishes_.empty() ? "" : ";") + wish; }

  // A job may begin at its --begin, and Slurm removes it if it cannot end by its --deadline.
  Status ReadSlurmTimes() {
    earliest_ = moment_.now;
    const core::Job& job = result_.job;
    if (const auto text = ValueOf(kBegin)) {
      EBB_ASSIGN_OR_RETURN(const Time begin,
                           SlurmMomentOf("--begin", *text, moment_.now, moment_.zone));
      if (request_.managed)
        return Fail(
            Usage("--begin and --managed contradict each other: the service moves the start",
                  "leave one of them out"));
      if (begin > moment_.now) AddWish("not-before=" + FormatTime(begin));
      earliest_ = std::max(earliest_, begin);
    }
    latest_ = job.start_by.value_or(Time::max());
    if (job.finish_by) latest_ = std::min(latest_, *job.finish_by - job.duration);
    if (const auto text = ValueOf(kDeadline)) {
      EBB_ASSIGN_OR_RETURN(const Time end,
                           SlurmMomentOf("--deadline", *text, moment_.now, moment_.zone));
      latest_ = std::min(latest_, end - std::max(job.duration, TimeLimit()));
    }
    if (latest_ >= moment_.now) {
      latest_ = std::max(latest_, earliest_);
      return {};
    }
    return Fail({ExitCode::kInfeasible,
                 "the job takes " + FormatDuration(job.duration) +
                     " and cannot end by its deadline, if it started now",
                 "", "give it a later deadline, or the right --duration"});
  }

  Duration TimeLimit() const {
    return slurm::ReadTimeLimit(ValueOf(kTime).value_or("")).value_or(Duration::zero());
  }

  Status Choose(const ObserveGrid& observe) {
    core::Job job = result_.job;
    job.submitted = earliest_;
    job.start_by = latest_;
    job.finish_by.reset();
    job.speedup.clear();  // nobody changes the width of a job that Slurm starts
    EBB_ASSIGN_OR_RETURN(core::SignalView view, observe(latest_ - moment_.now + job.duration));
    view.now = earliest_;
    StartChoice choice =
        ChooseStarts(ClusterFor(job.devices), {job}, view, latest_ + Duration{1}).front();
    if (!choice.refused.empty())
      return Fail({ExitCode::kInfeasible, choice.refused, "", "change the options of the job"});
    if (choice.start > moment_.now) result_.begin = choice.start;
    result_.choice = std::move(choice);
    return {};
  }

  void MakeCommand() {
    std::vector<std::string> ours;
    if (result_.begin)
      ours.push_back(
          "--begin=uts" +
          std::to_string(
              std::chrono::ceil<std::chrono::seconds>(*result_.begin).time_since_epoch().count()));
    if (!has_own_comment_)
      ours.push_back("--comment=" + std::string(slurm::kCommentPrefix) + wishes_);
    std::vector<std::string>& command = result_.command;
    command = {"sbatch"};
    // The last of equal options counts. A heterogeneous job takes ours from its first component.
    const bool is_tracked = !request_.tracked_script.empty();
    std::vector<std::string> options = line_.options;
    if (is_tracked && slurm::ValueOf(options, kWrap)) {
      options = slurm::Without(options, kWrap);
      if (!slurm::ValueOf(options, kJobName)) ours.emplace_back("--job-name=wrap");
    }
    const auto colon = std::ranges::find(options, ":");
    command.insert(command.end(), options.begin(), colon);
    command.insert(command.end(), ours.begin(), ours.end());
    command.insert(command.end(), colon, options.end());
    const std::string& script = is_tracked ? request_.tracked_script : line_.script;
    if (script.starts_with('-')) command.emplace_back("--");
    if (!script.empty()) command.push_back(script);
    command.insert(command.end(), line_.arguments.begin(), line_.arguments.end());
  }

  const SlurmSubmitRequest& request_;
  const SubmitMoment& moment_;
  const slurm::SbatchLine line_;
  const slurm::BatchScript script_;
  SlurmSubmission result_;
  std::string wishes_;
  bool has_own_comment_ = false, has_power_ = false;
  Time earliest_{}, latest_{};
};

}  // namespace

Result<SlurmSubmission> PrepareSubmission(const SlurmSubmitRequest& request,
                                          const SubmitMoment& moment, const ObserveGrid& observe) {
  return Preparation(request, moment).Run(observe);
}

}  // namespace ebb::app
