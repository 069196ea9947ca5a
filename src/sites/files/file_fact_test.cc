#include "sites/files/file_fact.h"

#include <gtest/gtest.h>

namespace ebb::sites {
namespace {

TEST(FileFact, NamesThatLeadOutOfTheFolderAreRefused) {
  for (const char* name : {"a", "a/b.txt", "..a/b..", "a b", "\xc3\xa9"})
    EXPECT_TRUE(CheckName(name)) << name;
  for (const char* name : {"", "/a", "a/", "a//b", "..", "../a", "a/../b", ".", "a/./b"})
    EXPECT_FALSE(CheckName(name)) << name;
  EXPECT_FALSE(CheckName(std::string("a\0b", 3)));
}

TEST(FileFact, PartsAreNamedByDigestsOnly) {
  EXPECT_TRUE(CheckDigest(std::string(64, 'a')));
  EXPECT_FALSE(CheckDigest(std::string(63, 'a')));
  EXPECT_FALSE(CheckDigest(std::string(62, 'a') + "/x"));
  EXPECT_FALSE(CheckDigest(std::string(64, 'A')));
}

}  // namespace
}  // namespace ebb::sites
