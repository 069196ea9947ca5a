#include "cli/explanation_text.h"

#include <cmath>

#include "base/json_node.h"
#include "base/text.h"
#include "base/units_text.h"
#include "cli/site_text.h"
#include "core/jobs/widths.h"

namespace ebb::cli {
namespace {

std::optional<double> NumberOf(const JsonNode& job, const char* key) {
  const JsonNode* found = job.Find(key);
  return found ? found->AsNumber() : std::nullopt;
}

std::string SavedWords(double saved_g) {
  if (saved_g == 0) return "the same, nothing was saved";
  return EmissionsText({std::abs(saved_g)}) + (saved_g > 0 ? " saved" : " WORSE");
}

// "it waits for jobs [2,4] to succeed"; empty if it waits for none.
std::string PredecessorsLine(const JsonNode& job) {
  const JsonNode* jobs = job.Find("waits_for");
  if (!jobs || jobs->items.empty()) return "";
  std::vector<std::string> numbers;
  for (const JsonNode& number : jobs->items) numbers.push_back(FormatFixed(number.number, 0));
  return "it waits for jobs [" + Join(numbers, ",") + "] to succeed\n";
}

// "2, 1, 4 devices"; empty unless the job is elastic.
std::string WidthsOf(const JsonNode& job, const char* key) {
  const JsonNode* widths = job.Find(key);
  std::vector<int> series;
  if (widths)
    for (const JsonNode& width : widths->items) series.push_back(static_cast<int>(width.number));
  return core::WidthsText(series);
}

// The speed-up of an elastic job, given and measured; empty for other jobs.
std::string SpeedupLine(const JsonNode& job) {
  const auto words = [&](const char* key) {
    std::vector<std::string> texts;
    if (const JsonNode* list = job.Find(key))
      for (const JsonNode& text : list->items) texts.push_back(Printable(text.text));
    return Join(texts, ", ");
  };
  const std::string given = words("speedup"), measured = words("learned_speedup");
  if (given.empty()) return "";
  return "its speed-up as given is " + given +
         (measured.empty() ? ", and the plan uses it until Ebb has measured it\n"
                           : "; measured it is " + measured + ", and the plan uses that\n");
}

// The devices of an elastic job now and by the plan; empty for other jobs.
std::string WidthsLine(const JsonNode& job) {
  const auto now = NumberOf(job, "devices_now");
  const std::string planned = WidthsOf(job, "planned_devices");
  if (!now) return planned.empty() ? "" : "it is elastic: planned on " + planned + "\n";
  return "it is elastic: it has " + core::DevicesText(static_cast<int>(*now)) + " now" +
         (planned.empty() ? "" : ", and the plan from now on is " + planned) + "\n";
}

// "south until 2023-05-01T12:00:00Z, then north": the sites between which a job is to go while it
// runs; empty for other jobs.
std::string SitesLine(const JsonNode& job) {
  const JsonNode *sites = job.Find("planned_sites"), *times = job.Find("planned_ms");
  if (!sites || !times || sites->items.size() != times->items.size()) return "";
  std::string text = "it follows clean hours from site to site: ";
  for (std::size_t i = 0; i < sites->items.size(); ++i) {
    const std::string& site = sites->items[i].text;
    const std::vector<JsonNode>& stretch = times->items[i].items;
    const bool is_last = i + 1 == sites->items.size();
    if (!is_last && sites->items[i + 1].text == site) continue;
    text += Printable(site);
    if (!is_last && stretch.size() == 2)
      text += " until " +
              FormatTime(Time{Duration{static_cast<Duration::rep>(stretch[1].number)}}) + ", then ";
  }
  return text + "\n";
}

// The expected saving of a job that has not started; empty if that is not known.
std::string ExpectedLine(const JsonNode& job) {
  const auto now = NumberOf(job, "intensity_now"), expected = NumberOf(job, "intensity_expected");
  if (!now || !expected || job.Find("started")) return "";
  const double kwh = NumberOf(job, "power_w").value_or(0) * NumberOf(job, "devices").value_or(1) *
                     NumberOf(job, "duration_s").value_or(0) / 3.6e6;
  return std::string("waiting is expected to ") + (*now >= *expected ? "save " : "cost ") +
         EmissionsText({std::abs(*now - *expected) * kwh}) + " of " + EmissionsText({*now * kwh}) +
         ": " + EnergyText(Energy::Joules(kwh * 3.6e6)) + " at " + IntensityText({*expected}) +
         " instead of " + IntensityText({*now}) + "\n";
}

// The emissions and the saving of a job that has ended; empty if that is not known.
std::string SavedLine(const JsonNode& job) {
  const auto was = NumberOf(job, "emissions_at_submission_g"), is = NumberOf(job, "emissions_g");
  if (!was || !is) return "";
  const double half_width = NumberOf(job, "saving_half_width_g").value_or(-1);
  const bool is_clear = std::abs(*was - *is) > half_width || *was == *is;
  return "it emitted " + EmissionsText({*is}) + "; at submission it would have been " +
         EmissionsText({*was}) + ": " + SavedWords(*was - *is) +
         (is_clear ? "" : ", which is not a clear difference") + "\n";
}

std::string_view VerbBefore(std::string_view reason) {
  if (reason.starts_with("succeeded") || reason.starts_with("failed")) return " has ";
  return reason.starts_with("cancelled") || reason.starts_with("refused") ? " was " : " is ";
}

}  // namespace

Result<std::string> ExplanationText(const std::string& answer, const LocalTimes& times) {
  const auto job = ParseJson(answer, "");
  if (!job || !job->is_object())
    return Fail({ExitCode::kUnavailable, "the service's answer is not a job", "", ""});
  // Jobs that come from the store alone have no reason.
  const std::string reason = job->TextOf(job->Find("reason") ? "reason" : "stage");
  std::string text = "job " + FormatFixed(NumberOf(*job, "id").value_or(0), 0) + " (" +
                     Printable(job->TextOf("name")) + ")" + std::string(VerbBefore(reason)) +
                     times.InText(Printable(reason)) + "\n";
  if (const std::string detail = job->TextOf("detail"); !detail.empty())
    text += times.InText(Printable(detail)) + "\n";
  if (const std::string remark = job->TextOf("remark"); !remark.empty())
    text += times.InText(Printable(remark)) + "\n";
  if (const std::string site = job->TextOf("site"); !site.empty())
    text +=
        (job->Find("started") ? "its site is " : "it is planned at site ") + Printable(site) + "\n";
  text += times.InText(SitesLine(*job));
  return text + WidthsLine(*job) + SpeedupLine(*job) + SiteChoicesText(answer, times) +
         PredecessorsLine(*job) + ExpectedLine(*job) + SavedLine(*job) +
         PlaceAndTimeText(answer, times);
}

}  // namespace ebb::cli
