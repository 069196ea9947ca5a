#include "signals/traces/trace_import.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "signals/traces/csv_rows.h"
#include "signals/traces/trace_csv.h"
#include "signals/traces/trace_header.h"

namespace ebb::signals {
namespace {

namespace chr = std::chrono;

// A file that was read.
struct Part {
  std::string path;
  Trace trace;
};

std::string Words(core::Boundary boundary) {
  return boundary == core::Boundary::kDirect ? "direct" : "life-cycle";
}

bool SaysUtc(std::string_view time) {
  return TimeSince1970(time) || time.ends_with('Z') ||
         time.find_first_of("+-", 10) != std::string_view::npos;
}

Status CheckBoundary(const TraceHeader& header, const ImportFile& file,
                     std::optional<core::Boundary> wanted) {
  const core::SignalIdentity named = IdentityFromFileName(file.path);
  const core::Boundary stated = header.boundary.value_or(named.boundary);
  if (stated == core::Boundary::kUnknown) {
    if (wanted || named.kind == core::SignalKind::kMarginal) return {};
    return Fail({ExitCode::kConfiguration,
                 "neither column " + Quoted(header.value_name) +
                     " nor the file's name says whether the intensity is life-cycle or direct",
                 file.path, "say it: --boundary lifecycle, or --boundary direct"});
  }
  if (!wanted || *wanted == stated) return {};
  return Fail({ExitCode::kConfiguration,
               "has no " + Words(*wanted) + " intensity: column " + Quoted(header.value_name) +
                   " is " + Words(stated),
               file.path, "--boundary " + std::string(core::Name(stated)) + " takes it"});
}

// Checks the assumptions of the reader of traces: that the times are UTC, and that a boundary given
// by hand does not contradict the file.
Status CheckHeader(const ImportFile& file, const ImportOptions& options,
                   const TraceOptions& trace_options) {
  CsvReader csv(file.text, file.path, CsvBlanks::kTrimmed, CsvSeparatorOf(file.text));
  EBB_RETURN_IF_ERROR(ReadHeader(csv, file.path));
  const std::string where = file.path + ":" + std::to_string(csv.line());
  EBB_ASSIGN_OR_RETURN(const TraceHeader header,
                       ParseTraceHeader(csv.fields(), where, trace_options));
  EBB_RETURN_IF_ERROR(CheckBoundary(header, file, options.boundary));
  EBB_ASSIGN_OR_RETURN(const bool any, csv.Next());
  const bool utc = options.times_are_utc || header.time_says_utc ||
                   (any && header.time < csv.fields().size() && SaysUtc(csv.fields()[header.time]));
  if (utc) return {};
  return Fail({ExitCode::kConfiguration,
               "neither the heading nor the times say that they are UTC; local times lack an hour "
               "in spring and repeat one in autumn",
               where, "--utc if they are UTC"});
}

Result<Part> ReadPart(const ImportFile& file, const ImportOptions& options) {
  TraceOptions trace_options;
  trace_options.zone = options.zone;
  trace_options.boundary = options.boundary;
  trace_options.column = options.column;
  EBB_RETURN_IF_ERROR(CheckHeader(file, options, trace_options));
  EBB_ASSIGN_OR_RETURN(Trace trace, ParseTrace(file.text, file.path, trace_options));
  if (trace.series.identity().zone.empty())
    return Fail({ExitCode::kConfiguration, "does not say whose intensity it holds", file.path,
                 "name it: --zone DE"});
  return Part{file.path, std::move(trace)};
}

Status CheckAlike(const Part& first, const Part& part) {
  const core::SignalIdentity &a = first.trace.series.identity(), &b = part.trace.series.identity();
  if (a.zone != b.zone)
    return Fail(
        {ExitCode::kConfiguration,
         "holds zone " + Quoted(b.zone) + ", but " + first.path + " holds " + Quoted(a.zone),
         part.path, "import one zone at a time"});
  if (a.kind != b.kind)
    return Fail({ExitCode::kConfiguration,
                 "is " + std::string(core::Name(b.kind)) + ", but " + first.path + " is " +
                     std::string(core::Name(a.kind)),
                 part.path, "average and marginal intensity are never joined"});
  if (a.boundary != b.boundary)
    return Fail({ExitCode::kConfiguration,
                 "is " + Words(b.boundary) + ", but " + first.path + " is " + Words(a.boundary),
                 part.path, "choose one: --boundary lifecycle, or --boundary direct"});
  // Files of months and years have no fixed step.
  const bool regular = !first.trace.irregular && !part.trace.irregular;
  const Duration a_step = first.trace.step, b_step = part.trace.step;
  if (regular && a_step != b_step && std::min(a_step, b_step) < chr::days{28})
    return Fail({ExitCode::kConfiguration,
                 "has a row every " + FormatDuration(b_step) + ", but " + first.path +
                     " one every " + FormatDuration(a_step),
                 part.path, "import files of one step"});
  return {};
}

// Appends a part that begins where the samples so far end, or repeats some of them.
Status Append(const Part& part, TraceImport& import) {
  for (const core::Sample& sample : part.trace.series.samples()) {
    const Time begin = sample.interval.begin;
    const auto there =
        std::lower_bound(import.samples.begin(), import.samples.end(), begin,
                         [](const core::Sample& s, Time time) { return s.interval.begin < time; });
    if (there == import.samples.end()) {
      import.samples.push_back(sample);
      continue;
    }
    if (there->interval.begin != begin)
      return Fail({ExitCode::kConfiguration,
                   Quoted(FormatTime(begin)) + " lies between the rows of another file", part.path,
                   "import files of one step, and of periods that do not overlap"});
    if (there->intensity.g_per_kwh != sample.intensity.g_per_kwh)
      return Fail({ExitCode::kConfiguration,
                   "says " + FormatExact(sample.intensity.g_per_kwh) + " g/kWh for " +
                       Quoted(FormatTime(begin)) + ", another file says " +
                       FormatExact(there->intensity.g_per_kwh),
                   part.path, "leave one of the two files out"});
    ++import.repeated;
  }
  return {};
}

chr::year_month_day DateOf(Time time) { return chr::floor<chr::days>(time); }
bool IsMidnight(Time time) { return chr::floor<chr::days>(time) == time; }

StepKind KindOf(const std::vector<Time>& begins, bool irregular) {
  const auto all = [&](auto fits) { return std::all_of(begins.begin(), begins.end(), fits); };
  const bool first_days =
      all([](Time t) { return IsMidnight(t) && DateOf(t).day() == chr::day{1}; });
  if (!first_days) return irregular ? StepKind::kReadings : StepKind::kFixed;
  const bool januaries = all([](Time t) { return DateOf(t).month() == chr::January; });
  return januaries ? StepKind::kYears : StepKind::kMonths;
}

Time EndOf(const TraceImport& import, const core::Sample& sample) {
  const chr::year_month_day date = DateOf(sample.interval.begin);
  if (import.step_kind == StepKind::kMonths) return chr::sys_days{date + chr::months{1}};
  if (import.step_kind == StepKind::kYears) return chr::sys_days{date + chr::years{1}};
  if (import.step_kind == StepKind::kFixed) return sample.interval.begin + import.step;
  return sample.interval.end;
}

bool IsEstimated(const core::Sample& sample) {
  return sample.status == core::SampleStatus::kEstimated;
}

Status SettleStep(TraceImport& import) {
  std::vector<Time> begins;
  for (const core::Sample& sample : import.samples) begins.push_back(sample.interval.begin);
  if (begins.size() < 2)
    return Fail({ExitCode::kConfiguration, "one row does not tell how long its value holds",
                 import.parts.front().path, "import at least two rows"});
  const RowStep step = InferStep(begins, TraceOptions{}.hold_limit);
  import.step_kind = KindOf(begins, step.irregular);
  import.step = step.length;
  for (std::size_t i = 0; i < import.samples.size(); ++i) {
    Time end = EndOf(import, import.samples[i]);
    if (i + 1 < begins.size()) end = std::min(end, begins[i + 1]);
    import.samples[i].interval.end = end;
  }
  return {};
}

// Whether the gap looks like the start of summer time: a lone missing hour on a Sunday of the
// months in which clocks go forward.
bool LooksLikeSummerTime(Interval gap) {
  const auto month = static_cast<unsigned>(DateOf(gap.begin).month());
  return gap.length() == chr::hours{1} && (month == 3 || month == 9 || month == 10) &&
         chr::weekday{chr::floor<chr::days>(gap.begin)} == chr::Sunday;
}

void FindGaps(TraceImport& import) {
  if (import.step_kind == StepKind::kReadings) return;
  for (std::size_t i = 1; i < import.samples.size(); ++i) {
    const Interval gap{import.samples[i - 1].interval.end, import.samples[i].interval.begin};
    if (gap.length() > Duration::zero()) import.gaps.push_back(gap);
  }
  for (const Interval& gap : import.gaps)
    if (LooksLikeSummerTime(gap))
      import.notes.push_back("the hour from " + FormatTime(gap.begin) +
                             " is missing, as where clocks go forward: are the times local?");
}

std::string DateText(Time time) { return FormatTime(chr::floor<chr::days>(time)).substr(0, 10); }

std::string PeriodText(Interval span) {
  const auto new_year = [](Time time) {
    return IsMidnight(time) && DateOf(time).month() == chr::January &&
           DateOf(time).day() == chr::day{1};
  };
  const Time last = span.end - Duration{1};
  if (!new_year(span.begin) || !new_year(span.end))
    return DateText(span.begin) + "_" + DateText(last);
  const std::string first_year = DateText(span.begin).substr(0, 4);
  const std::string last_year = DateText(last).substr(0, 4);
  return first_year == last_year ? first_year : first_year + "-" + last_year;
}

}  // namespace

Result<TraceImport> ImportTraces(const std::vector<ImportFile>& files,
                                 const ImportOptions& options) {
  std::vector<Part> parts;
  for (const ImportFile& file : files) {
    EBB_ASSIGN_OR_RETURN(Part part, ReadPart(file, options));
    if (!parts.empty()) EBB_RETURN_IF_ERROR(CheckAlike(parts.front(), part));
    parts.push_back(std::move(part));
  }
  if (parts.empty()) return Fail({ExitCode::kUsage, "no file to import", "", ""});
  std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    return a.trace.series.span().begin < b.trace.series.span().begin;
  });
  TraceImport import;
  import.identity = parts.front().trace.series.identity();
  for (const Part& part : parts) {
    import.parts.push_back(
        {part.path, part.trace.series.span(), part.trace.series.samples().size()});
    EBB_RETURN_IF_ERROR(Append(part, import));
  }
  EBB_RETURN_IF_ERROR(SettleStep(import));
  FindGaps(import);
  import.estimated = static_cast<std::size_t>(
      std::count_if(import.samples.begin(), import.samples.end(), IsEstimated));
  return import;
}

