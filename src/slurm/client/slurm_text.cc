#include "slurm/client/slurm_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "base/text.h"

namespace ebb::slurm {
namespace {

struct Column {
  const char* name;
  std::size_t width;
};

// Squeue's columns, in the order in which ReadSqueueLine reads them.
constexpr std::array<Column, 30> kJobColumns{{
    {"ArrayJobID", 20},     {"ArrayTaskID", 20},   {"JobID", 20},
    {"HetJobID", 20},       {"HetJobOffset", 12},  {"UserName", 64},
    {"Account", 64},        {"QOS", 64},           {"Partition", 200},
    {"State", 24},          {"Reason", 64},        {"PriorityLong", 16},
    {"SubmitTime", 16},     {"StartTime", 16},     {"EndTime", 16},
    {"TimeLimit", 24},      {"NumNodes", 16},      {"NumCPUs", 16},
    {"NumTasks", 16},       {"tres-per-job", 100}, {"tres-per-node", 100},
    {"tres-per-task", 100}, {"Dependency", 32},    {"RestartCnt", 12},
    {"exit_code", 12},      {"Reservation", 40},   {"BatchHost", 64},
    {"WorkDir", 300},       {"Name", 200},         {"Comment", kLongestComment},
}};
constexpr std::array<Column, 7> kNodeColumns{{
    {"NodeList", 64},
    {"Partition", 64},
    {"StateLong", 24},
    {"CPUsState", 40},
    {"Gres", 200},
    {"GresUsed", 200},
    {"Features", 100},
}};
constexpr std::string_view kSacctFields = "JobID,State,ExitCode,Submit,Start,End,User,Comment";

template <std::size_t kCount>
std::string Format(const std::array<Column, kCount>& columns) {
  std::string text;
  for (const Column& column : columns) {
    if (!text.empty()) text += ',';
    text += column.name + (':' + std::to_string(column.width));
  }
  return text;
}

// Hands out the columns of a line. Slurm's words for "nothing" become empty texts.
template <std::size_t kCount>
class Columns {
 public:
  Columns(const std::array<Column, kCount>& columns, std::string_view line)
      : columns_(columns), rest_(line) {}

  std::string_view Next() {
    const std::string_view cell = rest_.substr(0, columns_[next_++].width);
    rest_.remove_prefix(cell.size());
    const std::string_view text = Trim(cell);
    return text == "(null)" || text == "N/A" || text == "NONE" || text == "n/a" ? "" : text;
  }

 private:
  const std::array<Column, kCount>& columns_;
  std::string_view rest_;
  std::size_t next_ = 0;
};

template <std::size_t kCount>
std::size_t WidthOf(const std::array<Column, kCount>& columns) {
  std::size_t width = 0;
  for (const Column& column : columns) width += column.width;
  return width;
}

template <typename Number>
Number NumberOf(std::string_view text, Number otherwise) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} ? number : otherwise;
}

// Sacct, and squeue of newer versions, print the code and the signal: "3:0", "0:9". Squeue of older
// versions prints the status of wait(2).
int ReadExitCode(std::string_view text) {
  constexpr int kSignalBase = 128;
  const auto colon = std::min(text.find(':'), text.size());
  if (colon == text.size()) return ExitCodeOf(NumberOf<int>(text, 0));
  const int signal = NumberOf<int>(text.substr(colon + 1), 0);
  return signal != 0 ? kSignalBase + signal : NumberOf<int>(text.substr(0, colon), 0);
}

std::optional<Time> TimeOf(std::string_view text) {
  const auto seconds = NumberOf<std::int64_t>(text, -1);
  if (seconds < 0) return std::nullopt;
  return Time{std::chrono::seconds{seconds}};
}

std::vector<std::string> Texts(std::string_view list) {
  std::vector<std::string> texts;
  if (list.empty()) return texts;
  for (const std::string_view text : Split(list, ',')) texts.emplace_back(Trim(text));
  return texts;
}

