#include "cli/job_facts.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/columns.h"
#include "base/text.h"
#include "base/time.h"
#include "base/units_text.h"
#include "cli/site_text.h"
#include "core/jobs/widths.h"
#include "core/ledger/work.h"
#include "core/options/job_options.h"
#include "report/run/figures.h"
#include "report/run/had_it_waited.h"
#include "report/run/known_emissions.h"
#include "sweep/shell_quote.h"

namespace ebb::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kLeastDifference = 5e-4;  // share of the baseline, as on the page
constexpr std::size_t kNameColumns = 26;

// The lines about a job, in parts with a blank line between them.
class Facts {
 public:
  Facts(const Json& job, const LocalTimes& times) : job_(job), times_(times) {}

  void Line(const std::string& name, const std::string& value) {
    if (value.empty()) return;
    if (std::exchange(part_is_due_, false) && !text_.empty()) text_ += '\n';
    text_ += Padded(name, kNameColumns) + Printable(value) + '\n';
  }
  void Part() { part_is_due_ = true; }
  void Table(const std::string& table) {
    if (!table.empty()) text_ += '\n' + table;
  }
  void Title(const std::string& title) { text_ = Printable(title) + '\n'; }

  bool Has(const char* key) const { return job_.contains(key); }
  double Number(const char* key) const { return job_.value(key, 0.0); }
  std::string Text(const char* key) const {
    const auto found = job_.find(key);
    return found != job_.end() && found->is_string() ? found->get<std::string>() : "";
  }
  std::string Whole(const char* key) const { return Has(key) ? job_.at(key).dump() : ""; }
  std::string Grams(const char* key) const { return Has(key) ? EmissionsText({Number(key)}) : ""; }
  std::string Emitted() const {
    std::optional<Emissions> emissions;
    if (Has("emissions_g")) emissions = Emissions{Number("emissions_g")};
    return report::EmittedText(Energy::Joules(Number("energy_kwh") * 3.6e6), emissions);
  }
  std::string Kwh(const char* key) const {
    return Has(key) ? EnergyText(Energy::Joules(Number(key) * 3.6e6)) : "";
  }
  std::string Intensity(const char* key) const {
    return Has(key) ? IntensityText({Number(key)}) : "";
  }
  /// "Thu 12:00, in 10h"
  std::string Moment(const char* key) const {
    const auto time = ParseTime(Text(key));
    if (!time) return "";
    return times_.MomentAndDistance(*time);
  }
  std::string HadItWaited() const {
    const auto found = job_.find("had_it_waited");
    if (found == job_.end()) return "";
    report::HadItWaited waited;
    waited.up_to = DurationFromSeconds(found->value("up_to_s", 0.0));
    waited.start = ParseTime(found->value("start", "")).value_or(Time{});
    waited.at_best = {found->value("expected_g", 0.0)};
    waited.at_once = {found->value("expected_g_at_once", 0.0)};
    waited.forecast_method = found->value("forecast_method", "");
    return times_.InText(report::HadItWaitedText(waited));
  }
  std::string Length(const char* key) const {
    return Has(key) ? FormatDuration(DurationFromSeconds(Number(key))) : "";
  }
  std::string Numbers(const char* key) const {
    std::vector<std::string> words;
    if (Has(key))
      for (const Json& number : job_.at(key)) words.push_back(number.dump());
    return Join(words, ", ");
  }
  /// The texts of a list and `after` them; empty without any.
  std::string Words(const char* key, const std::string& after) const {
    std::vector<std::string> words;
    if (Has(key))
      for (const Json& word : job_.at(key)) words.push_back(word.get<std::string>());
    return words.empty() ? "" : Join(words, ", ") + after;
  }
  /// "loss 0.3, epochs 4"
  std::string Pairs(const char* key) const {
    std::vector<std::string> words;
    if (Has(key))
      for (const auto& [name, value] : job_.at(key).items())
        words.push_back(name + " " + (value.is_string() ? value.get<std::string>() : value.dump()));
    return Join(words, ", ");
  }
  /// The sentence with its times as this person reads them.
  std::string Sentence(const char* key) const { return times_.InText(Text(key)); }
  std::string zone() const { return times_.zone(); }
  const Json& job() const { return job_; }
  const std::string& text() const { return text_; }

 private:
  const Json& job_;
  const LocalTimes& times_;
  std::string text_;
  bool part_is_due_ = false;
};

std::string CommandOf(const Json& job) {
  if (!job.contains("command")) return "";
  return sweep::ShellCommand(job.at("command").get<std::vector<std::string>>());
}

