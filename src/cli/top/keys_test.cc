#include "cli/top/keys.h"

#include <gtest/gtest.h>

namespace ebb::cli {
namespace {

using Keys = std::vector<KeyPress>;

Keys KeysOf(const std::string& typed) {
  KeyReader reader;
  Keys keys = reader.Read(typed);
  EXPECT_FALSE(reader.is_amid());
  return keys;
}

TEST(Keys, AreReadInBothModesOfTheArrows) {
  EXPECT_EQ(KeysOf("\x1b[A\x1bOB"), (Keys{{Key::kUp}, {Key::kDown}}));
  EXPECT_EQ(KeysOf("\x1b[1;5B"), (Keys{{Key::kDown}})) << "with Ctrl";
  EXPECT_EQ(KeysOf("\x1b[5~\x1b[6~"), (Keys{{Key::kPageUp}, {Key::kPageDown}}));
  EXPECT_EQ(KeysOf("\x1b[H\x1b[4~\x1bOF"), (Keys{{Key::kHome}, {Key::kEnd}, {Key::kEnd}}));
}

TEST(Keys, CharactersAreThemselves) {
  EXPECT_EQ(KeysOf("q\x1a"), (Keys{{Key::kCharacter, 'q'}, {Key::kCharacter, '\x1a'}}));
  EXPECT_EQ(KeysOf("\xc3\xa9"), (Keys{{}, {}})) << "no key has a character that is not ASCII";
}

TEST(Keys, OtherSequencesMeanNothing) {
  EXPECT_EQ(KeysOf("\x1b[24~q"), (Keys{{}, {Key::kCharacter, 'q'}}));
  EXPECT_EQ(KeysOf("\x1b"
                   "A"),
            (Keys{{}}))
      << "a letter with Alt is not an arrow";
}

TEST(Keys, ASequenceMayComeInPieces) {
  KeyReader reader;
  EXPECT_EQ(reader.Read("j\x1b"), (Keys{{Key::kCharacter, 'j'}}));
  EXPECT_TRUE(reader.is_amid());
  EXPECT_EQ(reader.Read("["), Keys{});
  EXPECT_EQ(reader.Read("Bk"), (Keys{{Key::kDown}, {Key::kCharacter, 'k'}}));
  EXPECT_FALSE(reader.is_amid());
}

TEST(Keys, AnEscapeBehindWhichNothingComesIsTheKeyEscape) {
  KeyReader reader;
  EXPECT_EQ(reader.Read("\x1b"), Keys{});
  EXPECT_EQ(reader.GiveUp(), (Keys{{Key::kEscape}}));
  EXPECT_FALSE(reader.is_amid());
  EXPECT_EQ(reader.GiveUp(), Keys{});
}

}  // namespace
}  // namespace ebb::cli
