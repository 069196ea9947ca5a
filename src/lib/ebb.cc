// The border of libebb between the C interface and Results. No exception crosses it. Every entry
// checks whether this process owns the tracker before it touches anything that a fork may have left
// locked.

#include "lib/ebb.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <limits>
#include <string>

#include "base/csv.h"
#include "base/text.h"
#include "lib/tracker.h"
#include "platform/system.h"
#include "report/run/emissions_file.h"

namespace {

using ebb::Error;
using ebb::ExitCode;
using ebb::Fail;
using ebb::Result;
using ebb::Status;

// The id of the process that tracks at the moment; 0: none. An id rather than a flag, so that a
// forked child, which has no sampler, may start a tracker of its own.
std::atomic<pid_t> tracking_process{0};

int Say(ebb_error* error, int code, const std::string& message) {
  if (!error || error->size < sizeof(ebb_error)) return code;
  error->code = code;
  const std::size_t length = std::min(message.size(), sizeof error->message - 1);
  std::memcpy(error->message, message.data(), length);
  error->message[length] = '\0';
  return code;
}

int CodeOf(const Error& error) {
  switch (error.code) {
    case ExitCode::kUsage:
    case ExitCode::kConfiguration:
    case ExitCode::kUnavailable:
      return static_cast<int>(error.code);
    default:
      return EBB_UNAVAILABLE;
  }
}

int Say(ebb_error* out, const Error& error) { return Say(out, CodeOf(error), error.Message()); }

// Runs the body. Returns its code, or EBB_BUG if it throws.
template <typename Body>
int Guarded(ebb_error* error, Body body) noexcept {
  try {
    return body();
  } catch (const std::exception& thrown) {
    return Say(error, EBB_BUG, std::string("unexpected: ") + thrown.what());
  } catch (...) {
    return Say(error, EBB_BUG, "unexpected exception");
  }
}

// Copies the caller's struct, which may have fewer or more fields than ours.
ebb_options OptionsOf(const ebb_options* given) {
  ebb_options options;
  ebb_options_init(&options, sizeof options);
  if (!given) return options;
  std::memcpy(&options, given, std::min(given->size, sizeof options));
  return options;
}

int CheckSize(const ebb_options* given, ebb_error* error) {
  if (!given || given->size >= offsetof(ebb_options, read_codecarbon_settings) + sizeof(int32_t))
    return EBB_OK;
  return Say(error, EBB_USAGE, "ebb_options.size is too small: call ebb_options_init first");
}

Status CheckSettings(const char* what, const ebb_setting* settings, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (!settings[i].name || !settings[i].value)
      return Fail({ExitCode::kUsage,
                   std::string(what) + " number " + std::to_string(i) + " has no name or no value",
                   "", "give both, or leave it out"});
  }
  return {};
}

Result<ebb::lib::TrackerOptions> Translate(const ebb_options& options) {
  EBB_RETURN_IF_ERROR(CheckSettings("the flag", options.flags, options.flag_count));
  EBB_RETURN_IF_ERROR(
      CheckSettings("the setting of CodeCarbon", options.codecarbon, options.codecarbon_count));
  ebb::lib::TrackerOptions translated;
  for (std::size_t i = 0; i < options.flag_count; ++i)
    translated.flags[options.flags[i].name] = options.flags[i].value;
  for (std::size_t i = 0; i < options.codecarbon_count; ++i)
    translated.codecarbon.given[options.codecarbon[i].name] = {options.codecarbon[i].value, ""};
  translated.codecarbon.machine = options.read_codecarbon_settings != 0;
  translated.codecarbon.defaults = options.codecarbon_defaults != 0;
  if (options.default_name) translated.default_name = options.default_name;
  return translated;
}

int GiveText(const std::string& given, char* text, std::size_t size, ebb_error* error) {
  if (!text || size <= given.size())
    return Say(error, EBB_USAGE,
               "the text needs " + std::to_string(given.size() + 1) + " bytes: give as many");
  std::memcpy(text, given.c_str(), given.size() + 1);
  return EBB_OK;
}

