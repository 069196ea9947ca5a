#include "slurm/jobs/job_comment.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "slurm/client/job_size.h"
#include "slurm/client/slurm_text.h"

namespace ebb::slurm {
namespace {

constexpr std::string_view kMark = "{ebb ", kMeasured = "measured}", kNote = "note}";
constexpr std::string_view kUsed = "used ", kBetween = "; ";
constexpr std::string_view kStartBy = "start-by", kFinishBy = "finish-by", kTier = "tier",
                           kSignal = "signal", kGrace = "grace", kNotBefore = "not-before",
                           kSpeedup = "speedup";
constexpr double kLeastSpeed = 1e-6;

std::string_view Name(Course course) {
  switch (course) {
    case Course::kNone:
      return "";
    case Course::kWait:
      return "wait";
    case Course::kGo:
      return "go";
    case Course::kPause:
      return "pause";
  }
  return "";
}

Course CourseFromName(std::string_view name) {
  for (const Course course : {Course::kWait, Course::kGo, Course::kPause})
    if (Name(course) == name) return course;
  return Course::kNone;
}

std::vector<std::string> KnownKeys() {
  std::vector<std::string> keys{std::string(kSignal), std::string(kGrace), std::string(kNotBefore)};
  for (const core::JobOption* option : OptionsInSlurm()) keys.push_back(option->field.flag.name);
  return keys;
}

// Reads "key=value;key;key=value" into the wishes.
class WishReader {
 public:
  WishReader(const SlurmJob& job, const JobDefaults& defaults, JobWishes& wishes)
      : job_(job), defaults_(defaults), wishes_(wishes) {}

  void Read(std::string_view text) {
    for (const std::string_view part : Split(text, ';')) {
      const std::string_view option = Trim(part);
      if (option.empty()) continue;
      const std::size_t equals = option.find('=');
      const bool has_value = equals != std::string_view::npos;
      values_[std::string(option.substr(0, equals))] =
          has_value ? std::string(option.substr(equals + 1)) : "true";
    }
    // A tier comes first: options of the job itself override those of its tier.
    if (const auto tier = values_.find(std::string(kTier)); tier != values_.end())
      ReadTier(tier->second);
    for (const auto& [key, value] : values_) ReadOne(key, value);
    CheckWidths();
  }

 private:
  core::Job& job() { return wishes_.submission.job; }
  void Refuse(std::string_view key, std::string_view value, std::string_view wanted) {
    wishes_.problems.push_back(std::string(key) + ": " + Quoted(std::string(value)) + " is not " +
                               std::string(wanted));
  }

  void ReadTier(const std::string& name) {
    const core::Tier* tier = core::FindTier(defaults_.tiers, name);
    if (!tier) return Refuse(kTier, name, "a tier of this service");
    job().tier = tier->name;
    job().threshold = tier->threshold;
    job().priority = tier->priority;
    job().start_by = job_.submitted + tier->max_delay;
  }

  void ReadOne(const std::string& key, const std::string& value) {
    if (key == kTier) return;
    if (key == kStartBy) return ReadMoment(key, value, job().start_by);
    if (key == kFinishBy) return ReadMoment(key, value, job().finish_by);
    if (key == kNotBefore) return ReadMoment(key, value, wishes_.not_before);
    if (key == kSignal) return ReadSignal(value);
    if (key == kGrace) return ReadGrace(value);
    const auto options = OptionsInSlurm();
    const auto found = std::ranges::find_if(
        options, [&](const core::JobOption* option) { return option->field.flag.name == key; });
    const core::JobOption* option = found == options.end() ? nullptr : *found;
    if (!option || !option->set) {
      wishes_.problems.push_back("there is no option " + Quoted(key) +
                                 SuggestionText(key, KnownKeys()));
      return;
    }
    const auto parsed = core::ParseOption(option->field, value);
    if (!parsed) return Refuse(key, value, parsed.error().what);
    if (const Status set = option->set(*parsed, wishes_.submission); !set)
      wishes_.problems.push_back(key + ": " + set.error().Message());
  }

  // A job in Slurm has only widths that its request can be changed to. Its time limit holds for
  // each attempt, at any width, and the last one may do all of the work.
  void CheckWidths() {
    const auto refuse = [&](const std::string& why) {
      wishes_.problems.push_back(std::string(kSpeedup) + ": " + why + ", so it keeps its width");
      job().speedup.clear();
    };
    for (const core::WidthSpeed& width : std::vector(job().speedup)) {
      if (width.devices == job().devices) continue;
      if (const auto words = SizeWords(job_, width.devices); !words)
        return refuse(words.error().what);
      const auto takes = std::chrono::duration<double, Duration::period>(job().duration) /
                         std::max(width.speed, kLeastSpeed);
      if (job_.time_limit && takes > *job_.time_limit)
        return refuse("at a width of " + std::to_string(width.devices) +
                      " it takes longer than its time limit of " +
                      FormatDuration(*job_.time_limit));
    }
  }

