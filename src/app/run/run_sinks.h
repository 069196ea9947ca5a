#pragma once
// The places where a run stores and shows what happens to it.

#include <string>
#include <vector>

#include "app/run/run_display.h"
#include "app/run/run_log.h"
#include "report/run/run_directory.h"

namespace ebb::app {

struct RunSinks {
  report::RunDirectory& directory;
  RunLog& log;
  RunDisplay& display;

  void SayNote(const std::string& note) const {
    log.Write("note: " + note);
    display.Say("note: " + note);
  }
  void SayNotes(const std::vector<std::string>& notes) const {
    for (const std::string& note : notes) SayNote(note);
  }
};

}  // namespace ebb::app