std::string SettingsText(const ebb::lib::EffectiveSettings& settings) {
  std::string text;
  const auto add = [&](const char* kind, const std::string& name, const std::string& value) {
    text += ebb::CsvLine({kind, name, value}) + "\n";
  };
  for (const auto& [name, value] : settings.flags) add("flag", name, value);
  if (!settings.experiment_name.empty())
    add("setting", "experiment_name", settings.experiment_name);
  for (const std::string& note : settings.notes) add("note", "", note);
  if (settings.rank) add("rank", settings.rank->variable, std::to_string(settings.rank->rank));
  if (settings.counted_elsewhere) add("counted", "", ebb::app::WhoCounts(*settings.rank));
  return text;
}

Result<ebb::report::EmissionsFields> FieldsOf(const ebb_setting* fields, std::size_t count) {
  EBB_RETURN_IF_ERROR(CheckSettings("the field", fields, count));
  const std::vector<std::string>& columns = ebb::report::EmissionsColumns();
  ebb::report::EmissionsFields row;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = fields[i].name;
    if (std::find(columns.begin(), columns.end(), name) == columns.end())
      return Fail({ExitCode::kUsage, "\"" + name + "\" is not a column of emissions.csv", "",
                   "docs/codecarbon.md has them" + ebb::SuggestionText(name, columns)});
    row[name] = fields[i].value;
  }
  return row;
}

void Fill(const ebb::lib::Totals& from, ebb_totals* out) {
  if (!out) return;
  ebb_totals totals = EBB_TOTALS_INIT;
  totals.size = out->size;
  totals.duration_s = from.duration_s;
  totals.energy_kwh = (from.cpu + from.gpu + from.ram).kwh();
  totals.cpu_kwh = from.cpu.kwh();
  totals.gpu_kwh = from.gpu.kwh();
  totals.ram_kwh = from.ram.kwh();
  totals.facility_kwh = from.use.energy.kwh();
  const bool known = from.use.energy > from.use.without_intensity;
  totals.emissions_g = known ? from.use.emissions.grams : std::numeric_limits<double>::quiet_NaN();
  totals.facility_without_intensity_kwh = from.use.without_intensity.kwh();
  totals.power_w = from.power.watts;
  std::memcpy(out, &totals, std::min(totals.size, sizeof totals));
}

}  // namespace

struct ebb_tracker {
  pid_t process = 0;
  std::unique_ptr<ebb::lib::Tracker> tracker;
};

namespace {

int CheckOwner(const ebb_tracker* tracker, ebb_error* error) {
  if (!tracker)
    return Say(error, EBB_USAGE, "there is no tracker: ebb_start failed, or was not called");
  if (tracker->process == ebb::platform::ProcessId()) return EBB_OK;
  return Say(error, EBB_FORKED,
             "the tracker belongs to process " + std::to_string(tracker->process) +
                 ", which forked this one and measures it with itself");
}

// Lets the process start another tracker, once this one no longer measures.
void Release() {
  pid_t self = ebb::platform::ProcessId();
  tracking_process.compare_exchange_strong(self, 0);
}

int StartInto(ebb_tracker*& tracker, const ebb_options* given, ebb_error* error) {
  if (const int code = CheckSize(given, error)) return code;
  const auto options = Translate(OptionsOf(given));
  if (!options) return Say(error, options.error());
  const pid_t self = ebb::platform::ProcessId();
  pid_t current = tracking_process.load();
  if (current == self || !tracking_process.compare_exchange_strong(current, self))
    return Say(error, EBB_BUSY,
               "this process is tracking already, and a second tracker would count the same energy "
               "twice: stop the first, or mark epochs in it");
  auto started = ebb::lib::Tracker::Start(*options);
  if (!started) {
    Release();
    return Say(error, started.error());
  }
  if (!*started) {
    Release();
    return Say(error, EBB_COUNTED, ebb::app::WhoCounts(*ebb::app::FindLocalRank()));
  }
  tracker = new ebb_tracker{self, std::move(*started)};
  return EBB_OK;
}

}  // namespace

