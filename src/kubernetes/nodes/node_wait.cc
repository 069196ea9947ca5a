#include "kubernetes/nodes/node_wait.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/times_in_text.h"

namespace ebb::kubernetes {
namespace {

bool HasEnded(const GatedObject& object) {
  return object.phase == ObjectPhase::kSucceeded || object.phase == ObjectPhase::kFailed;
}

}  // namespace

void NodeWait::Begin(core::JobId job, std::set<int> groups) {
  failed_.erase(job);
  if (groups.empty()) return;
  waiting_[job] = {std::move(groups), ports_.since_boot()};
  ports_.changed(job);
}

void NodeWait::SawPod(const std::string& object, bool has_gpus) {
  const auto found = std::ranges::find_if(waiting_, [&](const auto& waiting) {
    const GatedObject* of = ports_.find(waiting.first);
    return of && of->uid == object && (has_gpus || of->requests.gpus - of->requests.claimed <= 0);
  });
  if (found == waiting_.end()) return;
  const core::JobId job = found->first;
  waiting_.erase(found);
  ports_.changed(job);
}

std::string NodeWait::Sentence(core::JobId job) const {
  const auto found = waiting_.find(job);
  if (found == waiting_.end()) {
    const auto failed = failed_.find(job);
    return failed == failed_.end() ? "" : failed->second;
  }
  std::vector<std::string> names;
  Duration longest{};
  for (const int group : found->second.groups) {
    names.push_back(ports_.groups.at(group).name);
    longest = std::max(longest, ports_.groups.at(group).start_up);
  }
  return "a node of group " + Join(names, " and one of ") + " has to start for it, about " +
         RoundDurationText(longest);
}

Duration NodeWait::PatienceOf(const Waiting& waiting) const {
  Duration patience{};
  for (const int group : waiting.groups)
    patience = std::max(patience, ports_.groups.at(group).gives_up_after);
  return patience;
}

std::string NodeWait::WhyGivenUp(const Waiting& waiting) const {
  for (const int group : waiting.groups)
    if (const std::string& stuck = ports_.groups.PublishedStuck(group); !stuck.empty())
      return "no node of group " + ports_.groups.at(group).name + " comes: " + stuck;
  const Duration patience = PatienceOf(waiting);
  if (ports_.since_boot() - waiting.since < patience) return "";
  return "none of its pods found a node within " + RoundDurationText(patience);
}

void NodeWait::Tick() {
  std::map<core::JobId, std::string> given_up;
  std::erase_if(waiting_, [&](const auto& entry) {
    const auto& [job, waiting] = entry;
    const GatedObject* object = ports_.find(job);
    if (!object || HasEnded(*object)) return true;
    std::string why = WhyGivenUp(waiting);
    if (why.empty()) return false;
    for (const int group : waiting.groups) {
      const auto came = ports_.groups.came_at(group);
      if (ports_.groups.PublishedStuck(group).empty() && (!came || *came < waiting.since))
        ports_.groups.NeverCame(
            group,
            "no node has come within " + RoundDurationText(ports_.groups.at(group).gives_up_after));
    }
    given_up[job] = std::move(why);
    return true;
  });
  std::erase_if(failed_, [&](const auto& failed) { return !ports_.find(failed.first); });
  for (const auto& [job, why] : given_up) {
    failed_[job] = why;
    ports_.give_up(job, why);
  }
}

std::optional<Duration> NodeWait::NextDue() const {
  std::optional<Duration> due;
  for (const auto& [job, waiting] : waiting_) {
    const Duration at = waiting.since + PatienceOf(waiting);
    if (!due || at < *due) due = at;
  }
  return due;
}

}  // namespace ebb::kubernetes
