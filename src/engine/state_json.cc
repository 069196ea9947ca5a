#include "engine/state_json.h"

#include <algorithm>

#include "engine/fields.h"

namespace ebb::engine {
namespace {

constexpr int kFormat = 1;

struct Header {
  int format = 0;
  Time now{};
  core::Cluster cluster;
  std::vector<SiteSignal> signals;
  std::vector<RecentStart> recent_starts;
  std::vector<RefusedWidths> refused_widths;
  Time wake_at{};
  std::optional<Emissions> expected, lower_bound;
  std::optional<plan::Rents> rents;
  std::optional<Drain> drain;
  plan::Change change, unplanned;
  std::vector<core::JobId> just_left;
  std::size_t live = 0, held = 0, ended = 0;
};

struct LiveLine {
  LiveJob live;
  plan::JobPlan plan;
};

struct HeldLine {
  LiveJob held;
};

struct EndedLine {
  core::JobId id = 0;
  EndedJob job;
};

Error Bad(std::string what) { return {ExitCode::kConfiguration, std::move(what), "snapshot", ""}; }

template <typename Archive, Like<Header> Value>
void Visit(Archive& archive, Value& value) {
  auto& [format, now, cluster, signals, recent_starts, refused_widths, wake_at, expected,
         lower_bound, rents, drain, change, unplanned, just_left, live, held, ended] = value;
  archive("snapshot", format);
  archive("now", now);
  archive("cluster", cluster);
  archive("signals", signals);
  archive("recent_starts", recent_starts);
  archive("refused_widths", refused_widths);
  archive("wake_at", wake_at);
  archive("expected_g", expected);
  archive("lower_bound_g", lower_bound);
  archive("rents", rents);
  archive("drain", drain);
  archive("change", change);
  archive("unplanned", unplanned);
  archive("just_left", just_left);
  archive("live", live);
  archive("held", held);
  archive("ended", ended);
}

template <typename Archive, Like<LiveLine> Value>
void Visit(Archive& archive, Value& value) {
  archive("live", value.live);
  archive("plan", value.plan);
}

template <typename Archive, Like<HeldLine> Value>
void Visit(Archive& archive, Value& value) {
  archive("held", value.held);
}

template <typename Archive, Like<EndedLine> Value>
void Visit(Archive& archive, Value& value) {
  archive("id", value.id);
  archive("ended", value.job);
}

Status CheckCluster(const Header& header) {
  const auto sites = static_cast<int>(header.cluster.sites.size());
  for (const core::DevicePool& pool : header.cluster.pools)
    if (pool.site < 0 || pool.site >= sites) return Fail(Bad("a pool is at no site"));
  if (header.signals.size() != header.cluster.sites.size())
    return Fail(Bad("has another number of signals than of sites"));
  return {};
}

Status CheckRents(const std::optional<plan::Rents>& rents) {
  if (!rents) return {};
  const bool whole = rents->step > Duration::zero() &&
                     rents->prices.size() == rents->by_pool.size() &&
                     std::equal(rents->prices.begin(), rents->prices.end(), rents->by_pool.begin(),
                                [](const auto& a, const auto& b) { return a.size() == b.size(); });
  if (!whole) return Fail(Bad("has rents without their prices"));
  return {};
}

Status CheckLive(const State& state, const LiveLine& line) {
  const core::JobId id = line.live.job.id;
  const auto refuse = [&](const char* what) {
    return Fail(Bad("job " + std::to_string(id) + " " + what));
  };
  if (!state.live.empty() && state.live.back()->job.id >= id) return refuse("is out of order");
  if (HasEnded(line.live.stage)) return refuse("has ended, and is among the live ones");
  const auto pools = static_cast<int>(state.cluster.pools.size());
  if (line.live.pool >= pools || (HoldsDevices(line.live) && line.live.pool < 0))
    return refuse("runs on a pool that is not known");
  if (line.live.last_site &&
      (*line.live.last_site < 0 || *line.live.last_site >= std::ssize(state.cluster.sites)))
    return refuse("ran at a site that is not known");
  if (line.plan.pool >= pools) return refuse("is planned for a pool that is not known");
  for (const plan::Segment& segment : line.plan.segments)
    if (segment.pool >= pools) return refuse("is planned for a pool that is not known");
  return {};
}

std::string HeaderLine(const Engine& engine) {
  const auto& [now, cluster, signals, live, schedule, held, ended, recent_starts, refused_widths,
               drain] = engine.state();
  return ToFieldText(Header{kFormat, now, cluster, signals, recent_starts, refused_widths,
                            schedule.wake_at, schedule.expected, schedule.lower_bound,
                            schedule.rents, drain, engine.change(), engine.unplanned(),
                            engine.just_left(), live.size(), held.size(), ended.size()});
}

std::string LineOf(const LiveJob& live, const plan::JobPlan& plan) {
  FieldWriter writer;
  writer.BeginObject();
  writer("live", live);
  writer("plan", plan);
  writer.EndObject();
  return writer.text();
}

std::string LineOf(const LiveJob& held) {
  FieldWriter writer;
  writer.BeginObject();
  writer("held", held);
  writer.EndObject();
  return writer.text();
}

Explanation WithoutNumbers(const Explanation& told) {
  Explanation kept;
  kept.job = told.job;
  kept.stage = told.stage;
  kept.reason.rule = told.reason.rule;
  kept.pool = told.pool;
  return kept;
}

}  // namespace

std::string JobsText(const State& state) {
  std::string text;
  const auto add = [&](core::JobId id, auto job) {
    job.explanation = WithoutNumbers(job.explanation);
    (text += std::to_string(id)) += ToFieldText(job) + '\n';
  };
  for (const auto& live : state.live) add(live->job.id, *live);
  for (const auto& [id, held] : state.held) add(id, *held);
  for (const auto& [id, ended] : state.ended) add(id, ended);
  return text;
}

void WriteSnapshot(const Engine& engine, const std::function<void(std::string_view)>& sink) {
  const State& state = engine.state();
  sink(HeaderLine(engine));
  for (std::size_t i = 0; i < state.live.size(); ++i)
    sink(LineOf(*state.live[i], state.schedule.jobs[i]));
  for (const auto& [id, job] : state.held) sink(LineOf(*job));
  for (const auto& [id, job] : state.ended) sink(ToFieldText(EndedLine{id, job}));
}

SnapshotCopy::SnapshotCopy(const Engine& engine)
    : header_(HeaderLine(engine)),
      plans_(engine.state().schedule.jobs),
      ended_(engine.state().ended) {
  live_.reserve(engine.state().live.size());
  for (const auto& live : engine.state().live) live_.push_back(live.Lend());
  for (const auto& [id, held] : engine.state().held) held_.push_back(held.Lend());
}

bool SnapshotCopy::Write(const std::function<bool(std::string_view)>& sink) const {
  if (!sink(header_)) return false;
  for (std::size_t i = 0; i < live_.size(); ++i)
    if (!sink(LineOf(*live_[i], plans_[i]))) return false;
  for (const auto& held : held_)
    if (!sink(LineOf(*held))) return false;
  for (const auto& [id, job] : ended_)
    if (!sink(ToFieldText(EndedLine{id, job}))) return false;
  return true;
}

struct SnapshotReader::Partial {
  bool begun = false;
  std::size_t live = 0, held = 0, ended = 0;
  Memory memory;