extern "C" {

const char* ebb_version(void) { return EBB_VERSION; }

void ebb_options_init(ebb_options* options, size_t size) {
  if (!options) return;
  ebb_options defaults{};
  defaults.size = size;
  defaults.read_codecarbon_settings = 1;
  std::memset(static_cast<void*>(options), 0, size);
  std::memcpy(options, &defaults, std::min(size, sizeof defaults));
}

ebb_tracker* ebb_start(const ebb_options* options, ebb_error* error) {
  ebb_tracker* tracker = nullptr;
  const int code = Guarded(error, [&] { return StartInto(tracker, options, error); });
  if (code == EBB_BUG) Release();
  return tracker;
}

int ebb_read_settings(const ebb_options* given, char* text, size_t size, ebb_error* error) {
  return Guarded(error, [&] {
    if (const int code = CheckSize(given, error)) return code;
    const auto options = Translate(OptionsOf(given));
    if (!options) return Say(error, options.error());
    const auto settings = ebb::lib::ReadSettings(*options);
    if (!settings) return Say(error, settings.error());
    return GiveText(SettingsText(*settings), text, size, error);
  });
}

int ebb_write_emissions_row(const char* file, const ebb_setting* fields, size_t field_count,
                            int32_t update, ebb_error* error) {
  return Guarded(error, [&] {
    if (!file) return Say(error, EBB_USAGE, "there is no file to write to");
    const auto row = FieldsOf(fields, field_count);
    if (!row) return Say(error, row.error());
    using ebb::report::CsvWrite;
    const auto written =
        ebb::report::WriteEmissionsRow(file, *row, update ? CsvWrite::kUpdate : CsvWrite::kAppend);
    if (!written) return Say(error, written.error());
    return Say(error, EBB_OK, ebb::Join(*written, "; "));
  });
}

const char* ebb_notes(const ebb_tracker* tracker) {
  return tracker ? tracker->tracker->notes().c_str() : "";
}

const char* ebb_run_directory(const ebb_tracker* tracker) {
  return tracker ? tracker->tracker->directory().c_str() : "";
}

int ebb_mark_epoch(ebb_tracker* tracker, int32_t number, ebb_error* error) {
  return Guarded(error, [&] {
    if (const int code = CheckOwner(tracker, error)) return code;
    const Status marked = tracker->tracker->MarkEpoch(number);
    return marked ? static_cast<int>(EBB_OK) : Say(error, marked.error());
  });
}

int ebb_add_work(ebb_tracker* tracker, int64_t steps, int64_t samples, int64_t tokens,
                 ebb_error* error) {
  return Guarded(error, [&] {
    if (const int code = CheckOwner(tracker, error)) return code;
    const Status added = tracker->tracker->AddWork({tokens, samples, steps});
    return added ? static_cast<int>(EBB_OK) : Say(error, added.error());
  });
}

int ebb_get_totals(ebb_tracker* tracker, ebb_totals* totals, ebb_error* error) {
  return Guarded(error, [&] {
    if (const int code = CheckOwner(tracker, error)) return code;
    Fill(tracker->tracker->Now(), totals);
    return static_cast<int>(EBB_OK);
  });
}

int ebb_get_emissions_row(ebb_tracker* tracker, char* text, size_t size, ebb_error* error) {
  return Guarded(error, [&] {
    if (const int code = CheckOwner(tracker, error)) return code;
    std::vector<std::string> columns = ebb::report::EmissionsColumns();
    columns.emplace_back(ebb::lib::kEnergyWithoutIntensity);
    const std::string row = ebb::report::EmissionsLine(columns, tracker->tracker->Row());
    return GiveText(ebb::CsvLine(columns) + "\n" + row + "\n", text, size, error);
  });
}

int ebb_stop(ebb_tracker* tracker, int32_t exit_code, ebb_totals* totals, ebb_error* error) {
  return Guarded(error, [&] {
    if (const int code = CheckOwner(tracker, error)) return code;
    const bool first = !tracker->tracker->stopped();
    const auto stopped = tracker->tracker->Stop(exit_code);
    if (first) Release();
    if (!stopped) return Say(error, stopped.error());
    Fill(*stopped, totals);
    return static_cast<int>(EBB_OK);
  });
}

void ebb_free(ebb_tracker* tracker) {
  // A forked child's copy of the tracker has no sampler thread and may be locked, so it is left
  // alone.
  if (CheckOwner(tracker, nullptr) != EBB_OK) return;
  ebb_stop(tracker, 0, nullptr, nullptr);
  Guarded(nullptr, [&] {
    delete tracker;
    return static_cast<int>(EBB_OK);
  });
}

}  // extern "C"
