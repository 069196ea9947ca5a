#pragma once
// The fields of stored plans. Each field is named once, for writing and for reading
// (base/field_text.h).

#include "core/fields.h"
#include "plan/policy.h"

namespace ebb::plan {

template <typename Archive, Like<Segment> Value>
void Visit(Archive& archive, Value& value) {
  auto& [pool, time, devices] = value;
  archive("pool", pool);
  archive("time", time);
  archive("devices", devices);
}

template <typename Archive, Like<Order> Value>
void Visit(Archive& archive, Value& value) {
  auto& [rank, since] = value;
  archive("rank", rank);
  archive("since", since);
}

template <typename Archive, Like<JobPlan> Value>
void Visit(Archive& archive, Value& value) {
  auto& [job, run_now, pool, segments, order, reason, wake_at, devices] = value;
  archive("job", job);
  archive("run_now", run_now);
  archive("pool", pool);
  archive("segments", segments);
  archive("order", order);
  archive("rule", reason.rule);
  archive("current", reason.current);
  archive("expected", reason.expected);
  archive("threshold", reason.threshold);
  archive("wake_at", wake_at);
  archive("devices", devices);
}

template <typename Archive, Like<Rents> Value>
void Visit(Archive& archive, Value& value) {
  auto& [begin, step, by_pool, prices] = value;
  archive("begin", begin);
  archive("step", step);
  archive("by_pool", by_pool);
  archive("prices", prices);
}

template <typename Archive, Like<Change> Value>
void Visit(Archive& archive, Value& value) {
  auto& [signals, cluster, jobs] = value;
  archive("signals", signals);
  archive("cluster", cluster);
  archive("jobs", jobs);
}

}  // namespace ebb::plan
