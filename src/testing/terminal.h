#pragma once
// A process in a session of its own at a terminal of its own, as a shell in a window starts one.
// The test sees what it prints, types, and looks whether it leaves the terminal as it was.

#include <sys/types.h>
#include <termios.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace ebb {

class Terminal {
 public:
  /// Runs `act` in the process, which ends with code 0 when that returns.
  explicit Terminal(const std::function<void()>& act);
  /// Runs `program` in `directory`.
  Terminal(const std::filesystem::path& directory, const char* program,
           const std::vector<std::string>& words);
  ~Terminal() { Close(); }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  /// The process; the caller waits for its end.
  pid_t pid() const { return pid_; }
  /// Ends the terminal, as a window that is closed does.
  void Close();
  void Resize(unsigned short rows, unsigned short columns) const;
  void Type(const std::string& keys) const;
  /// Waits until `words` are printed behind what was waited for before. False if that is not seen
  /// for a minute.
  bool Await(const std::string& words);
  /// All that was printed.
  const std::string& seen() const { return seen_; }
  /// The terminal has the mode that it had before the process began.
  bool HasModeOfBefore() const;

 private:
  bool ReadMore();

  int master_ = -1;
  int held_ = -1;  // an end for the process: the terminal keeps its mode while one is open
  termios before_{};
  pid_t pid_ = 0;
  std::string seen_;
  std::size_t from_ = 0;
};

}  // namespace ebb