// "2h 3m in 3 parts": the running time so far, of ended and of running jobs.
std::string RanText(const Json& job) {
  if (!job.contains("ran_ms")) return "";
  Duration ran{0};
  bool goes_on = false;
  for (const Json& stretch : job.at("ran_ms")) {
    if (stretch.size() == 2)
      ran += std::chrono::milliseconds(stretch[1].get<std::int64_t>() -
                                       stretch[0].get<std::int64_t>());
    else
      goes_on = true;
  }
  const std::size_t parts = job.at("ran_ms").size();
  if (goes_on && parts == 1) return "";
  std::string text = FormatDuration(ran);
  if (goes_on) return text + " before the part that runs now";
  return parts > 1 ? text + " in " + std::to_string(parts) + " parts" : text;
}

// "2, 1, 4 devices"; empty unless the job is elastic. A width of 0 is unknown.
std::string WidthsOf(const Json& job, const char* key) {
  std::vector<int> widths;
  for (const Json& width : job.value(key, Json::array()))
    if (width != 0) widths.push_back(width);
  return core::WidthsText(widths);
}

std::string DevicesText(const Facts& facts) {
  std::string text = facts.Whole("devices");
  if (const std::string site = facts.Text("site"); !site.empty()) text += " at site " + site;
  const Json& job = facts.job();
  if (!job.contains("ran_on") || job.at("ran_on").empty()) return text;
  std::vector<std::string> numbers;
  for (const Json& number : job.at("ran_on").back()) numbers.push_back(number.dump());
  return numbers.empty() ? text : text + ", last on number " + Join(numbers, ", ");
}

// "12.0 g: 3.1 g saved", or WORSE. `half_width` is the uncertainty of the difference, if known.
std::string ComparedText(const Facts& facts, const char* baseline, const char* half_width) {
  if (!facts.Has(baseline) || !facts.Has("emissions_g")) return "";
  const double was = facts.Number(baseline), difference = was - facts.Number("emissions_g");
  if (std::abs(difference) < kLeastDifference * was) return facts.Grams(baseline) + ": the same";
  const std::string size = EmissionsText({std::abs(difference)});
  if (facts.Has(half_width) && std::abs(difference) <= facts.Number(half_width))
    return facts.Grams(baseline) + ": no clear difference (" + size +
           (difference > 0 ? " less, ± " : " more, ± ") + facts.Grams(half_width) + ")";
  return facts.Grams(baseline) + ": " + size + " " + (difference >= 0 ? "saved" : "WORSE");
}

std::string EstimateText(const Facts& facts) {
  if (!facts.Has("duration_s")) return "";  // a job that is only in the store
  std::string text = facts.Length("duration_s");
  if (facts.Has("duration_error_percent")) {
    const double error = facts.Number("duration_error_percent");
    text += " (it ran " + FormatFixed(std::abs(error), 1) + " % " +
            (error >= 0 ? "longer)" : "shorter)");
  }
  return text + ", " + PowerText({facts.Number("power_w")}) + " a device";
}

std::string StopText(const Facts& facts) {
  if (!facts.Has("checkpointable")) return "";
  if (facts.job().value("checkpointable", false)) return "by a checkpoint";
  return facts.job().value("freeze", false) ? "where it is, on its devices" : "never";
}

void AddTimes(Facts& facts) {
  facts.Part();
  const bool ended = facts.Has("ended"), started = facts.Has("started");
  facts.Line("submitted", facts.Moment("submitted"));
  facts.Line("started", facts.Moment("started"));
  if (!started && !ended) facts.Line("expected start", facts.Moment("expected_start"));
  if (!started && !ended) facts.Line("must start by", facts.Moment("latest_start"));
  if (!ended) facts.Line("expected end", facts.Moment("expected_end"));
  facts.Line("must end by", facts.Moment("finish_by"));
  facts.Line("ended", facts.Moment("ended"));
  facts.Line("time zone", facts.zone());
  facts.Line("ran", RanText(facts.job()));
  if (started) facts.Line("attempts", facts.Whole("attempt"));
  if (facts.Number("pauses") > 0) facts.Line("pauses", facts.Whole("pauses"));
  facts.Line("exit code", facts.Whole("exit_code"));
}

// "4.12 mJ/token ± 42 %, 0.343 g per million tokens ± 44 %; 1,234,567 tokens"
void AddWork(Facts& facts) {
  const auto sure = [&](const char* key) {
    return facts.Has(key) ? " " + report::ShareText(facts.Number(key) / 100) : std::string();
  };
  for (const core::WorkUnit unit : core::kWorkUnits) {
    const std::string joules = core::EnergyPerKey(unit), grams = core::EmissionsPerKey(unit);
    if (!facts.Has(joules.c_str())) continue;
    std::string text =
        core::EnergyPerText(unit, facts.Number(joules.c_str())) + sure("energy_half_width_percent");
    if (facts.Has(grams.c_str()))
      text += ", " + core::EmissionsPerText(unit, facts.Number(grams.c_str())) +
              sure("emissions_half_width_percent");
    const std::string one(core::Name(unit));
    const auto count = static_cast<std::int64_t>(facts.Number((one + "s").c_str()));
    facts.Line("per " + one, text + "; " + core::CountText(unit, count));
  }
}

