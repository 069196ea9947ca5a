#include "cli/say.h"

#include <cstdio>

#include "base/wrapped_text.h"
#include "cli/error_text.h"
#include "platform/terminal.h"

namespace ebb::cli {

void Say(const std::string& text) {
  std::fprintf(stderr, "%s\n", WrappedText(text, platform::StderrColumns()).c_str());
}

void SayNote(const std::string& note) { Say("note: " + PrintableLines(note)); }

std::string ForStdout(const std::string& text) {
  return WrappedText(text, platform::StdoutColumns());
}

}  // namespace ebb::cli
