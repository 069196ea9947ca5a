#include "cli/top/top_sample.h"

#include <algorithm>
#include <map>

#include "base/json_node.h"
#include "base/text.h"

namespace ebb::cli {
namespace {

using Nodes = std::vector<JsonNode>;

const Nodes& ListOf(const JsonNode& json, const char* key) {
  static const Nodes none;
  const JsonNode* found = json.Find(key);
  return found ? found->items : none;
}
std::optional<double> NumberOf(const JsonNode& json, const char* key) {
  const JsonNode* found = json.Find(key);
  return found ? found->AsNumber() : std::nullopt;
}
long long WholeOf(const JsonNode& json, const char* key, long long otherwise = 0) {
  const auto number = NumberOf(json, key);
  return number ? static_cast<long long>(*number) : otherwise;
}
template <typename Quantity>
std::optional<Quantity> QuantityOf(const JsonNode& json, const char* key) {
  const auto number = NumberOf(json, key);
  return number ? std::optional(Quantity{*number}) : std::nullopt;
}
Energy EnergyOf(const JsonNode& json) {
  return Energy::Joules(NumberOf(json, "energy_kwh").value_or(0) * 3.6e6);
}

// "0,1"
std::string NumbersOf(const Nodes& numbers) {
  std::vector<std::string> words;
  for (const JsonNode& number : numbers) words.push_back(FormatFixed(number.number, 0));
  return Join(words, ",");
}

// "GPU 0", or the beginning of its UUID if it has no number at present.
std::string DeviceName(const JsonNode& device) {
  constexpr std::size_t kEnough = 12;
  const auto index = NumberOf(device, "index");
  return index ? "GPU " + FormatFixed(*index, 0) : device.TextOf("name").substr(0, kEnough);
}

std::string PoolName(const JsonNode& status, long long pool) {
  const Nodes& pools = ListOf(status, "pools");
  if (pool < 0 || pool >= static_cast<long long>(pools.size())) return "device";
  const std::string model = pools[static_cast<std::size_t>(pool)].TextOf("model");
  return model == "cpu" ? "CPU" : model;
}

// The devices that a running program has: its GPUs by their numbers, other devices by their slots.
std::string DevicesOf(const JsonNode& status, const JsonNode& program) {
  std::vector<std::string> numbers;
  for (const JsonNode& gpu : ListOf(program, "gpus"))
    for (const JsonNode& device : ListOf(status, "devices"))
      if (device.TextOf("name") == gpu.text && NumberOf(device, "index"))
        numbers.push_back(FormatFixed(*NumberOf(device, "index"), 0));
  if (!numbers.empty()) return "GPU " + Join(numbers, ",");
  return PoolName(status, WholeOf(program, "pool", -1)) + " " + NumbersOf(ListOf(program, "slots"));
}

// The time for which a job has run in all its attempts; nothing if it never has.
std::optional<Duration> RanOf(const JsonNode& job, Time now) {
  const Nodes& stretches = ListOf(job, "ran_ms");
  if (stretches.empty()) return std::nullopt;
  double milliseconds = 0;
  for (const JsonNode& stretch : stretches) {
    if (stretch.items.empty()) continue;
    const double begin = stretch.items[0].number;
    const double end =
        stretch.items.size() > 1 ? stretch.items[1].number : static_cast<double>(Milliseconds(now));
    milliseconds += std::max(end - begin, 0.0);
  }
  return Duration{static_cast<std::int64_t>(milliseconds)};
}

// The share of the run time that is over, if the plan keeps what it says.
void SetProgress(const JsonNode& json, Time now, TopJob& job) {
  job.progress_percent = NumberOf(json, "progress_percent");
  if (job.progress_percent || !job.runs() || !job.elapsed || !job.expected_end) return;
  const double ran = Seconds(*job.elapsed), left = Seconds(*job.expected_end - now);
  if (ran <= 0 || left < 0) return;
  job.is_by_plan = true;
  job.progress_percent = 100 * ran / (ran + left);
}

TopJob JobFrom(const JsonNode& json, Time now) {
  TopJob job;
  job.number = WholeOf(json, "id");
  job.name = json.TextOf("name");
  job.user = json.TextOf("user");
  job.stage = json.TextOf("stage");
  job.rule = json.TextOf("rule");
  job.reason = json.TextOf(json.TextOf("detail").empty() ? "reason" : "detail");
  if (job.reason.starts_with(job.stage + ": "))
    job.reason = job.reason.substr(job.stage.size() + 2);
  job.waits_for_jobs = !ListOf(json, "waits_for").empty();
  job.devices = std::to_string(WholeOf(json, "devices", 1));
  job.elapsed = RanOf(json, now);
  job.expected_start = json.TimeOf("expected_start");
  job.expected_end = json.TimeOf("expected_end");
  job.emissions = QuantityOf<Emissions>(json, "emissions_g");
  job.energy = EnergyOf(json);
  SetProgress(json, now, job);
  return job;
}

// Adds what the status says of the program of a job.
void AddProgram(const JsonNode& status, const JsonNode& program, TopJob& job) {
  job.devices = DevicesOf(status, program);
  job.power = QuantityOf<Power>(program, "power_w");
  job.emissions_per_hour = QuantityOf<Emissions>(program, "emissions_g_per_hour");
  job.cpu_percent = NumberOf(program, "cpu_percent");
}

const JsonNode* ProgramOf(const JsonNode& status, long long job) {
  for (const JsonNode& program : ListOf(status, "running"))
    if (WholeOf(program, "job") == job) return &program;
  return nullptr;
}

Status AddJobs(const std::string& answer, const JsonNode& status, TopSample& sample) {
  EBB_ASSIGN_OR_RETURN(const JsonNode json, ParseJson(answer, "/api/v1/jobs"));
  if (!json.Find("jobs")) return Fail(BadAnswer("has no jobs", answer, "/api/v1/jobs"));
  for (const JsonNode& one : ListOf(json, "jobs")) {
    TopJob job = JobFrom(one, sample.now);
    if (const JsonNode* program = ProgramOf(status, job.number)) AddProgram(status, *program, job);
    if (const std::string site = one.TextOf("site"); !site.empty()) job.devices += " at " + site;
    sample.jobs.push_back(std::move(job));
  }
  return {};
}

void AddGpus(const JsonNode& status, TopSample& sample) {
  for (const JsonNode& gpu : ListOf(status, "devices")) {
    TopDevice device;
    device.name = DeviceName(gpu);
    device.model = gpu.TextOf("model");
    device.state = gpu.TextOf("state");
    if (gpu.Find("job")) device.jobs = {WholeOf(gpu, "job")};
    device.power = QuantityOf<Power>(gpu, "power_w");
    device.utilisation_percent = NumberOf(gpu, "utilisation_percent");
    device.limit = gpu.TextOf("power_cap");
    sample.devices.push_back(std::move(device));
  }
}

// Adds a line for each pool whose devices have no names: CPUs, nodes of a cluster.
void AddPools(const JsonNode& status, TopSample& sample) {
  const Nodes& pools = ListOf(status, "pools");
  const auto has_gpus = [&](std::size_t pool) {
    return std::ranges::any_of(ListOf(status, "devices"), [&](const JsonNode& device) {
      return WholeOf(device, "pool", -1) == static_cast<long long>(pool);
    });
  };
  for (std::size_t i = 0; i < pools.size(); ++i) {
    const auto pool = static_cast<long long>(i);
    const long long there = WholeOf(pools[i], "count") - WholeOf(pools[i], "away");
    long long busy = 0;
    TopDevice device;
    for (const JsonNode& program : ListOf(status, "running")) {
      if (WholeOf(program, "pool", -1) != pool) continue;
      busy += static_cast<long long>(ListOf(program, "slots").size());
      device.jobs.push_back(WholeOf(program, "job"));
      if (const auto percent = NumberOf(program, "cpu_percent"))
        device.utilisation_percent =
            std::min(device.utilisation_percent.value_or(0) + *percent, 100.0);
    }
    sample.devices_busy += busy;
    sample.devices_free += std::max(there - busy, 0LL);
    if (has_gpus(i)) continue;
    device.name = PoolName(status, pool);
    if (const std::string site = pools[i].TextOf("site"); !site.empty())
      device.name += " at " + site;
    device.state = std::to_string(busy) + " of " + std::to_string(there) + " busy";
    sample.devices.push_back(std::move(device));
  }
}

void AddSignals(const JsonNode& status, const JsonNode& grid, TopSample& sample) {
  for (const JsonNode& json : ListOf(status, "signals")) {
    TopSignal signal;
    signal.zone = json.TextOf("zone");
    signal.g_per_kwh = NumberOf(json, "g_per_kwh");
    signal.status = json.TextOf("status");
    signal.lost = json.TextOf("lost");
    sample.signals.push_back(std::move(signal));
  }
  for (const JsonNode& site : ListOf(grid, "sites")) {
    const auto number = static_cast<std::size_t>(WholeOf(site, "site"));
    if (number < sample.signals.size())
      sample.signals[number].hours = CleanHoursOf(HoursOfSite(site, sample.now), sample.now);
  }
}

// Sums up what is known of the jobs that run; nothing if nothing of it is known.
template <typename Quantity>
std::optional<Quantity> SumOf(const std::vector<TopJob>& jobs,
                              std::optional<Quantity> TopJob::*member, double Quantity::*number) {
  std::optional<Quantity> sum;
  for (const TopJob& job : jobs)
    if (job.*member) sum = Quantity{(sum ? (*sum).*number : 0) + (*(job.*member)).*number};
  return sum;
}

void AddTotals(const JsonNode& status, TopSample& sample) {
  if (const JsonNode* jobs = status.Find("jobs")) {
    for (const char* stage : {"starting", "running", "pausing"})
      sample.running += WholeOf(*jobs, stage);
    sample.waiting = WholeOf(*jobs, "waiting");
    sample.paused = WholeOf(*jobs, "paused");
  }
  const long long shown = std::ranges::count(sample.jobs, "waiting", &TopJob::stage);
  sample.left_out = std::max(sample.waiting - shown, 0LL);
  sample.power = SumOf(sample.jobs, &TopJob::power, &Power::watts);
  sample.emissions_per_hour = SumOf(sample.jobs, &TopJob::emissions_per_hour, &Emissions::grams);
  sample.energy = EnergyOf(status);
  sample.emissions = QuantityOf<Emissions>(status, "emissions_g");
  if (const JsonNode* today = status.Find("today")) {
    sample.today_since = today->TimeOf("since");
    sample.today_energy = EnergyOf(*today);
    sample.today_emissions = QuantityOf<Emissions>(*today, "emissions_g");
  }
}

void AddTroubles(const JsonNode& status, TopSample& sample) {
  const auto add = [&](const std::string& begin, const std::string& why) {
    if (!why.empty()) sample.troubles.push_back(begin + why);
  };
  add("nothing starts: ", status.TextOf("trouble"));
  add("no GPU can be given to a job: ", status.TextOf("device_trouble"));
  if (const JsonNode* drain = status.Find("drain"); drain && drain->IsTrue("draining")) {
    const std::string why = drain->TextOf("why");
    add("", "nothing starts: the service drains" + (why.empty() ? "" : " (" + why + ")"));
  }
  for (const TopSignal& signal : sample.signals)
    add("the signal of " + signal.zone + " cannot be reached: ", signal.lost);
}

}  // namespace

Result<TopSample> ReadTopSample(const TopAnswers& answers) {
  constexpr const char* kStatus = "/api/v1/status";
  EBB_ASSIGN_OR_RETURN(const JsonNode status, ParseJson(answers.status, kStatus));
  const auto now = status.TimeOf("now");
  if (!now) return Fail(BadAnswer("has no time", answers.status, kStatus));
  TopSample sample;
  sample.now = *now;
  EBB_RETURN_IF_ERROR(AddJobs(answers.active, status, sample));
  EBB_RETURN_IF_ERROR(AddJobs(answers.waiting, status, sample));
  std::ranges::sort(sample.jobs, {}, &TopJob::number);
  AddGpus(status, sample);
  AddPools(status, sample);
  // Without the hours the rest is as useful.
  const auto grid = ParseJson(answers.grid, "/api/v1/grid");
  AddSignals(status, grid ? *grid : JsonNode{}, sample);
  AddTotals(status, sample);
  AddTroubles(status, sample);
  return sample;
}

}  // namespace ebb::cli
