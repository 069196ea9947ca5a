#include "signals/cloud_metadata.h"

#include <algorithm>

#include "base/text.h"

namespace ebb::signals {
namespace {

using Ask = CloudMetadataOptions::Ask;

// A name or token is short; anything else that answers on the address is not a metadata service.
constexpr std::uint64_t kLimitBytes = 4096;

Result<std::string> Answer(const Ask& ask, const CloudMetadataOptions& options,
                           const std::string& path, std::string header) {
  platform::HttpRequest request;
  request.url = options.url + path;
  request.headers = {std::move(header)};
  request.timeout = options.patience;
  request.limit_bytes = kLimitBytes;
  request.direct = true;
  EBB_ASSIGN_OR_RETURN(const platform::HttpResponse response, ask(request));
  const auto unusable = [](char c) { return c <= ' ' || c >= 0x7f || c == '<' || c == '"'; };
  const std::string text(Trim(response.body));
  if (response.status != 200)
    return Fail({ExitCode::kUnavailable, "status " + std::to_string(response.status), "", ""});
  if (text.empty() || std::any_of(text.begin(), text.end(), unusable))
    return Fail({ExitCode::kUnavailable, "an answer that is not a name", "", ""});
  return text;
}

// Asks with session tokens only: an instance that still allows IMDSv1 answers v2 too.
Result<std::string> AwsRegion(const CloudMetadataOptions& options) {
  EBB_ASSIGN_OR_RETURN(const std::string token, Answer(options.put, options, "/latest/api/token",
                                                       "X-aws-ec2-metadata-token-ttl-seconds: 60"));
  return Answer(options.get, options, "/latest/meta-data/placement/region",
                "X-aws-ec2-metadata-token: " + token);
}

// The answer looks like "projects/123456/zones/us-central1-a".
Result<std::string> GcpZone(const CloudMetadataOptions& options) {
  EBB_ASSIGN_OR_RETURN(
      const std::string path,
      Answer(options.get, options, "/computeMetadata/v1/instance/zone", "Metadata-Flavor: Google"));
  const auto zones = path.find("/zones/");
  if (!path.starts_with("projects/") || zones == std::string::npos)
    return Fail({ExitCode::kUnavailable, "an answer that is not a zone", "", ""});
  return path.substr(zones + 7);
}

Result<std::string> AzureRegion(const CloudMetadataOptions& options) {
  return Answer(options.get, options,
                "/metadata/instance/compute/location?api-version=2021-02-01&format=text",
                "Metadata: true");
}

}  // namespace

Result<const CloudRegion*> RegionOfThisMachine(const CloudMetadataOptions& options) {
  struct Service {
    const char* provider;
    Result<std::string> (*region)(const CloudMetadataOptions&);
  };
  std::string tried;
  for (const Service& service :
       {Service{"aws", AwsRegion}, Service{"gcp", GcpZone}, Service{"azure", AzureRegion}}) {
    const auto region = service.region(options);
    if (region) return CloudRegionFromText(std::string(service.provider) + "/" + *region);
    tried +=
        (tried.empty() ? "" : "; ") + std::string(service.provider) + ": " + region.error().what;
  }
  return Fail({ExitCode::kConfiguration, "no cloud says where this machine is (" + tried + ")",
               options.url, "name the zone or the region with --zone, e.g. DE or aws/us-west-2"});
}

}  // namespace ebb::signals