// An array that waits as a whole has a range of elements ("0-9%2"); with -r each has a line.
std::string IdOf(std::string_view array, std::string_view element, std::string_view job) {
  const bool is_element = !array.empty() && !element.empty() &&
                          std::ranges::all_of(element, [](char c) { return c >= '0' && c <= '9'; });
  return is_element ? std::string(array) + '_' + std::string(element) : std::string(job);
}

SlurmJob ReadSqueueLine(std::string_view line) {
  Columns next(kJobColumns, line);
  SlurmJob job;
  const std::string_view array = next.Next(), element = next.Next(), number = next.Next();
  job.id = IdOf(array, element, number);
  job.number = number;
  const std::string_view leader = next.Next(), offset = next.Next();
  // A plain job has the leader 0 in some versions.
  if (!leader.empty() && leader != "0") {
    job.leader = std::string(leader);
    job.id = job.leader + '+' + std::string(offset);
  }
  job.user = next.Next();
  job.account = next.Next();
  job.qos = next.Next();
  job.partitions = Texts(next.Next());
  job.state_text = next.Next();
  job.state = StateOf(job.state_text);
  job.reason = next.Next();
  job.priority = NumberOf<double>(next.Next(), 0);
  job.submitted = TimeOf(next.Next()).value_or(Time{});
  job.start = TimeOf(next.Next());
  job.end = TimeOf(next.Next());
  job.time_limit = ReadTimeLimit(next.Next());
  job.nodes = std::max(1, NumberOf<int>(next.Next(), 1));
  job.cores = std::max(1, NumberOf<int>(next.Next(), 1));
  job.tasks = std::max(1, NumberOf<int>(next.Next(), 1));
  const std::string_view by_job = next.Next(), by_node = next.Next(), by_task = next.Next();
  SetGpus(by_job, by_node, by_task, job.tasks, job);
  job.has_dependency = !next.Next().empty();
  job.restarts = NumberOf<int>(next.Next(), 0);
  job.exit_code = ReadExitCode(next.Next());
  job.has_reservation = !next.Next().empty();
  job.host = next.Next();
  job.directory = next.Next();
  job.name = next.Next();
  job.comment = next.Next();
  return job;
}

// Words of sinfo for nodes that take jobs. A suffix says more: * no answer, ~ powered down.
bool TakesJobs(std::string_view word) {
  return word == "idle" || word == "mixed" || word == "allocated" || word == "completing" ||
         word == "planned" || word == "reserved";
}

SlurmNode ReadSinfoLine(std::string_view line) {
  Columns next(kNodeColumns, line);
  SlurmNode node;
  node.name = next.Next();
  std::string_view partition = next.Next();
  if (partition.ends_with('*')) partition.remove_suffix(1);
  node.partitions.emplace_back(partition);
  std::string_view state = next.Next();
  const bool is_silent = state.ends_with('*');
  while (!state.empty() && !(state.back() >= 'a' && state.back() <= 'z')) state.remove_suffix(1);
  node.is_up = TakesJobs(state) && !is_silent;
  node.is_away = !node.is_up;
  // Allocated, idle, other, all.
  const auto cores = Split(next.Next(), '/');
  if (cores.size() == 4) {
    node.used_cores = NumberOf<int>(cores[0], 0);
    node.cores = NumberOf<int>(cores[3], 0);
  }
  const GpuRequest all = ReadGpus(next.Next());
  node.gpus = all.count;
  node.gpu_type = all.type;
  node.used_gpus = ReadGpus(next.Next()).count;
  return node;
}

template <typename Read>
void ForEachLine(std::string_view text, std::size_t least, const Read& read) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end + 1));
    if (line.size() >= least) read(line);
  }
}

}  // namespace

