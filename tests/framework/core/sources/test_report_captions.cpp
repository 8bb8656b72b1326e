// Captions of reports and the split by patient.
#include <algorithm>
#include <map>
#include <set>

#include "framework/core/base/hash.h"
#include "framework/core/base/strings.h"
#include "framework/core/sources/fetch.h"
#include "framework/core/sources/report_captions.h"
#include "framework/core/text/lines.h"
#include "tests/catch.h"

using namespace lvtext;

namespace {

using Sentences = std::vector<std::vector<std::string>>;
using Captions = std::vector<std::string>;

/// The findings of the reports with a frontal image, by patient.
std::map<int64_t, std::string> frontal_findings(const std::string& mirror) {
  std::map<int64_t, std::string> reports;
  LineReader lines(mirror + "/cxr/frontal_findings.tsv.gz");
  std::string line;
  while (lines.next(line)) {
    const std::vector<std::string> columns = split(line, '\t');
    reports[std::stoll(columns.at(0))] = columns.at(2);
  }
  return reports;
}

}  // namespace

TEST_CASE("report captions: sentences and words", "[data]") {
  CHECK(report_sentences("The XXXX is 3.5 cm. No T-spine/rib's fracture; x--y?End a.b") ==
        Sentences{{"the", "xxxx", "is", "3.5", "cm"},
                  {"no", "t-spine/rib's", "fracture"},
                  {"x", "y", "end", "a", "b"}});
  CHECK(report_sentences(" . 1. Clear!\n2, 3.") == Sentences{{"1"}, {"clear"}, {"2", "3"}});
  CHECK(report_sentences("-- / .").empty());
}

TEST_CASE("report captions: sentences that do not fit are left out", "[data]") {
  CHECK(report_captions("One two three. Four five. Six.", 1, 1, 4).front() == "one two three six");
  CHECK(report_captions("One two three.", 1, 1, 2) == Captions{"one two"});
  CHECK(report_captions("?!", 1, 1).empty());
  const auto captions = report_captions("A b. C. D e f.", 7, 3);
  CHECK(captions.front() == "a b c d e f");
  CHECK(captions.size() == 4);
  CHECK(std::set<std::string>(captions.begin(), captions.end()).size() == 4);
  CHECK(report_captions("A b. C. D e f.", 7, 3) == captions);
}

TEST_CASE("report captions: the split has floor(8 n / 10) and floor(n / 10) patients", "[data]") {
  const auto splits = patient_splits(19, 5);
  CHECK(std::count(splits.begin(), splits.end(), "train") == 15);
  CHECK(std::count(splits.begin(), splits.end(), "valid") == 1);
  CHECK(std::count(splits.begin(), splits.end(), "test") == 3);
  CHECK(patient_splits(19, 6) != splits);
}

TEST_CASE("report captions: captions, patients and words of the real reports", "[data]") {
  const auto mirror = data_locations().mirror;
  if (mirror.empty()) {
    WARN("not tested: captions of real reports (LVTEXT_DATA_MIRROR is not set)");
    return;
  }
  const auto reports = frontal_findings(mirror.string());
  REQUIRE(reports.size() == 3199);
  std::vector<int64_t> ids;
  std::map<size_t, int64_t> counts;  // reports by their number of captions
  Sha256 hash;
  int64_t captions = 0;
  for (const auto& [id, findings] : reports) {
    ids.push_back(id);
    const auto of_report = report_captions(findings, 1234, static_cast<uint64_t>(id));
    ++counts[of_report.size()];
    captions += std::ssize(of_report);
    for (const std::string& caption : of_report) hash.update(caption + "\n");
  }
  CHECK(captions == 12576);
  CHECK(counts == std::map<size_t, int64_t>{{1, 8}, {2, 95}, {3, 6}, {4, 3090}});
  CHECK(hash.hex() == "65e795844dbd4bddb187f4966ed4209807a21d10024d474c2ae3f001d24918b2");

  const std::vector<size_t> order = patient_order(ids.size(), 1234);
  const auto first_ids = [&](size_t from, size_t count) {
    std::vector<int64_t> first;
    for (size_t i = from; i < from + count; ++i) first.push_back(ids[order[i]]);
    return first;
  };
  CHECK(first_ids(0, 5) == std::vector<int64_t>{2264, 183, 3662, 327, 2181});
  CHECK(first_ids(2559, 3) == std::vector<int64_t>{2980, 1225, 2473});
  CHECK(first_ids(2559 + 319, 3) == std::vector<int64_t>{3226, 2305, 2961});

  const auto splits = patient_splits(ids.size(), 1234);
  std::map<std::string, int64_t> patients, words;
  int64_t train_captions = 0, train_tokens = 0;
  for (size_t i = 0; i < ids.size(); ++i) {
    ++patients[splits[i]];
    if (splits[i] != "train") continue;
    const std::string& findings = reports.at(ids[i]);
    for (const auto& sentence : report_sentences(findings)) {
      for (const std::string& word : sentence) ++words[word];
    }
    for (const auto& caption : report_captions(findings, 1234, static_cast<uint64_t>(ids[i]))) {
      ++train_captions;
      train_tokens += 1 + std::count(caption.begin(), caption.end(), ' ');
    }
  }
  CHECK(patients == std::map<std::string, int64_t>{{"train", 2559}, {"valid", 319}, {"test", 321}});
  CHECK(train_captions == 10060);
  CHECK(train_tokens == 242934);
  // With the four special tokens the vocabulary has 628.
  CHECK(std::count_if(words.begin(), words.end(), [](const auto& w) { return w.second >= 5; }) ==
        624);
}