std::string StepName(const TraceImport& import) {
  switch (import.step_kind) {
    case StepKind::kReadings:
      return "readings";
    case StepKind::kMonths:
      return "monthly";
    case StepKind::kYears:
      return "yearly";
    case StepKind::kFixed:
      break;
  }
  if (import.step == chr::hours{1}) return "hourly";
  if (import.step == chr::days{1}) return "daily";
  if (import.step < chr::hours{1} && import.step % chr::minutes{1} == Duration::zero())
    return std::to_string(chr::floor<chr::minutes>(import.step).count()) + "-minute";
  std::string text = FormatDuration(import.step);
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  return text;
}

std::string TraceCsv(const TraceImport& import) {
  // Months and years have no fixed length, so each row has its end.
  const bool ends = import.step_kind == StepKind::kMonths || import.step_kind == StepKind::kYears;
  std::string text = "timestamp";
  if (ends) text += ",end";
  text += ",carbon_intensity";
  if (import.estimated > 0) text += ",is_estimated";
  text += '\n';
  for (const core::Sample& sample : import.samples) {
    text += FormatTime(sample.interval.begin);
    if (ends) text += "," + FormatTime(sample.interval.end);
    text += "," + FormatExact(sample.intensity.g_per_kwh);
    if (import.estimated > 0)
      text += sample.status == core::SampleStatus::kEstimated ? ",true" : ",false";
    text += '\n';
  }
  return text;
}

std::string TraceFileName(const TraceImport& import) {
  std::string zone = import.identity.zone;
  for (char& c : zone)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-') c = '-';
  const bool marginal = import.identity.kind == core::SignalKind::kMarginal;
  const Interval span{import.samples.front().interval.begin, import.samples.back().interval.end};
  return zone + "_imported_" + PeriodText(span) + "_" + StepName(import) + "_" +
         std::string(marginal ? "marginal" : core::Name(import.identity.boundary)) + ".csv";
}

}  // namespace ebb::signals
