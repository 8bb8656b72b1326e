#include "framework/data/fingerprint.h"

#include "framework/base/error.h"
#include "framework/base/hash.h"
#include "framework/data/manifest.h"

namespace lvtext {

nlohmann::json data_fingerprint(const DataOptions& options,
                                const std::vector<std::filesystem::path>& folders) {
  nlohmann::json print = {{"max_words", options.max_words},
                          {"train_at_most", options.train_at_most},
                          {"seed", options.seed}};
  const auto content = [](const char* key, const std::string& path) {
    if (path.empty()) return nlohmann::json();
    std::error_code failed;
    if (std::filesystem::status(path, failed).type() == std::filesystem::file_type::not_found) {
      throw MissingError(std::string("data.") + key + ": there is no file '" + path +
                         "'; a path is taken from the working directory, " +
                         std::filesystem::current_path(failed).string());
    }
    try {
      return nlohmann::json(sha256_file(path));
    } catch (const Error& error) {
      throw Error(error.code(), std::string("data.") + key + ": " + error.what());
    }
  };
  // What came later stands in an identity only where it is used: older identities stay.
  if (!options.reverse.empty()) print["reverse"] = content("reverse", options.reverse);
  const auto add_rules = [&print, &options](const SplitRules& rules) {
    if (!options.dedupe.value_or(rules.dedupe)) print["dedupe"] = false;
    if (!options.remove_test_overlap.value_or(rules.remove_test_overlap)) {
      print["remove_test_overlap"] = false;
    }
    if (!options.clean.value_or(rules.clean)) print["clean"] = false;
    const SplitOrder order = options.order.value_or(rules.order);
    if (order != SplitOrder::kContent) print["order"] = enum_name(order);
  };
  if (!options.train.empty()) {
    add_rules({});
    print["own"] = {
        {"train", content("train", options.train)}, {"valid", content("valid", options.valid)},
        {"test", content("test", options.test)},    {"valid_share", options.valid_share},
        {"test_share", options.test_share},         {"reverse_share", options.reverse_share}};
    return print;
  }
  const Manifest set = load_manifest(options.set, folders);
  print["set"] = set.name;
  if (set.is_grammar) {
    const GrammarDraw& draw = set.grammar;
    print["grammar"] = {{"seed", draw.seed},
                        {"train", draw.train},
                        {"valid", draw.valid},
                        {"test", draw.test},
                        {"reverse", draw.reverse}};
    return print;
  }
  add_rules(set.rules);
  if (!set.reverse_field.empty()) print["reverse_field"] = set.reverse_field;
  const std::string field = options.field.empty() ? set.fields.front() : options.field;
  print["field"] = field;
  print["files"] = nlohmann::json::array();
  for (const DataFile& file : set.files) {
    if (file.holds(field)) print["files"].push_back({{"role", file.role}, {"sha256", file.sha256}});
  }
  print["rules"] = {{"test_at_least", set.rules.test_at_least},
                    {"valid_share", set.rules.valid_share},
                    {"valid_at_most", set.rules.valid_at_most},
                    {"reverse_share", set.rules.reverse_share}};
  return print;
}

}  // namespace lvtext
