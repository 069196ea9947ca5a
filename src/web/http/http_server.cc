#include "web/http/http_server.h"

#include <dlfcn.h>

#include <filesystem>

#include "web/http/http_listener.h"

namespace ebb::web {
namespace {

constexpr const char* kModule = "libebb-http.so";

// The module lies beside the program in a build folder, or in its installed place.
Result<ListenFunction*> LoadModule() {
  std::error_code ignored;
  const auto here = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const auto& file : {here / kModule, here / "../lib/ebb" / kModule}) {
    if (void* module = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL))
      if (void* function = ::dlsym(module, kListenFunction))
        return reinterpret_cast<ListenFunction*>(function);
  }
  const char* why = ::dlerror();
  return Fail({ExitCode::kUnavailable,
               std::string("the HTTP server cannot be loaded: ") + (why ? why : "no such function"),
               (here / kModule).string(),
               "is the installation whole, with libcpp-httplib (Debian: libcpp-httplib0.11)?"});
}

}  // namespace

struct HttpServer::State {
  std::unique_ptr<HttpListener> listener;
};

HttpServer::HttpServer(std::unique_ptr<State> state) : state_(std::move(state)) {}
HttpServer::HttpServer(HttpServer&&) noexcept = default;
HttpServer::~HttpServer() = default;

Result<HttpServer> HttpServer::Start(const HttpServerOptions& options, HttpHandler handler) {
  EBB_ASSIGN_OR_RETURN(ListenFunction* const listen, LoadModule());
  auto state = std::make_unique<State>();
  Error why;
  state->listener.reset(listen(&options, &handler, &why));
  if (!state->listener) return Fail(std::move(why));
  if (state->listener->port() < 0)
    return Fail({ExitCode::kUnavailable, "cannot listen",
                 options.address + ":" + std::to_string(options.port),
                 "is another service at work there? --port gives another one"});
  return HttpServer(std::move(state));
}

int HttpServer::port() const { return state_->listener->port(); }

}  // namespace ebb::web
