#include "signals/cloud_regions.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <vector>

#include "base/text.h"

namespace ebb::signals {
namespace {

// Rows that other tables have wrong, and why they read as they do here:
// - PJM's key is US-MIDA-PJM (there is no US-PJM), Kansai's JP-KN (no JP-KS), Nevada's US-NW-NEVP
//   (no US-SW-NEVP); AWS has no us-central-1.
// - ca-central-1 is Montreal, on Hydro-Quebec's grid: CA-QC, not Ontario.
// - us-west3 is Salt Lake City, PacifiCorp East: not California.
// - us-east1 is Berkeley County, South Carolina: not Southern Company's grid.
// - centralus is Iowa, in MISO: not Texas.
// - Mumbai (ap-south-1, asia-south1) is on India's western grid: IN-WE, not IN-NO.
// - us-central1 is Council Bluffs, supplied by MidAmerican Energy, a member of MISO. Electricity
//   Maps' list has US-CENT-SWPP, the grid on the other bank of the Missouri.
// Where a country has one key and several grids, the finer key is taken: SE-SE3, IT-NO, JP-TK.
constexpr CloudRegion kRegions[] = {
    // clang-format off
    {"aws", "af-south-1", "ZA", "Africa/Johannesburg", "Cape Town"},
    {"aws", "ap-east-1", "HK", "Asia/Hong_Kong", "Hong Kong"},
    {"aws", "ap-east-2", "TW", "Asia/Taipei", "Taipei"},
    {"aws", "ap-northeast-1", "JP-TK", "Asia/Tokyo", "Tokyo"},
    {"aws", "ap-northeast-2", "KR", "Asia/Seoul", "Seoul"},
    {"aws", "ap-northeast-3", "JP-KN", "Asia/Tokyo", "Osaka"},
    {"aws", "ap-south-1", "IN-WE", "Asia/Kolkata", "Mumbai"},
    {"aws", "ap-south-2", "IN-SO", "Asia/Kolkata", "Hyderabad"},
    {"aws", "ap-southeast-1", "SG", "Asia/Singapore", "Singapore"},
    {"aws", "ap-southeast-2", "AU-NSW", "Australia/Sydney", "Sydney"},
    {"aws", "ap-southeast-3", "ID", "Asia/Jakarta", "Jakarta"},
    {"aws", "ap-southeast-4", "AU-VIC", "Australia/Melbourne", "Melbourne"},
    {"aws", "ap-southeast-5", "MY-WM", "Asia/Kuala_Lumpur", "Malaysia"},
    {"aws", "ap-southeast-6", "NZ", "Pacific/Auckland", "Auckland"},
    {"aws", "ap-southeast-7", "TH", "Asia/Bangkok", "Bangkok"},
    {"aws", "ca-central-1", "CA-QC", "America/Toronto", "Montreal"},
    {"aws", "ca-west-1", "CA-AB", "America/Edmonton", "Calgary"},
    {"aws", "cn-north-1", "CN", "Asia/Shanghai", "Beijing"},
    {"aws", "cn-northwest-1", "CN", "Asia/Shanghai", "Ningxia"},
    {"aws", "eu-central-1", "DE", "Europe/Berlin", "Frankfurt"},
    {"aws", "eu-central-2", "CH", "Europe/Zurich", "Zurich"},
    {"aws", "eu-north-1", "SE-SE3", "Europe/Stockholm", "Stockholm"},
    {"aws", "eu-south-1", "IT-NO", "Europe/Rome", "Milan"},
    {"aws", "eu-south-2", "ES", "Europe/Madrid", "Aragon"},
    {"aws", "eu-west-1", "IE", "Europe/Dublin", "Dublin"},
    {"aws", "eu-west-2", "GB", "Europe/London", "London"},
    {"aws", "eu-west-3", "FR", "Europe/Paris", "Paris"},
    {"aws", "eusc-de-east-1", "DE", "Europe/Berlin", "Brandenburg"},
    {"aws", "il-central-1", "IL", "Asia/Jerusalem", "Tel Aviv"},
    {"aws", "me-central-1", "AE", "Asia/Dubai", "United Arab Emirates"},
    {"aws", "me-south-1", "BH", "Asia/Bahrain", "Bahrain"},
    {"aws", "mx-central-1", "MX", "America/Mexico_City", "Queretaro"},
    {"aws", "sa-east-1", "BR-CS", "America/Sao_Paulo", "Sao Paulo"},
    {"aws", "us-east-1", "US-MIDA-PJM", "America/New_York", "Northern Virginia"},
    {"aws", "us-east-2", "US-MIDA-PJM", "America/New_York", "Ohio"},
    {"aws", "us-gov-east-1", "US-MIDA-PJM", "America/New_York", "Ohio"},
    {"aws", "us-gov-west-1", "US-NW-PACW", "America/Los_Angeles", "Oregon"},
    {"aws", "us-west-1", "US-CAL-CISO", "America/Los_Angeles", "Northern California"},
    {"aws", "us-west-2", "US-NW-PACW", "America/Los_Angeles", "Oregon"},
    {"gcp", "africa-south1", "ZA", "Africa/Johannesburg", "Johannesburg"},
    {"gcp", "asia-east1", "TW", "Asia/Taipei", "Changhua County"},
    {"gcp", "asia-east2", "HK", "Asia/Hong_Kong", "Hong Kong"},
    {"gcp", "asia-northeast1", "JP-TK", "Asia/Tokyo", "Tokyo"},
    {"gcp", "asia-northeast2", "JP-KN", "Asia/Tokyo", "Osaka"},
    {"gcp", "asia-northeast3", "KR", "Asia/Seoul", "Seoul"},
    {"gcp", "asia-south1", "IN-WE", "Asia/Kolkata", "Mumbai"},
    {"gcp", "asia-south2", "IN-NO", "Asia/Kolkata", "Delhi"},
    {"gcp", "asia-southeast1", "SG", "Asia/Singapore", "Singapore"},
    {"gcp", "asia-southeast2", "ID", "Asia/Jakarta", "Jakarta"},
    {"gcp", "asia-southeast3", "TH", "Asia/Bangkok", "Bangkok"},
    {"gcp", "australia-southeast1", "AU-NSW", "Australia/Sydney", "Sydney"},
    {"gcp", "australia-southeast2", "AU-VIC", "Australia/Melbourne", "Melbourne"},
    {"gcp", "europe-central2", "PL", "Europe/Warsaw", "Warsaw"},
    {"gcp", "europe-north1", "FI", "Europe/Helsinki", "Hamina"},
    {"gcp", "europe-north2", "SE-SE3", "Europe/Stockholm", "Stockholm"},
    {"gcp", "europe-southwest1", "ES", "Europe/Madrid", "Madrid"},
    {"gcp", "europe-west1", "BE", "Europe/Brussels", "St. Ghislain"},
    {"gcp", "europe-west10", "DE", "Europe/Berlin", "Berlin"},
    {"gcp", "europe-west12", "IT-NO", "Europe/Rome", "Turin"},
    {"gcp", "europe-west2", "GB", "Europe/London", "London"},
    {"gcp", "europe-west3", "DE", "Europe/Berlin", "Frankfurt"},
    {"gcp", "europe-west4", "NL", "Europe/Amsterdam", "Eemshaven"},
    {"gcp", "europe-west6", "CH", "Europe/Zurich", "Zurich"},
    {"gcp", "europe-west8", "IT-NO", "Europe/Rome", "Milan"},
    {"gcp", "europe-west9", "FR", "Europe/Paris", "Paris"},
    {"gcp", "me-central1", "QA", "Asia/Qatar", "Doha"},
    {"gcp", "me-central2", "SA", "Asia/Riyadh", "Dammam"},
    {"gcp", "me-west1", "IL", "Asia/Jerusalem", "Tel Aviv"},
    {"gcp", "northamerica-northeast1", "CA-QC", "America/Toronto", "Montreal"},
    {"gcp", "northamerica-northeast2", "CA-ON", "America/Toronto", "Toronto"},
    {"gcp", "northamerica-south1", "MX", "America/Mexico_City", "Queretaro"},
    {"gcp", "southamerica-east1", "BR-CS", "America/Sao_Paulo", "Sao Paulo"},
    {"gcp", "southamerica-west1", "CL-SEN", "America/Santiago", "Santiago"},
    {"gcp", "us-central1", "US-MIDW-MISO", "America/Chicago", "Council Bluffs, Iowa"},
    {"gcp", "us-east1", "US-CAR-SCEG", "America/New_York", "Moncks Corner, South Carolina"},
    {"gcp", "us-east4", "US-MIDA-PJM", "America/New_York", "Ashburn, Virginia"},
    {"gcp", "us-east5", "US-MIDA-PJM", "America/New_York", "Columbus, Ohio"},
    {"gcp", "us-south1", "US-TEX-ERCO", "America/Chicago", "Dallas"},
    {"gcp", "us-west1", "US-NW-PACW", "America/Los_Angeles", "The Dalles, Oregon"},
    {"gcp", "us-west2", "US-CAL-CISO", "America/Los_Angeles", "Los Angeles"},
    {"gcp", "us-west3", "US-NW-PACE", "America/Denver", "Salt Lake City"},
    {"gcp", "us-west4", "US-NW-NEVP", "America/Los_Angeles", "Las Vegas"},
    {"azure", "australiacentral", "AU-NSW", "Australia/Sydney", "Canberra"},
    {"azure", "australiacentral2", "AU-NSW", "Australia/Sydney", "Canberra"},
    {"azure", "australiaeast", "AU-NSW", "Australia/Sydney", "New South Wales"},
    {"azure", "australiasoutheast", "AU-VIC", "Australia/Melbourne", "Victoria"},
    {"azure", "austriaeast", "AT", "Europe/Vienna", "Vienna"},
    {"azure", "belgiumcentral", "BE", "Europe/Brussels", "Brussels"},
    {"azure", "brazilsouth", "BR-CS", "America/Sao_Paulo", "Sao Paulo"},
    {"azure", "brazilsoutheast", "BR-CS", "America/Sao_Paulo", "Rio de Janeiro"},
    {"azure", "canadacentral", "CA-ON", "America/Toronto", "Toronto"},
    {"azure", "canadaeast", "CA-QC", "America/Toronto", "Quebec"},
    {"azure", "centralindia", "IN-WE", "Asia/Kolkata", "Pune"},
    {"azure", "centralus", "US-MIDW-MISO", "America/Chicago", "Iowa"},
    {"azure", "chilecentral", "CL-SEN", "America/Santiago", "Santiago"},
    {"azure", "chinaeast", "CN", "Asia/Shanghai", "Shanghai"},
    {"azure", "chinaeast2", "CN", "Asia/Shanghai", "Shanghai"},
    {"azure", "chinaeast3", "CN", "Asia/Shanghai", "Jiangsu"},
    {"azure", "chinanorth", "CN", "Asia/Shanghai", "Beijing"},
    {"azure", "chinanorth2", "CN", "Asia/Shanghai", "Beijing"},
    {"azure", "chinanorth3", "CN", "Asia/Shanghai", "Hebei"},
    {"azure", "denmarkeast", "DK-DK2", "Europe/Copenhagen", "Copenhagen"},
    {"azure", "eastasia", "HK", "Asia/Hong_Kong", "Hong Kong"},
    {"azure", "eastus", "US-MIDA-PJM", "America/New_York", "Virginia"},
    {"azure", "eastus2", "US-MIDA-PJM", "America/New_York", "Virginia"},
    {"azure", "francecentral", "FR", "Europe/Paris", "Paris"},
    {"azure", "francesouth", "FR", "Europe/Paris", "Marseille"},
    {"azure", "germanynorth", "DE", "Europe/Berlin", "Berlin"},
    {"azure", "germanywestcentral", "DE", "Europe/Berlin", "Frankfurt"},
    {"azure", "indonesiacentral", "ID", "Asia/Jakarta", "Jakarta"},
    {"azure", "israelcentral", "IL", "Asia/Jerusalem", "Israel"},
    {"azure", "italynorth", "IT-NO", "Europe/Rome", "Milan"},
    {"azure", "japaneast", "JP-TK", "Asia/Tokyo", "Tokyo, Saitama"},
    {"azure", "japanwest", "JP-KN", "Asia/Tokyo", "Osaka"},
    {"azure", "jioindiacentral", "IN-WE", "Asia/Kolkata", "Nagpur"},
    {"azure", "jioindiawest", "IN-WE", "Asia/Kolkata", "Jamnagar"},
    {"azure", "koreacentral", "KR", "Asia/Seoul", "Seoul"},
    {"azure", "koreasouth", "KR", "Asia/Seoul", "Busan"},
    {"azure", "malaysiawest", "MY-WM", "Asia/Kuala_Lumpur", "Kuala Lumpur"},
    {"azure", "mexicocentral", "MX", "America/Mexico_City", "Queretaro"},
    {"azure", "newzealandnorth", "NZ", "Pacific/Auckland", "Auckland"},
    {"azure", "northcentralus", "US-MIDA-PJM", "America/Chicago", "Illinois"},
    {"azure", "northeurope", "IE", "Europe/Dublin", "Ireland"},
    {"azure", "norwayeast", "NO-NO1", "Europe/Oslo", "Norway"},
    {"azure", "norwaywest", "NO-NO2", "Europe/Oslo", "Norway"},
    {"azure", "polandcentral", "PL", "Europe/Warsaw", "Warsaw"},
    {"azure", "qatarcentral", "QA", "Asia/Qatar", "Doha"},
    {"azure", "southafricanorth", "ZA", "Africa/Johannesburg", "Johannesburg"},
    {"azure", "southafricawest", "ZA", "Africa/Johannesburg", "Cape Town"},
    {"azure", "southcentralus", "US-TEX-ERCO", "America/Chicago", "Texas"},
    {"azure", "southeastasia", "SG", "Asia/Singapore", "Singapore"},
    {"azure", "southindia", "IN-SO", "Asia/Kolkata", "Chennai"},
    {"azure", "spaincentral", "ES", "Europe/Madrid", "Madrid"},
    {"azure", "swedencentral", "SE-SE3", "Europe/Stockholm", "Gavle"},
    {"azure", "switzerlandnorth", "CH", "Europe/Zurich", "Zurich"},
    {"azure", "switzerlandwest", "CH", "Europe/Zurich", "Geneva"},
    {"azure", "uaecentral", "AE", "Asia/Dubai", "Abu Dhabi"},
    {"azure", "uaenorth", "AE", "Asia/Dubai", "Dubai"},
    {"azure", "uksouth", "GB", "Europe/London", "London"},
    {"azure", "ukwest", "GB", "Europe/London", "Cardiff"},
    {"azure", "usgovarizona", "US-SW-AZPS", "America/Phoenix", "Arizona"},
    {"azure", "usgovtexas", "US-TEX-ERCO", "America/Chicago", "Texas"},
    {"azure", "usgovvirginia", "US-MIDA-PJM", "America/New_York", "Virginia"},
    {"azure", "westcentralus", "US-NW-PACE", "America/Denver", "Wyoming"},
    {"azure", "westeurope", "NL", "Europe/Amsterdam", "Netherlands"},
    {"azure", "westindia", "IN-WE", "Asia/Kolkata", "Mumbai"},
    {"azure", "westus", "US-CAL-CISO", "America/Los_Angeles", "California"},
    {"azure", "westus2", "US-NW-BPAT", "America/Los_Angeles", "Washington"},
    {"azure", "westus3", "US-SW-AZPS", "America/Phoenix", "Phoenix"},
    // clang-format on
};

std::string ProviderFromText(std::string_view text) {
  const std::string name = Lowercase(text);
  return name == "google" || name == "gce" ? "gcp" : name;
}

// The region of an availability zone: "us-west-2b" -> "us-west-2", "europe-west1-c" ->
// "europe-west1"; nullopt for a name that ends otherwise.
std::optional<std::string_view> RegionOfAvailabilityZone(std::string_view provider,
                                                         std::string_view zone) {
  const auto is = [](char character, int (*what)(int)) {
    return what(static_cast<unsigned char>(character)) != 0;
  };
  const std::size_t size = zone.size();
  if (size < 3 || !is(zone[size - 1], std::isalpha)) return std::nullopt;
  if (provider == "aws" && is(zone[size - 2], std::isdigit)) return zone.substr(0, size - 1);
  if (provider == "gcp" && zone[size - 2] == '-' && is(zone[size - 3], std::isdigit))
    return zone.substr(0, size - 2);
  return std::nullopt;
}

const CloudRegion* Find(std::string_view provider, std::string_view region) {
  const auto row = std::find_if(std::begin(kRegions), std::end(kRegions), [&](const auto& entry) {
    return entry.provider == provider && entry.region == region;
  });
  return row == std::end(kRegions) ? nullptr : &*row;
}

Error UnknownRegion(std::string_view provider, const std::string& region) {
  std::vector<std::string> names;
  for (const CloudRegion& row : kRegions)
    if (row.provider == provider) names.emplace_back(row.region);
  return {ExitCode::kConfiguration,
          "\"" + region + "\" is not a region of " + std::string(provider) + " that is known here",
          "", "give its grid zone itself with --zone" + SuggestionText(region, names)};
}

}  // namespace

std::span<const CloudRegion> CloudRegions() { return kRegions; }

bool NamesCloudRegion(std::string_view text) {
  return text == kZoneOfThisMachine || text.find('/') != std::string_view::npos;
}

Result<const CloudRegion*> CloudRegionFromText(std::string_view text) {
  const auto slash = text.find('/');
  const std::string provider = ProviderFromText(text.substr(0, slash));
  const std::array<std::string, 3> providers{"aws", "gcp", "azure"};
  if (slash == std::string_view::npos ||
      std::find(providers.begin(), providers.end(), provider) == providers.end())
    return Fail({ExitCode::kConfiguration, "\"" + std::string(text) + "\" names no cloud region",
                 "",
                 "write it as aws/us-west-2, gcp/europe-west1 or azure/westeurope" +
                     SuggestionText(provider, providers)});
  const std::string region = Lowercase(Trim(text.substr(slash + 1)));
  if (const CloudRegion* row = Find(provider, region)) return row;
  if (const auto whole = RegionOfAvailabilityZone(provider, region))
    if (const CloudRegion* row = Find(provider, *whole)) return row;
  return Fail(UnknownRegion(provider, region));
}

}  // namespace ebb::signals
