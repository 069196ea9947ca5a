#include "config/cluster/plugin_token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <thread>

namespace ebb::config {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;

// A plugin that prints a given text and takes a given time.
class Printer {
 public:
  Result<std::string> Run() {
    std::unique_lock lock(mutex_);
    ++runs_;
    goes_on_.wait(lock, [this] { return !hangs_; });
    return printed_;
  }
  void Print(std::string text) {
    const std::lock_guard lock(mutex_);
    printed_ = std::move(text);
  }
  void Hang(bool hangs) {
    const std::lock_guard lock(mutex_);
    hangs_ = hangs;
    goes_on_.notify_all();
  }
  int runs() const {
    const std::lock_guard lock(mutex_);
    return runs_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable goes_on_;
  std::string printed_;
  bool hangs_ = false;
  int runs_ = 0;
};

class PluginTokenTest : public ::testing::Test {
 protected:
  static std::string Printed(const std::string& token, const std::string& expires) {
    return R"({"status":{"token":")" + token + R"(","expirationTimestamp":")" + expires + R"("}})";
  }
  // Waits until the token is `text`: another thread asks the plugin.
  bool Becomes(const std::string& text) {
    for (int i = 0; i < 5000; ++i) {
      const auto token = token_();
      if (token ? *token == text : token.error().Message().find(text) != std::string::npos)
        return true;
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    return false;
  }
  void Pass(Duration time) {
    now_ += time;
    since_boot_ += time;
  }

  Time now_ = *ParseTime("2026-05-01T00:00Z");
  Duration since_boot_{};
  std::shared_ptr<Printer> printer_ = std::make_shared<Printer>();
  std::function<Result<std::string>()> token_ =
      TokenFromPlugin({{"login"}, {}, "config"},
                      [printer = printer_](const auto&, const auto&) { return printer->Run(); },
                      {[this] { return now_; }, [this] { return since_boot_; }});
};

TEST_F(PluginTokenTest, ATokenIsKeptUntilShortlyBeforeItExpires) {
  printer_->Print(Printed("one", "2026-05-01T01:00:00Z"));
  EXPECT_EQ(*token_(), "one");
  Pass(minutes{57});
  EXPECT_EQ(*token_(), "one");
  EXPECT_EQ(printer_->runs(), 1);
  printer_->Print(R"({"status":{"token":"two"}})");
  Pass(minutes{2});
  EXPECT_TRUE(Becomes("two"));
  Pass(std::chrono::hours{9});
  EXPECT_EQ(*token_(), "two") << "this one does not expire";
  EXPECT_EQ(printer_->runs(), 2);
}

TEST_F(PluginTokenTest, APluginThatHangsHoldsUpNobody) {
  printer_->Print(Printed("one", "2026-05-01T01:00:00Z"));
  EXPECT_EQ(*token_(), "one");
  printer_->Hang(true);
  Pass(minutes{59});
  EXPECT_EQ(*token_(), "one") << "it still holds";
  Pass(minutes{1});
  EXPECT_THAT(token_().error().Message(), HasSubstr("has given no new token yet"));
  printer_->Print(Printed("two", "2026-05-01T02:00:00Z"));
  printer_->Hang(false);
  EXPECT_TRUE(Becomes("two"));
  EXPECT_EQ(printer_->runs(), 2) << "one at a time";
}

TEST_F(PluginTokenTest, APluginThatFailsIsAskedAgainAfterAPause) {
  printer_->Print("please log in");
  EXPECT_FALSE(token_());
  printer_->Print(R"({"status":{"clientCertificateData":"x"}})");
  EXPECT_FALSE(token_());
  EXPECT_EQ(printer_->runs(), 1);
  Pass(seconds{10});
  EXPECT_THAT(token_().error().Message(), HasSubstr("printed no token"));
  Pass(seconds{10});
  printer_->Print(Printed("one", "2026-05-01T01:00:00Z"));
  EXPECT_EQ(*token_(), "one");
  printer_->Print("");
  Pass(minutes{60});
  EXPECT_FALSE(token_());
  EXPECT_TRUE(Becomes("login"));
  printer_->Print(Printed("two", "2026-05-01T03:00:00Z"));
  Pass(seconds{10});
  EXPECT_TRUE(Becomes("two"));
}

}  // namespace
}  // namespace ebb::config