JobState StateOf(std::string_view text) {
  const std::string_view word = text.substr(0, text.find_first_of(" +"));
  static const std::map<std::string_view, JobState> states{
      {"PENDING", JobState::kPending},       {"REQUEUED", JobState::kPending},
      {"REQUEUE_HOLD", JobState::kPending},  {"REQUEUE_FED", JobState::kPending},
      {"SPECIAL_EXIT", JobState::kPending},  {"RESV_DEL_HOLD", JobState::kPending},
      {"RUNNING", JobState::kRunning},       {"CONFIGURING", JobState::kRunning},
      {"SUSPENDED", JobState::kRunning},     {"RESIZING", JobState::kRunning},
      {"SIGNALING", JobState::kRunning},     {"STAGE_OUT", JobState::kRunning},
      {"STOPPED", JobState::kRunning},       {"POWER_UP_NODE", JobState::kRunning},
      {"COMPLETING", JobState::kCompleting}, {"COMPLETED", JobState::kCompleted},
      {"CANCELLED", JobState::kCancelled},   {"REVOKED", JobState::kCancelled}};
  const auto found = states.find(word);
  return found == states.end() ? JobState::kFailed : found->second;
}

GpuRequest ReadGpus(std::string_view text) {
  GpuRequest request;
  // "gpu:a100:2(IDX:0,2)" has a comma that separates no resources.
  std::string plain;
  int depth = 0;
  for (const char c : text) {
    if (c == '(') ++depth;
    if (depth == 0) plain += c == '=' || c == '/' ? ':' : c;
    if (c == ')') --depth;
  }
  for (const std::string_view resource : Split(plain, ',')) {
    auto words = Split(Trim(resource), ':');
    if (!words.empty() && words.front() == "gres") words.erase(words.begin());
    if (words.empty() || words.front() != "gpu") continue;
    const bool has_count = words.size() > 1 && NumberOf<int>(words.back(), -1) >= 0;
    request.count += has_count ? NumberOf<int>(words.back(), 0) : 1;
    const std::size_t names = words.size() - (has_count ? 1 : 0);
    if (names > 1) request.type = std::string(words[1]);
  }
  return request;
}

void SetGpus(std::string_view by_job, std::string_view by_node, std::string_view by_task, int tasks,
             SlurmJob& job) {
  const auto take = [&](std::string_view text, int times, GpusBy by) {
    const GpuRequest request = ReadGpus(text);
    if (request.count == 0) return false;
    job.gpus = request.count * times;
    job.gpu_type = request.type;
    job.gpus_by = by;
    job.gpu_request = text;
    return true;
  };
  std::ignore = take(by_job, 1, GpusBy::kJob) || take(by_node, job.nodes, GpusBy::kNode) ||
                take(by_task, tasks, GpusBy::kTask);
}

int ExitCodeOf(int status) {
  constexpr int kSignals = 127, kSignalBase = 128, kCodeBits = 8;
  const int signal = status & kSignals;
  return signal != 0 ? kSignalBase + signal : status >> kCodeBits;
}

std::optional<Duration> ReadTimeLimit(std::string_view text) {
  std::int64_t days = 0;
  const auto dash = text.find('-');
  const bool has_days = dash != std::string_view::npos;
  if (has_days) {
    days = NumberOf<std::int64_t>(text.substr(0, dash), -1);
    text.remove_prefix(dash + 1);
  }
  if (days < 0) return std::nullopt;
  std::vector<std::int64_t> numbers;
  for (const std::string_view part : Split(text, ':')) {
    numbers.push_back(NumberOf<std::int64_t>(part, -1));
    if (numbers.back() < 0) return std::nullopt;
  }
  if (numbers.size() > 3) return std::nullopt;
  // Numbers after days begin with hours; a single number and the first of two are minutes.
  if (!has_days && numbers.size() < 3) numbers.insert(numbers.begin(), 0);
  numbers.resize(3, 0);
  const auto length = std::chrono::days{days} + std::chrono::hours{numbers[0]} +
                      std::chrono::minutes{numbers[1]} + std::chrono::seconds{numbers[2]};
  return length > Duration::zero() ? std::optional<Duration>(length) : std::nullopt;
}