  Status Begin(std::string_view line) {
    EBB_ASSIGN_OR_RETURN(Header header, FromFieldText<Header>(line, "snapshot"));
    if (header.format != kFormat)
      return Fail(Bad("has format " + std::to_string(header.format) + ", not 1"));
    EBB_RETURN_IF_ERROR(CheckCluster(header));
    EBB_RETURN_IF_ERROR(CheckRents(header.rents));
    State& state = memory.state;
    state.now = header.now;
    state.cluster = std::move(header.cluster);
    state.signals = std::move(header.signals);
    state.recent_starts = std::move(header.recent_starts);
    state.refused_widths = std::move(header.refused_widths);
    state.schedule.wake_at = header.wake_at;
    state.schedule.expected = header.expected;
    state.schedule.lower_bound = header.lower_bound;
    state.schedule.rents = std::move(header.rents);
    state.drain = std::move(header.drain);
    memory.change = std::move(header.change);
    memory.unplanned = std::move(header.unplanned);
    memory.just_left = std::move(header.just_left);
    live = header.live;
    held = header.held;
    ended = header.ended;
    begun = true;
    return {};
  }
  Status AddLive(std::string_view line) {
    EBB_ASSIGN_OR_RETURN(LiveLine read, FromFieldText<LiveLine>(line, "snapshot"));
    EBB_RETURN_IF_ERROR(CheckLive(memory.state, read));
    memory.state.live.emplace_back(std::move(read.live));
    memory.state.schedule.jobs.push_back(std::move(read.plan));
    return {};
  }
  Status AddHeld(std::string_view line) {
    EBB_ASSIGN_OR_RETURN(HeldLine read, FromFieldText<HeldLine>(line, "snapshot"));
    auto& jobs = memory.state.held;
    const core::JobId id = read.held.job.id;
    if (HoldsDevices(read.held) || HasEnded(read.held.stage) ||
        (!jobs.empty() && jobs.rbegin()->first >= id))
      return Fail(Bad("job " + std::to_string(id) + " cannot be held there"));
    jobs.emplace_hint(jobs.end(), id, Lendable<LiveJob>(std::move(read.held)));
    return {};
  }
  Status AddEnded(std::string_view line) {
    EBB_ASSIGN_OR_RETURN(EndedLine read, FromFieldText<EndedLine>(line, "snapshot"));
    auto& jobs = memory.state.ended;
    if (!jobs.empty() && jobs.rbegin()->first >= read.id)
      return Fail(Bad("ended job " + std::to_string(read.id) + " is out of order"));
    jobs.emplace_hint(jobs.end(), read.id, std::move(read.job));
    return {};
  }
};

SnapshotReader::SnapshotReader() : partial_(std::make_unique<Partial>()) {}
SnapshotReader::~SnapshotReader() = default;
SnapshotReader::SnapshotReader(SnapshotReader&&) noexcept = default;
SnapshotReader& SnapshotReader::operator=(SnapshotReader&&) noexcept = default;

Status SnapshotReader::Add(std::string_view line) {
  if (!partial_->begun) return partial_->Begin(line);
  const State& state = partial_->memory.state;
  if (state.live.size() < partial_->live) return partial_->AddLive(line);
  if (state.held.size() < partial_->held) return partial_->AddHeld(line);
  if (state.ended.size() < partial_->ended) return partial_->AddEnded(line);
  return Fail(Bad("goes on after its end"));
}

Result<Memory> SnapshotReader::Finish() {
  const State& state = partial_->memory.state;
  if (!partial_->begun || state.live.size() != partial_->live ||
      state.held.size() != partial_->held || state.ended.size() != partial_->ended)
    return Fail(Bad("is cut short"));
  for (const core::JobId id : partial_->memory.just_left)
    if (!state.FindEnded(id) && !state.FindHeld(id) && !state.FindLive(id))
      return Fail(Bad("job " + std::to_string(id) + " is not there"));
  return std::move(partial_->memory);
}

}  // namespace ebb::engine
