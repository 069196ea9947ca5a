// The OpenAPI document: the routes, their parameters and bodies, and their answers.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "web/answers/short_answers.h"
#include "web/api/api.h"
#include "web/http/responses.h"
#include "web/requests/object_schema.h"
#include "web/requests/submission_definition.h"

namespace ebb::web {
namespace {

using Json = nlohmann::ordered_json;

Json ParametersOf(const Api::Route& route) {
  Json parameters = Json::array();
  if (route.path.find("{id}") != std::string::npos) {
    parameters.push_back({{"name", "id"},
                          {"in", "path"},
                          {"required", true},
                          {"schema", {{"type", "integer"}, {"minimum", 1}}}});
  }
  for (const Parameter& parameter : route.parameters)
    parameters.push_back(Json::parse(DescriptionOf(parameter)));
  return parameters;
}

Json RefTo(const std::string& name) { return {{"$ref", report::PlaceOfSchema(name)}}; }

Json ContentOf(const Json& schema) { return {{"application/json", {{"schema", schema}}}}; }

Json ResponsesOf(const Api::Route& route, report::Schemas& all) {
  if (!route.answer) return {{"default", {{"description", "see docs/api.md"}}}};
  Json responses = Json::object();
  const auto add = [&](const char* status, const char* words, const std::string& schema) {
    responses[status] = {{"description", words}, {"content", ContentOf(Json::parse(schema))}};
  };
  const std::string answer = route.answer(all);
  const bool submits = route.body.starts_with("New");
  if (submits) {
    add("201", "all were taken", answer);
    add("207", "some were refused", answer);
  } else if (route.method == "POST") {
    add("202", "it is stored", answer);
  } else {
    add("200", "it is known", answer);
  }
  const std::string error = report::SchemaOf<ErrorAnswer>(all);
  const bool is_of_one_thing =
      route.path.find("{id}") != std::string::npos ||
      std::ranges::any_of(route.parameters,
                          [](const Parameter& parameter) { return parameter.required; });
  if (is_of_one_thing) add("404", "it does not exist", error);
  if (submits)
    add("409", "the key was used for something else", error);
  else if (is_of_one_thing && route.method == "POST")
    add("409", "its state does not allow it", error);
  add("default", "why it cannot be", error);
  return responses;
}

Json OperationOf(const Api::Route& route, report::Schemas& all) {
  Json operation{{"summary", route.summary}, {"responses", ResponsesOf(route, all)}};
  if (Json parameters = ParametersOf(route); !parameters.empty())
    operation["parameters"] = std::move(parameters);
  if (!route.body.empty())
    operation["requestBody"] = {{"required", true}, {"content", ContentOf(RefTo(route.body))}};
  if (route.method == "POST") operation["security"] = Json::array({{{"token", Json::array()}}});
  return operation;
}

Json SchemasWith(const report::Schemas& answers) {
  Json schemas = Json::object();
  for (const Definition* definition : SubmissionDefinitions())
    schemas[definition->name] = Json::parse(SchemaOf(*definition));
  const Json job = RefTo(JobDefinition().name);
  schemas["NewJobs"] = {
      {"description", "One job, or a list of them."},
      {"oneOf",
       Json::array(
           {job,
            {{"type", "array"}, {"items", job}, {"minItems", 1}, {"maxItems", core::kMostJobs}}})}};
  for (const auto& [name, schema] : answers) schemas[name] = Json::parse(schema);
  return schemas;
}

}  // namespace

HttpResponse Api::OpenApi(const HttpRequest&, core::JobId) const {
  Json paths = Json::object();
  report::Schemas answers;
  for (const Route& route : Routes()) {
    std::string method = route.method;
    std::transform(method.begin(), method.end(), method.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    paths[route.path][method] = OperationOf(route, answers);
  }
  const Json token{{"type", "http"}, {"scheme", "bearer"}};
  const Json document{
      {"openapi", "3.0.3"},
      {"info", {{"title", "Ebb"}, {"version", options_.metrics.version}}},
      {"paths", paths},
      {"components", {{"schemas", SchemasWith(answers)}, {"securitySchemes", {{"token", token}}}}}};
  return Respond(document.dump() + "\n");
}

}  // namespace ebb::web