std::vector<std::string> SqueueCommand() {
  return {"squeue", "-h", "-a", "-r", "-t", "all", "-O", Format(kJobColumns)};
}

std::vector<std::string> PendingCommand(const std::string& user) {
  return {"squeue", "-h", "-a", "-r", "-u", user, "-t", "pending", "-O", Format(kJobColumns)};
}

std::vector<SlurmJob> ReadSqueue(std::string_view text) {
  std::vector<SlurmJob> jobs;
  const std::size_t least = WidthOf(kJobColumns) - kJobColumns.back().width;
  ForEachLine(text, least, [&](std::string_view line) {
    SlurmJob job = ReadSqueueLine(line);
    if (!job.id.empty()) jobs.push_back(std::move(job));
  });
  return jobs;
}

std::vector<std::string> SinfoCommand() {
  return {"sinfo", "-h", "-a", "-N", "-O", Format(kNodeColumns)};
}

// A node has a line for each of its partitions.
std::vector<SlurmNode> ReadSinfo(std::string_view text) {
  std::map<std::string, SlurmNode> nodes;
  const std::size_t least = WidthOf(kNodeColumns) - kNodeColumns.back().width;
  ForEachLine(text, least, [&](std::string_view line) {
    SlurmNode node = ReadSinfoLine(line);
    if (node.name.empty()) return;
    const auto [known, is_new] = nodes.try_emplace(node.name, node);
    if (!is_new) known->second.partitions.push_back(node.partitions.front());
  });
  std::vector<SlurmNode> all;
  for (auto& [name, node] : nodes) {
    std::ranges::sort(node.partitions);
    all.push_back(std::move(node));
  }
  return all;
}

Result<ControllerLoad> ReadSdiag(std::string_view text) {
  const auto number_after = [&](std::string_view label) -> std::optional<int> {
    const std::size_t at = text.find(label);
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view rest = text.substr(at + label.size());
    const auto number = ParseInteger(std::string(Trim(rest.substr(0, rest.find('\n')))));
    return number ? std::optional(static_cast<int>(*number)) : std::nullopt;
  };
  const auto threads = number_after("Server thread count:");
  if (!threads)
    return Fail({ExitCode::kUnavailable, "no \"Server thread count\"", "sdiag", "run it by hand"});
  return ControllerLoad{*threads, number_after("\nAgent queue size:").value_or(0)};
}

std::vector<std::string> SacctCommand(const std::vector<std::string>& ids) {
  std::string list;
  for (const std::string& id : ids) list += (list.empty() ? "" : ",") + id;
  return {"sacct", "-n", "-P", "-X", "-j", list, "-o", std::string(kSacctFields)};
}

std::vector<SlurmJob> ReadSacct(std::string_view text) {
  std::vector<SlurmJob> jobs;
  constexpr std::size_t kFields = 8;
  ForEachLine(text, 1, [&](std::string_view line) {
    const auto cells = Split(line, '|');
    if (cells.size() < kFields) return;
    SlurmJob job;
    job.id = std::string(cells[0]);
    job.state_text = std::string(cells[1]);
    job.state = StateOf(cells[1]);
    job.exit_code = ReadExitCode(cells[2]);
    job.submitted = TimeOf(cells[3]).value_or(Time{});
    job.start = TimeOf(cells[4]);
    job.end = TimeOf(cells[5]);
    job.user = std::string(cells[6]);
    // A comment may have separators of its own.
    const auto offset = static_cast<std::size_t>(cells[kFields - 1].data() - line.data());
    job.comment = std::string(line.substr(offset));
    jobs.push_back(std::move(job));
  });
  return jobs;
}

}  // namespace ebb::slurm
