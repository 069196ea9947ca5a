#pragma once
// Fetches the measurements of the agents on the nodes (`ebb agent`): repeatedly asks each agent for
// its records after the last one taken. Agents keep records whether or not they were fetched, so a
// restarted reader asks again, and catches up later with an agent that was away. No record is taken
// twice: within one life of an agent records are numbered, and across lives they follow each other
// in time. Missing data is reported: records that the agent has dropped, and times without
// measurement.
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
#include "core/run/node_record.h"
#include "platform/http_streams.h"

namespace ebb::kubernetes {

/// The label app.kubernetes.io/name of an agent's pod, and the name in the certificates of agents.
inline constexpr const char* kAgentName = "ebb-agent";

struct AgentOptions {
  std::string name_space;  ///< namespace of the agents' pods
  int port = 8735;
  std::string token{};  ///< sent to them; empty: none
  /// Authorities that verify the certificates of agents (PEM), asked for before each request; pods
  /// then have to prove that they are kAgentName. Empty: pods are asked by plain HTTP, and
  /// addresses with https:// are verified with the system's authorities.
  std::function<Result<std::string>()> authority{};
  std::vector<std::string> urls{};  ///< further agents: "http://10.0.0.7:8735"
  Duration every{std::chrono::minutes{1}};
  Duration timeout{20'000};
  int at_once = 8;
};

/// The last record of a node that was asked for or counted.
struct AgentPosition {
  std::string epoch;  ///< identifies the agent's life
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
  /// `streams` must outlive the reader; `now` is a clock that nobody sets.
  AgentReader(platform::HttpStreams& streams, std::function<Duration()> now,
              std::function<void(const std::string&)> say, AgentOptions options);
  ~AgentReader();
  AgentReader(const AgentReader&) = delete;
  AgentReader& operator=(const AgentReader&) = delete;

  void TakePod(const JsonNode& pod);
  void DropPod(const std::string& uid);

  /// The counted positions as field text, for the reader's next life; and taking those of an
  /// earlier life.
  std::string Position() const;
  void GoOnAt(const std::string& position);
  /// Asks for records from `since` on for nodes without a position.
  void BeginAt(Time since) { since_ = since; }

  /// The records fetched since the last call. The position includes them once they are counted,
  /// which must happen in this order for each node.
  std::vector<NodeRecords> Take();
  void Counted(const NodeRecords& records) { counted_[records.node] = records.last; }
  bool has_records() const { return !fetched_.empty(); }
  /// Tells if the node has an agent, and up to when its records were counted.
  bool Measures(const std::string& node) const;
  Time CountedUpTo(const std::string& node) const;
  bool has_agents() const { return !agents_.empty(); }

  /// Sends the requests that are due. Call it before each wait.
  void Tick();
  std::optional<Duration> NextDue() const;

 private:
  struct Agent {
    std::string url, connect_to;
    std::string node;  // empty: still unknown, for an agent given by address
    Duration due{};
    platform::HttpStreams::Id request = 0;
    std::string body;
    bool is_silent = false;  // its silence was reported
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
  std::map<std::string, std::string> rivals_;  // node -> agents for which that was reported
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace ebb::kubernetes
