#include "kubernetes/nodes/agent_reader.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "kubernetes/api/json_reading.h"

namespace ebb::kubernetes {
namespace {

constexpr int kOk = 200;
constexpr std::size_t kLongestAnswer = 4 << 20, kLongAnswer = 1 << 20;
// Consecutive records of an agent share a boundary, so a larger distance is a gap.
constexpr Duration kGap{1000};
// The position of a node that has gone is not needed after this time.
constexpr std::chrono::days kForgottenAfter{30};

struct NodePosition {
  std::string node, epoch;
  std::int64_t number = 0;
  Time up_to{};
};

template <typename Archive, Like<NodePosition> Value>
void Visit(Archive& archive, Value& value) {
  auto& [node, epoch, number, up_to] = value;
  archive.Must("node", node);
  archive("epoch", epoch);
  archive("number", number);
  archive("up_to", up_to);
}

std::string PlaceOf(const std::string& ip, int port) {
  const bool is_v6 = ip.find(':') != std::string::npos;
  return (is_v6 ? "[" + ip + "]" : ip) + ":" + std::to_string(port);
}

// The port of the agent's container, if the pod names one.
int PortOf(const JsonNode& pod, int otherwise) {
  const JsonNode* containers = pod.At("/spec/containers");
  if (!containers) return otherwise;
  for (const JsonNode& container : containers->items)
    if (const JsonNode* ports = container.Find("ports"))
      for (const JsonNode& port : ports->items)
        if (port.TextOf("name") == "records")
          return static_cast<int>(NumberAt(port, "/containerPort").value_or(otherwise));
  return otherwise;
}

}  // namespace

AgentReader::AgentReader(platform::HttpStreams& streams, std::function<Duration()> now,
                         std::function<void(const std::string&)> say, AgentOptions options)
    : streams_(streams), now_(std::move(now)), say_(std::move(say)), options_(std::move(options)) {
  for (const std::string& url : options_.urls) agents_[url].url = url;
}

AgentReader::~AgentReader() {
  for (auto& [key, agent] : agents_)
    if (agent.request != 0) streams_.Cancel(agent.request);
}

// Agents -------------------------------------------------------------------------------

void AgentReader::TakePod(const JsonNode& pod) {
  const std::string uid = TextAt(pod, "/metadata/uid");
  const bool is_agent = TextAt(pod, "/metadata/namespace") == options_.name_space &&
                        TextAt(pod, "/metadata/labels/app.kubernetes.io~1name") == kAgentName;
  const std::string ip = TextAt(pod, "/status/podIP");
  if (!is_agent || ip.empty() || TextAt(pod, "/status/phase") != "Running") return DropPod(uid);
  Agent& agent = agents_[uid];
  const std::string place = PlaceOf(ip, PortOf(pod, options_.port));
  // Certificates do not contain the addresses of pods, so they are checked for the agents' name.
  agent.connect_to = options_.authority ? place : "";
  agent.url = (options_.authority ? "https://" : "http://") + place;
  agent.node = TextAt(pod, "/spec/nodeName");
}

void AgentReader::DropPod(const std::string& uid) {
  const auto found = agents_.find(uid);
  if (found == agents_.end()) return;
  if (found->second.request != 0) streams_.Cancel(found->second.request);
  agents_.erase(found);
}

bool AgentReader::Measures(const std::string& node) const {
  return std::ranges::any_of(agents_, [&](const auto& agent) { return agent.second.node == node; });
}

Time AgentReader::CountedUpTo(const std::string& node) const {
  const auto found = counted_.find(node);
  return found == counted_.end() ? Time::min() : found->second.up_to;
}

// Positions ----------------------------------------------------------------------------

std::string AgentReader::Position() const {
  std::vector<NodePosition> positions;
  Time newest = Time::min();
  for (const auto& [node, position] : counted_) newest = std::max(newest, position.up_to);
  for (const auto& [node, position] : counted_)
    if (newest - position.up_to < kForgottenAfter)
      positions.push_back({node, position.epoch, position.number, position.up_to});
  return ToFieldText(positions);
}

void AgentReader::GoOnAt(const std::string& position) {
  if (position.empty()) return;
  const auto positions = FromFieldText<std::vector<NodePosition>>(position, "agents");
  if (!positions) return;
  for (const NodePosition& of : *positions) positions_[of.node] = {of.epoch, of.number, of.up_to};
  counted_ = positions_;
}

// Questions ----------------------------------------------------------------------------------

// Only one of two agents on a node is asked, because both would report the same energy.
bool AgentReader::IsRival(const std::string& key, const Agent& agent) const {
  return !agent.node.empty() && std::ranges::any_of(agents_, [&](const auto& other) {
    return other.first < key && other.second.node == agent.node && !other.second.is_silent;
  });
}

void AgentReader::Tick() {
  const Duration now = now_();
  auto under_way =
      std::ranges::count_if(agents_, [](const auto& agent) { return agent.second.request != 0; });
  for (auto& [key, agent] : agents_) {
    if (under_way >= options_.at_once) return;
    if (agent.request != 0 || agent.due > now) continue;
    agent.due = now + options_.every;
    if (IsRival(key, agent)) {
      if (std::exchange(rivals_[agent.node], key) != key)
        say_("node " + agent.node + " has two agents: what " + agent.url +
             " measures is not counted; remove one of them");
      continue;
    }
    Ask(key, agent);
    ++under_way;
  }
}

std::optional<Duration> AgentReader::NextDue() const {
  const auto under_way =
      std::ranges::count_if(agents_, [](const auto& agent) { return agent.second.request != 0; });
  std::optional<Duration> due;
  if (under_way >= options_.at_once) return due;  // answers come first
  for (const auto& [key, agent] : agents_)
    if (agent.request == 0 && (!due || agent.due < *due)) due = agent.due;
  return due;
}

Result<platform::StreamRequest> AgentReader::RequestFor(const Agent& agent) const {
  platform::StreamRequest request;
  request.connect_to = agent.connect_to;
  request.url = agent.connect_to.empty() ? agent.url : std::string("https://") + kAgentName;
  request.url += "/records";
  if (options_.authority) {
    EBB_ASSIGN_OR_RETURN(request.ca_pem, options_.authority());
  }
  const auto known = positions_.find(agent.node);
  if (known != positions_.end())
    request.url += "?epoch=" + known->second.epoch +
                   "&after=" + std::to_string(known->second.number) +
                   "&since_ms=" + std::to_string(known->second.up_to.time_since_epoch().count());
  else
    request.url += "?since_ms=" + std::to_string(since_.time_since_epoch().count());
  if (!options_.token.empty()) request.headers = {"Authorization: Bearer " + options_.token};
  request.timeout = options_.timeout;
  return request;
}

void AgentReader::Ask(const std::string& key, Agent& agent) {
  auto request = RequestFor(agent);
  if (!request) return Silent(agent, request.error().Message());
  agent.body.clear();
  platform::StreamEvents events;
  const std::weak_ptr<bool> alive = alive_;
  events.on_data = [this, key, alive](int status, std::string_view piece) {
    if (alive.expired()) return false;
    const auto found = agents_.find(key);
    if (found == agents_.end() || status != kOk) return false;
    found->second.body += piece;
    return found->second.body.size() <= kLongestAnswer;
  };
  events.on_end = [this, key, alive](const platform::StreamEnd& end) {
    if (!alive.expired()) Answered(key, end);
  };
  agent.request = streams_.Start(*std::move(request), std::move(events));
}

void AgentReader::Silent(Agent& agent, const std::string& why) {
  if (std::exchange(agent.is_silent, true)) return;
  say_("the agent " + (agent.node.empty() ? agent.url : "of node " + agent.node) +
       " does not answer: " + why + "; what it measures is fetched when it does");
}

void AgentReader::Answered(const std::string& key, const platform::StreamEnd& end) {
  const auto found = agents_.find(key);
  if (found == agents_.end()) return;
  Agent& agent = found->second;
  agent.request = 0;
  if (end.status != kOk && end.status != 0)
    return Silent(agent, "status " + std::to_string(end.status) +
                             (end.status == 401 ? ": it has another token" : ""));
  if (!end.transport) return Silent(agent, end.transport.error().Message());
  // The agent has more records.
  if (agent.body.size() >= kLongAnswer) agent.due = now_();
  const Status taken = TakeAnswer(agent);
  agent.body = {};
  if (!taken) return Silent(agent, taken.error().Message());
  if (std::exchange(agent.is_silent, false)) say_("the agent of node " + agent.node + " answers");
}

// Answers ------------------------------------------------------------------------------------

Status AgentReader::TakeAnswer(Agent& agent) {
  const auto lines = Split(agent.body, '\n');
  EBB_ASSIGN_OR_RETURN(const auto head,
                       FromFieldText<core::NodeRecordsHead>(lines.front(), agent.url));
  std::vector<core::NodeRecord> records;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    EBB_ASSIGN_OR_RETURN(auto record, FromFieldText<core::NodeRecord>(lines[i], agent.url));
    records.push_back(std::move(record));
  }
  if (agent.node.empty()) agent.node = head.node;
  EBB_RETURN_IF_ERROR(Check(agent, head, records));
  Enter(agent.node, head, std::move(records));
  return {};
}

