#include "framework/pipeline/slurm/settings.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "framework/core/base/characters.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/yaml.h"

namespace lvtext {
namespace {

constexpr size_t kMaxDigits = 9;

std::optional<int64_t> whole(const std::string& text) {
  const bool is_number = !text.empty() && text.size() <= kMaxDigits &&
                         std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c); });
  return is_number ? std::optional<int64_t>(std::stoll(text)) : std::nullopt;
}

std::filesystem::path user_file() {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  if (config != nullptr && *config != '\0') {
    return std::filesystem::path(config) / "lvtext" / "slurm.yaml";
  }
  const char* home = std::getenv("HOME");
  return std::filesystem::path(home != nullptr ? home : "/") / ".config" / "lvtext" / "slurm.yaml";
}

}  // namespace

std::optional<int64_t> gpus_in(const std::string& text) {
  const size_t colon = text.rfind(':');
  if (colon == 0) return std::nullopt;
  return whole(colon == std::string::npos ? text : text.substr(colon + 1));
}

std::optional<int64_t> time_limit_in(const std::string& text) {
  constexpr int64_t kMinute = 60, kHour = 3600, kDay = 24 * kHour;
  const size_t dash = text.find('-');
  const bool has_days = dash != std::string::npos;
  int64_t seconds = 0;
  if (has_days) {
    const auto days = whole(text.substr(0, dash));
    if (!days) return std::nullopt;
    seconds = *days * kDay;
  }
  const auto parts = split(has_days ? text.substr(dash + 1) : text, ':');
  if (parts.size() > 3) return std::nullopt;
  // The first of one or two numbers counts hours after days, else minutes.
  int64_t unit = has_days || parts.size() == 3 ? kHour : kMinute;
  for (const auto& part : parts) {
    const auto number = whole(part);
    if (!number) return std::nullopt;
    seconds += *number * unit;
    unit /= 60;
  }
  return seconds;
}

std::string problem_of_option(const std::string& option) {
  if (!option.starts_with("--")) {
    return "'" + option + "' does not start with `--`, such as --constraint=a100";
  }
  const std::string name = option.substr(2, option.find_first_of("= ") - 2);
  static const std::vector<std::pair<std::string, std::string>> kOwn = {
      {"partition", "the setting `partition`"},
      {"account", "the setting `account`"},
      {"qos", "the setting `qos`"},
      {"gpus", "the setting `gpus`"},
      {"cpus-per-task", "the setting `cpus`"},
      {"mem", "the setting `memory`"},
      {"time", "the setting `time`"},
      {"signal", "the setting `warning`"},
      {"array", "the setting `parallel`"},
      {"requeue", "lvtext"},
      {"no-requeue", "lvtext"},
      {"open-mode", "lvtext"},
      {"output", "lvtext"},
      {"chdir", "lvtext"},
      {"dependency", "lvtext"},
      {"parsable", "lvtext"},
      {"ntasks", "lvtext (a task is one process)"}};
  for (const auto& [own, by] : kOwn) {
    if (name == own) return "--" + name + " is set by " + by;
  }
  const bool is_line = option.find_first_of("\r\n") == std::string::npos;
  return is_line ? "" : "an option is a single line";
}

SlurmFile read_slurm_settings(const std::filesystem::path& given) {
  SlurmFile found{given, {}};
  std::error_code absent;
  if (given.empty()) {
    for (const auto& file : {std::filesystem::path("slurm.yaml"), user_file()}) {
      if (!std::filesystem::exists(file, absent)) continue;
      found.file = file;
      break;
    }
    if (found.file.empty()) return found;
  }
  Errors errors;
  const Node node = load_yaml(found.file, errors);
  errors.throw_if_any();
  found.settings = parse_options<SlurmSettings>(node, errors);
  errors.throw_if_any();
  return found;
}

}  // namespace lvtext
