#include "service/observer.h"

#include <algorithm>
#include <ctime>

#include "store/device_history.h"

namespace ebb::service {
namespace {

// The processor time of this thread, without its waits for the disk.
std::chrono::nanoseconds ProcessorTime() {
  timespec used{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::chrono::seconds{used.tv_sec} + std::chrono::nanoseconds{used.tv_nsec};
}

// An exit code of a signal means that the program had started, and was ended from outside.
bool IsFailedStart(const engine::JobReport& report) {
  constexpr int kBySignal = 128;
  const bool had_started = report.exit_code == 0 || report.exit_code > kBySignal;
  return report.phase == engine::JobPhase::kStartFailed && !had_started;
}

}  // namespace

void Service::Observer::OnEvent(const engine::Event& event) {
  Count(event);
  if (!std::holds_alternative<engine::JobSubmitted>(event.fact)) service_.plan_thread_->Hurry();
  if (const auto* signal = std::get_if<engine::SignalObserved>(&event.fact)) {
    if (service_.publisher_.FollowSignal(*signal))
      service_.Log(service_.SourceOf(signal->site) + " answers again");
    service_.store_.AddSignal(signal->view.known);
    service_.compare_again_ = true;
  } else if (const auto* lost = std::get_if<engine::SignalLost>(&event.fact)) {
    if (service_.publisher_.FollowLoss(*lost))
      service_.Log(service_.SourceOf(lost->site) +
                   " cannot be reached; what was known or expected stands in: " + lost->why);
  } else if (const auto* set = std::get_if<engine::ClockSet>(&event.fact)) {
    service_.Follow(*set);
  } else if (const auto* report = std::get_if<engine::JobReport>(&event.fact)) {
    service_.SayLostWork(*report);
    if (IsFailedStart(*report) && !report->detail.empty())
      service_.events_.Say(report->job, "could not be started: " + report->detail);
  } else if (const auto* observed = std::get_if<engine::ExecutorObserved>(&event.fact)) {
    for (const engine::JobReport& seen : observed->reports) service_.SayLostWork(seen);
  } else if (std::holds_alternative<engine::ClusterChanged>(event.fact)) {
    // For devices of this machine the device inventory remembers the pools.
    if (!service_.supervised_) store::RememberPools(service_.store_, service_.executor_->cluster());
  }
}

void Service::Observer::OnRefused(const engine::Event& event, const Error&) {
  if (std::holds_alternative<engine::JobSubmitted>(event.fact))
    ++service_.publisher_.counters().refused;
}

void Service::Observer::OnStored() {
  service_.TakeFigures();
  service_.OnStored();
}

void Service::Observer::OnDeciding() { deciding_since_ = ProcessorTime(); }

void Service::Observer::OnDecision(const engine::Decision& decision, const engine::Engine& engine) {
  service_.OnDecision(decision);
  const std::vector<int> free = engine.state().FreeDevices();
  service_.pace_.Decided(DecisionPace::Clock::now(), ProcessorTime() - deciding_since_,
                         std::any_of(free.begin(), free.end(), [](int n) { return n > 0; }));
}

void Service::Observer::OnCommandFailed(const engine::Command& command, const Error& error) {
  const core::JobId job = std::visit([](const auto& c) { return c.job; }, command);
  service_.events_.Say(job, error.Message());
}

void Service::Observer::Count(const engine::Event& event) {
  Counters& counters = service_.publisher_.counters();
  if (std::holds_alternative<engine::JobSubmitted>(event.fact)) ++counters.submitted;
  if (std::holds_alternative<engine::SignalLost>(event.fact)) ++counters.signal_losses;
  const auto* report = std::get_if<engine::JobReport>(&event.fact);
  if (!report) return;
  if (IsFailedStart(*report)) {
    ++counters.failed_starts;
    ++counters.failed_starts_in_a_row;
  } else if (report->phase == engine::JobPhase::kRunning) {
    counters.failed_starts_in_a_row = 0;
  }
}

}  // namespace ebb::service
