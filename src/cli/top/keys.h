#pragma once
// Keys out of the bytes that a terminal sends for them (ECMA-48; arrows also as the VT100 sends
// them in its application mode). Pure.

#include <string>
#include <string_view>
#include <vector>

namespace ebb::cli {

enum class Key { kCharacter, kUp, kDown, kPageUp, kPageDown, kHome, kEnd, kEscape, kOther };

struct KeyPress {
  Key key = Key::kOther;
  char character = 0;  ///< of kCharacter, control characters included
  friend bool operator==(const KeyPress&, const KeyPress&) = default;
};

class KeyReader {
 public:
  /// The keys in the bytes, and in those kept before. A sequence that has not ended is kept: the
  /// rest may be on its way.
  std::vector<KeyPress> Read(std::string_view typed);
  /// True while the beginning of a sequence is kept.
  bool is_amid() const { return !kept_.empty(); }
  /// The keys that were kept, once nothing follows: the key Escape sends nothing else.
  std::vector<KeyPress> GiveUp();

 private:
  std::string kept_;
};

}  // namespace ebb::cli
