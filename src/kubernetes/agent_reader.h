#pragma once
// Fetches what the agents of the nodes have measured (`ebb agent`): from each one its records after
// the last that was taken, again and again. Agents keep them whether or not they were fetched, so
// whoever begins anew asks again; an agent that is away is caught up with later. Nothing is taken
// twice: within one life of an agent records are numbered, and over its lives they follow each
// other in time. What is missing is said: records that the agent has dropped, and times at which
// nobody measured.
//
// Agents are the pods of one namespace with a label, or addresses that are given. Answers are
// bounded, and agents are asked a few at a time.
//
// Thread contract: that of platform::HttpStreams.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json_node.h"
#include "base/result.h"
#include "core/node_record.h"
#include "platform/http_streams.h"

namespace ebb::kubernetes {

/// The label of an agent's pod; its value is also the name in the certificates of agents.
inline constexpr const char *kAgentLabel = "app.kubernetes.io/name", *kAgentName = "ebb-agent";

struct AgentOptions {
  std::string name_space;  ///< of the agents' pods
  int port = 8735;
  std::string token{};  ///< shown to them; empty: none
  /// What the certificates of agents are verified with (PEM), asked for before each request; pods
  /// then have to prove that they are kAgentName. Empty: pods are asked by plain HTTP, and
  /// addresses with https:// are verified with the system's authorities.
  std::function<Result<std::string>()> authority{};
  std::vector<std::string> urls{};  ///< further agents: "http://10.0.0.7:8735"
  Duration every{std::chrono::minutes{1}};
  Duration timeout{20'000};
  int at_once = 8;
};

/// Up to which record of a node.
struct AgentPosition {
  std::string epoch;  ///< the agent's life
  std::int64_t number = 0;
  Time up_to{};
};

struct NodeRecords {
  std::string node;
  std::vector<core::NodeRecord> records;  ///< in order
  AgentPosition last;
};

class AgentReader {
 public:
  /// `streams` outlives the reader; `now`: a clock that nobody sets.
  AgentReader(platform::HttpStreams& streams, std::function<Duration()> now,
              std::function<void(const std::string&)> say, AgentOptions options);
  ~AgentReader();
  AgentReader(const AgentReader&) = delete;
  AgentReader& operator=(const AgentReader&) = delete;

  void TakePod(const JsonNode& pod);
  void DropPod(const std::string& uid);

  /// What has been counted, for its next life (field text), and what an earlier one had counted.
  std::string Position() const;
  void GoOnAt(const std::string& position);
  /// Of nodes that no position is known of, records from here on are wanted.
  void BeginAt(Time since) { since_ = since; }

  /// What was fetched since the last call. The position covers it once it is counted, which is
  /// done in this order for each node.
  std::vector<NodeRecords> Take();
  void Counted(const NodeRecords& records) { counted_[records.node] = records.last; }
  bool has_records() const { return !fetched_.empty(); }
  /// Whether the node has an agent, and up to when its records were counted.
  bool Measures(const std::string& node) const;
  Time CountedUpTo(const std::string& node) const;
  bool has_agents() const { return !agents_.empty(); }

  /// Asks what is due. Call it before each wait.
  void Tick();
  std::optional<Duration> NextDue() const;

 private:
  struct Agent {
    std::string url, connect_to;
    std::string node;  // "": not heard yet, of an address that was given
    Duration due{};
    platform::HttpStreams::Id request = 0;
    std::string body;
    bool is_silent = false;  // said
  };
  void Ask(const std::string& key, Agent& agent);
  Result<platform::StreamRequest> RequestFor(const Agent& agent) const;
  void Answered(const std::string& key, const platform::StreamEnd& end);
  Status TakeAnswer(Agent& agent);
  Status Check(const Agent& agent, const core::NodeRecordsHead& head,
               const std::vector<core::NodeRecord>& records) const;
  bool IsRival(const std::string& key, const Agent& agent) const;
  void Enter(const std::string& node, const core::NodeRecordsHead& head,
             std::vector<core::NodeRecord> records);
  void Silent(Agent& agent, const std::string& why);

  platform::HttpStreams& streams_;
  std::function<Duration()> now_;
  std::function<void(const std::string&)> say_;
  AgentOptions options_;
  Time since_{};
  std::map<std::string, Agent> agents_;                       // by uid of the pod, or by address
  std::map<std::string, AgentPosition> positions_, counted_;  // by node: asked for, counted
  std::vector<NodeRecords> fetched_;
  std::map<std::string, std::string> rivals_;  // node -> of which agents that was said
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace ebb::kubernetes
