#include "service/intake/power_choices.h"

#include <algorithm>

#include "base/field_text.h"
#include "core/run/power_choice_fields.h"
#include "service/intake/program_name.h"

namespace ebb::service {

template <typename Archive, Like<FoundCap> Value>
static void Visit(Archive& archive, Value& value) {
  auto& [at, choice] = value;
  archive.Must("at_ms", at);
  archive.Must("choice", choice);
}

namespace {

constexpr Duration kBelieved = std::chrono::days{30};
constexpr const char* kKey = "power cap";
constexpr char kBetween = '\n';
// A search tries slower limits than it keeps in the end, for a short time.
constexpr double kRoomForSearch = 0.05;

// The program's user may write where the limit is written down, so it is checked.
bool IsPlausible(const core::PowerChoice& choice) {
  return choice.cap && choice.cap->watts > 0 && choice.cap <= choice.limit && choice.slower >= 0 &&
         100 * choice.slower <= choice.slower_by.percent + 1 && choice.saved > 0 &&
         choice.saved < 1;
}

// Pools relative to which a job is slower, and draws less, under a limit.
core::ModelOverride Under(const core::PowerChoice& choice, const core::Job& job,
                          const core::DevicePool& pool) {
  core::Job unit = job;
  unit.devices = 1;
  unit.power = Power{1};
  const double longer = 1 + choice.slower;
  return {pool.model, core::SpeedOn(job, pool) / longer,
          core::PowerOn(unit, pool).watts * (1 - choice.saved) / longer};
}

bool KeepsFinish(const core::Job& job, const core::DevicePool& pool, Duration work, double longer,
                 Time now) {
  if (!job.finish_by) return true;
  const double seconds = Seconds(work) / core::SpeedOn(job, pool) * longer;
  return now + DurationFromSeconds(seconds) <= *job.finish_by;
}

}  // namespace

bool PowerChoices::IsAutomatic(const core::Submission& submission) const {
  const auto& cap = submission.power_cap ? submission.power_cap : otherwise_;
  return cap && cap->automatic;
}

core::Slowdown PowerChoices::SlowdownOf(const core::Submission& submission) const {
  return submission.slower_by.value_or(slower_by_);
}

std::string PowerChoices::KeyOf(const core::Submission& submission,
                                const std::string& model) const {
  return std::string(kKey) + kBetween + ProgramOf(submission) + kBetween +
         std::to_string(submission.job.devices) + kBetween +
         core::Describe(SlowdownOf(submission)) + kBetween + model;
}

void PowerChoices::Take(const core::Submission& submission, const std::string& model,
                        core::PowerChoice choice, Time now) {
  if (!IsPlausible(choice)) return;
  choice.found_by = submission.job.id;
  const std::string key = KeyOf(submission, model);
  const FoundCap found{now, std::move(choice)};
  store_.SetMeta(key, ToFieldText(found));
  known_[key] = found;
}

std::optional<core::PowerChoice> PowerChoices::Find(const core::Submission& submission,
                                                    const std::string& model, Time now) const {
  const std::string key = KeyOf(submission, model);
  auto known = known_.find(key);
  if (known == known_.end()) {
    std::optional<FoundCap> found;
    if (const auto text = store_.Meta(key); text && *text)
      if (auto read = FromFieldText<FoundCap>(**text, key)) found = *std::move(read);
    known = known_.emplace(key, std::move(found)).first;
  }
  if (!known->second || now - known->second->at > kBelieved) return std::nullopt;
  return known->second->choice;
}

std::vector<core::ModelOverride> PowerChoices::Expected(const core::Submission& submission,
                                                        const core::Cluster& cluster,
                                                        Time now) const {
  std::vector<core::ModelOverride> expected;
  if (!IsAutomatic(submission)) return expected;
  for (const core::DevicePool& pool : cluster.pools)
    if (const auto choice = Find(submission, pool.model, now))
      expected.push_back(Under(*choice, submission.job, pool));
  return expected;
}

local::JobPower PowerChoices::ForStart(const core::Submission& submission,
                                       const core::DevicePool& pool, Duration remaining,
                                       Time now) const {
  local::JobPower power{submission.power_cap ? submission.power_cap : otherwise_,
                        SlowdownOf(submission)};
  if (!IsAutomatic(submission)) return power;
  core::Job job = submission.job;
  job.overrides.clear();  // they are the expectation under a limit
  const auto choice = Find(submission, pool.model, now);
  // Plans that count on the full speed keep other jobs' deadlines by it.
  const bool planned_fast =
      choice && job.finish_by &&
      std::ranges::none_of(submission.job.overrides, [&](const core::ModelOverride& entry) {
        return entry.model == pool.model;
      });
  const double longer =
      1 + (choice ? choice->slower : power.slower_by.percent / 100 + kRoomForSearch);
  if (planned_fast || !KeepsFinish(job, pool, remaining, longer, now)) {
    power.cap.reset();
    power.known.emplace();
    power.known->slower_by = power.slower_by;
    if (choice) power.known->limit = choice->limit;
    power.known->why = "its finish-by is too near for a lower limit";
    return power;
  }
  if (choice) {
    power.cap = core::PowerCap{.watts = choice->cap->watts};
    power.known = choice;
  }
  return power;
}

}  // namespace ebb::service
