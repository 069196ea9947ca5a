#include "slurm/client/rest_json.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/json_node.h"
#include "base/text.h"
#include "slurm/client/slurm_commands.h"
#include "slurm/client/slurm_text.h"

namespace ebb::slurm {
namespace {

using Json = nlohmann::json;

constexpr std::array kVersions{44, 43, 42, 41, 40, 38, 37};
constexpr int kLastWithTextTimes = 38;
// Accounting of v0.0.38 reports success for jobs that ended with an exit code.
constexpr int kLastWithoutExitCodes = 38;
// Slurm's number for a query that finds nothing.
constexpr int kNothingFound = 9003;
// Numbers from here on are Slurm's words for "none" and "infinite", in versions without null.
constexpr std::int64_t kNoValue = 0xfffffffe;
// The largest index of an array's element that Slurm can be configured for.
constexpr std::int64_t kLargestElement = 4'000'000;
// Nothing that Ebb reads lies deeper.
constexpr int kDeepest = 8;

// Members that the readers look at. All others are dropped while an answer is parsed, because the
// jobs of a large cluster take hundreds of megabytes with them.
bool IsRead(const std::string& member) {
  static const std::set<std::string, std::less<>> read{"account",
                                                       "alloc_cpus",
                                                       "array",
                                                       "array_job_id",
                                                       "array_task_id",
                                                       "batch_host",
                                                       "comment",
                                                       "cpus",
                                                       "current",
                                                       "current_working_directory",
                                                       "dependency",
                                                       "description",
                                                       "end",
                                                       "end_time",
                                                       "error",
                                                       "error_number",
                                                       "errors",
                                                       "exit_code",
                                                       "gres",
                                                       "gres_used",
                                                       "het",
                                                       "het_job_id",
                                                       "het_job_offset",
                                                       "id",
                                                       "infinite",
                                                       "job",
                                                       "job_id",
                                                       "job_offset",
                                                       "job_state",
                                                       "jobs",
                                                       "name",
                                                       "node_count",
                                                       "nodes",
                                                       "number",
                                                       "partition",
                                                       "partitions",
                                                       "priority",
                                                       "qos",
                                                       "restart_cnt",
                                                       "resv_name",
                                                       "return_code",
                                                       "set",
                                                       "signal",
                                                       "signal_id",
                                                       "source",
                                                       "start",
                                                       "start_time",
                                                       "state",
                                                       "state_flags",
                                                       "state_reason",
                                                       "state_description",
                                                       "submission",
                                                       "submit_time",
                                                       "task_id",
                                                       "tasks",
                                                       "time",
                                                       "time_limit",
                                                       "tres_per_job",
                                                       "tres_per_node",
                                                       "tres_per_task",
                                                       "user",
                                                       "user_name",
                                                       "array_task_string"};
  return read.contains(member);
}

Json Parsed(std::string_view body) {
  const auto wanted = [](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > kDeepest) return false;
    return event != Json::parse_event_t::key || IsRead(parsed.get_ref<const std::string&>());
  };
  return Json::parse(body, wanted, false);
}

const Json& At(const Json& object, const char* member) {
  static const Json nothing;
  const auto found = object.find(member);
  return found == object.end() ? nothing : *found;
}

// Slurm's words about its controller become kUnavailable.
Error Refusal(const Json& error) {
  const auto text = [&](const char* member) {
    const Json& value = At(error, member);
    return value.is_string() ? value.get<std::string>() : "";
  };
  const std::string brief = text("error"), detail = text("description");
  // Slurm 22.05 gives no other reason why it cannot load jobs.
  const bool is_load = text("source").starts_with("slurm_load");
  if (SaysAway(brief + detail) || (is_load && brief == "Unspecified error"))
    return {ExitCode::kUnavailable, "the Slurm controller does not answer", "slurmrestd",
            "see whether slurmctld runs: scontrol ping"};
  return {ExitCode::kUsage, brief.empty() ? detail : brief, "slurmrestd", ""};
}

// Reads an answer. Slurm 22.05 reports an error without a number after a change of an array's
// element that it has made.
Result<Json> Answer(std::string_view body) {
  Json answer = Parsed(body);
  if (answer.is_discarded()) {
    // A name or comment may hold bytes that are not UTF-8.
    std::string plain(body);
    for (char& byte : plain)
      if (static_cast<unsigned char>(byte) > 0x7f) byte = '?';
    answer = Parsed(plain);
  }
  if (!answer.is_object()) return Fail(BadAnswer("it is not JSON", body, "slurmrestd"));
  for (const Json& error : At(answer, "errors")) {
    const Json& number = At(error, "error_number");
    if (number.is_number() && number != 0 && number != kNothingFound) return Fail(Refusal(error));
  }
  return answer;
}

std::string TextOf(const Json& object, const char* member) {
  const Json& value = At(object, member);
  return value.is_string() ? std::string(Trim(value.get_ref<const std::string&>())) : "";
}

// A number, bare or with the flags "set" and "infinite"; nullopt: none, or infinite.
std::optional<std::int64_t> NumberOf(const Json& value) {
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (!value.is_object() || At(value, "set") != true || At(value, "infinite") == true)
    return std::nullopt;
  return NumberOf(At(value, "number"));
}
std::optional<std::int64_t> NumberOf(const Json& object, const char* member) {
  return NumberOf(At(object, member));
}

int CountOf(const Json& object, const char* member, int least) {
  const std::int64_t number = NumberOf(object, member).value_or(least);
  return number >= kNoValue || number < least ? least : static_cast<int>(number);
}

// 0 is no time.
std::optional<Time> TimeOf(const Json& object, const char* member) {
  const auto seconds = NumberOf(object, member);
  if (!seconds || *seconds <= 0) return std::nullopt;
  return Time{std::chrono::seconds{*seconds}};
}

std::vector<std::string> Words(const Json& value) {
  std::vector<std::string> words;
  if (value.is_string()) words.push_back(value.get<std::string>());
  if (value.is_array())
    for (const Json& word : value)
      if (word.is_string()) words.push_back(word.get<std::string>());
  return words;
}

// One word for a state and its flags, as squeue says it.
std::string StateWord(const Json& value) {
  const std::vector<std::string> words = Words(value);
  for (const char* flag : {"COMPLETING", "STAGE_OUT", "CONFIGURING", "RESIZING", "REQUEUED",
                           "REQUEUE_FED", "REQUEUE_HOLD", "SPECIAL_EXIT", "STOPPED", "REVOKED",
                           "RESV_DEL_HOLD", "RECONFIG_FAIL", "POWER_UP_NODE"})
    if (std::ranges::find(words, flag) != words.end()) return flag;
  return words.empty() ? "" : words.front();
}

int ExitCodeFrom(const Json& value) {
  if (const auto status = NumberOf(value)) return ExitCodeOf(static_cast<int>(*status));
  const Json& signal = At(value, "signal");
  const auto number = NumberOf(signal, "id").value_or(NumberOf(signal, "signal_id").value_or(0));
  constexpr int kSignalBase = 128;
  if (number > 0) return kSignalBase + static_cast<int>(number);
  return static_cast<int>(NumberOf(value, "return_code").value_or(0));
}

SlurmJob JobFrom(const Json& from) {
  SlurmJob job;
  job.id = std::to_string(NumberOf(from, "job_id").value_or(0));
  if (const auto leader = NumberOf(from, "het_job_id").value_or(0); leader != 0) {
    job.leader = std::to_string(leader);
    job.id = job.leader + '+' + std::to_string(NumberOf(from, "het_job_offset").value_or(0));
  }
  job.user = TextOf(from, "user_name");
  job.account = TextOf(from, "account");
  job.qos = TextOf(from, "qos");
  if (const std::string partitions = TextOf(from, "partition"); !partitions.empty())
    for (const std::string_view name : Split(partitions, ','))
      job.partitions.emplace_back(Trim(name));
  job.state_text = StateWord(At(from, "job_state"));
  job.state = StateOf(job.state_text);
  job.reason = TextOf(from, "state_description");
  if (job.reason.empty()) job.reason = TextOf(from, "state_reason");
  job.priority = static_cast<double>(NumberOf(from, "priority").value_or(0));
  job.submitted = TimeOf(from, "submit_time").value_or(Time{});
  job.start = TimeOf(from, "start_time");
  if (const auto minutes = NumberOf(from, "time_limit"); minutes && *minutes < kNoValue)
    job.time_limit = std::chrono::minutes{*minutes};
  // A job without a time limit has an end in a year.
  if (HasEnded(job.state) || job.time_limit) job.end = TimeOf(from, "end_time");
  job.nodes = CountOf(from, "node_count", 1);
  job.cores = CountOf(from, "cpus", 1);
  job.tasks = CountOf(from, "tasks", 1);
  SetGpus(TextOf(from, "tres_per_job"), TextOf(from, "tres_per_node"),
          TextOf(from, "tres_per_task"), job.tasks, job);
  job.has_dependency = !TextOf(from, "dependency").empty();
  job.has_reservation = !TextOf(from, "resv_name").empty();
  job.restarts = CountOf(from, "restart_cnt", 0);
  job.exit_code = ExitCodeFrom(At(from, "exit_code"));
  job.host = TextOf(from, "batch_host");
  job.directory = TextOf(from, "current_working_directory");
  job.name = TextOf(from, "name");
  job.comment = TextOf(from, "comment");
  return job;
}

// Adds a job for each waiting element of an array: "1-3,7,10-20:5%2". Returns false if the list is
// cut ("1,3,...").
bool AddElements(const SlurmJob& job, const std::string& array, std::string_view list,
                 std::vector<SlurmJob>& jobs) {
  list = list.substr(0, list.find('%'));
  for (const std::string_view range : Split(list, ',')) {
    const auto dash = range.find('-'), colon = range.find(':');
    const auto number = [](std::string_view text) { return ParseInteger(text).value_or(-1LL); };
    const long long first = number(range.substr(0, dash));
    const long long last =
        dash == std::string_view::npos ? first : number(range.substr(dash + 1, colon - dash - 1));
    const long long step = colon == std::string_view::npos ? 1 : number(range.substr(colon + 1));
    if (first < 0 || last < first || last > kLargestElement || step < 1) return false;
    for (long long element = first; element <= last; element += step) {
      jobs.push_back(job);
      jobs.back().id = array + '_' + std::to_string(element);
    }
  }
  return true;
}

bool AddJob(const Json& from, std::vector<SlurmJob>& jobs) {
  SlurmJob job = JobFrom(from);
  const auto array = NumberOf(from, "array_job_id").value_or(0);
  const auto element = NumberOf(from, "array_task_id");
  const std::string waiting = TextOf(from, "array_task_string");
  if (array != 0 && !element && !waiting.empty())
    return AddElements(job, std::to_string(array), waiting, jobs);
  if (array != 0 && element) job.id = std::to_string(array) + '_' + std::to_string(*element);
  jobs.push_back(std::move(job));
  return true;
}

bool TakesJobs(const std::set<std::string>& state) {
  const auto any = [&](std::initializer_list<const char*> words) {
    return std::ranges::any_of(words, [&](const char* word) { return state.contains(word); });
  };
  return any({"idle", "mixed", "allocated"}) &&
         !any({"drain", "fail", "not_responding", "maintenance", "reboot_issued",
               "reboot_requested", "invalid_reg", "blocked"});
}

SlurmNode NodeFrom(const Json& from) {
  SlurmNode node;
  node.name = TextOf(from, "name");
  node.partitions = Words(At(from, "partitions"));
  std::ranges::sort(node.partitions);
  std::set<std::string> state;
  for (const char* member : {"state", "state_flags"})
    for (const std::string& word : Words(At(from, member))) state.insert(Lowercase(word));
  node.is_up = TakesJobs(state);
  node.is_away = !node.is_up;
  node.cores = CountOf(from, "cpus", 0);
  node.used_cores = CountOf(from, "alloc_cpus", 0);
  const GpuRequest all = ReadGpus(TextOf(from, "gres"));
  node.gpus = all.count;
  node.gpu_type = all.type;
  node.used_gpus = ReadGpus(TextOf(from, "gres_used")).count;
  return node;
}

SlurmJob AccountedFrom(const Json& from) {
  SlurmJob job;
  job.id = std::to_string(NumberOf(from, "job_id").value_or(0));
  const Json &array = At(from, "array"), &het = At(from, "het");
  if (const auto element = NumberOf(array, "task_id");
      element && NumberOf(array, "job_id").value_or(0) != 0)
    job.id = std::to_string(*NumberOf(array, "job_id")) + '_' + std::to_string(*element);
  if (const auto leader = NumberOf(het, "job_id").value_or(0); leader != 0)
    job.id = std::to_string(leader) + '+' + std::to_string(NumberOf(het, "job_offset").value_or(0));
  job.state_text = StateWord(At(At(from, "state"), "current"));
  job.state = StateOf(job.state_text);
  job.exit_code = ExitCodeFrom(At(from, "exit_code"));
  const Json& time = At(from, "time");
  job.submitted = TimeOf(time, "submission").value_or(Time{});
  job.start = TimeOf(time, "start");
  job.end = TimeOf(time, "end");
  job.user = TextOf(from, "user");
  job.comment = TextOf(At(from, "comment"), "job");
  return job;
}

}  // namespace