// An agent may report only its own node, and energy must not be negative.
Status AgentReader::Check(const Agent& agent, const core::NodeRecordsHead& head,
                          const std::vector<core::NodeRecord>& records) const {
  const auto bad = [&](const std::string& what) {
    return Fail({ExitCode::kConfiguration, what, agent.url, ""});
  };
  if (head.node != agent.node) return bad("it says that it measures node " + head.node);
  for (const core::NodeRecord& record : records) {
    if (record.wall.end <= record.wall.begin) return bad("a record covers no time");
    for (const core::DeviceEnergy& device : record.devices) {
      bool is_good = device.idle >= Energy{} && device.unattributed >= Energy{} &&
                     device.wall.begin <= device.wall.end;
      for (const core::PodEnergy& pod : device.pods) is_good = is_good && pod.energy >= Energy{};
      if (!is_good) return bad("a record makes no sense");
    }
  }
  return {};
}

void AgentReader::Enter(const std::string& node, const core::NodeRecordsHead& head,
                        std::vector<core::NodeRecord> records) {
  const bool is_new = !positions_.contains(node);
  AgentPosition& position = positions_[node];
  if (is_new) position.up_to = since_;
  // Within one life of an agent, numbers show which records are new; across lives, times do.
  bool is_same_life = !is_new && position.epoch == head.epoch;
  if (!is_same_life) position = {head.epoch, 0, position.up_to};
  NodeRecords taken{node, {}, {}};
  for (core::NodeRecord& record : records) {
    const std::int64_t missing = record.number - position.number - 1;
    if (missing < 0) continue;
    position.number = record.number;
    if (!is_same_life && record.wall.begin < position.up_to) continue;
    const bool first_of_all = is_new && taken.records.empty();
    if (is_same_life && missing > 0)
      say_("node " + node + ": " + std::to_string(missing) +
           " records are lost: its agent has kept them for as long as it could");
    else if (!first_of_all && record.wall.begin - position.up_to > kGap)
      say_("node " + node + " was not measured from " + FormatTime(position.up_to) + " to " +
           FormatTime(record.wall.begin));
    is_same_life = true;
    position.up_to = std::max(position.up_to, record.wall.end);
    taken.records.push_back(std::move(record));
  }
  if (taken.records.empty()) return;
  taken.last = position;
  fetched_.push_back(std::move(taken));
}

std::vector<NodeRecords> AgentReader::Take() { return std::exchange(fetched_, {}); }

}  // namespace ebb::kubernetes
