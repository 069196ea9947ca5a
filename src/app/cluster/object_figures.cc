#include "app/cluster/object_figures.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "platform/system_clock.h"

namespace ebb::app {
namespace {

// Keys of annotations, without the prefix.
constexpr const char *kEnergyKey = "energy-j", *kEmissionsKey = "emissions-g",
                     *kSavedKey = "saved-g", *kUntilKey = "measured-until",
                     *kIdleEnergyKey = "idle-energy-j", *kIdleEmissionsKey = "idle-emissions-g";
constexpr int kDigits = 6;
constexpr double kMostJoules = 1e12;  // limit above which a job's energy is not credible

}  // namespace

std::string Rounded(double value) {
  return FormatExact(ParseNumber(FormatSignificant(value, kDigits)).value_or(value));
}

void ObjectFigures::TakeEarlier(const std::string& uid, core::JobId job) {
  const auto written = [&](const char* key) { return ports_.objects.notes().Written(uid, key); };
  const auto joules = ParseNumber(written(kEnergyKey));
  const auto until = ParseTime(written(kUntilKey));
  const kubernetes::GatedObject* object = ports_.objects.FindObject(uid);
  if (!object || !joules || *joules <= 0 || *joules > kMostJoules || !until ||
      *until <= object->created)
    return;
  std::optional<Emissions> emissions;
  if (const auto grams = ParseNumber(written(kEmissionsKey)); grams && *grams >= 0)
    emissions = Emissions{*grams};
  ports_.metering.AddEarlier(job, std::max(object->attempt, 1), {object->created, *until},
                             Energy::Joules(*joules), emissions);
  ports_.accounts.CountedBefore(uid, *until);
}

void ObjectFigures::WriteOverhead(const std::string& uid, const NodeOverhead& sum) {
  ports_.objects.notes().WriteOverhead(
      uid, {{kIdleEnergyKey, FormatExact(sum.energy.joules())},
            {kIdleEmissionsKey, sum.emissions ? Rounded(sum.emissions->grams) : ""}});
}

void ObjectFigures::Write(const std::string& uid, const service::JobCard& card) {
  if (card.energy == Energy{}) return;
  const engine::Stage stage = card.explanation.stage;
  std::map<std::string, std::string> figures{{kEnergyKey, FormatExact(card.energy.joules())}};
  const auto emitted = card.emitted();
  if (emitted) figures[kEmissionsKey] = Rounded(emitted->grams);
  if (emitted && card.emissions_at_submission)
    figures[kSavedKey] = Rounded(card.emissions_at_submission->grams - emitted->grams);
  if (const auto until = ports_.accounts.CountedUpTo(uid)) figures[kUntilKey] = FormatTime(*until);
  Written& written = written_[uid];
  const Duration now = platform::SinceBoot();
  const bool runs = stage == engine::Stage::kRunning || stage == engine::Stage::kStarting;
  if (written.figures == figures) return;
  if (runs && !written.figures.empty() && now - written.at < ports_.every) return;
  written = {figures, now};
  ports_.objects.notes().WriteFigures(uid, figures);
}

}  // namespace ebb::app