void AddAccount(Facts& facts) {
  facts.Part();
  if (facts.Has("started")) facts.Line("energy", facts.Kwh("energy_kwh"));
  facts.Line("emissions", facts.Emitted());
  AddWork(facts);
  facts.Line("first come, first served",
             ComparedText(facts, "emissions_first_come_g", "first_come_half_width_g"));
  facts.Line("at submission, alone",
             ComparedText(facts, "emissions_at_submission_g", "saving_half_width_g"));
  facts.Line("had it waited", facts.HadItWaited());
  facts.Line("power limit", facts.Text("power_cap_kept"));
  if (facts.Has("ended")) return;
  facts.Line("intensity now", facts.Intensity("intensity_now"));
  if (!facts.Has("started"))
    facts.Line("intensity expected", facts.Intensity("intensity_expected"));
}

// The value in the form that answers of the API have.
Json AnswerOf(const core::OptionValue& value) {
  return std::visit(
      [](const auto& plain) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(plain)>, Duration>)
          return Seconds(plain);
        else
          return plain;
      },
      value);
}

std::string TextOf(const core::Field& field, const Json& value) {
  if (field.shape == core::Shape::kDuration && value.is_number())
    return FormatDuration(DurationFromSeconds(value));
  if (value.is_array()) {
    std::vector<std::string> words;
    for (const Json& word : value) words.push_back(word.is_string() ? word.get<std::string>() : "");
    return Join(words, ", ");
  }
  if (value.is_string()) return value;
  return value.dump() + (field.unit.empty() ? "" : " " + field.unit);
}

// Adds options that differ from their defaults, except those with a line of their own.
void AddPlainOptions(Facts& facts) {
  static const std::set<std::string> elsewhere{
      "name", "devices", "working_directory", "duration", "power_w", "checkpointable", "freeze"};
  for (const core::JobOption& option : core::JobOptions()) {
    if (!option.get || elsewhere.contains(option.field.key)) continue;
    const auto found = facts.job().find(core::AnswerKey(option.field));
    if (found == facts.job().end()) continue;
    const auto standard = option.get(core::Submission());
    if (standard && AnswerOf(*standard) == *found) continue;
    std::string title = option.field.key;
    std::ranges::replace(title, '_', ' ');
    facts.Line(title, TextOf(option.field, *found));
  }
}

void AddOptions(Facts& facts) {
  facts.Part();
  facts.Line("devices", DevicesText(facts));
  facts.Line("devices now", facts.Whole("devices_now"));
  facts.Line("devices so far", WidthsOf(facts.job(), "ran_devices"));
  facts.Line("devices planned", WidthsOf(facts.job(), "planned_devices"));
  facts.Line("sites planned", facts.Words("planned_sites", ""));
  facts.Line("estimate", EstimateText(facts));
  facts.Line("can be paused", StopText(facts));
  facts.Line("tier", facts.Text("tier"));
  AddPlainOptions(facts);
  facts.Line("speedup measured", facts.Words("learned_speedup", "; plans use it"));
  facts.Line("after jobs", facts.Numbers("after"));
  facts.Line("user", facts.Text("user"));
  facts.Line("sweep", facts.Whole("sweep"));
  facts.Line("parameters", facts.Pairs("parameters"));
  if (facts.Has("trackers"))
    for (const auto& [name, value] : facts.job().at("trackers").items())
      facts.Line(name, value.is_string() ? value.get<std::string>() : value.dump());
}

}  // namespace

Result<std::string> JobFacts(const std::string& answer, const LocalTimes& times) {
  const Json job = Json::parse(answer, nullptr, false);
  if (!job.is_object())
    return Fail({ExitCode::kUnavailable, "the service's answer is not JSON", "", ""});
  Facts facts(job, times);
  // Jobs that come from the store alone have no reason.
  facts.Title("job " + facts.Whole("id") + " (" + facts.Text("name") + "): " +
              (facts.Text("reason").empty() ? facts.Text("stage") : facts.Sentence("reason")));
  facts.Line("why", facts.Sentence("detail"));
  facts.Line("waits for jobs", facts.Numbers("waits_for"));
  facts.Part();
  facts.Line("command", CommandOf(job));
  facts.Line("directory", facts.Text("working_directory"));
  AddTimes(facts);
  AddAccount(facts);
  facts.Table(PlaceAndTimeText(answer, times));
  AddOptions(facts);
  return facts.text();
}

}  // namespace ebb::cli