Result<RestApi> ReadRestApi(std::string_view description) {
  const Json parsed = Json::parse(description, nullptr, false);
  if (!parsed.is_object() || !At(parsed, "paths").is_object())
    return Fail(BadAnswer("it does not describe an API", description, "slurmrestd"));
  std::set<std::string> served;
  for (const auto& [path, methods] : At(parsed, "paths").items()) {
    const auto parts = Split(path, '/');
    if (parts.size() > 2 && parts[1].starts_with("slurm"))
      served.insert(std::string(parts[1]) + '/' + std::string(parts[2]));
  }
  for (const int version : kVersions) {
    const std::string name = "/v0.0." + std::to_string(version);
    if (served.contains("slurm" + name))
      return RestApi{version, version > kLastWithoutExitCodes && served.contains("slurmdb" + name)};
  }
  const std::vector<std::string> names(served.begin(), served.end());
  return Fail({ExitCode::kConfiguration,
               "it serves " + (names.empty() ? "no API of Slurm" : Join(names, ", ")) +
                   "; Ebb knows slurm/v0.0.37, 38 and 40 to 44",
               "slurmrestd", "start it with another -s or -d, or let Ebb use Slurm's commands"});
}

Result<RestJobs> ReadRestJobs(std::string_view body) {
  EBB_ASSIGN_OR_RETURN(const Json answer, Answer(body));
  RestJobs all;
  for (const Json& job : At(answer, "jobs"))
    all.is_complete = AddJob(job, all.jobs) && all.is_complete;
  return all;
}

