#include "config/cluster/kubeconfig.h"

#include <array>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/base64.h"
#include "base/text.h"
#include "config/yaml/yaml_tree.h"
#include "platform/file.h"

namespace ebb::config {
namespace {

namespace fs = std::filesystem;

const YamlNode* Find(const YamlNode* map, std::string_view key) {
  if (!map || map->kind != YamlNode::Kind::kMap) return nullptr;
  for (const YamlEntry& entry : map->entries)
    if (entry.key == key) return &entry.value;
  return nullptr;
}

std::string TextOf(const YamlNode* map, std::string_view key) {
  const YamlNode* found = Find(map, key);
  return found && found->kind == YamlNode::Kind::kScalar ? found->text : "";
}

// Finds the entry {name: NAME, WHAT: {...}} in a list of such entries and returns its WHAT.
const YamlNode* Named(const YamlNode& file, std::string_view list, std::string_view what,
                      const std::string& name) {
  const YamlNode* entries = Find(&file, list);
  if (!entries) return nullptr;
  for (const YamlNode& entry : entries->items)
    if (TextOf(&entry, "name") == name) return Find(&entry, what);
  return nullptr;
}

class Reader {
 public:
  Reader(const std::string& file, const KubeconfigPorts& ports) : file_(file), ports_(ports) {}

  Result<kubernetes::ApiServer> Read(const YamlNode& root, std::string context) {
    if (context.empty()) context = TextOf(&root, "current-context");
    if (context.empty())
      return Wrong("names no current-context", "choose one with kubectl config use-context");
    const YamlNode* chosen = Named(root, "contexts", "context", context);
    if (!chosen) return Wrong("has no context " + Quoted(context), "");
    const YamlNode* cluster = Named(root, "clusters", "cluster", TextOf(chosen, "cluster"));
    if (!cluster) return Wrong("has no cluster " + Quoted(TextOf(chosen, "cluster")), "");
    kubernetes::ApiServer server;
    EBB_RETURN_IF_ERROR(ReadCluster(*cluster, server));
    if (const std::string name = TextOf(chosen, "namespace"); !name.empty())
      server.name_space = name;
    const std::string user = TextOf(chosen, "user");
    if (user.empty()) return server;
    const YamlNode* account = Named(root, "users", "user", user);
    if (!account) return Wrong("has no user " + Quoted(user), "");
    EBB_RETURN_IF_ERROR(ReadUser(*account, server));
    return server;
  }

 private:
  tl::unexpected<Error> Wrong(const std::string& what, const std::string& next) const {
    return Fail({ExitCode::kConfiguration, what, file_, next});
  }

  Status ReadCluster(const YamlNode& cluster, kubernetes::ApiServer& server) const {
    server.url = TextOf(&cluster, "server");
    while (server.url.ends_with('/')) server.url.pop_back();
    if (!server.url.starts_with("https://"))
      return Wrong("server: " + Quoted(server.url) + " is not an https:// address",
                   "a token is not sent unencrypted");
    if (TextOf(&cluster, "insecure-skip-tls-verify") == "true")
      return Wrong("insecure-skip-tls-verify: Ebb always verifies the server",
                   "give certificate-authority instead");
    EBB_ASSIGN_OR_RETURN(server.ca_pem, Pem(cluster, "certificate-authority"));
    return {};
  }

  Status ReadUser(const YamlNode& user, kubernetes::ApiServer& server) const {
    for (const char* key : {"username", "password", "auth-provider"})
      if (Find(&user, key))
        return Wrong(std::string(key) + " is not supported",
                     "use a client certificate, a token or an exec plugin");
    EBB_ASSIGN_OR_RETURN(server.certificate_pem, Pem(user, "client-certificate"));
    EBB_ASSIGN_OR_RETURN(server.key_pem, Pem(user, "client-key"));
    if (const std::string token = TextOf(&user, "token"); !token.empty())
      server.token = [token]() -> Result<std::string> { return token; };
    if (const std::string file = TextOf(&user, "tokenFile"); !file.empty())
      server.token = kubernetes::TextFromFile(Beside(file), ports_.since_boot);
    if (const YamlNode* plugin = Find(&user, "exec")) server.token = TokenOfPlugin(*plugin);
    return {};
  }

  // Paths in the file are relative to its directory.
  fs::path Beside(const std::string& path) const {
    return fs::path(path).is_absolute() ? fs::path(path) : fs::path(file_).parent_path() / path;
  }

  // The text of KEY-data ("certificate-authority-data"), or the content of the file that KEY names.
  Result<std::string> Pem(const YamlNode& map, const std::string& key) const {
    if (const std::string data = TextOf(&map, key + "-data"); !data.empty()) {
      auto pem = FromBase64(data);
      if (!pem) return Wrong(key + "-data is not base64", "");
      return *std::move(pem);
    }
    const std::string path = TextOf(&map, key);
    return path.empty() ? Result<std::string>(std::string()) : platform::ReadFile(Beside(path));
  }

  std::function<Result<std::string>()> TokenOfPlugin(const YamlNode& exec) const {
    Plugin plugin{{TextOf(&exec, "command")},
                  {{"KUBERNETES_EXEC_INFO", R"({"kind":"ExecCredential","apiVersion":")" +
                                                TextOf(&exec, "apiVersion") +
                                                R"(","spec":{"interactive":false}})"}},
                  file_};
    if (const YamlNode* arguments = Find(&exec, "args"))
      for (const YamlNode& argument : arguments->items) plugin.command.push_back(argument.text);
    if (const YamlNode* variables = Find(&exec, "env"))
      for (const YamlNode& variable : variables->items)
        plugin.environment.emplace_back(TextOf(&variable, "name"), TextOf(&variable, "value"));
    return TokenFromPlugin(std::move(plugin), ports_.run_plugin, {ports_.now, ports_.since_boot});
  }

  const std::string& file_;
  const KubeconfigPorts& ports_;
};

}  // namespace

Result<kubernetes::ApiServer> LoadKubeconfig(const std::string& file, const std::string& context,
                                             const KubeconfigPorts& ports) {
  EBB_ASSIGN_OR_RETURN(const std::string text, platform::ReadFile(file));
  EBB_ASSIGN_OR_RETURN(const YamlNode root, ParseYaml(text, file));
  return Reader(file, ports).Read(root, context);
}

}  // namespace ebb::config
