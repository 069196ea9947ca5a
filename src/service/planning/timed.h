#pragma once
// A policy and a journal that measure how long another policy and journal take, for metrics.
// Private to service/.

#include <memory>

#include "plan/policy.h"
#include "runtime/journal.h"
#include "service/views/counters.h"

namespace ebb::service {

class TimedPolicy final : public plan::Policy {
 public:
  /// The counters must outlive the policy.
  TimedPolicy(std::unique_ptr<plan::Policy> policy, Counters& counters)
      : policy_(std::move(policy)), counters_(counters) {}

  std::string_view name() const override { return policy_->name(); }
  void Update(const plan::Problem& problem, const plan::Change& change,
              plan::Schedule& schedule) const override {
    const auto begin = std::chrono::steady_clock::now();
    policy_->Update(problem, change, schedule);
    counters_.planning.Add(std::chrono::steady_clock::now() - begin);
  }
  void PlaceBeside(const plan::Problem& problem, const plan::Change& change,
                   plan::Schedule& schedule) const override {
    policy_->PlaceBeside(problem, change, schedule);
  }
  bool places_beside() const override { return policy_->places_beside(); }
  void PlanEach(const plan::Problem& problem, std::span<const std::size_t> places,
                plan::Schedule& schedule) const override {
    policy_->PlanEach(problem, places, schedule);
  }
  bool plans_each() const override { return policy_->plans_each(); }

 private:
  std::unique_ptr<plan::Policy> policy_;
  Counters& counters_;
};

/// Measures decisions and commits, which wait for the disk. Events do not.
class TimedJournal final : public runtime::Journal {
 public:
  TimedJournal(runtime::Journal& journal, Counters& counters)
      : journal_(journal), counters_(counters) {}

  Status Append(const runtime::JournalRecord& record) override {
    const auto begin = std::chrono::steady_clock::now();
    Status appended = journal_.Append(record);
    if (!appended) ++counters_.store_write_errors;
    if (std::holds_alternative<engine::Decision>(record))
      counters_.store_writes.Add(std::chrono::steady_clock::now() - begin);
    return appended;
  }
  Status Commit() override {
    const auto begin = std::chrono::steady_clock::now();
    Status stored = journal_.Commit();
    if (!stored) ++counters_.store_write_errors;
    counters_.store_writes.Add(std::chrono::steady_clock::now() - begin);
    return stored;
  }

 private:
  runtime::Journal& journal_;
  Counters& counters_;
};

}  // namespace ebb::service