  void ReadMoment(const std::string& key, const std::string& value, std::optional<Time>& moment) {
    if (const auto length = ParseDuration(value))
      moment = job_.submitted + *length;
    else if (const auto time = ParseTime(value))
      moment = *time;
    else
      Refuse(key, value,
             "a duration from the submission like 12h, or a time like 2026-10-01T09:30Z");
  }

  void ReadSignal(const std::string& value) {
    const bool is_name = !value.empty() && std::ranges::all_of(value, [](char c) {
      return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    });
    if (!is_name) return Refuse(kSignal, value, "the name of a signal like USR1");
    wishes_.pause_signal = value;
    job().checkpointable = true;
  }

  void ReadGrace(const std::string& value) {
    const auto length = ParseDuration(value);
    if (!length) return Refuse(kGrace, value, "a duration like 2m");
    wishes_.grace = *length;
  }

  const SlurmJob& job_;
  const JobDefaults& defaults_;
  JobWishes& wishes_;
  std::map<std::string, std::string> values_;
};

}  // namespace

std::vector<const core::JobOption*> OptionsInSlurm() {
  std::vector<const core::JobOption*> options;
  for (const char* key :
       {"tier", "start_by", "finish_by", "duration", "threshold", "priority", "on_outage",
        "power_w", "checkpointable", "pause_cost", "minimum_segment", "speedup"})
    options.push_back(&core::JobOptionOf(key));
  return options;
}

JobComment ReadComment(std::string_view comment) {
  JobComment read;
  const std::size_t mark = comment.find(kMark);
  read.owners = Trim(comment.substr(0, mark));
  read.is_for_ebb = read.owners.starts_with(kCommentPrefix);
  if (mark == std::string_view::npos) return read;
  const std::string_view rest = comment.substr(mark + kMark.size());
  const std::size_t close = rest.find('}');
  if (close == std::string_view::npos) return read;
  const auto words = Split(rest.substr(0, close), ' ');
  read.course = CourseFromName(words.front());
  if (words.size() > 1)
    read.attempt = static_cast<int>(ParseNumber(std::string(words[1])).value_or(0));
  constexpr std::size_t kWithTag = 3;
  if (words.size() >= kWithTag) read.tag = words[2];
  std::string_view text = Trim(rest.substr(close + 1));
  if (text.starts_with(kUsed)) {
    const std::size_t end = std::min(text.find(kBetween), text.size());
    read.measured = text.substr(0, end);
    text.remove_prefix(std::min(end + kBetween.size(), text.size()));
  }
  read.sentence = text;
  return read;
}

std::string WriteComment(const JobComment& comment) {
  std::string text = comment.owners;
  if (comment.course != Course::kNone) {
    if (!text.empty()) text += ' ';
    text += std::string(kMark) + std::string(Name(comment.course)) + ' ' +
            std::to_string(comment.attempt) + (comment.tag.empty() ? "" : ' ' + comment.tag) + '}';
  } else if (!comment.measured.empty() || !comment.sentence.empty()) {
    text += (text.empty() ? "" : " ") + std::string(kMark) +
            std::string(comment.measured.empty() ? kNote : kMeasured);
  }
  if (!comment.measured.empty()) text += ' ' + comment.measured;
  if (!comment.sentence.empty())
    text += (comment.measured.empty() ? " " : std::string(kBetween)) + comment.sentence;
  // Not in the middle of a character.
  std::size_t size = std::min(text.size(), kLongestComment - 1);
  while (size < text.size() && size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80)
    --size;
  return text.substr(0, size);
}

JobWishes ReadWishes(const SlurmJob& job, const JobDefaults& defaults) {
  JobWishes wishes;
  core::Job& read = wishes.submission.job;
  read.name = job.name;
  read.submitted = job.submitted;
  read.threshold = defaults.threshold;
  read.duration = job.time_limit.value_or(defaults.duration);
  read.devices = job.gpus > 0 ? job.gpus : job.cores;
  read.power = job.gpus > 0 ? defaults.gpu_power : defaults.core_power;
  const JobComment comment = ReadComment(job.comment);
  if (comment.is_for_ebb)
    WishReader(job, defaults, wishes)
        .Read(std::string_view(comment.owners).substr(kCommentPrefix.size()));
  return wishes;
}

}  // namespace ebb::slurm
