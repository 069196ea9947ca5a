#include "config/cluster/kubeconfig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platform/file.h"
#include "testing/scratch_directory.h"

namespace ebb::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

class KubeconfigTest : public ::testing::Test {
 protected:
  Result<kubernetes::ApiServer> Load(const std::string& text, const std::string& context = "") {
    const fs::path file = directory_ / "config";
    EXPECT_TRUE(platform::WriteFileAtomically(file, text));
    return LoadKubeconfig(file.string(), context, ports_);
  }

  // A kubeconfig with one cluster, one context and a user made of these lines.
  static std::string WithUser(const std::string& user) {
    return "apiVersion: v1\ncurrent-context: a\n"
           "clusters:\n- name: c\n  cluster:\n    server: https://10.0.0.1:6443/\n"
           "contexts:\n- name: a\n  context: {cluster: c, user: u, namespace: lab}\n"
           "users:\n- name: u\n  user:\n    " +
           user + "\n";
  }

  fs::path directory_ = ScratchDirectory("kubeconfig");
  Duration since_boot_{};
  Time now_ = *ParseTime("2026-05-01T00:00Z");
  std::vector<std::vector<std::string>> ran_;
  KubeconfigPorts ports_{[this] { return since_boot_; }, [this] { return now_; },
                         [this](const auto& command, const auto&) -> Result<std::string> {
                           ran_.push_back(command);
                           return R"({"status":{"token":"from-plugin"}})";
                         }};
};

TEST_F(KubeconfigTest, ServerNamespaceAndToken) {
  const auto server = Load(WithUser("token: secret"));
  ASSERT_TRUE(server) << server.error().Message();
  EXPECT_EQ(server->url, "https://10.0.0.1:6443");
  EXPECT_EQ(server->name_space, "lab");
  EXPECT_EQ(*server->token(), "secret");
}

TEST_F(KubeconfigTest, CertificatesInTheFileAndBesideIt) {
  ASSERT_TRUE(platform::WriteFileAtomically(directory_ / "me.key", "KEY"));
  const auto server = Load(WithUser("client-certificate-data: Q0VSVA==\n    client-key: me.key"));
  ASSERT_TRUE(server) << server.error().Message();
  EXPECT_EQ(server->certificate_pem, "CERT");
  EXPECT_EQ(server->key_pem, "KEY") << "relative to the file";
  EXPECT_FALSE(server->token);
}

TEST_F(KubeconfigTest, ATokenInAFileIsReadAgain) {
  ASSERT_TRUE(platform::WriteFileAtomically(directory_ / "token", "one\n"));
  const auto server = Load(WithUser("tokenFile: token"));
  ASSERT_TRUE(server);
  EXPECT_EQ(*server->token(), "one");
  ASSERT_TRUE(platform::WriteFileAtomically(directory_ / "token", "two\n"));
  EXPECT_EQ(*server->token(), "one") << "a minute has not passed";
  since_boot_ += std::chrono::minutes{2};
  EXPECT_EQ(*server->token(), "two");
  fs::remove(directory_ / "token");
  since_boot_ += std::chrono::minutes{2};
  EXPECT_EQ(*server->token(), "two") << "it is being replaced";
}

TEST_F(KubeconfigTest, APluginIsRunForItsToken) {
  const auto server = Load(
      WithUser("exec:\n      apiVersion: client.authentication.k8s.io/v1\n      command: login\n"
               "      args: [--cluster, lab]\n      env:\n      - {name: A, value: b}"));
  ASSERT_TRUE(server) << server.error().Message();
  EXPECT_TRUE(ran_.empty()) << "not before it is needed";
  EXPECT_EQ(*server->token(), "from-plugin");
  EXPECT_EQ(*server->token(), "from-plugin");
  EXPECT_THAT(ran_, ElementsAre(ElementsAre("login", "--cluster", "lab")));
}

TEST_F(KubeconfigTest, WhatCannotBeUsedIsRefusedWithItsReason) {
  const auto refused = [&](const std::string& text, const std::string& context = "") {
    const auto server = Load(text, context);
    return server ? "" : server.error().Message();
  };
  const std::string good = WithUser("token: t");
  EXPECT_THAT(refused(good, "b"), HasSubstr("has no context \"b\""));
  EXPECT_THAT(refused("clusters: []"), HasSubstr("names no current-context"));
  EXPECT_THAT(refused(WithUser("password: p")), HasSubstr("password is not supported"));
  EXPECT_THAT(refused(WithUser("client-key-data: '*'")), HasSubstr("is not base64"));
  EXPECT_THAT(refused(WithUser("client-key: nosuch")), HasSubstr("nosuch"));
  std::string text = good;
  text.replace(text.find("https://"), 8, "http://");
  EXPECT_THAT(refused(text), HasSubstr("not an https:// address"));
  text = good;
  text.insert(text.find("    server:"), "    insecure-skip-tls-verify: true\n");
  EXPECT_THAT(refused(text), HasSubstr("always verifies"));
  EXPECT_THAT(refused("[1, 2"), HasSubstr("YAML"));
}

}  // namespace
}  // namespace ebb::config