// A node in no partition cannot have jobs.
Result<std::vector<SlurmNode>> ReadRestNodes(std::string_view body) {
  EBB_ASSIGN_OR_RETURN(const Json answer, Answer(body));
  std::vector<SlurmNode> nodes;
  for (const Json& from : At(answer, "nodes"))
    if (SlurmNode node = NodeFrom(from); !node.partitions.empty()) nodes.push_back(std::move(node));
  std::ranges::sort(nodes, {}, &SlurmNode::name);
  return nodes;
}

Result<std::vector<SlurmJob>> ReadRestAccounting(std::string_view body) {
  EBB_ASSIGN_OR_RETURN(const Json answer, Answer(body));
  std::map<std::string, SlurmJob> last;
  for (const Json& from : At(answer, "jobs")) {
    SlurmJob job = AccountedFrom(from);
    const auto known = last.find(job.id);
    if (known == last.end() || known->second.submitted <= job.submitted) last[job.id] = job;
  }
  std::vector<SlurmJob> jobs;
  for (auto& [id, job] : last) jobs.push_back(std::move(job));
  return jobs;
}

Status ReadRestDone(std::string_view body) {
  EBB_ASSIGN_OR_RETURN(const Json answer, Answer(body));
  return {};
}

std::string RestUpdate(const JobUpdate& update, int version) {
  Json body = Json::object();
  if (update.begin) {
    const auto seconds =
        std::chrono::ceil<std::chrono::seconds>(*update.begin).time_since_epoch().count();
    // v0.0.38 describes an integer, but reads a text as scontrol does.
    if (version <= kLastWithTextTimes)
      body["begin_time"] = "uts" + std::to_string(seconds);
    else
      body["begin_time"] = {{"set", true}, {"infinite", false}, {"number", seconds}};
  }
  if (update.comment) body["comment"] = *update.comment;
  return body.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace ebb::slurm
