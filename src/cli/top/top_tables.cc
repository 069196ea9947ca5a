#include "cli/top/top_tables.h"

#include "base/text.h"
#include "base/units_text.h"
#include "report/run/known_emissions.h"

namespace ebb::cli {
namespace {

template <typename T, typename Text>
std::string TextOf(const std::optional<T>& value, Text text) {
  return value ? text(*value) : std::string();
}

std::string PeriodText(Interval period, const LocalTimes& times) {
  return times.Moment(period.begin) + "-" + times.Moment(period.end);
}

// "DE  312 g/kWh now, dirty; next clean hours 11:00-13:00, 141 g/kWh"
std::string SignalLine(const TopSignal& signal, const LocalTimes& times) {
  std::string text = Printable(signal.zone.empty() ? "grid" : signal.zone) + "  ";
  text += signal.g_per_kwh ? IntensityText({*signal.g_per_kwh}) + " now" : "intensity unknown";
  if (!signal.status.empty() && signal.status != "measured")
    text += " (" + Printable(signal.status) + ")";
  if (!signal.hours) return text;
  const CleanHours& hours = *signal.hours;
  text += ", " + std::string(Name(hours.now));
  if (hours.now == Cleanness::kClean) return text + " until " + times.Moment(hours.next.end);
  return text + "; next clean hours " + PeriodText(hours.next, times) + ", " +
         IntensityText({hours.g_per_kwh});
}

// "power 312 W, 98.1 g/h"
std::string PowerLine(const TopSample& sample) {
  const auto power = [](Power value) { return PowerText(value); };
  const auto grams = [](Emissions value) { return ", " + EmissionsText(value) + "/h"; };
  std::string text = "power ";
  text += sample.power ? TextOf(sample.power, power) : sample.running > 0 ? "unknown" : "0 W";
  return text + TextOf(sample.emissions_per_hour, grams);
}

// "today 0.20 kWh, emitted 61 g   all jobs so far 4.56 kWh, emitted 1.23 kg"
std::string UsedLine(const TopSample& sample) {
  const auto used = [](Energy energy, const std::optional<Emissions>& emissions) {
    const std::string emitted = report::EmittedText(energy, emissions);
    return EnergyText(energy) + (emitted.empty() ? "" : ", emitted " + emitted);
  };
  std::string text;
  if (sample.today_since)
    text = "today " + used(sample.today_energy, sample.today_emissions) + "   ";
  return text + "all jobs so far " + used(sample.energy, sample.emissions);
}

std::string PercentText(double percent) { return FormatFixed(percent, 0) + " %"; }

std::string CountsLine(const TopSample& sample) {
  const auto count = [](long long number) { return std::to_string(number); };
  return "jobs " + count(sample.running) + " running, " + count(sample.waiting) + " waiting, " +
         count(sample.paused) + " paused   devices " + count(sample.devices_busy) + " busy, " +
         count(sample.devices_free) + " free";
}

std::string ProgressCell(const TopJob& job) {
  if (!job.progress_percent) return "";
  return (job.is_by_plan ? "~" : "") + FormatFixed(*job.progress_percent, 0) + " %";
}

// "ends 12:05", or "starts 11:00" of a job that does not run.
std::string ExpectedCell(const TopJob& job, const LocalTimes& times) {
  if (job.runs())
    return job.expected_end ? "ends " + times.Moment(*job.expected_end) : std::string();
  return job.expected_start ? "starts " + times.Moment(*job.expected_start) : std::string();
}

std::string ElapsedText(Duration elapsed) {
  return FormatDuration(std::chrono::floor<std::chrono::seconds>(elapsed));
}

}  // namespace

std::vector<std::string> TopHeader(const TopSample& sample, const LocalTimes& times) {
  std::vector<std::string> lines;
  for (const TopSignal& signal : sample.signals) lines.push_back(SignalLine(signal, times));
  // An earlier service does not say what was used today, and then both fit on one line.
  lines.push_back(PowerLine(sample));
  if (sample.today_since)
    lines.push_back(UsedLine(sample));
  else
    lines.back() += "   " + UsedLine(sample);
  lines.push_back(CountsLine(sample));
  for (const std::string& trouble : sample.troubles)
    lines.push_back(times.InText(Printable(trouble)));
  return lines;
}

report::TextTable TopJobTable(const std::vector<TopJob>& jobs, const LocalTimes& times) {
  report::TextTable table;
  table.headers = {"job",      "name",   "stage",   "power",   "progress", "emitted",
                   "expected", "energy", "elapsed", "devices", "user",     "rate"};
  table.texts = {1, 2, 6, 9, 10};
  for (const TopJob& job : jobs) {
    const auto rate = [](double percent) { return FormatSignificant(percent, 3) + " %/h"; };
    table.rows.push_back({std::to_string(job.number), job.name, job.stage,
                          TextOf(job.power, PowerText), ProgressCell(job),
                          report::EmittedText(job.energy, job.emissions), ExpectedCell(job, times),
                          job.energy > Energy{} ? EnergyText(job.energy) : "",
                          TextOf(job.elapsed, ElapsedText), job.devices, job.user,
                          TextOf(job.percent_per_hour, rate)});
  }
  return table;
}

report::TextTable TopDeviceTable(const std::vector<TopDevice>& devices) {
  report::TextTable table;
  table.headers = {"device", "model", "state", "job", "power", "limit", "use"};
  table.texts = {1, 2, 3};
  for (const TopDevice& device : devices) {
    std::vector<std::string> jobs;
    for (const long long job : device.jobs) jobs.push_back(std::to_string(job));
    table.rows.push_back({device.name, device.model, device.state, Join(jobs, ", "),
                          TextOf(device.power, PowerText), device.limit,
                          TextOf(device.utilisation_percent, PercentText)});
  }
  return table;
}

}  // namespace ebb::cli
