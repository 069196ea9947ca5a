#pragma once
// The contents of ebb top and the meaning of its keys, without a terminal: samples and keys go in,
// commands to carry out and lines to draw come out. Pure.

#include <optional>
#include <string>
#include <vector>

#include "cli/local_times.h"
#include "cli/top/keys.h"
#include "cli/top/top_order.h"
#include "cli/top/top_sample.h"

namespace ebb::cli {

/// The work of the terminal's loop after a key.
enum class TopAction { kNone, kQuit, kSuspend, kExplain, kPause, kResume, kCancel };
struct TopCommand {
  TopAction action = TopAction::kNone;
  long long job = 0;
  friend bool operator==(const TopCommand&, const TopCommand&) = default;
};

/// A line of the screen. Its text is printable and fits.
struct ScreenLine {
  enum class Look { kPlain, kTitle, kSelected } look = Look::kPlain;
  std::string text;
  friend bool operator==(const ScreenLine&, const ScreenLine&) = default;
};

class TopModel {
 public:
  explicit TopModel(TopOrder order) : order_(order) {}

  /// The newest sample. The same job stays selected while it is there.
  void Take(TopSample sample);
  /// The service did not answer: the last sample stays, and the screen says why it is old.
  void Lost(const std::string& why) { lost_ = why; }
  /// A sentence at the bottom until the next key: the outcome of a command.
  void Say(std::string text) { message_ = std::move(text); }
  /// A text in place of the tables until the next key.
  void Show(std::string title, std::string text) { shown_ = {std::move(title), std::move(text)}; }

  TopCommand Press(const KeyPress& press);
  /// At most `rows` lines of at most `columns`; times by the clock of the service.
  std::vector<ScreenLine> Screen(std::size_t columns, std::size_t rows,
                                 const LocalTimes& times) const;

  const TopSample& sample() const { return sample_; }

 private:
  struct Shown {
    std::string title, text;
  };
  const TopJob* selected() const;
  long long SelectedNumber() const;
  void Arrange(long long number);
  TopCommand PressCharacter(char character);
  TopCommand Answer(const KeyPress& press);
  void Move(long long by);
  void Order(TopOrder order);
  void AddJobs(std::size_t columns, std::size_t rows, const LocalTimes& times,
               std::vector<ScreenLine>& lines) const;
  std::string AboutSelected(const LocalTimes& times) const;
  std::string Bottom() const;

  TopSample sample_;
  TopOrder order_;
  std::size_t selected_ = 0;     // of sample_.jobs; meaningless without jobs
  std::optional<TopJob> asked_;  // whether to cancel this job
  std::optional<Shown> shown_;
  std::string message_, lost_;
};

}  // namespace ebb::cli
