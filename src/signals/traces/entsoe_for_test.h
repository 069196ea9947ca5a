#pragma once
// Documents for tests, in the form of the ENTSO-E transparency platform's answers.

#include <string>
#include <utility>
#include <vector>

namespace ebb::signals {

using EntsoePoints = std::vector<std::pair<int, double>>;  ///< position, value

struct EntsoePeriodForTest {
  std::string begin, end, resolution = "PT60M";
  EntsoePoints points;
};

inline std::string EntsoePeriod(const EntsoePeriodForTest& period, const std::string& value) {
  std::string text = "<Period>\n<timeInterval>\n<start>" + period.begin + "</start>\n<end>" +
                     period.end + "</end>\n</timeInterval>\n<resolution>" + period.resolution +
                     "</resolution>\n";
  for (const auto& [position, number] : period.points)
    text += "<Point>\n<position>" + std::to_string(position) + "</position>\n<" + value + ">" +
            std::to_string(number) + "</" + value + ">\n</Point>\n";
  return text + "</Period>\n";
}

/// `plants` is empty for load.
inline std::string EntsoePower(const std::string& plants, const EntsoePeriodForTest& period,
                               const std::string& curve = "A03") {
  const std::string domain =
      plants.empty() ? "outBiddingZone_Domain.mRID" : "inBiddingZone_Domain.mRID";
  return "<TimeSeries>\n<mRID>1</mRID>\n<businessType>" +
         std::string(plants.empty() ? "A04" : "A94") +
         "</businessType>\n<objectAggregation>A01</objectAggregation>\n<" + domain +
         " codingScheme=\"A01\">10Y1001A1001A83F</" + domain +
         ">\n<quantity_Measure_Unit.name>MAW</quantity_Measure_Unit.name>\n<curveType>" + curve +
         "</curveType>\n" +
         (plants.empty() ? std::string()
                         : "<MktPSRType>\n<psrType>" + plants + "</psrType>\n</MktPSRType>\n") +
         EntsoePeriod(period, "quantity") + "</TimeSeries>\n";
}

/// `auction` may be empty.
inline std::string EntsoePrice(const std::string& auction, const EntsoePeriodForTest& period) {
  const std::string name = "classificationSequence_AttributeInstanceComponent.position";
  return "<TimeSeries>\n<mRID>1</mRID>\n<auction.type>A01</auction.type>\n<businessType>A62</"
         "businessType>"
         "\n<in_Domain.mRID codingScheme=\"A01\">10Y1001A1001A82H</in_Domain.mRID>\n"
         "<out_Domain.mRID codingScheme=\"A01\">10Y1001A1001A82H</out_Domain.mRID>\n"
         "<contract_MarketAgreement.type>A01</contract_MarketAgreement.type>\n"
         "<currency_Unit.name>EUR</currency_Unit.name>\n"
         "<price_Measure_Unit.name>MWH</price_Measure_Unit.name>\n" +
         (auction.empty() ? std::string() : "<" + name + ">" + auction + "</" + name + ">\n") +
         "<curveType>A03</curveType>\n" + EntsoePeriod(period, "price.amount") + "</TimeSeries>\n";
}

inline std::string EntsoeGlDocument(const std::string& type, const std::string& series,
                                    const std::string& process = "A01") {
  return "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<GL_MarketDocument "
         "xmlns=\"urn:iec62325.351:tc57wg16:451-6:generationloaddocument:3:0\">\n<mRID>2</mRID>\n"
         "<type>" +
         type + "</type>\n<process.processType>" + process + "</process.processType>\n" + series +
         "</GL_MarketDocument>\n";
}

inline std::string EntsoePriceDocument(const std::string& series) {
  return "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<Publication_MarketDocument "
         "xmlns=\"urn:iec62325.351:tc57wg16:451-3:publicationdocument:7:3\">\n<mRID>3</mRID>\n"
         "<type>A44</type>\n" +
         series + "</Publication_MarketDocument>\n";
}

inline std::string EntsoeRefusal(const std::string& text) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Acknowledgement_MarketDocument "
         "xmlns=\"urn:iec62325.351:tc57wg16:451-1:acknowledgementdocument:7:0\">\n<mRID>4</mRID>\n"
         "<Reason>\n<code>999</code>\n<text>" +
         text + "</text>\n</Reason>\n</Acknowledgement_MarketDocument>\n";
}

}  // namespace ebb::signals
